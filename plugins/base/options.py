"""The options' one hierarchy: what many metrics ask for is documented and checked here, once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sdmetrics_disclosure.plugins.base.roles import ROLES, check_roles
from sdmetrics_disclosure.plugins.common.random_state import seed_sequence
from sdmetrics_disclosure.plugins.common.validation import (
    check_choice,
    check_confidence_level,
    check_n_jobs,
    check_num_rows,
)

# Checked by name, in whatever options they stand.
CHECKS: Mapping[str, Callable[[Any], object]] = {
    "confidence_level": check_confidence_level,
    "num_rows_subsample": check_num_rows,
    "n_jobs": check_n_jobs,
    "random_state": seed_sequence,
}
# They say nothing about the figures.
NOT_SETTINGS = {"n_jobs", "verbose"}

# What may be done with holdout rows that stand in the training rows (see `holdout.check`).
OVERLAPS = ("refuse", "drop", "keep")


@dataclass(frozen=True)
class MetricOptions:
    """The options of a metric that has none; a subclass adds a field a parameter."""

    def __post_init__(self) -> None:
        """Check the parameters that many metrics have."""
        for field in fields(self):
            if field.name in CHECKS:
                CHECKS[field.name](getattr(self, field.name))

    def settings(self) -> dict[str, Any]:
        """What was asked for, defaults filled in, ready for JSON."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = {name: value for name, value in given.items() if name not in NOT_SETTINGS}
        return {name: _plain(name, value) for name, value in self._resolve(shown).items()}

    def _resolve(self, shown: dict[str, Any]) -> dict[str, Any]:
        """The settings where they differ from the fields: a default's value, a name's meaning."""
        return shown


@dataclass(frozen=True)
class RoleOptions(MetricOptions):
    """Parameters of every metric that attacks columns.

    Args:
        sensitive_column_names:
            The columns an attacker wants to learn. None: every modelable column in turn (those
            with one value or more than 50 classes are skipped); the score is their mean.
        known_column_names:
            The columns an attacker knows of real people. None: all other modelable columns.
    """

    sensitive_column_names: Sequence[Hashable] | None = None
    known_column_names: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_roles(self)
        super().__post_init__()


@dataclass(frozen=True)
class HoldoutOptions(MetricOptions):
    """Parameters of every metric that compares training rows with a holdout.

    Args:
        overlap:
            What to do where more of the holdout stands in the training rows than training rows
            repeat each other: "refuse" (an error); "drop" the rows, on both sides, that have a
            twin on the other; or "keep" them. They are counted in any case.
    """

    overlap: str = "refuse"

    def __post_init__(self) -> None:
        """Check every parameter."""
        check_choice("overlap", self.overlap, OVERLAPS)
        super().__post_init__()


@dataclass(frozen=True)
class SampleOptions(MetricOptions):
    """Parameters of every metric that can do with a sample.

    Args:
        num_rows_subsample:
            At most this many rows of each table, drawn at random. None: all. Of tables in
            partitions every real row is scored, and this many (None: 100,000) of the others drawn.
        random_state:
            Seed; the same one gives the same bits on any number of threads.
    """

    num_rows_subsample: int | None = None
    random_state: Any = 0


@dataclass(frozen=True)
class CommonOptions(SampleOptions):
    """Parameters of every metric that trains or searches.

    Args:
        confidence_level:
            Coverage of the intervals and bounds.
        n_jobs:
            Threads; None: one, -1: every core.
        verbose:
            Whether to show progress.
    """

    confidence_level: float = 0.95
    n_jobs: int | None = None
    verbose: bool = False


def _plain(name: str, value: Any) -> Any:
    if name in ROLES:
        return None if value is None else [str(column) for column in value]
    if name == "random_state":
        return value if isinstance(value, int) else None
    return plain_value(value)


def plain_value(value: Any) -> Any:
    """An option as JSON has it; of an object its type."""
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, (list, tuple)):
        return [plain_value(each) for each in value]
    return type(value).__name__
