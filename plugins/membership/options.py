"""The parameters that every membership attack has, documented and checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sdmetrics_disclosure.plugins.common.validation import check_choice, check_common, check_number

OVERLAPS = ("refuse", "drop", "keep")


@dataclass(frozen=True)
class MembershipOptions:
    """Parameters that every membership attack has.

    Args:
        target_fprs:
            False positive rates at which the true positive rate is wanted.
        overlap:
            What to do where more than 1 % of the holdout stands in the training rows: "refuse"
            (an error), "drop" those holdout rows, or "keep" them. They are counted in any case.
        confidence_level:
            Coverage of the intervals and of the epsilon bound.
        num_rows_subsample:
            At most this many rows of each table, drawn at random. None: all. Of tables in
            partitions every real row is scored, and this many (None: 100,000) of the others drawn.
        random_state:
            Seed; the same one gives the same bits on any number of threads.
        n_jobs:
            Threads; None: one, -1: every core.
        verbose:
            Whether to show progress.
    """

    target_fprs: Sequence[float] = (0.0, 0.001, 0.01, 0.1)
    overlap: str = "refuse"
    confidence_level: float = 0.95
    num_rows_subsample: int | None = None
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: bool = False

    def __post_init__(self) -> None:
        """Check every parameter."""
        if isinstance(self.target_fprs, str) or not isinstance(self.target_fprs, Sequence):
            raise TypeError(
                f"`target_fprs` is a {type(self.target_fprs).__name__}; pass a list of rates."
            )
        for rate in self.target_fprs:
            check_number("target_fprs", rate, 0.0, 1.0)
        check_choice("overlap", self.overlap, OVERLAPS)
        check_common(self)

    def settings(self) -> dict[str, Any]:
        """What was asked for, ready for JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        del plain["n_jobs"], plain["verbose"]
        plain["target_fprs"] = list(self.target_fprs)
        if not isinstance(self.random_state, int):
            plain["random_state"] = None
        return plain
