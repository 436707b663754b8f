"""RAPID of one column: every attacker, what chance gives, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.attackers.training import (
    Prediction,
    TrainedAttacker,
    train_attacker,
)
from sdmetrics_disclosure.plugins.base.roles import Roles, Target, find_target
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.common.statistics import (
    Interval,
    percentile_interval,
    permutation_p_value,
)
from sdmetrics_disclosure.plugins.rapid.constant_guess import best_constant
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.result import (
    NULL_PERCENTILE,
    ColumnResult,
    Null,
    RapidRun,
)
from sdmetrics_disclosure.plugins.rapid.score_kinds import RecordScores, Scores
from sdmetrics_disclosure.plugins.rapid.scores import ClassScores, score_classes, score_numbers

# What each seed is for: children of the column's own.
ATTACK, BOOTSTRAP, NULL = range(1, 4)


@dataclass(frozen=True)
class Trained:
    """One attacker, trained on one synthetic table.

    Attributes:
        name: Its name.
        replicate: Which synthetic table.
        attacker: What it has learned.
        learned: (n,) the sensitive values it learned from.
    """

    name: str
    replicate: int
    attacker: TrainedAttacker
    learned: NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """Whom the figures of a column are about.

    Attributes:
        n_unseen: See `ColumnResult`.
        n_units: See `ColumnResult`.
        n_holdout_units: See `ColumnResult`.
    """

    n_unseen: int
    n_units: int
    n_holdout_units: int


def evaluate_column(
    release: Release, roles: Roles, column: Hashable, options: RapidOptions
) -> ColumnResult:
    """Attack one column by every attacker from every replicate.

    Raises:
        ValueError: If the column cannot be attacked.
    """
    seeds = column_seeds(release, column, options)
    known = roles.known_for(column)
    target = find_target(release, column)
    runs = tuple(_run_all(release, known, target, options, seeds))
    worst = worst_of(runs)
    counts = Counts(
        n_unseen=count_unseen(release, known, column, target, worst.replicate),
        n_units=_count_units(release.real, release.unit, worst.scores),
        n_holdout_units=_count_units(release.holdout, release.unit, worst.holdout),
    )
    notes = column_notes(release, target, runs, options)
    by_rows = release.unit is None
    return conclude(column, target, known, runs, counts, options, seeds, notes, by_rows=by_rows)


def column_seeds(
    release: Release, column: Hashable, options: RapidOptions
) -> np.random.SeedSequence:
    """The seed of everything random about a column."""
    return child(seed_sequence(options.random_state), release.columns.index(column))


def worst_of(runs: Sequence[RapidRun]) -> RapidRun:
    """The run with the highest risk, which is the score."""
    return max(runs, key=lambda run: run.risk)


def conclude(
    column: Hashable,
    target: Target,
    known: Sequence[Hashable],
    runs: tuple[RapidRun, ...],
    counts: Counts,
    options: RapidOptions,
    seeds: np.random.SeedSequence,
    notes: tuple[str, ...],
    *,
    by_rows: bool,
) -> ColumnResult:
    """Say what the runs show.

    Args:
        column:
            The sensitive column.
        target:
            Its classes.
        known:
            What the attacker knew.
        runs:
            Every attacker on every replicate.
        counts:
            Whom they are about.
        options:
            What was asked for.
        seeds:
            The column's.
        notes:
            What was noticed.
        by_rows:
            Whether each row is one person's, so that rows can be resampled.
    """
    worst = worst_of(runs)
    thresholds = worst.scores.grid()
    return ColumnResult(
        column=column,
        labels=target.labels,
        known=tuple(known),
        runs=runs,
        worst=worst,
        thresholds=thresholds,
        curve=worst.scores.curve(thresholds),
        bootstrap=_bootstrap(worst, options, seeds) if by_rows else None,
        null=_null(runs, worst, thresholds, options, seeds),
        n_unseen=counts.n_unseen,
        n_units=counts.n_units,
        n_holdout_units=counts.n_holdout_units,
        options=options,
        notes=notes,
    )


def train_all(
    release: Release,
    known: Sequence[Hashable],
    target: Target,
    options: RapidOptions,
    seeds: np.random.SeedSequence,
) -> Iterator[Trained]:
    """Train every attacker on every synthetic table.

    Args:
        release:
            The synthetic tables.
        known:
            What the attacker knows.
        target:
            The values to learn.
        options:
            Which attackers.
        seeds:
            The column's.
    """
    kinds = {name: release.kinds[name] for name in known}
    for replicate, frame in enumerate(release.synthetic):
        values = target.synthetic[replicate]
        has_target = ~np.isnan(values) if target.labels is None else np.ones(len(frame), dtype=bool)
        learned = take_columns(frame, known)[has_target]
        for i, (name, attacker) in enumerate(options.attackers.items()):
            trained = train_attacker(
                attacker,
                learned,
                values[has_target],
                kinds=kinds,
                n_classes=target.n_classes,
                random_state=child(seeds, ATTACK, replicate, i),
                n_jobs=options.n_jobs,
            )
            yield Trained(name, replicate, trained, values[has_target])


def _run_all(
    release: Release,
    known: Sequence[Hashable],
    target: Target,
    options: RapidOptions,
    seeds: np.random.SeedSequence,
) -> Iterator[RapidRun]:
    judged = [release.real] if release.holdout is None else [release.real, release.holdout]
    tables = [take_columns(frame, known) for frame in judged]
    for each in train_all(release, known, target, options, seeds):
        predictions = each.attacker.predict(tables, options.n_jobs)
        scores = _score(predictions, target, each.learned, options)
        holdout = scores[1] if len(scores) > 1 else None
        yield RapidRun(each.name, each.replicate, scores[0], holdout, each.attacker.notes)


def _score(
    predictions: tuple[Prediction, ...],
    target: Target,
    learned: NDArray[Any],
    options: RapidOptions,
) -> list[Scores]:
    truths = [target.real] if target.holdout is None else [target.real, target.holdout]
    pairs = list(zip(predictions, truths, strict=True))
    if target.n_classes is None:
        constant = best_constant(learned, options.error, options.epsilon_used, options.delta)
        return [score_numbers(guess, truth, options, constant) for guess, truth in pairs]
    scores: list[ClassScores] = []
    for prediction, truth in pairs:  # the holdout is held against the real table's baselines
        reference = scores[0].class_baseline if scores else None
        scores.append(score_classes(prediction, truth, target.n_classes, options, reference))
    return list(scores)


def _bootstrap(
    worst: RapidRun, options: RapidOptions, seeds: np.random.SeedSequence
) -> Interval | None:
    if options.n_bootstrap == 0:
        return None
    rates = worst.scores.bootstrap(
        np.array([worst.scores.threshold]),
        options.n_bootstrap,
        generator(seeds, BOOTSTRAP),
        options.n_jobs,
    )
    return percentile_interval(rates[:, 0], options.confidence_level, worst.risk)


def _null(
    runs: tuple[RapidRun, ...],
    worst: RapidRun,
    thresholds: NDArray[np.float64],
    options: RapidOptions,
    seeds: np.random.SeedSequence,
) -> Null | None:
    if options.n_permutations == 0:
        return None
    at = np.unique(np.append(thresholds, worst.scores.threshold))
    rates = np.zeros((options.n_permutations, at.size))
    observed = np.zeros(at.size)
    for run in runs:  # the same permutations for each: the highest of them is the null of the max
        permuted = run.scores.null(
            at, options.n_permutations, generator(seeds, NULL), options.n_jobs
        )
        np.maximum(rates, permuted, out=rates)
        np.maximum(observed, run.scores.curve(at), out=observed)
    at_threshold = rates[:, np.searchsorted(at, worst.scores.threshold)]
    limits = np.percentile(rates, NULL_PERCENTILE, axis=0)
    above = np.isin(at, thresholds) & (observed > limits)
    return Null(
        median=float(np.median(at_threshold)),
        percentile_95=float(np.percentile(at_threshold, NULL_PERCENTILE)),
        p_value=permutation_p_value(worst.risk, at_threshold),
        suggested_tau=float(at[above][0]) if above.any() else None,
    )


def count_unseen(
    release: Release, known: Sequence[Hashable], column: Hashable, target: Target, replicate: int
) -> int:
    """How many real records have a class or a level that the synthetic table never shows."""
    synthetic = release.synthetic[replicate]
    unseen = np.zeros(len(release.real), dtype=np.bool_)
    if target.labels is not None:
        unseen |= ~np.isin(target.real, target.synthetic[replicate])
    for name in known:
        if not release.kinds[name].is_number:
            codes = release.real[name].cat.codes.to_numpy()
            unseen |= ~np.isin(codes, synthetic[name].cat.codes.to_numpy())
    return int(unseen.sum())


def _count_units(frame: pd.DataFrame | None, unit: Hashable | None, scores: Scores | None) -> int:
    if frame is None or scores is None:
        return 0
    if unit is None:
        return scores.n
    assert isinstance(scores, RecordScores), "units are counted where their rows are"
    return int(frame[unit][scores.included].nunique(dropna=False))


def column_notes(
    release: Release, target: Target, runs: tuple[RapidRun, ...], options: RapidOptions
) -> tuple[str, ...]:
    """What is to be said about a column.

    Args:
        release:
            The tables.
        target:
            The column's values.
        runs:
            Every attacker on every replicate.
        options:
            What was asked for.
    """
    notes = [note for run in runs for note in run.notes]
    if target.labels is None:
        relative = options.error != "absolute"
        if relative and options.epsilon_used > 1:
            notes.append(
                f"`epsilon` is {options.epsilon_used:g}, a proportion: 0.05 means 5 percent."
            )
        n_gaps = sum(int(np.isnan(values).sum()) for values in target.synthetic)
        if n_gaps:
            notes.append("Synthetic rows without a sensitive value were left out of the training.")
        if np.isnan(target.real).any():
            notes.append("Real records without a sensitive value were left out of the risk.")
    if release.unit is not None:
        notes.append(
            f"Rows with the same {release.unit!r} belong together: intervals count units, and "
            "there is no bootstrap over rows."
        )
    return tuple(dict.fromkeys(notes))
