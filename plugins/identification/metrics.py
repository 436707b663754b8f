"""The regulator's questions as metrics: Copies, SingleOut and Linkability."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.common.statistics import newcombe
from sdmetrics_disclosure.plugins.holdout.check import Overlap, resolve_overlap
from sdmetrics_disclosure.plugins.identification.copies import find_copies
from sdmetrics_disclosure.plugins.identification.linkability import deal_columns, link_people
from sdmetrics_disclosure.plugins.identification.metric import (
    ATTACK,
    EXCHANGE,
    PEOPLE,
    SUBSAMPLE,
    IdentificationMetric,
    count_people,
    kinds_by_name,
    p_value,
    prepare,
)
from sdmetrics_disclosure.plugins.identification.nearness import find_nearness
from sdmetrics_disclosure.plugins.identification.options import (
    CopiesOptions,
    LinkabilityOptions,
    SingleOutOptions,
)
from sdmetrics_disclosure.plugins.identification.people import (
    cut_to_one_size,
    exchange,
    units_of,
)
from sdmetrics_disclosure.plugins.identification.result import (
    CopiesResult,
    Excess,
    ExcessResult,
    null_interval,
)
from sdmetrics_disclosure.plugins.identification.single_out import Isolation, find_isolation


class Copies(IdentificationMetric):
    """Are real rows in it? The share of synthetic rows that are real, beside what chance gives."""

    name = "Copies"
    Options = CopiesOptions
    limits = ("copies_max",)

    @classmethod
    def evaluate(cls, release: Release, options: CopiesOptions) -> CopiesResult:
        """Count the training rows among the synthetic ones.

        Equal rows are counted among all rows; near ones among those of the subsample.

        Args:
            release:
                The checked tables.
            options:
                The options.
        """
        seeds = seed_sequence(options.random_state)
        overlap: Overlap | None = None
        if release.holdout is not None:
            release, overlap = resolve_overlap(release, options.overlap)
        drawn = release.subsample(options.num_rows_subsample, generator(seeds, SUBSAMPLE))
        real, holdout = _one_size(drawn, generator(seeds, PEOPLE, 0))
        return CopiesResult(
            copied=tuple(
                find_copies(
                    synthetic,
                    release.real,
                    release.holdout,
                    release.kinds,
                    release.unit,
                    confidence_level=options.confidence_level,
                    generator=generator(seeds, PEOPLE, 1),
                )
                for synthetic in release.synthetic
            ),
            nearness=tuple(
                find_nearness(synthetic, real, holdout, release.kinds, options.n_jobs)
                for synthetic in drawn.synthetic
            ),
            overlap=overlap,
            settings=options.settings(),
            warnings=release.notes,
        )


class SingleOut(IdentificationMetric):
    """Do predicates that single out a synthetic row single out a person of the training rows?"""

    name = "SingleOut"
    Options = SingleOutOptions
    needs_holdout = True
    in_quality_report: ClassVar[bool] = False
    limits = ("single_out_max",)

    @classmethod
    def evaluate(cls, release: Release, options: SingleOutOptions) -> ExcessResult:
        """Make predicates from the synthetic rows, and count whom they single out.

        Args:
            release:
                The checked tables, with a holdout.
            options:
                The options.

        Raises:
            ValueError: If there is no holdout, or no predicate singles out a synthetic row.
        """
        cls.check_holdout(release.holdout)
        release, overlap, people, seeds = prepare(release, options)
        kinds = kinds_by_name(release)
        found = [
            find_isolation(
                synthetic,
                units_of(synthetic, release.unit),
                people,
                kinds,
                n_columns=min(options.n_columns, len(kinds)),
                n_attacks=options.n_attacks,
                max_tries=options.max_tries,
                generator=generator(seeds, ATTACK),
                n_jobs=options.n_jobs,
            )
            for synthetic in release.synthetic
        ]
        _check_predicates(found)
        null = exchange(
            [each.excess for each in found],
            people.n,
            options.n_permutations,
            generator(seeds, EXCHANGE),
        )
        notes = release.notes
        if options.n_columns > len(kinds):
            notes = (*notes, f"Predicates have {len(kinds)} conditions: there are no more columns.")
        assert release.holdout is not None, "the metric has asked for a holdout"
        replicates = tuple(
            _isolation_excess(each, row, options.confidence_level)
            for each, row in zip(found, null, strict=True)
        )
        return ExcessResult(
            measure="single_out",
            words="rate of singling out",
            replicates=replicates,
            p_value=p_value(replicates, null),
            n=people.n,
            n_outsiders=count_people(release),
            overlap=overlap,
            settings=options.settings(),
            warnings=notes,
        )


class Linkability(IdentificationMetric):
    """Do two sets of a person's columns, held apart, lead to the same synthetic row?"""

    name = "Linkability"
    Options = LinkabilityOptions
    needs_holdout = True
    in_quality_report: ClassVar[bool] = False
    limits = ("linkability_max",)

    @classmethod
    def evaluate(cls, release: Release, options: LinkabilityOptions) -> ExcessResult:
        """Search the nearest synthetic rows twice, and see whether they are the same.

        Args:
            release:
                The checked tables, with a holdout.
            options:
                The options.

        Raises:
            ValueError: If there is no holdout, or there are no two sets of columns.
        """
        cls.check_holdout(release.holdout)
        release, overlap, people, seeds = prepare(release, options)
        sets = _column_sets(release, options.column_sets)
        kinds = {column: release.kinds[column] for columns in sets for column in columns}
        found = [
            link_people(synthetic, people, kinds, sets, options.n_jobs)
            for synthetic in release.synthetic
        ]
        null = exchange(
            [_Difference(each) for each in found],
            people.n,
            options.n_permutations,
            generator(seeds, EXCHANGE),
        )
        replicates = tuple(
            _link_excess(each, people.n, sets, options.confidence_level) for each in found
        )
        return ExcessResult(
            measure="linkability",
            words="rate of linking",
            replicates=replicates,
            p_value=p_value(replicates, null),
            n=people.n,
            n_outsiders=count_people(release),
            overlap=overlap,
            settings=options.settings(),
            warnings=release.notes,
        )


