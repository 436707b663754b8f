"""The parameters that every membership attack has, documented and checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.options import CommonOptions, HoldoutOptions
from sdmetrics_disclosure.plugins.common.validation import check_number


@dataclass(frozen=True)
class MembershipOptions(CommonOptions, HoldoutOptions):
    """Parameters that every membership attack has.

    Args:
        target_fprs:
            False positive rates at which the true positive rate is wanted.
    """

    target_fprs: Sequence[float] = (0.0, 0.001, 0.01, 0.1)

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if isinstance(self.target_fprs, str) or not isinstance(self.target_fprs, Sequence):
            raise TypeError(
                f"`target_fprs` is a {type(self.target_fprs).__name__}; pass a list of rates."
            )
        for rate in self.target_fprs:
            check_number("target_fprs", rate, 0.0, 1.0)
