"""How a metric goes about a release in steps, so that one that fails ends no other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.common.statistics import Interval

# What a step found, by sensitive column; None is the whole table.
Found = Mapping[Hashable, Any]
# A known column, whether it was "alone" or "left_out", and the attack that says what is at risk.
Variant = tuple[Hashable, str, Callable[[], Interval]]


def no_variants(_: Any) -> Iterator[Variant]:
    """What a metric has that does not explain its results by the known columns."""
    return iter(())


def only_result(found: Found) -> Any:
    """The result of a metric that has one for the whole table."""
    return next(iter(found.values()))


@dataclass(frozen=True)
class Steps:
    """The steps of a metric on a release.

    Attributes:
        release: The tables as the steps see them.
        runs: The steps by sensitive column; None is the whole table. Each gives results, or
            exceptions, by column.
        notes: What was noticed before the first step.
        sensitive: The columns that are attacked; empty where that is not the metric's question.
        variants: The attacks that explain a result by its known columns.
        join: Makes one result of those of all columns.
    """

    release: Release
    runs: Mapping[Hashable, Callable[[], Found]]
    notes: tuple[str, ...] = ()
    sensitive: tuple[Hashable, ...] = ()
    variants: Callable[[Any], Iterator[Variant]] = no_variants
    join: Callable[[Found], Any] = only_result
