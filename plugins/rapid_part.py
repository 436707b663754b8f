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

from sdmetrics_disclosure.adapters.release import take_columns
from sdmetrics_disclosure.adapters.tables import REAL
from sdmetrics_disclosure.plugins.attackers import Prediction
from sdmetrics_disclosure.plugins.partitions import Part, Template, read_part
from sdmetrics_disclosure.plugins.randomness import generator
from sdmetrics_disclosure.plugins.rapid_column import Trained, count_unseen
from sdmetrics_disclosure.plugins.rapid_options import RapidOptions
from sdmetrics_disclosure.plugins.rapid_roles import find_target
from sdmetrics_disclosure.plugins.rapid_scores import ClassScores, score_classes, score_numbers
from sdmetrics_disclosure.plugins.rapid_tallies import ClassTally, NumberTally, Tally
from sdmetrics_disclosure.plugins.score_kinds import Floats

# Children of a column's seed, beyond those of `rapid_column`.
_POOL, _SHUFFLE = 10, 11

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


@dataclass(frozen=True)
class Share:
    """What is a partition's own.

    Attributes:
        number: Its place among the partitions.
        labels: (n_permutations, n_classes) how many of each class a permutation puts there.
    """

    number: int
    labels: Draws


def survey(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    share: float,
    number: int,
) -> tuple[NDArray[Any], ...]:
    """Of each column its class counts, or some true numbers.

    Args:
        frame:
            The partition as it came.
        template:
            Of the whole.
        plans:
            Of each column.
        share:
            Of the true numbers that are drawn.
        number:
            The partition's place.

    Returns:
        For each column (n_classes,) counts or some numbers.
    """
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


def _truth(part: Part, column: Hashable) -> NDArray[Any]:
    """The sensitive values of a partition."""
    target = find_target(part.release, column)
    values = target.real if part.argument == REAL else target.holdout
    assert values is not None, "a partition of the holdout is read with one"
    return values[: part.n_rows]


def tally(
    frame: pd.DataFrame,
    template: Template,
    plans: Sequence[ColumnPlan],
    argument: str,
    owns: tuple[Share, ...],
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
    each = owns or [Share(0, np.zeros((0, 0), dtype=np.int64)) for _ in plans]
    return tuple(_tally_column(part, plan, own) for plan, own in zip(plans, each, strict=True))


def _tally_column(part: Part, plan: ColumnPlan, own: Share) -> Tallies:
    """Score a partition by every run."""
    truth, known = _truth(part, plan.column), take_columns(part.rows, plan.known)
    if not len(truth) or (plan.n_classes is None and np.isnan(truth).all()):
        return tuple(_nothing(plan, len(truth)) for _ in plan.runs)
    found: list[Tally] = []
    for i, run in enumerate(plan.runs):
        (prediction,) = run.attacker.predict([known])
        if plan.n_classes is None:
            counted: Tally = _tally_numbers(prediction, truth, plan, own, i)
        else:
            counted = _tally_classes(prediction, truth, plan, own)
        if part.argument == REAL:
            n_unseen = _count_unseen(part, plan, truth, run.replicate)
            counted = replace(counted, n_unseen=n_unseen)
        found.append(counted)
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
    prediction: Prediction, truth: Floats, plan: ColumnPlan, own: Share, run: int
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
