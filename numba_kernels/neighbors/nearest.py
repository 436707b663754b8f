"""k nearest rows and rows within a radius, exactly, without a queries x rows matrix.

Three storeys. `nearest` and `count_within` check shapes, pack queries and rows once
(`search.prepare`) and hand blocks of queries to threads (`jit.run_blocks`). A block is one call of
a kernel, which walks all panels of rows for one tile of queries after the other (`tiles`) and keeps
a short list of candidates for each query (`selection`). Euclidean distances come from an expansion
with a known error: a list keeps whatever that error could bring among the k nearest, and the
survivors are recomputed from the caller's own numbers before they are ranked.

Ties go to the lowest row index.
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.intrinsics import wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    IndexArray,
    inlined,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.search import (
    BLOCK,
    Search,
    fill,
    prepare,
    squared_distance,
)
from sdmetrics_disclosure.numba_kernels.neighbors.selection import (
    append_below,
    count_at_most,
    keep_at_most,
    keep_smallest,
    limit_of_smallest,
    list_length,
    write_sorted,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import (
    GROUP,
    PANEL,
    TILE,
    new_tiles,
)


def nearest(
    queries: FloatArray,
    rows: FloatArray,
    k: int,
    *,
    is_category: BoolArray | None = None,
    squared: bool = False,
    n_jobs: int | None = None,
) -> tuple[IndexArray, FloatArray]:
    """Return the k rows nearest to each query, in the order (distance, row index).

    Without `is_category` the distance is Euclidean, sqrt(sum_f (q_f - r_f)^2). With it, it is
    sum |q_f - r_f| over the numeric columns plus the number of categories that differ; a negative
    code is an unknown level and differs from everything, also from another unknown.

    Time O(n m d); memory O((n + m) d + n k).

    Args:
        queries: (n, d) float64.
        rows: (m, d) float64.
        k: 1 to m.
        is_category: (d,) bool, the columns that hold category codes.
        squared: Return squared Euclidean distances.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.

    Returns:
        Row indices (n, k) intp and distances (n, k) float64, computed column by column from the
        numbers given. Of rows at the same distance the lowest indices are taken, in order.
    """
    search = prepare(queries, rows, is_category)
    if not 1 <= k <= len(search.rows):
        raise ValueError(f"k is {k}; it must be between 1 and the {len(search.rows)} rows.")
    indices = np.empty((len(search.queries), k), dtype=np.intp)
    distances = np.empty((len(search.queries), k))

    def find(start: int, stop: int) -> None:
        nearest_kernel(search, start, stop, True, indices[start:stop], distances[start:stop])

    run_blocks(find, len(search.queries), BLOCK, n_jobs)
    if not (search.is_mixed or squared):
        np.sqrt(distances, out=distances)
    return indices, distances


def count_within(
    queries: FloatArray,
    rows: FloatArray,
    radius: float,
    *,
    is_category: BoolArray | None = None,
    strict: bool = False,
    squared: bool = False,
    n_jobs: int | None = None,
) -> IndexArray:
    """Return how many rows are within `radius` of each query, (n,) intp.

    Distances are those of `nearest`; Euclidean ones are compared as squares. Time O(n m d), memory
    O((n + m) d).

    Args:
        queries: (n, d) float64.
        rows: (m, d) float64.
        radius: The largest distance that counts.
        is_category: As for `nearest`.
        strict: Leave out rows at exactly `radius`.
        squared: `radius` is a squared Euclidean distance.
        n_jobs: As for `nearest`.
    """
    search = prepare(queries, rows, is_category)
    limit = radius if search.is_mixed or squared else radius * radius
    if strict:
        limit = float(np.nextafter(limit, -np.inf))
    counts = np.empty(len(search.queries), dtype=np.intp)

    def count(start: int, stop: int) -> None:
        count_kernel(search, start, stop, limit, counts)

    run_blocks(count, len(search.queries), BLOCK, n_jobs)
    return counts


@inlined
def recompute(
    search: Search, query: int, values: FloatArray, indices: IndexArray, count: int
) -> None:
    """Replace the first `count` values by the distances themselves, where they are not already."""
    if search.is_mixed:
        return
    q, rows = search.queries[query], search.rows
    by_four = count // 4 * 4
    for i in range(0, by_four, 4):  # four sums at once: one alone waits for its own additions
        a, b, c, d = (
            rows[indices[i]],
            rows[indices[i + 1]],
            rows[indices[i + 2]],
            rows[indices[i + 3]],
        )
        sum_a, sum_b, sum_c, sum_d = 0.0, 0.0, 0.0, 0.0
        for f in range(len(q)):
            sum_a += (q[f] - a[f]) * (q[f] - a[f])
            sum_b += (q[f] - b[f]) * (q[f] - b[f])
            sum_c += (q[f] - c[f]) * (q[f] - c[f])
            sum_d += (q[f] - d[f]) * (q[f] - d[f])
        values[i], values[i + 1], values[i + 2], values[i + 3] = sum_a, sum_b, sum_c, sum_d
    for i in range(by_four, count):
        values[i] = squared_distance(q, rows[indices[i]])


@inlined
def cut_back(
    search: Search, query: int, values: FloatArray, indices: IndexArray, count: int, k: int
) -> tuple[int, float]:
    """Cut a full list of candidates back; return its length and the new bound."""
    error = search.errors[query]
    if not search.is_mixed:
        limit = limit_of_smallest(values, count, k, k // 8) + 2.0 * error
        count = keep_at_most(values, indices, count, limit)
        if count < list_length(k):
            return count, limit
        recompute(search, query, values, indices, count)
    # Equal distances from here on: those to come have a higher index and lose.
    return k, keep_smallest(values, indices, count, k) + error


@inlined
def finish(
    search: Search,
    query: int,
    values: FloatArray,
    indices: IndexArray,
    count: int,
    ordered: bool,
    out_indices: IndexArray,
    out_distances: FloatArray,
) -> None:
    """Write the k nearest of a list of candidates, k the length of the outputs."""
    k = len(out_indices)
    limit = limit_of_smallest(values, count, k, 0) + 2.0 * search.errors[query]
    count = keep_at_most(values, indices, count, limit)
    recompute(search, query, values, indices, count)
    if count > k:
        keep_smallest(values, indices, count, k)
    if ordered:
        write_sorted(values, indices, out_distances, out_indices)
    else:
        out_distances[:] = values[:k]
        out_indices[:] = indices[:k]


@kernel
def nearest_kernel(
    search: Search,
    start: int,
    stop: int,
    ordered: bool,
    out_indices: IndexArray,
    out_distances: FloatArray,
) -> None:
    """Write indices and (squared) distances of the k nearest rows of the queries start to stop.

    `start` is a multiple of TILE; the outputs are (stop - start, k). The neighbours of a query are
    in the order (distance, index) if `ordered`, else in the order of their indices. Of rows at the
    same distance the lowest indices are taken. Time O((stop - start) m d), memory O(k).
    """
    wide_vectors()
    k = out_indices.shape[1]
    full = list_length(k)
    tile, mismatches = new_tiles(TILE), np.empty((TILE, PANEL), dtype=np.int32)
    values = np.empty((GROUP, full + PANEL))
    indices = np.empty((GROUP, full + PANEL), dtype=np.intp)
    counts, bounds = np.empty(GROUP, dtype=np.intp), np.empty(GROUP)
    for group in range(start, stop, GROUP):
        end = min(group + GROUP, stop)
        counts[:] = 0
        bounds[:] = np.inf
        for p in range(len(search.packed_rows.starts)):
            for first in range(group, end, TILE):
                fill(search, first, p, mismatches, tile)
                for query in range(first, min(first + TILE, end)):
                    i = query - group
                    count = append_below(
                        tile[query - first], p * PANEL, bounds[i], values[i], indices[i], counts[i]
                    )
                    if count >= full:
                        count, bounds[i] = cut_back(search, query, values[i], indices[i], count, k)
                    counts[i] = count
        for query in range(group, end):
            i, row = query - group, query - start
            finish(
                search,
                query,
                values[i],
                indices[i],
                counts[i],
                ordered,
                out_indices[row],
                out_distances[row],
            )


@inlined
def count_doubtful(
    search: Search, query: int, distances: FloatArray, first_row: int, limit: float
) -> int:
    """Count the rows of a panel that are within `limit` but not surely so, by recomputing them."""
    error = search.errors[query]
    count = 0
    for j in range(PANEL):
        if limit - error < distances[j] <= limit + error:
            exact = squared_distance(search.queries[query], search.rows[first_row + j])
            count += exact <= limit
    return count


@kernel
def count_kernel(
    search: Search, start: int, stop: int, limit: float, out_counts: IndexArray
) -> None:
    """Write the number of rows within `limit` of the queries start to stop, into (n,).

    `start` is a multiple of TILE; `limit` is a squared distance unless columns are mixed, and rows
    at exactly `limit` count. Time O((stop - start) m d).
    """
    wide_vectors()
    tile, mismatches = new_tiles(TILE), np.empty((TILE, PANEL), dtype=np.int32)
    out_counts[start:stop] = 0
    for group in range(start, stop, GROUP):
        end = min(group + GROUP, stop)
        for p in range(len(search.packed_rows.starts)):
            for first in range(group, end, TILE):
                fill(search, first, p, mismatches, tile)
                for query in range(first, min(first + TILE, end)):
                    distances, error = tile[query - first], search.errors[query]
                    sure = count_at_most(distances, PANEL, limit - error)
                    if error > 0 and count_at_most(distances, PANEL, limit + error) > sure:
                        sure += count_doubtful(search, query, distances, p * PANEL, limit)
                    out_counts[query] += sure
