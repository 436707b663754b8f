"""From the rows of folds to means with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from sdmetrics_disclosure.plugins.assessment.fold_run import CHANCE, DIFFERENCE
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.figures.assessment import QUALITY
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric

METHOD = "corrected_t"


def fold_interval(
    values: Sequence[float], n_splits: int, confidence_level: float, limits: tuple[float, float]
) -> Interval:
    """Return the mean over folds with the corrected resampled t interval.

    The folds share most of the rows they are fitted on, so their variance is too small by itself:
    with k folds, Nadeau and Bengio (2003) take 1/n + 1/(k - 1) times it for the mean of n, not
    1/n times.

    Args:
        values: One for each fold that ran; of fewer than two the interval is all that is possible.
        n_splits: How many folds the rows were cut into.
        confidence_level: Coverage, for example 0.95.
        limits: Between which the mean must lie.
    """
    low, high = limits
    mean = float(np.mean(values)) if values else float("nan")
    if len(values) < 2:
        return Interval(mean, low, high, METHOD)
    variance = float(np.var(values, ddof=1)) * (1 / len(values) + 1 / (n_splits - 1))
    quantile = float(stats.t.ppf(0.5 + confidence_level / 2, len(values) - 1))
    half = quantile * float(np.sqrt(variance))
    return Interval(mean, max(low, mean - half), min(high, mean + half), METHOD)


def summarize_folds(
    rows: pd.DataFrame,
    synthesizers: Sequence[str],
    metrics: Mapping[str, type[DisclosureMetric]],
    n_splits: int,
    n_asked: int,
    confidence_level: float,
) -> pd.DataFrame:
    """A row a synthesizer and measure, with mean, sd, interval and how many folds ran.

    `Baseline` is what would be found if nothing were given away about the rows.

    Args:
        rows:
            Of all folds.
        synthesizers:
            Their names, in order.
        metrics:
            The metrics asked for; one that ran nowhere has a row without a value.
        n_splits:
            How many folds there were.
        n_asked:
            How many were asked for.
        confidence_level:
            Coverage of the intervals.
    """
    values: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    measures: dict[str, dict[tuple[Any, Hashable], None]] = {
        name: {} for name in (QUALITY, *metrics)
    }
    for row in rows[rows["Error"].isna()].to_dict("records"):
        metric, measure, column = row["Metric"], row["Measure"], row["Column"]
        values[row["Synthesizer"], metric, measure, column].append(row["Value"])
        if measure != CHANCE:
            measures[metric][measure, column] = None
    made = []
    for synthesizer in synthesizers:
        for metric, found in measures.items():
            for measure, column in found or {(None, None): None}:
                held = values[synthesizer, metric, measure, column]
                chance = values[synthesizer, metric, CHANCE, column]
                limits = _limits(metric, measure, metrics)
                interval = fold_interval(held, n_splits, confidence_level, limits)
                made.append(
                    {
                        "Synthesizer": synthesizer,
                        "Metric": metric,
                        "Measure": measure,
                        "Column": column,
                        "Mean": interval.value,
                        "SD": float(np.std(held, ddof=1)) if len(held) > 1 else np.nan,
                        "Low": interval.low,
                        "High": interval.high,
                        "Baseline": _baseline(measure, chance, metrics.get(metric)),
                        "Folds Run": len(held),
                        "Folds Asked": n_asked,
                    }
                )
    return pd.DataFrame(made)


def _baseline(
    measure: str | None, chance: Sequence[float], metric: type[DisclosureMetric] | None
) -> float:
    if measure == DIFFERENCE:
        return 0.0
    if chance:
        return float(np.mean(chance))
    return 0.5 if metric is not None and issubclass(metric, MembershipMetric) else np.nan


def _limits(
    metric: str, measure: str | None, metrics: Mapping[str, type[DisclosureMetric]]
) -> tuple[float, float]:
    if measure == DIFFERENCE:
        return -1.0, 1.0
    if metric not in metrics:
        return 0.0, 1.0
    return metrics[metric].min_value, metrics[metric].max_value
