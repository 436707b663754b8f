"""How results look in a console and in a notebook: their numbers, not their arrays."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdmetrics_disclosure.plugins.base.findings import Finding, findings_of

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
