"""What the three metrics share: differences, people of one number, columns in one order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.common.statistics import permutation_p_value
from sdmetrics_disclosure.plugins.holdout.check import Overlap, resolve_overlap
from sdmetrics_disclosure.plugins.identification.options import CopiesOptions
from sdmetrics_disclosure.plugins.identification.people import People, cut_to_one_size, units_of
from sdmetrics_disclosure.plugins.identification.result import Excess, protection_from_excess

# What each seed is for: children of the one `random_state`.
SUBSAMPLE, PEOPLE, ATTACK, EXCHANGE = range(4)
# Sums of the same numbers in another order are the same difference.
ROUNDING = 1e-12


class IdentificationMetric(DisclosureMetric):
    """Base of the three: a score is a difference, and 0 or less is full protection."""

    disclosure: ClassVar[Literal["attribute", "membership"]] = "membership"
    min_value = -1.0

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """1 is no more than people never seen have; less than that is no more either."""
        return protection_from_excess(float(raw_score)) if raw_score == raw_score else raw_score


def prepare(
    release: Release, options: CopiesOptions
) -> tuple[Release, Overlap, People, np.random.SeedSequence]:
    """What a metric with a holdout starts from: overlap settled, people of one number."""
    seeds = seed_sequence(options.random_state)
    release, overlap = resolve_overlap(release, options.overlap)
    release = release.subsample(options.num_rows_subsample, generator(seeds, SUBSAMPLE))
    assert release.holdout is not None, "the metric has asked for a holdout"
    people = cut_to_one_size(release.real, release.holdout, release.unit, generator(seeds, PEOPLE))
    return release, overlap, people, seeds


def count_people(release: Release) -> int:
    """How many people the holdout has."""
    assert release.holdout is not None, "the metric has asked for a holdout"
    return int(units_of(release.holdout, release.unit).max()) + 1


def kinds_by_name(release: Release) -> Mapping[Hashable, Kind]:
    """The columns that say something, in an order that does not depend on the table's."""
    constant = set(release.constant_columns())
    columns = sorted((c for c in release.columns if c not in constant), key=str)
    if not columns:
        raise ValueError(
            "Every column has one value in all tables: nobody can be told from anybody."
        )
    return {column: release.kinds[column] for column in columns}


def p_value(replicates: Sequence[Excess], null: Any) -> float:
    """Of the largest difference of a replicate, against the largest in each exchange."""
    largest = max(each.difference.value for each in replicates)
    return permutation_p_value(largest - ROUNDING, null.max(axis=0))
