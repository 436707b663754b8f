"""RAPID where the real table is in partitions: every record is scored where it is, and counted.

Three passes over the real rows: their levels (`open_partitions`), how many records each partition
has of each sensitive class, and the scores. Attackers are trained in between, on the synthetic
sample. What chance gives is drawn as for tables in memory: one permutation of all classes is a
draw of how many of each class come to a partition (hypergeometric), and an order there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release import Release, take_columns
from sdmetrics_disclosure.adapters.tables import HOLDOUT, REAL
from sdmetrics_disclosure.plugins.attackers import Prediction
from sdmetrics_disclosure.plugins.constant_guess import ConstantGuess, best_constant
from sdmetrics_disclosure.plugins.partitions import (
    Part,
    PartitionedRelease,
    Template,
    each_part,
    over_parts,
    read_part,
)
from sdmetrics_disclosure.plugins.randomness import generator
from sdmetrics_disclosure.plugins.rapid_column import (
    NULL,
    Counts,
    Trained,
    column_notes,
    column_seeds,
    conclude,
    count_unseen,
    train_all,
    worst_of,
)
from sdmetrics_disclosure.plugins.rapid_options import RapidOptions
from sdmetrics_disclosure.plugins.rapid_result import ColumnResult, RapidResult, RapidRun
from sdmetrics_disclosure.plugins.rapid_roles import Roles, find_roles, find_target
from sdmetrics_disclosure.plugins.rapid_scores import (
    N_THRESHOLDS,
    ClassScores,
    Floats,
    no_truth,
    score_classes,
    score_numbers,
)
from sdmetrics_disclosure.plugins.rapid_tallies import (
    ClassTally,
    NumberTally,
    TalliedClasses,
    TalliedNumbers,
    TalliedScores,
    Tally,
)

# True numbers from which those of the null are drawn.
POOL = 100_000
_POOL, _SHUFFLE, _RESAMPLE = range(10, 13)

Draws = NDArray[np.int64]
Tallies = tuple[Tally, ...]


@dataclass(frozen=True)
class ColumnPlan:
    """What a partition has to know to be scored on one column.

    Attributes:
        column: The sensitive one.
        known: What the attacker knows.
        runs: The trained attackers.
        options: What was asked for.
        seeds: Of the column.
        thresholds: (m,) where records are counted.
        n_classes: Number of classes; None for numbers.
        class_counts: (n_classes,) of all real records; empty for numbers.
        resampled: (n_bootstrap, n_classes) the same in bootstrap replicates.
        pool: True numbers from which the null draws; empty for classes.
        constants: For each run the best constant guess; 0 for classes.
    """

    column: Hashable
    known: tuple[Hashable, ...]
    runs: tuple[Trained, ...]
    options: RapidOptions
    seeds: np.random.SeedSequence
    thresholds: Floats
    n_classes: int | None
    class_counts: Draws
    resampled: Draws
    pool: Floats
    constants: tuple[float, ...]

    def without_chance(self) -> ColumnPlan:
        """The same, nothing resampled: for the holdout."""
        none = np.zeros((0, self.resampled.shape[1]), dtype=np.int64)
        return replace(self, resampled=none, options=replace(self.options, n_permutations=0))


def evaluate_partitions(tables: PartitionedRelease, options: RapidOptions) -> RapidResult:
    """RAPID of a release whose real rows are in partitions (see `RAPID.evaluate`).

    Raises:
        ValueError: If a column cannot be attacked, or its score cannot be tallied.
    """
    if options.score == "conditional" or options.error == "absolute":
        given = "score='conditional'" if options.score == "conditional" else "error='absolute'"
        raise ValueError(
            f"With {given} a record's score or curve depends on all others; tables in partitions "
            "can have score='normalized_gain' or 'cross_entropy', and relative errors."
        )
    roles = find_roles(tables.release, options)
    plans = [_train(tables.release, roles, column, options) for column in roles.sensitive]
    plans, owns = _draw(tables, plans)
    tallies = _tally_all(tables.real, tables.template, plans, REAL, owns)
    held: Sequence[Any] = [None] * len(plans)
    if tables.holdout:
        bare = [plan.without_chance() for plan in plans]
        held = _tally_all(tables.holdout, tables.template, bare, HOLDOUT, _no_own(tables.holdout))
    results = {
        plan.column: _conclude(tables.release, plan, *found)
        for plan, *found in zip(plans, tallies, held, strict=True)
    }
    notes = [*tables.notes(), *roles.notes, *(n for r in results.values() for n in r.notes)]
    return RapidResult(
        columns=results,
        index=pd.RangeIndex(0),
        settings=options.settings()
        | {"num_rows_trained": [len(frame) for frame in tables.release.synthetic]},
        warnings=tuple(dict.fromkeys(notes)),
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


@dataclass(frozen=True)
class _Own:
    """What is a partition's own.

    Attributes:
        number: Its place among the partitions.
        labels: (n_permutations, n_classes) how many of each class a permutation puts there.
    """

    number: int
    labels: Draws


def _no_own(parts: Sequence[Any]) -> list[tuple[_Own, ...]]:
    return [() for _ in parts]


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
        constants=tuple(constants),
    )


def _draw(
    tables: PartitionedRelease, plans: Sequence[ColumnPlan]
) -> tuple[list[ColumnPlan], list[tuple[_Own, ...]]]:
    """Count the classes, and draw what is drawn for all partitions at once."""
    share = min(1.0, POOL / sum(tables.n_real))
    numbers = range(len(tables.real))
    found = each_part(_survey, tables.real, tables.template, list(plans), share, each=numbers)
    ready, owns = [], []
    for plan, by_part in zip(plans, zip(*found, strict=True), strict=True):
        no_labels = [np.zeros((0, 0), dtype=np.int64) for _ in by_part]
        if plan.n_classes is None:
            plan, labels = replace(plan, pool=np.concatenate(by_part)), no_labels
        else:
            counts = np.sum(by_part, axis=0)
            resampled = generator(plan.seeds, _RESAMPLE).multinomial(
                counts.sum(), counts / counts.sum(), size=plan.options.n_bootstrap
            )
            plan = replace(plan, class_counts=counts, resampled=resampled)
            labels = _allot(by_part, plan.options.n_permutations, generator(plan.seeds, NULL))
        ready.append(plan)
        owns.append([_Own(i, each) for i, each in zip(numbers, labels, strict=True)])
    return ready, list(zip(*owns, strict=True))


def _survey(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    share: float,
    number: int,
) -> tuple[NDArray[Any], ...]:
    """Of each column its class counts, or some true numbers."""
    part = read_part(frame, template)
    found = []
    for plan in plans:
        truth = _truth(part, plan.column)
        if plan.n_classes is not None:
            found.append(np.bincount(truth, minlength=plan.n_classes))
        else:
            present = truth[~np.isnan(truth)]
            chosen = generator(plan.seeds, _POOL, number).random(present.size) < share
            found.append(present[chosen])
    return tuple(found)


def _allot(by_part: Sequence[Draws], n: int, rng: np.random.Generator) -> list[Draws]:
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
        allotted.append(drawn)
    return allotted


def _truth(part: Part, column: Hashable) -> NDArray[Any]:
    """The sensitive values of a partition."""
    target = find_target(part.release, column)
    values = target.real if part.argument == REAL else target.holdout
    assert values is not None, "a partition of the holdout is read with one"
    return values[: part.n_rows]


def _tally_all(
    parts: Sequence[Any],
    template: Template,
    plans: Sequence[ColumnPlan],
    argument: str,
    owns: Sequence[tuple[_Own, ...]],
) -> Sequence[Tallies]:
    """The sums over all partitions, for every column and run."""
    found = over_parts(_tally, parts, template, list(plans), argument, each=owns, combine=_add)
    return found


def _add(found: list[tuple[Tallies, ...]]) -> tuple[Tallies, ...]:
    return tuple(
        tuple(reduce(add, tallies) for tallies in zip(*of_column, strict=True))
        for of_column in zip(*found, strict=True)
    )


def _tally(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    argument: str,
    owns: tuple[_Own, ...],
) -> tuple[Tallies, ...]:
    part = read_part(frame, template, argument)
    each = owns or [_Own(0, np.zeros((0, 0), dtype=np.int64)) for _ in plans]
    return tuple(_tally_column(part, plan, own) for plan, own in zip(plans, each, strict=True))


def _tally_column(part: Part, plan: ColumnPlan, own: _Own) -> Tallies:
    """Score a partition by every run."""
    truth, known = _truth(part, plan.column), take_columns(part.rows, plan.known)
    if not len(truth) or (plan.n_classes is None and np.isnan(truth).all()):
        return tuple(_nothing(plan, len(truth)) for _ in plan.runs)
    found: list[Tally] = []
    for i, run in enumerate(plan.runs):
        (prediction,) = run.attacker.predict([known])
        if plan.n_classes is None:
            tally: Tally = _tally_numbers(prediction, truth, plan, own, i)
        else:
            tally = _tally_classes(prediction, truth, plan, own)
        if part.argument == REAL:
            tally = replace(tally, n_unseen=_count_unseen(part, plan, truth, run.replicate))
        found.append(tally)
    return tuple(found)


def _count_unseen(part: Part, plan: ColumnPlan, truth: NDArray[Any], replicate: int) -> int:
    release = replace(part.release, real=part.rows)
    target = replace(find_target(part.release, plan.column), real=truth)
    return count_unseen(release, plan.known, plan.column, target, replicate)


def _nothing(plan: ColumnPlan, n_records: int) -> Tally:
    m, n_permutations = plan.thresholds.size, plan.options.n_permutations
    none = np.zeros(m, dtype=np.int64), np.zeros((n_permutations, m), dtype=np.int64)
    if plan.n_classes is None:
        return NumberTally(0, n_records, 0, *none, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return ClassTally(0, n_records, 0, *none, np.zeros_like(plan.resampled), 0, 0.0)


def _tally_classes(
    prediction: Prediction, truth: NDArray[np.intp], plan: ColumnPlan, own: _Own
) -> ClassTally:
    assert plan.n_classes is not None, "classes are counted"
    shares = plan.class_counts / plan.class_counts.sum()
    scores = score_classes(prediction, truth, plan.n_classes, plan.options, shares)
    n, quality = scores.n, scores.quality()
    rng = generator(plan.seeds, _SHUFFLE, own.number)
    null = np.zeros((plan.options.n_permutations, plan.thresholds.size), dtype=np.int64)
    for r, labels in enumerate(own.labels):
        shuffled = rng.permutation(np.repeat(np.arange(plan.n_classes), labels))
        permuted = score_classes(prediction, shuffled, plan.n_classes, plan.options, shares)
        null[r] = _whole(permuted.curve(plan.thresholds) * n)
    return ClassTally(
        n=n,
        n_records=scores.n_records,
        n_unseen=0,
        hits=_whole(scores.curve(plan.thresholds) * n),
        null=null,
        above=_above(scores, plan),
        n_correct=round(quality["accuracy"] * n),
        log_loss=quality["log_loss"] * n,
    )


def _above(scores: ClassScores, plan: ColumnPlan) -> Draws:
    """How many records of each class are at risk against each replicate's baseline."""
    above = np.zeros_like(plan.resampled)
    for c in range(plan.resampled.shape[1]):
        own = scores.classes == c
        if plan.options.score == "normalized_gain":
            baseline = plan.resampled[:, c] / plan.resampled.sum(axis=1)
            cut = baseline + scores.threshold * (1.0 - baseline)
            rising = np.sort(scores.probability[own])
            above[:, c] = rising.size - np.searchsorted(rising, cut, side="right")
        else:  # no baseline
            above[:, c] = np.count_nonzero(scores.at_risk[own])
    return above


