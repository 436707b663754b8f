"""The parameters that the measures by key groups share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sdmetrics_disclosure.plugins.base.metric import ROLES, check_roles
from sdmetrics_disclosure.plugins.common.random_state import seed_sequence
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count, check_number

CAP_METHODS = ("cap", "zero_cap", "generalized_cap")


@dataclass(frozen=True)
class RoleOptions:
    """Parameters that these measures have in common with RAPID.

    Args:
        sensitive_column_names:
            The columns an attacker wants to learn. None: every modelable column in turn (those
            with one value or more than 50 classes are skipped); the score is their mean.
        known_column_names:
            The columns an attacker knows of real people. None: all other modelable columns.
        num_rows_subsample:
            At most this many rows of each table, drawn at random. None: all.
        random_state:
            Seed of that draw.
    """

    sensitive_column_names: Sequence[Hashable] | None = None
    known_column_names: Sequence[Hashable] | None = None
    num_rows_subsample: int | None = None
    random_state: Any = 0

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_roles(self)
        if self.num_rows_subsample is not None:
            check_count("num_rows_subsample", self.num_rows_subsample, 1)
        seed_sequence(self.random_state)

    def settings(self) -> dict[str, Any]:
        """What was asked for, ready for JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        for role in ROLES:
            plain[role] = None if plain[role] is None else [str(name) for name in plain[role]]
        if not isinstance(self.random_state, int):
            plain["random_state"] = None
        return plain


@dataclass(frozen=True)
class KeyOptions(RoleOptions):
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
        check_number("confidence_level", self.confidence_level, 0.0, 1.0, open_ends=True)


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
class CAPOptions(RoleOptions):
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
