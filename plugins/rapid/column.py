"""RAPID of one column: every attacker, what chance gives, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.roles import Roles
from sdmetrics_disclosure.plugins.common.random_state import generator
from sdmetrics_disclosure.plugins.common.statistics import (
    Interval,
    percentile_interval,
    permutation_p_value,
)
from sdmetrics_disclosure.plugins.rapid.class_scores import ClassScores, score_classes
from sdmetrics_disclosure.plugins.rapid.guesses import ClassGuesses, Guesses
from sdmetrics_disclosure.plugins.rapid.number_errors import score_numbers
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.plan import (
    BOOTSTRAP,
    NULL,
    ColumnPlan,
    Trained,
    guess,
    note_unseen,
    plan_column,
    train_all,
)
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult
from sdmetrics_disclosure.plugins.rapid.scores import NULL_PERCENTILE, Null, RapidRun, Scores


@dataclass(frozen=True)
class Counts:
    """Whom the figures of a column are about.

    Attributes:
        unseen: How many real records have what a synthetic table never shows (see
            `ColumnPlan.count_unseen`).
        n_units: See `ColumnResult`.
        n_holdout_units: See `ColumnResult`.
    """

    unseen: NDArray[np.int64]
    n_units: int
    n_holdout_units: int


def evaluate_column(
    release: Release, roles: Roles, column: Hashable, options: RapidOptions
) -> ColumnResult:
    """Attack one column by every attacker from every replicate.

    Raises:
        ValueError: If the column cannot be attacked.
    """
    plan = plan_column(release, roles, column, options)
    frames, truths = [release.real], [plan.target.real]
    if release.holdout is not None and plan.target.holdout is not None:
        frames.append(release.holdout)
        truths.append(plan.target.holdout)
    runs = tuple(
        make_run(plan, trained, truths, guess(trained, plan, frames, truths))
        for trained in train_all(release, plan)
    )
    worst = worst_of(runs)
    counts = Counts(
        unseen=plan.count_unseen(release.real, plan.target.real),
        n_units=_count_units(release.real, release.unit, worst.scores),
        n_holdout_units=_count_units(release.holdout, release.unit, worst.holdout),
    )
    return conclude(release, plan, runs, counts, has_records=True)


def make_run(
    plan: ColumnPlan, trained: Trained, truths: Sequence[NDArray[Any]], guesses: Sequence[Guesses]
) -> RapidRun:
    """Hold an attacker's guesses against the truth.

    Args:
        plan:
            What is asked.
        trained:
            The attacker.
        truths:
            The sensitive values of the real records and, where there is one, the holdout.
        guesses:
            The attacker's, of each.
    """
    scores = list(_score(plan, trained, truths, guesses))
    return RapidRun(
        attacker=trained.name,
        replicate=trained.replicate,
        scores=scores[0],
        holdout=scores[1] if len(scores) > 1 else None,
        permuted=scores[0],
        notes=trained.attacker.notes,
    )


def worst_of(runs: Sequence[RapidRun]) -> RapidRun:
    """The run with the highest risk, which is the score."""
    return max(runs, key=lambda run: run.risk)


def conclude(
    release: Release,
    plan: ColumnPlan,
    runs: tuple[RapidRun, ...],
    counts: Counts,
    *,
    has_records: bool,
    notes: Sequence[str] = (),
) -> ColumnResult:
    """Say what the runs show.

    Args:
        release:
            The tables, or what is in memory of them.
        plan:
            What was asked.
        runs:
            Every attacker on every replicate.
        counts:
            Whom they are about.
        has_records:
            Whether the release has the records that were scored.
        notes:
            What else is to be said.
    """
    worst = worst_of(runs)
    thresholds = worst.scores.grid()
    replicate, n_records = worst.replicate, worst.scores.n_records
    do_not_meet = note_unseen(release, plan, counts.unseen, replicate, n_records)
    said = [*_column_notes(release, plan, runs), *notes]
    said += [] if do_not_meet is None else [do_not_meet]
    return ColumnResult(
        column=plan.column,
        labels=plan.target.labels,
        known=plan.known,
        runs=runs,
        worst=worst,
        thresholds=thresholds,
        curve=worst.scores.curve(thresholds),
        bootstrap=None if release.unit is not None else _bootstrap(worst, plan),
        null=_null(runs, worst, thresholds, plan),
        n_unseen=int(counts.unseen[worst.replicate, 0]),
        n_units=counts.n_units,
        n_holdout_units=counts.n_holdout_units,
        options=plan.options,
        notes=tuple(dict.fromkeys(said)),
        values_meet=do_not_meet is None,
        has_records=has_records,
    )


def _score(
    plan: ColumnPlan, trained: Trained, truths: Sequence[NDArray[Any]], guesses: Sequence[Guesses]
) -> Sequence[Scores]:
    options, pairs = plan.options, zip(guesses, truths, strict=True)
    if plan.target.n_classes is None:
        rule = options.hit_rule(truths[0])
        constant = rule.best_constant(trained.learned)
        return [score_numbers(np.asarray(found), truth, rule, constant) for found, truth in pairs]
    scores: list[ClassScores] = []
    for found, truth in pairs:  # the holdout is held against the real table's baselines
        assert isinstance(found, ClassGuesses), "classes are guessed of a column of classes"
        reference = scores[0].class_baseline if scores else None
        scores.append(score_classes(found, truth, plan.target.n_classes, options, reference))
    return scores


def _bootstrap(worst: RapidRun, plan: ColumnPlan) -> Interval | None:
    options = plan.options
    if options.n_bootstrap == 0:
        return None
    rates = worst.scores.bootstrap(
        np.array([worst.scores.threshold]),
        options.n_bootstrap,
        generator(plan.seeds, BOOTSTRAP),
        options.n_jobs,
    )
    return percentile_interval(rates[:, 0], options.confidence_level, worst.risk)


def _null(
    runs: tuple[RapidRun, ...], worst: RapidRun, thresholds: NDArray[np.float64], plan: ColumnPlan
) -> Null | None:
    options = plan.options
    if options.n_permutations == 0:
        return None
    at = np.unique(np.append(thresholds, worst.scores.threshold))
    rates = np.zeros((options.n_permutations, at.size))
    observed = np.zeros(at.size)
    # the same permutations for each: the highest of them is the null of the max
    for run, order in zip(runs, _orders(runs), strict=True):
        rng = generator(plan.seeds, NULL)
        permuted = run.permuted.null(at, options.n_permutations, rng, options.n_jobs, order)
        np.maximum(rates, permuted, out=rates)
        np.maximum(observed, run.permuted.curve(at), out=observed)
    at_threshold = rates[:, np.searchsorted(at, worst.scores.threshold)]
    limits = np.percentile(rates, NULL_PERCENTILE, axis=0)
    above = np.isin(at, thresholds) & (observed > limits)
    # Of a sample, its own risk is held against its own null: they are off by the same draw.
    risk = max(run.permuted.risk for run in runs)
    return Null(
        median=float(np.median(at_threshold)),
        percentile_95=float(np.percentile(at_threshold, NULL_PERCENTILE)),
        p_value=permutation_p_value(risk, at_threshold),
        suggested_tau=float(at[above][0]) if above.any() else None,
        risk=risk,
        n_records=worst.permuted.n,
    )


def _orders(runs: Sequence[RapidRun]) -> list[NDArray[np.intp]]:
    """An order of the records that their guesses decide, the same for all runs of the same ones."""
    guessed = [run.permuted.guessed() for run in runs]
    if len({run.permuted.n for run in runs}) == 1:
        return [np.lexsort([key for keys in guessed for key in keys])] * len(runs)
    return [np.lexsort(keys) for keys in guessed]


def _count_units(frame: pd.DataFrame | None, unit: Hashable | None, scores: Scores | None) -> int:
    if frame is None or scores is None:
        return 0
    if unit is None:
        return scores.n
    return int(frame[unit][scores.included].nunique(dropna=False))


def _column_notes(
    release: Release, plan: ColumnPlan, runs: tuple[RapidRun, ...]
) -> tuple[str, ...]:
    notes = [note for run in runs for note in run.notes]
    options, target = plan.options, plan.target
    if target.labels is None:
        relative = options.error != "absolute"
        if relative and options.epsilon_used > 1:
            notes.append(
                f"`epsilon` is {options.epsilon_used:g}, a proportion: 0.05 means 5 percent."
            )
        n_gaps = sum(int(np.isnan(values).sum()) for values in target.synthetic)
        if n_gaps:
            notes.append("Synthetic rows without a sensitive value were left out of the training.")
        if runs[0].scores.n < runs[0].scores.n_records:
            notes.append("Real records without a sensitive value were left out of the risk.")
    if release.unit is not None:
        notes.append(
            f"Rows with the same {release.unit!r} belong together: intervals count units, and "
            "there is no bootstrap over rows."
        )
    return tuple(dict.fromkeys(notes))
