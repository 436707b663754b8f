"""k nearest rows where categories set most rows apart: whole groups are passed over.

Rows that agree in every category are a group. How many categories a query and a group differ in is
counted once for the whole group, and is the least that the distance can be: groups are visited in
that order until none can hold a nearer row. The result is that of `nearest`, to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    CodeArray,
    FloatArray,
    IndexArray,
    inlined,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

BLOCK = 256  # queries in a block
# With fewer groups than this passing them over saves less than tiles of rows do.
MIN_GROUPS = 16
LARGEST_KEY = 2**62


class Groups(NamedTuple):
    """A table in the order of its groups.

    Attributes:
        codes: (n_groups, n_categories) of each group.
        group: (n,) which one a row is in, rising.
        starts: (n_groups + 1,) where each begins.
        numbers: (n, n_numbers) the numeric columns.
        places: (n,) where a row stands in the table as it came.
    """

    codes: CodeArray
    group: IndexArray
    starts: IndexArray
    numbers: FloatArray
    places: IndexArray


def nearest_by_groups(
    queries: FloatArray,
    rows: FloatArray,
    k: int,
    *,
    is_category: BoolArray,
    n_jobs: int | None = None,
) -> tuple[IndexArray, FloatArray]:
    """Return what `nearest` returns for mixed columns: the k nearest rows and their distances.

    Args:
        queries: (n, d) finite float64.
        rows: (m, d) finite float64.
        k: 1 to m.
        is_category: (d,) bool, the columns that hold category codes.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    grouped = _group(rows, is_category)
    if len(grouped.codes) < MIN_GROUPS:
        return nearest(queries, rows, k, is_category=is_category, n_jobs=n_jobs)
    asked = _group(queries, is_category)
    codes, numbers = np.ascontiguousarray(grouped.codes.T), np.ascontiguousarray(grouped.numbers.T)
    indices = np.empty((len(queries), k), dtype=np.intp)
    distances = np.empty((len(queries), k))

    def find(start: int, stop: int) -> None:
        _nearest_kernel(asked, grouped, codes, numbers, start, stop, indices, distances)

    run_blocks(find, len(queries), BLOCK, n_jobs)
    return indices, distances


def _group(table: FloatArray, is_category: BoolArray) -> Groups:
    codes = np.ascontiguousarray(table[:, is_category], dtype=np.int32)
    key = _group_keys(codes)
    places = np.argsort(key, kind="stable").astype(np.intp)
    is_first = np.diff(key[places], prepend=-1) != 0
    starts = np.append(np.flatnonzero(is_first), len(table)).astype(np.intp)
    group = np.asarray(np.cumsum(is_first) - 1, dtype=np.intp)
    numbers = np.ascontiguousarray(table[places][:, ~is_category])
    return Groups(codes[places[is_first]], group, starts, numbers, places)


def _group_keys(codes: CodeArray) -> IndexArray:
    """(n,) a number from 0 for each row, the same for those with the same codes."""
    key, size = np.zeros(len(codes), dtype=np.intp), 1
    for column in codes.T:
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        if size * span > LARGEST_KEY:
            levels, key = np.unique(key, return_inverse=True)
            size = len(levels)
        key = key * span + (column - low)
        size *= span
    return key


@inlined
def _count_mismatches(query: CodeArray, by_column: CodeArray, mismatches: CodeArray) -> None:
    """Count for each group in how many categories it differs; an unknown level always does."""
    mismatches[:] = 0
    for f in range(len(query)):
        code, column = query[f], by_column[f]
        if code < 0:
            mismatches += np.int32(1)
        else:
            for g in range(len(mismatches)):
                mismatches[g] += np.int32(column[g] != code)


@inlined
def _sort_groups(mismatches: CodeArray, ends: IndexArray, order: IndexArray) -> None:
    """Put the groups in the order of their mismatches; `ends` says where each number ends."""
    ends[:] = 0
    for g in range(len(mismatches)):
        ends[mismatches[g]] += 1
    total = 0
    for level in range(len(ends)):
        total, ends[level] = total + ends[level], total
    for g in range(len(mismatches)):
        order[ends[mismatches[g]]] = g
        ends[mismatches[g]] += 1


@inlined
def _fill_distances(
    query: FloatArray, numbers: FloatArray, first: int, last: int, mismatches: int, out: FloatArray
) -> None:
    """Write the distances of the rows `first` to `last` - 1 of a group into the start of `out`."""
    count = last - first
    out[:count] = 0.0
    for f in range(len(query)):
        number, column = query[f], numbers[f, first:last]
        for j in range(count):
            out[j] += abs(number - column[j])
    for j in range(count):
        out[j] += mismatches


@inlined
def _insert(distance: float, index: int, indices: IndexArray, distances: FloatArray) -> None:
    """Put a row among the k nearest, in the order (distance, index)."""
    place = len(distances) - 1
    if distance > distances[place] or (distance == distances[place] and index > indices[place]):
        return
    while place > 0 and (
        distance < distances[place - 1]
        or (distance == distances[place - 1] and index < indices[place - 1])
    ):
        distances[place], indices[place] = distances[place - 1], indices[place - 1]
        place -= 1
    distances[place], indices[place] = distance, index


@kernel
def _nearest_kernel(
    asked: Groups,
    grouped: Groups,
    codes: CodeArray,
    numbers: FloatArray,
    start: int,
    stop: int,
    out_indices: IndexArray,
    out_distances: FloatArray,
) -> None:
    n_groups = codes.shape[1]
    mismatches = np.empty(n_groups, dtype=np.int32)
    order = np.empty(n_groups, dtype=np.intp)
    ends = np.empty(len(codes) + 1, dtype=np.intp)
    found = np.empty(np.diff(grouped.starts).max())
    counted = -1
    for i in range(start, stop):
        if asked.group[i] != counted:
            counted = asked.group[i]
            _count_mismatches(asked.codes[counted], codes, mismatches)
            _sort_groups(mismatches, ends, order)
        query = asked.numbers[i]
        indices, distances = out_indices[asked.places[i]], out_distances[asked.places[i]]
        indices[:], distances[:] = len(grouped.places), np.inf
        for place in range(n_groups):
            group = order[place]
            if mismatches[group] > distances[-1]:
                break
            first, last = grouped.starts[group], grouped.starts[group + 1]
            _fill_distances(query, numbers, first, last, mismatches[group], found)
            for j in range(last - first):
                if found[j] <= distances[-1]:
                    _insert(found[j], grouped.places[first + j], indices, distances)
