"""RAPID in one partition: its records are scored where they are, and only counts leave.

`survey` counts the classes before anything is scored, `tally` scores and counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import take_columns
from sdmetrics_disclosure.adapters.release.tables import REAL
from sdmetrics_disclosure.plugins.attackers.training import Prediction
from sdmetrics_disclosure.plugins.base.roles import Target, find_target
from sdmetrics_disclosure.plugins.common.random_state import generator
from sdmetrics_disclosure.plugins.partitions.release import Part, Template, read_part
from sdmetrics_disclosure.plugins.rapid.column import Trained, count_unseen
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.score_kinds import Floats
from sdmetrics_disclosure.plugins.rapid.scores import ClassScores, score_classes, score_numbers
from sdmetrics_disclosure.plugins.rapid.tallies import ClassTally, NumberTally, Tally

# Children of a column's seed, beyond those of `rapid_column`.
_POOL, _SHUFFLE, _RESAMPLE_POOL = 10, 11, 13

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
        is_sample: Whether the pool is a sample of them, itself subject to chance.
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
    is_sample: bool
    constants: tuple[float, ...]

    def without_chance(self) -> ColumnPlan:
        """The same, nothing resampled: for the holdout."""
        none = np.zeros((0, self.resampled.shape[1]), dtype=np.int64)
        options = replace(self.options, n_permutations=0)
        return replace(self, resampled=none, pool=np.zeros(0), options=options)


@dataclass(frozen=True)
class Share:
    """What is a partition's own.

    Attributes:
        number: Its place among the partitions.
        labels: (n_permutations, n_classes) how many of each class a permutation puts there.
    """

    number: int
    labels: NDArray[np.int32]


def survey(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
) -> tuple[Draws, ...]:
    """How many records of a partition have which class, or a number.

    Args:
        frame:
            The partition as it came.
        template:
            Of the whole.
        plans:
            Of each column.

    Returns:
        For each column (n_classes,) counts, or (1,) of a number.
    """
    part = read_part(frame, template)
    truths = [_truth(part, plan.column) for plan in plans]
    return tuple(
        np.bincount(truth, minlength=plan.n_classes)
        if plan.n_classes is not None
        else np.array([np.count_nonzero(~np.isnan(truth))])
        for plan, truth in zip(plans, truths, strict=True)
    )


def draw_truths(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    shares: Sequence[float],
    number: int,
) -> tuple[Floats, ...]:
    """Draw true numbers from a partition.

    Args:
        frame:
            The partition as it came.
        template:
            Of the whole.
        plans:
            Of each sensitive number.
        shares:
            How many of each column's numbers, on average.
        number:
            The partition's place.
    """
    part = read_part(frame, template)
    found = []
    for plan, share in zip(plans, shares, strict=True):
        truth = _truth(part, plan.column)
        present = truth[~np.isnan(truth)]
        chosen = generator(plan.seeds, _POOL, number).random(present.size) < share
        found.append(np.asarray(present[chosen]))
    return tuple(found)


def _truth(part: Part, column: Hashable) -> NDArray[Any]:
    """The sensitive values of a partition."""
    return _own_values(part, find_target(part.release, column))


def _own_values(part: Part, target: Target) -> NDArray[Any]:
    """The partition's own of the values that it was read with."""
    values = target.real if part.argument == REAL else target.holdout
    assert values is not None, "a partition of the holdout is read with one"
    return values[: part.n_rows]


def tally(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    argument: str,
    owns: tuple[Share, ...] = (),
) -> tuple[Tallies, ...]:
    """Score a partition, for every column and run.

    Args:
        frame:
            The partition as it came.
        template:
            Of the whole.
        plans:
            Of each column.
        argument:
            Which table it is from.
        owns:
            The partition's own for each column; nothing where nothing is permuted.
    """
    part = read_part(frame, template, argument)
    each = owns or [Share(0, np.zeros((0, 0), dtype=np.int32)) for _ in plans]
    return tuple(_tally_column(part, plan, own) for plan, own in zip(plans, each, strict=True))


