"""Distances from each person to the nearest synthetic rows, columns capped and gaps counted."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.intrinsics import wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    fast_inlined,
    fast_kernel,
    run_blocks,
)

CAP = 1e6  # the most that one column adds to a squared distance
ROWS = 1024  # rows in a block: their distances stay in the nearest cache
TARGETS = 16  # people in a block


def nearest_distances(
    targets: FloatArray,
    rows: FloatArray,
    is_category: BoolArray,
    n_nearest: int,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return each person's distances to the nearest rows, (T, k) float64, rising.

    distance^2 = sum over numbers of min((s - x)^2, 10^6) + number of categories that differ. A
    number that one of the two lacks adds 1, one that both lack adds 0.

    Time O(n T d); memory O(n d + T k).

    Args:
        targets: (T, d) float64; numbers in units of their standard deviation, NaN where missing,
            categories as codes.
        rows: (n, d) float64, likewise, n at least 1.
        is_category: (d,) bool.
        n_nearest: k; where there are fewer rows, as many columns come back as there are rows.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    by_column = np.ascontiguousarray(rows.T, dtype=np.float64)
    targets = np.ascontiguousarray(targets, dtype=np.float64)
    nearest = np.full((len(targets), min(n_nearest, len(rows))), np.inf)

    def search(start: int, stop: int) -> None:
        search_kernel(by_column, targets, is_category, start, stop, nearest)

    run_blocks(search, len(targets), TARGETS, n_jobs)
    return np.asarray(np.sqrt(nearest))


@fast_kernel
def search_kernel(
    by_column: FloatArray,
    targets: FloatArray,
    is_category: BoolArray,
    start: int,
    stop: int,
    out: FloatArray,
) -> None:
    """Sort into out[start:stop] (T, k) the smallest squared distances; by_column is (d, n)."""
    wide_vectors()
    n_columns, n_rows = by_column.shape
    squared = np.empty(ROWS)
    for first in range(0, n_rows, ROWS):
        n = min(ROWS, n_rows - first)
        for t in range(start, stop):
            squared[:n] = 0.0
            for j in range(n_columns):
                values = by_column[j, first : first + n]
                if is_category[j]:
                    _add_mismatch(squared[:n], values, targets[t, j])
                elif np.isnan(targets[t, j]):
                    _add_present(squared[:n], values)
                else:
                    _add_square(squared[:n], values, targets[t, j])
            _keep_smallest(squared[:n], out[t])


@fast_inlined
def _add_mismatch(squared: FloatArray, values: FloatArray, own: float) -> None:
    for s in range(values.size):
        squared[s] += 0.0 if values[s] == own else 1.0


@fast_inlined
def _add_present(squared: FloatArray, values: FloatArray) -> None:
    for s in range(values.size):
        squared[s] += 1.0 if values[s] == values[s] else 0.0


@fast_inlined
def _add_square(squared: FloatArray, values: FloatArray, own: float) -> None:
    for s in range(values.size):
        difference = values[s] - own
        square = difference * difference
        square = CAP if square > CAP else square
        squared[s] += square if values[s] == values[s] else 1.0


@fast_inlined
def _keep_smallest(squared: FloatArray, smallest: FloatArray) -> None:
    last = smallest.size - 1
    for s in range(squared.size):
        if squared[s] < smallest[last]:
            k = last
            while k > 0 and smallest[k - 1] > squared[s]:
                smallest[k] = smallest[k - 1]
                k -= 1
            smallest[k] = squared[s]
