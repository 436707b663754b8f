"""Gen-LRA by the power law, in closed form (see `closed_form`)."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.gen_lra.closed_form import Aggregate, scores_of_neighbors
from sdmetrics_disclosure.numba_kernels.intrinsics import wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    IndexArray,
    fast_inlined,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.search import BLOCK, Search, fill, prepare
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import GROUP, PANEL, TILE, new_tiles

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

    return scores_of_neighbors(search, n_neighbors, log_kernel, log_sums, aggregate, n_jobs)


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
