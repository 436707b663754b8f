"""How sure an attacker is of a true value: the one place with RAPID's score arithmetic.

The public functions score stored predictions once; the compiled scalars `score_of` and `error_of`
are what they call, and what the resampling kernels call for every replicate, so a record on the
edge of a threshold is on the same side of it everywhere. They are compiled without reordering.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.numba_kernels.jit import kernel

#: The names of the scores, by code.
SCORES = ("normalized_gain", "conditional", "cross_entropy")
#: The names of the errors, by code.
ERRORS = ("symmetric", "stabilized_relative", "absolute")

NORMALIZED_GAIN, CONDITIONAL = 0, 1
SYMMETRIC, STABILIZED_RELATIVE = 0, 1
SMALLEST_PROBABILITY = 1e-10


def categorical_scores(
    probability: NDArray[np.float64], classes: NDArray[np.intp], n_classes: int, score: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Score the probability that an attacker gives each record's true class.

    With g the probability and y the true class of a record:

        normalized_gain   (g - b) / (1 - b), b the share of class y; 0 where b = 1
        conditional       g / b, b the mean g over the records of class y; 0 where b = 0
        cross_entropy     1 - (-log(max(g, 1e-10)) / log(n_classes)); 0 with one class

    Args:
        probability: (n,) float64, g; no NaN. 0 for a class that the attacker has never seen.
        classes: (n,) intp, the true class as a code in 0 .. n_classes - 1.
        n_classes: Number of classes, those without a record included.
        score: One of `SCORES`.

    Returns:
        The scores (n,) and the baselines b (n,); for "cross_entropy", which has no baseline in it,
        b is the share of the class. Costs O(n + n_classes) time and memory.
    """
    code = SCORES.index(score)
    counts = np.bincount(classes, minlength=n_classes)
    if code == CONDITIONAL:
        totals = np.bincount(classes, weights=probability, minlength=n_classes)
        by_class = totals / np.maximum(counts, 1)
    else:
        by_class = counts / max(len(classes), 1)
    baseline = by_class[classes]
    return scores_against(probability, baseline, n_classes, score), baseline


def scores_against(
    probability: NDArray[np.float64], baseline: NDArray[np.float64], n_classes: int, score: str
) -> NDArray[np.float64]:
    """Score as `categorical_scores` does, against baselines that are given.

    Args:
        probability: (n,) float64, g.
        baseline: (n,) float64, b, found on these or on other records.
        n_classes: Number of classes.
        score: One of `SCORES`.

    Returns:
        The scores (n,).
    """
    scores = np.empty(len(probability))
    _score_rows(probability, baseline, math.log(n_classes), SCORES.index(score), scores)
    return scores


def errors(
    truth: NDArray[np.float64], prediction: NDArray[np.float64], error: str, delta: float
) -> NDArray[np.float64]:
    """Measure how far a predicted number is from the truth.

    With y the truth and p the prediction:

        symmetric             2 |y - p| / (|y| + |p| + 2 delta)
        stabilized_relative   |y - p| / (|y| + delta)
        absolute              |y - p|

    Args:
        truth: (n,) float64, y.
        prediction: (n,) float64, p.
        error: One of `ERRORS`.
        delta: Positive; keeps a truth of zero from dividing by zero.

    Returns:
        The errors (n,); NaN where the truth or the prediction is NaN.
    """
    result = np.empty(len(truth))
    _error_rows(truth, prediction, ERRORS.index(error), delta, result)
    return result


def share_above(
    scores: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for every threshold the share of scores strictly above it; no NaN among the scores."""
    counts = len(scores) - np.searchsorted(np.sort(scores), thresholds, side="right")
    return np.asarray(counts / len(scores))


def share_below(
    values: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for every threshold the share of values strictly below it; no NaN among the values."""
    counts = np.searchsorted(np.sort(values), thresholds, side="left")
    return np.asarray(counts / len(values))


@kernel
def score_of(probability: float, baseline: float, log_n_classes: float, code: int) -> float:
    """Score one record; `baseline` is not looked at by "cross_entropy"."""
    if code == NORMALIZED_GAIN:
        return 0.0 if baseline == 1.0 else (probability - baseline) / (1.0 - baseline)
    if code == CONDITIONAL:
        return 0.0 if baseline == 0.0 else probability / baseline
    if log_n_classes == 0.0:
        return 0.0
    return 1.0 - (-math.log(max(probability, SMALLEST_PROBABILITY)) / log_n_classes)


@kernel
def error_of(truth: float, prediction: float, delta: float, code: int) -> float:
    """Measure the error of one record."""
    distance = abs(truth - prediction)
    if code == SYMMETRIC:
        return 2.0 * distance / (abs(truth) + abs(prediction) + 2.0 * delta)
    if code == STABILIZED_RELATIVE:
        return distance / (abs(truth) + delta)
    return distance


@kernel
def _score_rows(probability: Any, baseline: Any, log_n_classes: float, code: int, out: Any) -> None:
    for i in range(probability.size):
        out[i] = score_of(probability[i], baseline[i], log_n_classes, code)


@kernel
def _error_rows(truth: Any, prediction: Any, code: int, delta: float, out: Any) -> None:
    for i in range(truth.size):
        out[i] = error_of(truth[i], prediction[i], delta, code)
