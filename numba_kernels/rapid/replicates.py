"""The rates of one bootstrap replicate or one permutation: kernels that `resampling` calls.

They assume what `resampling` promises them, draw nothing and keep the order of every sum, so the
slow twins in the tests have the same bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import kernel
from sdmetrics_disclosure.numba_kernels.rapid.scores import CONDITIONAL, error_of, score_of


@kernel
def count_draws(draws: Any, weights: Any) -> None:
    """Count in weights (n,) int32 how often each record is among draws (n,) int64."""
    for draw in draws:
        weights[draw] += 1


@kernel
def look_up(values: Any, column: Any, share: Any, classes: Any, out: Any) -> None:
    """Write the probability of each record's class, values[i, column[c]] * share[c], to (n,)."""
    for i in range(classes.size):
        c = classes[i]
        out[i] = values[i, column[c]] * share[c]


@kernel
def weighted_rates(
    probability: Any, weights: Any, starts: Any, thresholds: Any, code: int, rates: Any
) -> None:
    """Score records that count `weights` times and write the share above each threshold.

    Args:
        probability: (n,) float64, class after class and rising in each, so that the scores of a
            class rise as well and one walk along the thresholds serves the whole class.
        weights: (n,) int32, with sum n.
        starts: (n_classes + 1,) int64; class c has the records starts[c] to starts[c + 1] - 1.
        thresholds: (m,) float64, increasing.
        code: Position in `scores.SCORES`, of a score with a baseline.
        rates: (m,) float64, the output.

    Costs O(n + n_classes m) time and O(m) memory. Sums run in the order of the records.
    """
    n = probability.size
    per_step = _steps_per_unit(thresholds)
    below = np.zeros(thresholds.size + 1, dtype=np.int64)
    for c in range(starts.size - 1):
        count = 0
        for i in range(starts[c], starts[c + 1]):
            count += weights[i]
        if count == 0:
            continue
        total = float(count)
        if code == CONDITIONAL:
            total = 0.0
            for i in range(starts[c], starts[c + 1]):
                total += weights[i] * probability[i]
        baseline = total / count if code == CONDITIONAL else total / n
        k = _n_below(score_of(probability[starts[c]], baseline, 1.0, code), thresholds, per_step)
        for i in range(starts[c], starts[c + 1]):
            score = score_of(probability[i], baseline, 1.0, code)
            while k < thresholds.size and thresholds[k] < score:
                k += 1
            below[k] += weights[i]
    _write_shares_above(below, n, rates)


@kernel
def class_rates(
    probability: Any, classes: Any, counts: Any, thresholds: Any, code: int, rates: Any
) -> None:
    """Score records and write the share above each threshold.

    Args:
        probability: (n,) float64.
        classes: (n,) intp.
        counts: (n_classes,) int64, the records of each class.
        thresholds: (m,) float64, increasing.
        code: Position in `scores.SCORES`.
        rates: (m,) float64, the output.

    Costs O(n + n_classes + m) time and O(n_classes + m) memory. Sums run in the order of the
    records.
    """
    n = probability.size
    baseline = np.zeros(counts.size)
    if code == CONDITIONAL:
        for i in range(n):
            baseline[classes[i]] += probability[i]
        for c in range(counts.size):
            baseline[c] /= max(counts[c], 1)
    else:
        for c in range(counts.size):
            baseline[c] = counts[c] / n
    log_n_classes = math.log(counts.size)
    per_step = _steps_per_unit(thresholds)
    below = np.zeros(thresholds.size + 1, dtype=np.int64)
    for i in range(n):
        score = score_of(probability[i], baseline[classes[i]], log_n_classes, code)
        below[_n_below(score, thresholds, per_step)] += 1
    _write_shares_above(below, n, rates)


@kernel
def error_rates(
    predictions: Any, truths: Any, thresholds: Any, code: int, delta: float, rates: Any
) -> None:
    """Measure the errors and write the share strictly below each threshold to rates (m,)."""
    n = predictions.size
    per_step = _steps_per_unit(thresholds)
    not_below = np.zeros(thresholds.size + 1, dtype=np.int64)
    for i in range(n):
        error = error_of(truths[i], predictions[i], delta, code)
        k = _n_below(error, thresholds, per_step)
        while k < thresholds.size and thresholds[k] == error:
            k += 1
        not_below[k] += 1
    below = 0
    for j in range(thresholds.size):
        below += not_below[j]
        rates[j] = below / n


@kernel
def _steps_per_unit(thresholds: Any) -> float:
    """Return the slope of the guess in `_n_below`, which is right where the grid is uniform."""
    slope: float = (thresholds.size - 1) / (thresholds[-1] - thresholds[0])
    return slope


@kernel
def _n_below(value: float, thresholds: Any, per_step: float) -> int:
    """Return how many of the (m,) thresholds are strictly below `value`, 0 to m.

    A guess, put right by comparison: O(1) on a uniform grid and twice as fast as halving, O(m) at
    worst on any other.
    """
    if not value > thresholds[0]:
        return 0
    if value > thresholds[-1]:
        return int(thresholds.size)
    steps = (value - thresholds[0]) * per_step
    k = int(steps) if steps < thresholds.size else 0  # not so where the span overflows
    while thresholds[k] < value:
        k += 1
    while not thresholds[k - 1] < value:
        k -= 1
    return k


@kernel
def _write_shares_above(below: Any, n: int, rates: Any) -> None:
    """Turn counts of records by the number of thresholds below them (m + 1,) into rates (m,)."""
    above = n
    for j in range(rates.size):
        above -= below[j]
        rates[j] = above / n
