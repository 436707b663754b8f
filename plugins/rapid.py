"""RAPID: how many people's sensitive values does a synthetic table give away?

Source: Templ, Thees, Müller, "RAPID: Risk of Attribute Prediction-Induced Disclosure in
Synthetic Microdata" (2026). An attacker learns on the synthetic rows to tell a sensitive column
from the known ones, and applies that to the known columns of real people. A record is at risk
when its truth is guessed more confidently than chance allows; RAPID is the share at risk.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from sdmetrics_disclosure.adapters.release import Release, take_columns
from sdmetrics_disclosure.plugins.attackers import run_attacker
from sdmetrics_disclosure.plugins.attribution import (
    GROUP_SIZE_FLOOR,
    Attribution,
    known_column_variants,
    rates_by_level,
    regress_at_risk,
)
from sdmetrics_disclosure.plugins.base import DisclosureMetric
from sdmetrics_disclosure.plugins.checks import check_count
from sdmetrics_disclosure.plugins.constant_guess import best_constant
from sdmetrics_disclosure.plugins.randomness import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.rapid_options import RapidOptions
from sdmetrics_disclosure.plugins.rapid_result import (
    NULL_PERCENTILE,
    ColumnResult,
    Null,
    RapidResult,
    RapidRun,
)
from sdmetrics_disclosure.plugins.rapid_roles import Roles, Target, find_roles, find_target
from sdmetrics_disclosure.plugins.rapid_scores import (
    ClassScores,
    Scores,
    score_classes,
    score_numbers,
)
from sdmetrics_disclosure.plugins.statistics import (
    Interval,
    percentile_interval,
    permutation_p_value,
)

# What each seed is for: children of the one `random_state`.
_SUBSAMPLE, _ATTACK, _BOOTSTRAP, _NULL = range(4)


class RAPID(DisclosureMetric):
    """Risk of attribute prediction-induced disclosure, a risk from 0 to 1 (lower is better).

    Attributes:
        name: "RAPID".
        goal: Minimize; `normalize` gives the protection, 1 minus the risk.
    """

    name = "RAPID"
    Options = RapidOptions
    disclosure: ClassVar[Literal["attribute", "membership"]] = "attribute"

    @classmethod
    def _methods_with_options(cls) -> Iterable[str]:
        return ("compute", "compute_breakdown", "compute_records", "attribution")

    @classmethod
    def evaluate(cls, release: Release, options: RapidOptions) -> RapidResult:
        """Measure a release.

        Args:
            release:
                The checked tables.
            options:
                What to measure and how.

        Raises:
            ValueError: If a column cannot be attacked.
        """
        release, roles = prepare(release, options)
        results = {}
        progress = tqdm(roles.sensitive, desc=cls.name, disable=not options.verbose)
        for column in progress:
            results[column] = evaluate_column(release, roles, column, options)
        return RapidResult(
            columns=results,
            index=release.real.index,
            settings=options.settings(),
            warnings=_warnings(release, roles, results.values()),
        )

    @classmethod
    def compute_records(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Score every real record; this names real people's risk, so keep it to yourself.

        The arguments are those of `compute`.

        Args:
            real_data:
                See `compute`.
            synthetic_data:
                See `compute`.
            metadata:
                See `compute`.
            table_name:
                See `compute`.
            real_validation_data:
                See `compute`.
            **options:
                The fields of `Options`.

        Returns:
            A frame on the real data's own index: `true_value_probability, baseline,
            normalized_gain, at_risk` for classes (the last but one named by the score),
            `prediction, error, at_risk` for numbers, missing where a record has no truth. Of
            several sensitive columns, attackers or replicates, a leading index level for each.
        """
        result = cls._run(
            real_data, synthetic_data, metadata, table_name, real_validation_data, options
        )
        records: pd.DataFrame = result.records()
        return records

    @classmethod
    def attribution(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        group_size_floor: int = GROUP_SIZE_FLOOR,
        **options: Any,
    ) -> Attribution:
        """Say who is at risk and which known columns make it so.

        Args:
            real_data:
                See `compute`.
            synthetic_data:
                See `compute`.
            metadata:
                See `compute`.
            table_name:
                See `compute`.
            real_validation_data:
                See `compute`.
            group_size_floor:
                Groups with fewer records are left out.
            **options:
                The fields of `Options`; exactly one sensitive column.

        Returns:
            Three frames: `by_level`, `by_known_column`, `regression`.

        Raises:
            ValueError: If there is not exactly one sensitive column.
        """
        checked = cls.make_options(**options)
        if len(checked.sensitive_column_names or ()) != 1:
            raise ValueError("`sensitive_column_names` must name exactly one column here.")
        check_count("group_size_floor", group_size_floor, 1)
        release = cls.make_release(
            real_data, synthetic_data, metadata, table_name, real_validation_data, checked
        )
        return attribute(release, checked, group_size_floor)


