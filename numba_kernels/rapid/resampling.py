"""What a rate would have been: bootstrap and permutation of stored scores, never a refit.

    bootstrap_curve, permutation_curve              classes: the baseline is recomputed
    bootstrap_error_curve, permutation_error_curve  numbers: there is no baseline
        | one child generator a replicate draws with NumPy; `run_blocks` shares replicates out
        v
    replicates.py                                   loops over the records of one replicate

A replicate depends on its own child generator only, so the bits are the same on any number of
threads, and a thread holds one replicate at a time: at most 16 bytes a record. Every rate is a
whole number of records divided by n. A score equal to a threshold is not above it, an error equal
to a threshold is not below it.

Records without a score (a missing truth or prediction) are left out before they come here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.numba_kernels.jit import run_blocks
from sdmetrics_disclosure.numba_kernels.rapid.replicates import (
    class_rates,
    count_draws,
    error_rates,
    look_up,
    weighted_rates,
)
from sdmetrics_disclosure.numba_kernels.rapid.scores import (
    CONDITIONAL,
    ERRORS,
    NORMALIZED_GAIN,
    SCORES,
    categorical_scores,
)

#: Replicates in a block: long against the handing over of a block, few enough to share out.
REPLICATES = 8

Replicate = Callable[[np.random.Generator, NDArray[np.float64]], None]


def bootstrap_curve(
    probability: NDArray[np.float64],
    classes: NDArray[np.intp],
    n_classes: int,
    thresholds: NDArray[np.float64],
    score: str,
    n_bootstrap: int,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Resample records with replacement and take the share above every threshold.

    The baseline is that of the replicate: the resampled share of the class ("normalized_gain") or
    the resampled mean probability in the class ("conditional").

    Args:
        probability: (n,) float64, the probability given to each record's true class.
        classes: (n,) intp, the true classes in 0 .. n_classes - 1.
        n_classes: Number of classes.
        thresholds: (m,) float64, increasing.
        score: One of `scores.SCORES`.
        n_bootstrap: Number of replicates B.
        generator: Source of randomness; its children draw.
        n_jobs: Number of threads.

    Returns:
        (B, m) float64; the order of the records does not matter. Costs O(B (n + n_classes m)) time,
        and O(n log m + B m) for "cross_entropy", which has no baseline.
    """
    code = SCORES.index(score)
    if code not in (NORMALIZED_GAIN, CONDITIONAL):
        scores, _ = categorical_scores(probability, classes, n_classes, score)
        above = np.searchsorted(thresholds, scores, side="left")
        not_above = _resampled_bins(above, thresholds.size, n_bootstrap, generator)
        return np.asarray((probability.size - not_above) / probability.size)
    n = probability.size
    rising = probability[np.lexsort((probability, classes))]
    starts = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=n_classes))])

    def replicate(child: np.random.Generator, rates: NDArray[np.float64]) -> None:
        weights = np.zeros(n, dtype=np.int32)
        count_draws(child.integers(0, n, size=n), weights)
        weighted_rates(rising, weights, starts, thresholds, code, rates)

    return _replicates(replicate, n_bootstrap, thresholds.size, generator, n_jobs)


def bootstrap_error_curve(
    errors: NDArray[np.float64],
    thresholds: NDArray[np.float64],
    n_bootstrap: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Resample errors with replacement and take the share below every threshold.

    Args:
        errors: (n,) float64, no NaN.
        thresholds: (m,) float64, increasing.
        n_bootstrap: Number of replicates B.
        generator: Source of randomness.

    Returns:
        (B, m) float64. Costs O(n log m + B m): an error never changes, so how many of the n draws
        fall between two thresholds is multinomial and no record needs to be drawn.
    """
    not_below = np.searchsorted(thresholds, errors, side="right")
    below = _resampled_bins(not_below, thresholds.size, n_bootstrap, generator)
    return np.asarray(below / errors.size)


def permutation_curve(
    values: NDArray[np.float64],
    column: NDArray[np.intp],
    share: NDArray[np.float64],
    classes: NDArray[np.intp],
    thresholds: NDArray[np.float64],
    score: str,
    n_permutations: int,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Permute the true classes over the records and take the share above every threshold.

    A record's probability of its new class c is looked up: values[i, column[c]] * share[c].

    Args:
        values: (n, k) float64, predicted probabilities.
        column: (n_classes,) intp, the column of `values` that holds a class.
        share: (n_classes,) float64, the share of its column that belongs to the class.
        classes: (n,) intp, the true classes in 0 .. n_classes - 1.
        thresholds: (m,) float64, increasing.
        score: One of `scores.SCORES`.
        n_permutations: Number of replicates B.
        generator: Source of randomness; its children draw.
        n_jobs: Number of threads.

    Returns:
        (B, m) float64. Costs O(B (n + n_classes + m)) time.
    """
    code = SCORES.index(score)
    counts = np.bincount(classes, minlength=column.size)

    def replicate(child: np.random.Generator, rates: NDArray[np.float64]) -> None:
        permuted = child.permutation(classes)
        probability = np.empty(classes.size)
        look_up(values, column, share, permuted, probability)
        class_rates(probability, permuted, counts, thresholds, code, rates)

    return _replicates(replicate, n_permutations, thresholds.size, generator, n_jobs)


def permutation_error_curve(
    predictions: NDArray[np.float64],
    truths: NDArray[np.float64],
    thresholds: NDArray[np.float64],
    error: str,
    delta: float,
    n_permutations: int,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Permute the true numbers over the records and take the share below every threshold.

    Args:
        predictions: (n,) float64, no NaN.
        truths: (n,) float64, no NaN.
        thresholds: (m,) float64, increasing.
        error: One of `scores.ERRORS`.
        delta: Positive stabiliser of the error.
        n_permutations: Number of replicates B.
        generator: Source of randomness; its children draw.
        n_jobs: Number of threads.

    Returns:
        (B, m) float64. Costs O(B (n + m)) time.
    """
    code = ERRORS.index(error)

    def replicate(child: np.random.Generator, rates: NDArray[np.float64]) -> None:
        error_rates(predictions, child.permutation(truths), thresholds, code, delta, rates)

    return _replicates(replicate, n_permutations, thresholds.size, generator, n_jobs)


def _replicates(
    replicate: Replicate, n: int, m: int, generator: np.random.Generator, n_jobs: int | None
) -> NDArray[np.float64]:
    children = generator.spawn(n)
    rates = np.empty((n, m))

    def run(start: int, stop: int) -> None:
        for r in range(start, stop):
            replicate(children[r], rates[r])

    run_blocks(run, n, REPLICATES, n_jobs)
    return rates


def _resampled_bins(
    bins: NDArray[np.intp], m: int, n_bootstrap: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return (B, m): of n records drawn, how many have a bin of at most j; bins are 0 .. m."""
    counts = np.bincount(bins, minlength=m + 1)
    occupied = np.flatnonzero(counts)  # so that rounding never gives a draw to an empty bin
    drawn = np.zeros((n_bootstrap, m + 1), dtype=np.int64)
    drawn[:, occupied] = generator.multinomial(
        bins.size, counts[occupied] / bins.size, size=n_bootstrap
    )
    return np.cumsum(drawn, axis=1)[:, :m]