def _tally_numbers(
    prediction: Prediction, truth: Floats, plan: ColumnPlan, own: _Own, run: int
) -> NumberTally:
    scores = score_numbers(prediction, truth, plan.options, plan.constants[run])
    n, distance = scores.n, np.abs(scores.truth - scores.prediction)
    rng = generator(plan.seeds, _SHUFFLE, own.number)
    null = np.zeros((plan.options.n_permutations, plan.thresholds.size), dtype=np.int64)
    for r in range(len(null)):
        drawn = plan.pool[rng.integers(0, plan.pool.size, n)]
        guessed = replace(prediction, values=scores.prediction)
        permuted = score_numbers(guessed, drawn, plan.options, plan.constants[run])
        null[r] = _whole(permuted.curve(plan.thresholds) * n)
    moved = scores.truth - plan.constants[run]
    return NumberTally(
        n=n,
        n_records=scores.n_records,
        n_unseen=0,
        hits=_whole(scores.curve(plan.thresholds) * n),
        null=null,
        constant_hits=round(scores.constant.risk * n),
        distance=float(distance.sum()),
        square=float((distance**2).sum()),
        size=float(np.abs(scores.truth).sum()),
        moved=float(moved.sum()),
        moved_square=float((moved**2).sum()),
    )


def _whole(counts: Floats) -> Draws:
    return np.rint(counts).astype(np.int64)


def _scores(plan: ColumnPlan, run: int, tally: Tally) -> TalliedScores:
    if not tally.n:
        raise ValueError(no_truth())
    if isinstance(tally, NumberTally):
        constant = ConstantGuess(plan.constants[run], tally.constant_hits / tally.n)
        return TalliedNumbers(plan.options.epsilon_used, tally, plan.thresholds, constant)
    assert isinstance(tally, ClassTally), "tallies are of classes or of numbers"
    return TalliedClasses(
        plan.options.tau_used, tally, plan.thresholds, plan.class_counts, plan.resampled
    )
