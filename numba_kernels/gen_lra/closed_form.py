"""Gen-LRA scores in closed form: the power law and the Gaussian surrogate.

Both are, over the k synthetic rows s nearest to a candidate x,

    log(1 + K(s, x) / sum_{r in R} K(s, r)),

and differ in the kernel K. The sum does not depend on the candidate: it is computed once for each
synthetic row (`power_sum_kernel`, `density.log_kernel_sums`). Candidates are then handled block
by block: their neighbours (`neighbours.nearest_kernel`), K at those, and the sum or the maximum;
nothing of the size candidates x synthetic rows is kept. Everything stays in logarithms up to the
last step, log(1 + e^v), so that a candidate far from everything keeps its own score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from sdmetrics_disclosure.numba_kernels.gen_lra.density import Covariance, log_kernel_sums, whiten
from sdmetrics_disclosure.numba_kernels.intrinsics import wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    IndexArray,
    fast_inlined,
    fast_kernel,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest_kernel
from sdmetrics_disclosure.numba_kernels.neighbors.search import (
    BLOCK,
    Search,
    fill,
    prepare,
    squared_distance,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import GROUP, PANEL, TILE, new_tiles

Aggregate = Literal["max", "sum"]

SMOOTHING_SHARE = 1e-8  # of the median squared distance between targets and synthetic rows
SMOOTHING_SAMPLE = 512  # rows of each side that the median is taken over


def power_law_scores(
    targets: FloatArray,
    synthetic: FloatArray,
    reference: FloatArray,
    *,
    is_category: BoolArray,
    exponent: float = 4.0,
    n_neighbors: int = 10,
    aggregate: Aggregate = "max",
    smoothing: float | None = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the power-law Gen-LRA score of each target, (n,) float64.

    The maximum (or sum) over the k synthetic rows s nearest to x of
    log(1 + d(s, x)^-e / sum_r d(s, r)^-e), with d the sum of absolute differences over numeric
    columns plus the number of differing categories, and d^2 replaced by d^2 + smoothing.

    Time O(n_synthetic (n_targets + n_reference) d); memory O((all rows) d). An exponent of 4 is
    about ten times as fast as another in the sums over the reference.

    Args:
        targets: (n, d) float64, numeric columns already in units of their scale.
        synthetic: (n_synthetic, d) float64.
        reference: (n_reference, d) float64.
        is_category: (d,) bool, the columns that hold codes; a negative code differs from all.
        exponent: e, above 0.
        n_neighbors: k, 1 to n_synthetic; ties go to the lowest synthetic row.
        aggregate: "max" or "sum".
        smoothing: None is `default_smoothing(targets, synthetic, is_category)`.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    if smoothing is None:
        smoothing = default_smoothing(targets, synthetic, is_category)
    log_sums = log_power_sums(
        synthetic,
        reference,
        is_category=is_category,
        exponent=exponent,
        smoothing=smoothing,
        n_jobs=n_jobs,
    )
    return power_law_scores_of(
        targets,
        synthetic,
        log_sums,
        is_category=is_category,
        exponent=exponent,
        n_neighbors=n_neighbors,
        aggregate=aggregate,
        smoothing=smoothing,
        n_jobs=n_jobs,
    )


def power_law_scores_of(
    targets: FloatArray,
    synthetic: FloatArray,
    log_sums: FloatArray,
    *,
    is_category: BoolArray,
    exponent: float,
    n_neighbors: int,
    aggregate: Aggregate,
    smoothing: float,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the scores where the sums over the reference are known, (n,) float64.

    A target's score depends on no other target. Time O(n_targets n_synthetic d).

    Args:
        targets: (n, d) float64.
        synthetic: (n_synthetic, d) float64.
        log_sums: (n_synthetic,) float64, of `log_power_sums` with the same arguments.
        is_category: See `power_law_scores`.
        exponent: See `power_law_scores`.
        n_neighbors: See `power_law_scores`.
        aggregate: See `power_law_scores`.
        smoothing: See `power_law_scores`.
        n_jobs: See `power_law_scores`.
    """
    search = prepare(targets, synthetic, is_category)

    def log_kernel(start: int, indices: IndexArray, distances: FloatArray) -> FloatArray:
        return np.asarray(-0.5 * exponent * np.log(distances * distances + smoothing))

    return _scores(search, n_neighbors, log_kernel, log_sums, aggregate, n_jobs)


