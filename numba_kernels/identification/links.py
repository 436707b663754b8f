"""Whether the two halves of a person's columns lead to the same released row.

    link_probabilities      two searches of `neighbors.nearest` for a few rows each
        |
        v                   whose few are all at one distance, there may be more:
    links_kernel            people one after the other: two searches for all nearest rows
        |
        v
    nearest_ties            every row at the smallest distance; a row is left once it is too far

The distance is Gower's without its last division: numbers already divided by their range, 1 for
categories that differ.
"""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    IndexArray,
    inlined,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

#: People in a block.
BLOCK = 64
#: Nearest rows that are looked at before all are.
FEW = 8
#: Sums that differ by less are a tie: rounding makes equal distances differ.
TIE = 1e-9


def link_probabilities(
    people: FloatArray,
    rows: FloatArray,
    is_category: BoolArray,
    first: IndexArray,
    second: IndexArray,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return how probably a person's two sets of columns lead to the same row, (n,) float64.

    With T_A the rows nearest to the person in the first columns and T_B in the second, one of each
    drawn at random: |T_A and T_B in common| / (|T_A| |T_B|).

    Time O(n m d), mostly less; memory O(m) a thread.

    Args:
        people: (n, d) float64; numbers over their range; codes of categories, a negative one is
            an unknown level and differs from everything.
        rows: (m, d) float64, the same.
        is_category: (d,) bool.
        first: intp, positions of the first set's columns.
        second: intp, positions of the second's.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    ties_a, all_a = _few_nearest(people, rows, is_category, first, n_jobs)
    ties_b, all_b = _few_nearest(people, rows, is_category, second, n_jobs)
    there_a, there_b = ties_a >= 0, ties_b >= 0
    common = (ties_a[:, :, np.newaxis] == ties_b[:, np.newaxis, :]) & there_a[:, :, np.newaxis]
    found = common.sum(axis=(1, 2)) / (there_a.sum(axis=1) * there_b.sum(axis=1))
    crowded = ~(all_a & all_b)
    others, linked = people[crowded], np.empty(int(crowded.sum()))

    def link(start: int, stop: int) -> None:
        links_kernel(others[start:stop], rows, is_category, first, second, linked[start:stop])

    run_blocks(link, len(others), BLOCK, n_jobs)
    found[crowded] = linked
    return np.asarray(found)


def _few_nearest(
    people: FloatArray,
    rows: FloatArray,
    is_category: BoolArray,
    columns: IndexArray,
    n_jobs: int | None,
) -> tuple[IndexArray, BoolArray]:
    """The rows at the smallest distance among a few (-1: not at it), and whether these are all."""
    k = min(FEW, len(rows))
    indices, distances = nearest(
        people[:, columns], rows[:, columns], k, is_category=is_category[columns], n_jobs=n_jobs
    )
    at_smallest = distances <= distances[:, :1] + TIE
    are_all = ~at_smallest[:, -1] | (k == len(rows))
    return np.where(at_smallest, indices, -1), are_all


@inlined
def part_of_distance(x: float, y: float, is_category: bool) -> float:
    """What one column adds to the distance."""
    if is_category:
        return 0.0 if x == y and x >= 0.0 else 1.0
    return abs(x - y)


@inlined
def nearest_ties(
    person: FloatArray,
    rows: FloatArray,
    is_category: BoolArray,
    columns: IndexArray,
    ties: IndexArray,
) -> int:
    """Write the rows nearest in these columns, rising, and return how many there are."""
    best, count = np.inf, 0
    for i in range(len(rows)):
        distance = 0.0
        for j in columns:
            distance += part_of_distance(person[j], rows[i, j], is_category[j])
            if distance > best + TIE:
                break
        if distance < best - TIE:
            best, count = distance, 0
        if distance <= best + TIE:
            ties[count] = i
            count += 1
    return count


@inlined
def count_common(first: IndexArray, n_first: int, second: IndexArray, n_second: int) -> int:
    """Return how many numbers two rising lists have in common."""
    i, j, common = 0, 0, 0
    while i < n_first and j < n_second:
        if first[i] == second[j]:
            common += 1
            i += 1
            j += 1
        elif first[i] < second[j]:
            i += 1
        else:
            j += 1
    return common


@kernel
def links_kernel(
    people: FloatArray,
    rows: FloatArray,
    is_category: BoolArray,
    first: IndexArray,
    second: IndexArray,
    found: FloatArray,
) -> None:
    """Write the probability of each person (see `link_probabilities`)."""
    ties_a, ties_b = np.empty(len(rows), dtype=np.intp), np.empty(len(rows), dtype=np.intp)
    for p in range(len(people)):
        n_a = nearest_ties(people[p], rows, is_category, first, ties_a)
        n_b = nearest_ties(people[p], rows, is_category, second, ties_b)
        found[p] = count_common(ties_a, n_a, ties_b, n_b) / (n_a * n_b)
