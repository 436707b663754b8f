"""Keeping the k smallest of a stream of distances, without a heap and almost without branches.

Every candidate below a running bound is appended to a short list, which costs two stores. When the
list is full, a limit is found that k of its values do not exceed, the others are dropped, and the
limit becomes the bound. Finding it means counting, which vectorises, where a heap or a partition
would mispredict a branch at every second number.

A list stays in the order of the rows, so among equal values the first entry is the lowest index.
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.intrinsics import (
    SCANNED,
    lowest_bit,
    mask_below,
    smaller,
)
from sdmetrics_disclosure.numba_kernels.jit import (
    FloatArray,
    IndexArray,
    fast_inlined,
    inlined,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import PANEL

BUCKETS = 4  # for each entry to sort


@inlined
def list_length(k: int) -> int:
    """Return the length at which a list for k neighbours is cut back; a panel more must fit."""
    return 2 * k + 32


@inlined
def append_below(
    distances: FloatArray,
    first: int,
    bound: float,
    values: FloatArray,
    indices: IndexArray,
    count: int,
) -> int:
    """Append the entries of (PANEL,) `distances` below `bound`; return the new length.

    `first` is the row of the first distance.
    """
    length = count
    for start in range(0, PANEL, SCANNED):
        mask = mask_below(distances, start, bound)
        while mask:
            j = start + lowest_bit(mask)
            values[length] = distances[j]
            indices[length] = first + j
            length += 1
            mask &= mask - np.uint64(1)
    return length


@inlined
def count_at_most(values: FloatArray, n: int, limit: float) -> int:
    """Return how many of the first n values are at most `limit`."""
    count = 0
    for j in range(n):
        count += values[j] <= limit
    return count


@inlined
def count_below(values: FloatArray, n: int, limit: float) -> int:
    """Return how many of the first n values are below `limit`."""
    count = 0
    for j in range(n):
        count += values[j] < limit
    return count


@fast_inlined
def smallest_and_largest(values: FloatArray, n: int) -> tuple[float, float]:
    """Return the smallest and the largest of the first n values."""
    least, most = np.inf, np.inf
    for j in range(n):
        least = smaller(least, values[j])
    for j in range(n):
        most = smaller(most, -values[j])
    return least, -most


@inlined
def limit_of_smallest(values: FloatArray, n: int, k: int, more: int) -> float:
    """Return a number that k to k + `more` of the first n values do not exceed, by bisection.

    Where ties make that impossible it is the k-th smallest value itself.
    """
    low, high = smallest_and_largest(values, n)
    if count_at_most(values, n, low) >= k:
        return low
    while True:  # at most `low` are fewer than k, at most `high` are at least k
        middle = low + 0.5 * (high - low)
        if middle <= low or middle >= high:
            return high
        count = count_at_most(values, n, middle)
        if count < k:
            low = middle
        elif count <= k + more:
            return middle
        else:
            high = middle


@inlined
def keep_at_most(values: FloatArray, indices: IndexArray, n: int, limit: float) -> int:
    """Keep those of the first n entries that are at most `limit`, in place; return how many."""
    kept = 0
    for i in range(n):
        value, index = values[i], indices[i]
        values[kept] = value
        indices[kept] = index
        kept += value <= limit
    return kept


@inlined
def keep_smallest(values: FloatArray, indices: IndexArray, n: int, k: int) -> float:
    """Keep the k smallest of the first n entries, in place, the earlier of equal ones.

    Returns a number that all of them are at most and that no dropped one is below.
    """
    limit = limit_of_smallest(values, n, k, 0)
    spare = k - count_below(values, n, limit)
    kept = 0
    for i in range(n):
        value, index = values[i], indices[i]
        values[kept] = value
        indices[kept] = index
        tied = value == limit and spare > 0
        spare -= tied
        kept += value < limit or tied
    return limit


@inlined
def write_sorted(
    values: FloatArray, indices: IndexArray, out_values: FloatArray, out_indices: IndexArray
) -> None:
    """Write the first k entries in the order (value, index), k the length of the outputs.

    They are first dealt into buckets of equal width, so many that most hold one entry or none:
    little is left to sort, and a sort mispredicts a branch at every other comparison.
    """
    k = len(out_values)
    n_buckets = BUCKETS * k
    low, high = smallest_and_largest(values, k)
    scale = (n_buckets - 1) / (high - low) if high > low else 0.0
    places = np.zeros(n_buckets + 1, dtype=np.intp)
    for i in range(k):
        places[np.intp((values[i] - low) * scale) + 1] += 1
    fullest = 0
    for i in range(n_buckets):
        fullest = max(fullest, places[i + 1])
        places[i + 1] += places[i]
    for i in range(k):
        bucket = np.intp((values[i] - low) * scale)
        place = places[bucket]
        places[bucket] = place + 1
        out_values[place] = values[i]
        out_indices[place] = indices[i]
    shell_sort(out_values, out_indices, fullest)


@inlined
def shell_sort(values: FloatArray, indices: IndexArray, furthest: int) -> None:
    """Sort by (value, index), in place, entries that are at most `furthest` from their place."""
    gap = 1
    while gap < furthest // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(values)):
            value, index = values[i], indices[i]
            j = i - gap
            while j >= 0 and (values[j] > value or (values[j] == value and indices[j] > index)):
                values[j + gap] = values[j]
                indices[j + gap] = indices[j]
                j -= gap
            values[j + gap] = value
            indices[j + gap] = index
        gap //= 3
