"""What a disclosure metric finds: the protocol of results, and the simplest one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


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
