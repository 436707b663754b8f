"""RAPID where the real table is in partitions: every record is scored where it is, and counted.

Three passes over the real rows: their levels (`open_partitions`), how many records each partition
has of each sensitive class, and the scores. Attackers are trained in between, on the synthetic
sample. What chance gives is drawn as for tables in memory: one permutation of all classes is a
draw of how many of each class come to a partition (hypergeometric), and an order there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL
from sdmetrics_disclosure.plugins.base.roles import Roles, find_roles, find_target
from sdmetrics_disclosure.plugins.common.random_state import generator
from sdmetrics_disclosure.plugins.partitions.map_partitions import each_part, over_parts
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease, Template
from sdmetrics_disclosure.plugins.rapid.column import (
    NULL,
    Counts,
    column_notes,
    column_seeds,
    conclude,
    train_all,
    worst_of,
)
from sdmetrics_disclosure.plugins.rapid.constant_guess import ConstantGuess, best_constant
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.part import (
    ColumnPlan,
    Draws,
    Share,
    Tallies,
    draw_truths,
    survey,
    tally,
)
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult, RapidResult, RapidRun
from sdmetrics_disclosure.plugins.rapid.score_kinds import N_THRESHOLDS, Floats, no_truth
from sdmetrics_disclosure.plugins.rapid.tallies import (
    ClassTally,
    NumberTally,
    TalliedClasses,
    TalliedNumbers,
    TalliedScores,
    Tally,
)

# True numbers from which those of the null are drawn.
POOL = 100_000
# A child of a column's seed, beyond those of `rapid_column` and `rapid_part`.
_RESAMPLE = 12


def evaluate_partitions(tables: PartitionedRelease, options: RapidOptions) -> RapidResult:
    """RAPID of a release whose real rows are in partitions (see `RAPID.evaluate`).

    Raises:
        ValueError: If a column cannot be attacked, or its score cannot be tallied.
    """
    roles = find_roles(tables.release, options)
    results, failures = evaluate_columns(tables, roles, options)
    for error in failures.values():
        raise error
    return as_result(tables, roles, results, options)


def evaluate_columns(
    tables: PartitionedRelease, roles: Roles, options: RapidOptions
) -> tuple[dict[Hashable, ColumnResult], dict[Hashable, Exception]]:
    """Attack every sensitive column, all in the same passes over the partitions.

    Args:
        tables:
            The samples, and where the rows are.
        roles:
            Which columns.
        options:
            What was asked for.

    Returns:
        The result of each column that could be attacked, the exception of each that could not.
    """
    failures: dict[Hashable, Exception] = {}
    trained = []
    for column in roles.sensitive:
        try:
            _check_tallied(column, tables.release.kinds[column].is_number, options)
            trained.append(_train(tables.release, roles, column, options))
        except Exception as error:
            failures[column] = error
    if not trained:
        return {}, failures
    plans, owns = _draw(tables, trained)
    tallies = _tally_all(tables.real, tables.template, plans, REAL, owns)
    held: Sequence[Any] = [None] * len(plans)
    if tables.holdout:
        bare = [plan.without_chance() for plan in plans]
        held = _tally_all(tables.holdout, tables.template, bare, HOLDOUT)
    results = {}
    for plan, *found in zip(plans, tallies, held, strict=True):
        try:
            results[plan.column] = _conclude(tables.release, plan, *found)
        except Exception as error:
            failures[plan.column] = error
    return results, failures


def as_result(
    tables: PartitionedRelease,
    roles: Roles,
    results: Mapping[Hashable, ColumnResult],
    options: RapidOptions,
) -> RapidResult:
    """The columns' results as one.

    Args:
        tables:
            The samples, and where the rows are.
        roles:
            Which columns.
        results:
            Of each column.
        options:
            What was asked for.
    """
    notes = [*tables.notes(), *roles.notes, *(n for r in results.values() for n in r.notes)]
    return RapidResult(
        columns=dict(results),
        index=pd.RangeIndex(0),
        settings=options.settings()
        | {"num_rows_trained": [len(frame) for frame in tables.release.synthetic]},
        warnings=tuple(dict.fromkeys(notes)),
    )


def _check_tallied(column: Hashable, is_number: bool, options: RapidOptions) -> None:
    if is_number and options.error == "absolute":
        raise ValueError(
            f"`error` is 'absolute' for column {column!r}: its curve ends at the largest error of "
            "all records. Tables in partitions can have 'symmetric' or 'stabilized_relative'."
        )
    if not is_number and options.score == "conditional":
        raise ValueError(
            f"`score` is 'conditional' for column {column!r}: it depends on the scores of all "
            "records. Tables in partitions can have 'normalized_gain' or 'cross_entropy'."
        )


def _conclude(
    release: Release, plan: ColumnPlan, tallies: Tallies, held: Tallies | None
) -> ColumnResult:
    target = find_target(release, plan.column)
    found = tuple(
        RapidRun(
            attacker=run.name,
            replicate=run.replicate,
            scores=_scores(plan, i, tallies[i]),
            holdout=None if held is None else _scores(plan, i, held[i]),
            notes=run.attacker.notes,
        )
        for i, run in enumerate(plan.runs)
    )
    worst = worst_of(found)
    counts = Counts(
        n_unseen=next(t.n_unseen for t, run in zip(tallies, found, strict=True) if run is worst),
        n_units=worst.scores.n,
        n_holdout_units=0 if worst.holdout is None else worst.holdout.n,
    )
    return conclude(
        plan.column,
        target,
        plan.known,
        found,
        counts,
        plan.options,
        plan.seeds,
        column_notes(release, target, found, plan.options),
        by_rows=True,
    )


def _train(release: Release, roles: Roles, column: Hashable, options: RapidOptions) -> ColumnPlan:
    """Train the attackers of a column; what of chance is drawn for all partitions comes later."""
    seeds = column_seeds(release, column, options)
    target, known = find_target(release, column), tuple(roles.known_for(column))
    runs = tuple(
        replace(run, attacker=replace(run.attacker.for_many_tables(), n_threads=1))
        for run in train_all(release, known, target, options, seeds)
    )
    constants = [0.0] * len(runs)
    threshold = options.tau_used
    if target.n_classes is None:
        threshold = options.epsilon_used
        error = options.error, options.epsilon_used, options.delta
        constants = [best_constant(run.learned, *error) for run in runs]
    return ColumnPlan(
        column=column,
        known=known,
        runs=runs,
        options=options,
        seeds=seeds,
        thresholds=np.unique(np.append(np.linspace(0.0, 1.0, N_THRESHOLDS), threshold)),
        n_classes=target.n_classes,
        class_counts=np.zeros(0, dtype=np.int64),
        resampled=np.zeros((0, 0), dtype=np.int64),
        pool=np.zeros(0),
        is_sample=False,
        constants=tuple(constants),
    )


def _draw(
    tables: PartitionedRelease, plans: Sequence[ColumnPlan]
) -> tuple[list[ColumnPlan], list[tuple[Share, ...]]]:
    """Count the classes, and draw what is drawn for all partitions at once."""
    untrained = [replace(plan, runs=()) for plan in plans]  # what is counted needs no models
    found = each_part(survey, tables.real, tables.template, untrained)
    by_column = list(zip(*found, strict=True))
    totals = [np.sum(by_part, axis=0) for by_part in by_column]
    pools = _draw_pools(tables, untrained, [int(counts.sum()) for counts in totals])
    ready, owns = [], []
    for plan, by_part, counts in zip(plans, by_column, totals, strict=True):
        labels = [np.zeros((0, 0), dtype=np.int32) for _ in by_part]
        if plan.n_classes is None:
            pool = pools.get(plan.column, np.zeros(0))
            plan = replace(plan, pool=pool, is_sample=pool.size < counts.sum())
        else:
            resampled = generator(plan.seeds, _RESAMPLE).multinomial(
                counts.sum(), counts / counts.sum(), size=plan.options.n_bootstrap
            )
            plan = replace(plan, class_counts=counts, resampled=resampled)
            labels = _allot(by_part, plan.options.n_permutations, generator(plan.seeds, NULL))
        ready.append(plan)
        owns.append([Share(i, each) for i, each in enumerate(labels)])
    return ready, list(zip(*owns, strict=True))


def _draw_pools(
    tables: PartitionedRelease, plans: Sequence[ColumnPlan], n_present: Sequence[int]
) -> dict[Hashable, Floats]:
    """True values of each sensitive number, where a null is wanted: about `POOL`, or all."""
    numbers = [
        (plan, min(1.0, POOL / max(n, 1)))
        for plan, n in zip(plans, n_present, strict=True)
        if plan.n_classes is None and plan.options.n_permutations
    ]
    if not numbers:
        return {}
    chosen, shares = zip(*numbers, strict=True)
    places = range(len(tables.real))
    drawn = each_part(draw_truths, tables.real, tables.template, chosen, shares, each=places)
    columns = [plan.column for plan in chosen]
    return dict(zip(columns, map(np.concatenate, zip(*drawn, strict=True)), strict=True))


def _allot(by_part: Sequence[Draws], n: int, rng: np.random.Generator) -> list[NDArray[np.int32]]:
    """Permute all classes n times: how many of each come to which partition."""
    left = np.tile(np.sum(by_part, axis=0), (n, 1))
    allotted = []
    for counts in by_part:
        drawn = np.zeros_like(left)
        wanted, others = np.full(n, counts.sum()), left.sum(axis=1)
        for c in range(left.shape[1]):
            others = others - left[:, c]
            drawn[:, c] = rng.hypergeometric(left[:, c], others, wanted)
            wanted = wanted - drawn[:, c]
        left = left - drawn
        allotted.append(drawn.astype(np.int32))  # there may be thousands of partitions
    return allotted


def _tally_all(
    parts: Sequence[Any],
    template: Template,
    plans: Sequence[ColumnPlan],
    argument: str,
    owns: Sequence[tuple[Share, ...]] | None = None,
) -> Sequence[Tallies]:
    """The sums over all partitions, for every column and run."""
    found = over_parts(tally, parts, template, list(plans), argument, each=owns, combine=_add)
    return found


def _add(found: list[tuple[Tallies, ...]]) -> tuple[Tallies, ...]:
    return tuple(
        tuple(reduce(add, tallies) for tallies in zip(*of_column, strict=True))
        for of_column in zip(*found, strict=True)
    )


def _scores(plan: ColumnPlan, run: int, tally: Tally) -> TalliedScores:
    if not tally.n:
        raise ValueError(f"Column {plan.column!r}: {no_truth()}")
    if isinstance(tally, NumberTally):
        constant = ConstantGuess(plan.constants[run], tally.constant_hits / tally.n)
        return TalliedNumbers(plan.options.epsilon_used, tally, plan.thresholds, constant)
    assert isinstance(tally, ClassTally), "tallies are of classes or of numbers"
    return TalliedClasses(
        plan.options.tau_used, tally, plan.thresholds, plan.class_counts, plan.resampled
    )
