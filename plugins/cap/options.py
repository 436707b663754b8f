"""The parameters that the measures by key groups share."""

from __future__ import annotations

from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.options import RoleOptions, SampleOptions
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count, check_number

CAP_METHODS = ("cap", "zero_cap", "generalized_cap")


@dataclass(frozen=True)
class SharedOptions(SampleOptions, RoleOptions):
    """Parameters that these measures have in common with RAPID."""


@dataclass(frozen=True)
class KeyOptions(SharedOptions):
    """Parameters of the measures by key groups.

    Args:
        n_bins:
            Quantile bins of the synthetic column that numbers, known or sensitive, count by.
        confidence_level:
            Coverage of the intervals.
    """

    n_bins: int = 20
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_bins", self.n_bins, 1)


@dataclass(frozen=True)
class TCAPOptions(KeyOptions):
    """Parameters of TCAP.

    Args:
        tau_cap:
            A key group is believed when this share of it, or more, has one sensitive value.
    """

    tau_cap: float = 1.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_number("tau_cap", self.tau_cap, 0.0, 1.0)


@dataclass(frozen=True)
class CAPOptions(SharedOptions):
    """Parameters of SDMetrics' DisclosureProtection.

    Args:
        computation_method:
            "cap", "zero_cap" or "generalized_cap".
        num_discrete_bins:
            Bins of equal width that numbers count by.
    """

    computation_method: str = "cap"
    num_discrete_bins: int = 10

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_choice("computation_method", self.computation_method, CAP_METHODS)
        check_count("num_discrete_bins", self.num_discrete_bins, 1)