def _one_size(release: Release, rng: np.random.Generator) -> tuple[Any, Any]:
    if release.holdout is None:
        return release.real, None
    people = cut_to_one_size(release.real, release.holdout, release.unit, rng)
    return people.training, people.holdout


def _column_sets(
    release: Release, column_sets: Sequence[Sequence[Hashable]] | None
) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    if column_sets is not None:
        unknown = {c for columns in column_sets for c in columns if c not in release.kinds}
        if unknown:
            raise ValueError(
                f"`column_sets` names {names(unknown)}; the columns that can be modelled are "
                f"{names(release.columns)}."
            )
        return column_sets[0], column_sets[1]
    columns = list(kinds_by_name(release))
    if len(columns) < 2:
        raise ValueError(
            "Linkability needs two columns that have more than one value; there is one."
        )
    return deal_columns(columns)


def _check_predicates(found: Sequence[Isolation]) -> None:
    if not all(each.matches.n_predicates for each in found):
        raise ValueError(
            "No predicate singles out a synthetic row: the rows are too much alike for as many "
            "columns as `n_columns` says. Raise `n_columns`, or `max_tries`."
        )


def _isolation_excess(found: Isolation, null: Any, confidence_level: float) -> Excess:
    training, holdout = found.rates()
    n_predicates = found.matches.n_predicates
    difference = null_interval(training - holdout, null, confidence_level, 1.0 / n_predicates)
    details = {
        "n_predicates": n_predicates,
        "expected_by_chance": found.expected_by_chance(),
    }
    return Excess(training, holdout, difference, details)


class _Difference:
    """The mean over those called training people minus that over the others."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.total = float(values.sum())

    def __call__(self, in_training: Any) -> float:
        in_training_sum = float(self.values[in_training].sum())
        return (2.0 * in_training_sum - self.total) / (len(self.values) / 2)


def _link_excess(
    values: Any,
    n: int,
    sets: tuple[Sequence[Hashable], Sequence[Hashable]],
    confidence_level: float,
) -> Excess:
    """Means of numbers in [0, 1] vary at most as shares do: Newcombe's interval is wide enough."""
    training, holdout = float(values[:n].sum()), float(values[n:].sum())
    difference = newcombe(training, n, holdout, n, confidence_level)
    details = {"column_sets": [[str(column) for column in columns] for columns in sets]}
    return Excess(training / n, holdout / n, difference, details)
