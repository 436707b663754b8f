"""The parameters that every membership attack has, documented and checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.options import CommonOptions
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_number

OVERLAPS = ("refuse", "drop", "keep")


@dataclass(frozen=True)
class MembershipOptions(CommonOptions):
    """Parameters that every membership attack has.

    Args:
        target_fprs:
            False positive rates at which the true positive rate is wanted.
        overlap:
            What to do where more than 1 % of the holdout stands in the training rows: "refuse"
            (an error), "drop" those holdout rows, or "keep" them. They are counted in any case.
    """

    target_fprs: Sequence[float] = (0.0, 0.001, 0.01, 0.1)
    overlap: str = "refuse"

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if isinstance(self.target_fprs, str) or not isinstance(self.target_fprs, Sequence):
            raise TypeError(
                f"`target_fprs` is a {type(self.target_fprs).__name__}; pass a list of rates."
            )
        for rate in self.target_fprs:
            check_number("target_fprs", rate, 0.0, 1.0)
        check_choice("overlap", self.overlap, OVERLAPS)