def attribute(
    release: Release, options: RapidOptions, group_size_floor: int = GROUP_SIZE_FLOOR
) -> Attribution:
    """Who is at risk and why, for the first sensitive column (see `RAPID.attribution`)."""
    release, roles = prepare(release, options)
    column = roles.sensitive[0]
    result = evaluate_column(release, roles, column, options)
    risks: dict[Hashable, dict[str, float]] = {name: {} for name in result.known}
    for name, what, variant in known_column_variants(options, result):
        attacked = evaluate_column(release, find_roles(release, variant), column, variant)
        risks[name][what] = attacked.score
    return Attribution(
        by_level=rates_by_level(release, result, group_size_floor),
        by_known_column=pd.DataFrame(
            [{"column": name, **found} for name, found in risks.items()],
            columns=["column", "alone", "left_out"],
        ),
        regression=regress_at_risk(release, result),
    )


def prepare(release: Release, options: RapidOptions) -> tuple[Release, Roles]:
    """Subsample, and resolve the roles."""
    seeds = seed_sequence(options.random_state)
    release = release.subsample(options.num_rows_subsample, generator(seeds, _SUBSAMPLE))
    return release, find_roles(release, options)


def evaluate_column(
    release: Release, roles: Roles, column: Hashable, options: RapidOptions
) -> ColumnResult:
    """Attack one column by every attacker from every replicate.

    Raises:
        ValueError: If the column cannot be attacked.
    """
    seeds = child(seed_sequence(options.random_state), release.columns.index(column))
    known = roles.known_for(column)
    target = find_target(release, column)
    runs = tuple(_run_all(release, known, column, target, options, seeds))
    worst = max(runs, key=lambda run: run.risk)
    thresholds = worst.scores.grid()
    return ColumnResult(
        column=column,
        labels=target.labels,
        known=tuple(known),
        runs=runs,
        worst=worst,
        thresholds=thresholds,
        curve=worst.scores.curve(thresholds),
        bootstrap=_bootstrap(release, worst, options, seeds),
        null=_null(runs, worst, thresholds, options, seeds),
        n_unseen=_count_unseen(release, known, column, target, worst.replicate),
        n_units=_count_units(release.real, release.unit, worst.scores),
        n_holdout_units=_count_units(release.holdout, release.unit, worst.holdout),
        options=options,
        notes=_column_notes(release, target, runs, options),
    )


def _run_all(
    release: Release,
    known: list[Hashable],
    column: Hashable,
    target: Target,
    options: RapidOptions,
    seeds: np.random.SeedSequence,
) -> Iterator[RapidRun]:
    kinds = {name: release.kinds[name] for name in known}
    judged = [release.real] if release.holdout is None else [release.real, release.holdout]
    tables = [take_columns(frame, known) for frame in judged]
    for replicate, frame in enumerate(release.synthetic):
        values = target.synthetic[replicate]
        has_target = ~np.isnan(values) if target.labels is None else np.ones(len(frame), dtype=bool)
        learned = take_columns(frame, known)[has_target]
        for i, (name, attacker) in enumerate(options.attackers.items()):
            attack = run_attacker(
                attacker,
                learned,
                values[has_target],
                tables,
                kinds=kinds,
                n_classes=target.n_classes,
                random_state=child(seeds, _ATTACK, replicate, i),
                n_jobs=options.n_jobs,
            )
            scores = _score(attack.predictions, target, values[has_target], options)
            holdout = scores[1] if len(scores) > 1 else None
            yield RapidRun(name, replicate, scores[0], holdout, attack.notes)


def _score(
    predictions: tuple[Any, ...],
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
        reference = scores[0] if scores else None
        scores.append(score_classes(prediction, truth, target.n_classes, options, reference))
    return list(scores)


def _bootstrap(
    release: Release, worst: RapidRun, options: RapidOptions, seeds: np.random.SeedSequence
) -> Interval | None:
    if options.n_bootstrap == 0 or release.unit is not None:
        return None
    rates = worst.scores.bootstrap(
        np.array([worst.scores.threshold]),
        options.n_bootstrap,
        generator(seeds, _BOOTSTRAP),
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
            at, options.n_permutations, generator(seeds, _NULL), options.n_jobs
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


def _count_unseen(
    release: Release, known: list[Hashable], column: Hashable, target: Target, replicate: int
) -> int:
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
    return int(frame[unit][scores.included].nunique(dropna=False))


def _column_notes(
    release: Release, target: Target, runs: tuple[RapidRun, ...], options: RapidOptions
) -> tuple[str, ...]:
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


def _warnings(release: Release, roles: Roles, results: Iterable[ColumnResult]) -> tuple[str, ...]:
    notes = [*release.notes, *roles.notes]
    for result in results:
        notes += result.notes
    return tuple(dict.fromkeys(notes))