def _tally_column(part: Part, plan: ColumnPlan, own: Share) -> Tallies:
    """Score a partition by every run."""
    target = find_target(part.release, plan.column)
    truth, known = _own_values(part, target), take_columns(part.rows, plan.known)
    found: list[Tally] = []
    for i, run in enumerate(plan.runs):
        if not len(truth) or (plan.n_classes is None and np.isnan(truth).all()):
            counted = _nothing(plan, len(truth))
        else:
            (prediction,) = run.attacker.predict([known])
            counted = _tally_run(prediction, truth, plan, own, i)
        if part.argument == REAL and len(truth):
            rows, values = replace(part.release, real=part.rows), replace(target, real=truth)
            n_unseen = count_unseen(rows, plan.known, plan.column, values, run.replicate)
            counted = replace(counted, n_unseen=n_unseen)
        found.append(counted)
    return tuple(found)


def _tally_run(
    prediction: Prediction, truth: NDArray[Any], plan: ColumnPlan, own: Share, run: int
) -> Tally:
    if plan.n_classes is None:
        return _tally_numbers(prediction, truth, plan, own, run)
    return _tally_classes(prediction, truth, plan, own)


def _nothing(plan: ColumnPlan, n_records: int) -> Tally:
    m, n_permutations = plan.thresholds.size, plan.options.n_permutations
    none = np.zeros(m, dtype=np.int64), np.zeros((n_permutations, m), dtype=np.int64)
    if plan.n_classes is None:
        return NumberTally(0, n_records, 0, *none, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return ClassTally(0, n_records, 0, *none, np.zeros_like(plan.resampled), 0, 0.0)


def _tally_classes(
    prediction: Prediction, truth: NDArray[np.intp], plan: ColumnPlan, own: Share
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
    from sdmetrics_disclosure.numba_kernels.rapid.scores import scores_against

    above = np.zeros_like(plan.resampled)
    for r, counts in enumerate(plan.resampled):
        baseline = (counts / counts.sum())[scores.classes]
        values = scores_against(scores.probability, baseline, scores.n_classes, plan.options.score)
        at_risk = scores.classes[values > scores.threshold]
        above[r] = np.bincount(at_risk, minlength=counts.size)
    return above


def _tally_numbers(
    prediction: Prediction, truth: Floats, plan: ColumnPlan, own: Share, run: int
) -> NumberTally:
    scores = score_numbers(prediction, truth, plan.options, plan.constants[run])
    n, distance = scores.n, np.abs(scores.truth - scores.prediction)
    rng = generator(plan.seeds, _SHUFFLE, own.number)
    shared = generator(plan.seeds, _RESAMPLE_POOL)  # the same pools in all partitions
    null = np.zeros((plan.options.n_permutations, plan.thresholds.size), dtype=np.int64)
    for r in range(len(null)):
        size = plan.pool.size
        pool = plan.pool[shared.integers(0, size, size)] if plan.is_sample else plan.pool
        drawn = pool[rng.integers(0, size, n)]
        guessed = replace(prediction, values=scores.prediction)
        permuted = score_numbers(guessed, drawn, plan.options, plan.constants[run])
        null[r] = _whole(permuted.curve(plan.thresholds) * n)
    moved = scores.truth - plan.constants[run]
    with np.errstate(over="ignore"):  # the rates do not need squares
        square, moved_square = float(np.square(distance).sum()), float(np.square(moved).sum())
    return NumberTally(
        n=n,
        n_records=scores.n_records,
        n_unseen=0,
        hits=_whole(scores.curve(plan.thresholds) * n),
        null=null,
        constant_hits=round(scores.constant.risk * n),
        distance=float(distance.sum()),
        square=square,
        size=float(np.abs(scores.truth).sum()),
        moved=float(moved.sum()),
        moved_square=moved_square,
    )


def _whole(counts: Floats) -> Draws:
    return np.rint(counts).astype(np.int64)
