"""Whether the two halves of a person's columns lead to the same released row.

    link_probabilities      checks, output; `run_blocks` shares people out
        |
        v
    links_kernel            people one after the other: two searches for all nearest rows
        |
        v
    nearest_ties            every row at the smallest distance; a row is left once it is too far

The distance is Gower's without its last division: numbers already divided by their range, 1 for
categories that differ and for a number against a gap, 0 for a gap against a gap.
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

#: People in a block.
BLOCK = 64
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
        people: (n, d) float64; numbers over their range, a gap is NaN; codes of categories, a
            negative one is an unknown level and differs from everything.
        rows: (m, d) float64, the same.
        is_category: (d,) bool.
        first: intp, positions of the first set's columns.
        second: intp, positions of the second's.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    found = np.empty(len(people))

    def link(start: int, stop: int) -> None:
        links_kernel(people[start:stop], rows, is_category, first, second, found[start:stop])

    run_blocks(link, len(people), BLOCK, n_jobs)
    return found


@inlined
def part_of_distance(x: float, y: float, is_category: bool) -> float:
    """What one column adds to the distance."""
    if is_category:
        return 0.0 if x == y and x >= 0.0 else 1.0
    difference = abs(x - y)
    if np.isnan(difference):
        return 0.0 if np.isnan(x) and np.isnan(y) else 1.0
    return difference


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
