"""What a disclosure metric finds: the protocol of results, the simplest one, and how they look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from sdmetrics_disclosure.plugins.base.findings import Finding, findings_of


@runtime_checkable
class Result(Protocol):
    """What `DisclosureMetric.evaluate` returns.

    It may have two things more. `findings()` gives a sequence of `Finding`: intervals, what stands
    beside the score in a report's rows, and what limits can bind. `warnings` are sentences.
    """

    @property
    def score(self) -> float:
        """The metric's raw score, between its `min_value` and `max_value`."""

    @property
    def protection(self) -> float:
        """The score turned so that 1 is full protection and 0 none."""

    def breakdown(self) -> dict[str, Any]:
        """Everything that was found, as a plain dict ready for JSON, with the key `score`."""


@dataclass(frozen=True)
class Risk:
    """The simplest `Result`: a risk.

    Attributes:
        score: The risk, between 0 and 1.
    """

    score: float

    @property
    def protection(self) -> float:
        """1 minus the risk."""
        return 1.0 - self.score

    def breakdown(self) -> dict[str, Any]:
        """The risk, under the key `score`."""
        return {"score": self.score}


COLUMNS = ("Column", "Measure", "Value", "Low", "High", "Remark")


class ShownResult:
    """A result with a short `repr`, a table for notebooks, and the same table as a frame."""

    def to_frame(self) -> pd.DataFrame:
        """A row a sensitive column and measure, with its interval; NaN where not measured."""
        rows = [row for finding in findings_of(self) for row in _rows(finding)]
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        return frame.drop(columns="Column") if frame["Column"].isna().all() else frame

    def __repr__(self) -> str:
        said = f"score {self.score:.3f}, protection {self.protection:.3f}"  # type: ignore[attr-defined]
        return f"<{type(self).__name__}: {said}>"

    def _repr_html_(self) -> str:
        return frame_html(repr(self)[1:-1], self.to_frame())


def frame_html(title: str, frame: pd.DataFrame) -> str:
    """A titled table for a notebook; what stands in it is escaped.

    Args:
        title:
            Of the table.
        frame:
            What it holds.
    """
    from html import escape

    table = frame.to_html(index=False, na_rep="", float_format="{:.3f}".format, border=0)
    return f"<p><strong>{escape(title)}</strong></p>{table}"


def _rows(finding: Finding) -> list[tuple[Any, ...]]:
    return [
        (
            finding.column,
            each.words if each.at is None else f"{each.words} at {each.at:g}",
            *((each.found.value, each.found.low, each.found.high) if each.found else [None] * 3),
            each.remark,
        )
        for each in finding.measures
    ]