def log_power_sums(
    synthetic: FloatArray,
    reference: FloatArray,
    *,
    is_category: BoolArray,
    exponent: float,
    smoothing: float,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return log sum_r (d(s, r)^2 + smoothing)^(-exponent / 2) for each synthetic row.

    Arguments as for `power_law_scores`; (n_synthetic,) float64.
    """
    search = prepare(synthetic, reference, is_category)
    sums = np.empty(len(search.queries))

    def add(start: int, stop: int) -> None:
        power_sum_kernel(search, start, stop, exponent, smoothing, sums)

    run_blocks(add, len(sums), BLOCK, n_jobs)
    return np.asarray(np.log(sums))


def default_smoothing(targets: FloatArray, synthetic: FloatArray, is_category: BoolArray) -> float:
    """Return 1e-8 times the median squared distance between targets and synthetic rows.

    Taken over at most 512 rows of each side, which are evenly spaced in sorted order, so that the
    order of the rows does not matter.
    """
    search = prepare(_spread(targets, is_category), _spread(synthetic, is_category), is_category)
    distances = np.empty((len(search.queries), len(search.rows)))
    distance_kernel(search, distances)
    median = float(np.median(distances * distances))
    return SMOOTHING_SHARE * (median if median > 0 else 1.0)


def _spread(values: FloatArray, is_category: BoolArray) -> FloatArray:
    if len(values) <= SMOOTHING_SAMPLE:
        return values
    # Rows are sorted along a fixed direction that no two different rows are likely to share. Codes
    # break ties only: what a level is called should not choose the rows.
    weighted = values * np.cos(np.arange(1.0, values.shape[1] + 1.0))
    keys = weighted[:, is_category].sum(axis=1), weighted[:, ~is_category].sum(axis=1)
    positions = np.linspace(0, len(values) - 1, SMOOTHING_SAMPLE).round().astype(np.intp)
    return np.asarray(values[np.lexsort(keys)[positions]])


def gaussian_scores(
    targets: FloatArray,
    synthetic: FloatArray,
    reference: FloatArray,
    *,
    covariance: Covariance = "isotropic",
    bandwidth_factor: float = 0.5,
    n_neighbors: int = 3,
    aggregate: Aggregate = "sum",
    floor: float = 0.0,
    neighbors_in: Literal["columns", "covariance"] = "columns",
    constant: bool = False,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the Gaussian Gen-LRA score of each target in closed form, (n,) float64.

    The sum (or maximum) over the k synthetic rows s nearest to x of
    log1p(K_H(s - x) / (n p_R(s))), with H from the reference alone (see `density.whiten`).

    Time O(n_synthetic (n_targets + n_reference) d + n_targets k d); memory O((all rows) d).

    Args:
        targets: (n, d) float64, encoded.
        synthetic: (n_synthetic, d) float64.
        reference: (n_reference, d) float64, at least two different rows.
        covariance: Shape of the kernel.
        bandwidth_factor: Times Silverman's factor.
        n_neighbors: k, 1 to n_synthetic; ties go to the lowest synthetic row.
        aggregate: "sum" or "max".
        floor: Added to both densities inside their logarithms.
        neighbors_in: Where distances to neighbours are Euclidean: in the columns as given, or in
            the coordinates whitened by the covariance.
        constant: Subtract log((n + 1) / n) for each neighbour that is added up (once for the
            maximum). It is the same for all targets and drowns the smallest scores.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    n = len(reference)
    whitening = whiten(reference, covariance=covariance, bandwidth_factor=bandwidth_factor)
    h = whitening.bandwidth
    near = whitening.coordinates(targets)
    rows = whitening.coordinates(synthetic)
    log_sums = log_kernel_sums(rows, whitening.coordinates(reference), h, n_jobs=n_jobs)
    log_floor = np.log(floor) - whitening.log_normalization() if floor > 0 else -np.inf
    totals = np.logaddexp(log_sums, np.log(n) + log_floor)
    if neighbors_in == "covariance":
        search, unit = prepare(near, rows, None), 1.0
    else:
        search, unit = prepare(targets, synthetic, None), whitening.transform[0, 0] ** 2

    def log_kernel(start: int, indices: IndexArray, squares: FloatArray) -> FloatArray:
        if neighbors_in == "covariance" or covariance == "isotropic":
            squares *= unit
        else:
            pair_kernel(near, rows, start, indices, squares)
        squares *= -0.5 / (h * h)
        return squares if floor == 0 else np.logaddexp(squares, log_floor)

    scores = _scores(search, n_neighbors, log_kernel, totals, aggregate, n_jobs)
    if constant:
        scores -= (n_neighbors if aggregate == "sum" else 1) * np.log1p(1.0 / n)
    return scores


def _scores(
    search: Search,
    k: int,
    log_kernel: Callable[[int, IndexArray, FloatArray], FloatArray],
    log_sums: FloatArray,
    aggregate: Aggregate,
    n_jobs: int | None,
) -> FloatArray:
    """Return the aggregate of log(1 + exp(log_kernel - log_sums)) over the k nearest rows.

    `log_kernel(start, indices, distances)` gets the (block, k) neighbours of the targets from
    `start` on and may overwrite their distances.
    """
    if not 1 <= k <= len(search.rows):
        raise ValueError(
            f"n_neighbors is {k}; it must be between 1 and the {len(search.rows)} synthetic rows."
        )
    scores = np.empty(len(search.queries))

    def score(start: int, stop: int) -> None:
        indices = np.empty((stop - start, k), dtype=np.intp)
        distances = np.empty((stop - start, k))
        nearest_kernel(search, start, stop, False, indices, distances)
        terms = np.logaddexp(0.0, log_kernel(start, indices, distances) - log_sums[indices])
        scores[start:stop] = terms.max(axis=1) if aggregate == "max" else terms.sum(axis=1)

    run_blocks(score, len(scores), BLOCK, n_jobs)
    return scores


@fast_inlined
def inverse_square_sum(distances: FloatArray, smoothing: float) -> float:
    """Return the sum of (d^2 + smoothing)^-2 over (PANEL,) distances."""
    total = 0.0
    for j in range(PANEL):
        square = distances[j] * distances[j] + smoothing
        total += 1.0 / (square * square)
    return total


@fast_inlined
def inverse_power_sum(distances: FloatArray, smoothing: float, exponent: float) -> float:
    """Return the sum of (d^2 + smoothing)^(-exponent / 2) over (PANEL,) distances."""
    total = 0.0
    for j in range(PANEL):
        total += (distances[j] * distances[j] + smoothing) ** (-0.5 * exponent)
    return total


@kernel
def power_sum_kernel(
    search: Search, start: int, stop: int, exponent: float, smoothing: float, out: FloatArray
) -> None:
    """Write sum_r (d^2 + smoothing)^(-exponent / 2) of the queries start to stop, in TILEs."""
    wide_vectors()
    tile, mismatches = new_tiles(TILE), np.empty((TILE, PANEL), dtype=np.int32)
    out[start:stop] = 0.0
    for group in range(start, stop, GROUP):
        end = min(group + GROUP, stop)
        for p in range(len(search.packed_rows.starts)):
            for first in range(group, end, TILE):
                fill(search, first, p, mismatches, tile)
                for query in range(first, min(first + TILE, end)):
                    distances = tile[query - first]
                    if exponent == 4.0:
                        out[query] += inverse_square_sum(distances, smoothing)
                    else:
                        out[query] += inverse_power_sum(distances, smoothing, exponent)


@kernel
def distance_kernel(search: Search, out: FloatArray) -> None:
    """Write all distances of a small search into `out` (n, m)."""
    wide_vectors()
    tile, mismatches = new_tiles(TILE), np.empty((TILE, PANEL), dtype=np.int32)
    for first in range(0, len(out), TILE):
        for p in range(len(search.packed_rows.starts)):
            fill(search, first, p, mismatches, tile)
            from_row = p * PANEL
            width = min(PANEL, out.shape[1] - from_row)
            for t in range(min(TILE, len(out) - first)):
                out[first + t, from_row : from_row + width] = tile[t, :width]


@fast_kernel
def pair_kernel(
    queries: FloatArray, rows: FloatArray, start: int, indices: IndexArray, out: FloatArray
) -> None:
    """Write |q_(start + i) - r_(indices[i, j])|^2 into `out` (block, k)."""
    for i in range(len(indices)):
        for j in range(indices.shape[1]):
            out[i, j] = squared_distance(queries[start + i], rows[indices[i, j]])
