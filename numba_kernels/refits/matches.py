"""How many synthetic rows match each person on subsets of tests: bits, not rows x people x subsets.

A test asks whether one column of a row lies between two limits that are the person's own. For a
person and a block of rows every test is made once and becomes a bit of the row's word; a subset
of tests is a mask, and a row matches where the word has all of the mask's bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.numba_kernels.intrinsics import wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    BoolArray,
    FloatArray,
    IndexArray,
    fast_inlined,
    fast_kernel,
    run_blocks,
)

Words = NDArray[np.uint64]
WORD = 64  # tests that one word holds
ROWS = 1024  # rows in a block: their words stay in the nearest cache
TARGETS = 16  # people in a block


def match_counts(
    rows: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    column: IndexArray,
    subsets: BoolArray,
    *,
    n_jobs: int | None = None,
) -> IndexArray:
    """Return how many rows pass all tests of each subset, (T, Q) intp.

    Row s passes test f of person t where lower[t, f] <= rows[s, column[f]] <= upper[t, f].

    Time O(n T (F + Q)); memory O(n d + T (F + Q)).

    Args:
        rows: (n, d) float64 without NaN; infinities are numbers like others.
        lower: (T, F) float64.
        upper: (T, F) float64.
        column: (F,) intp, the column that each test looks at.
        subsets: (Q, F) bool, the tests of each subset; a subset without tests counts every row.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    by_column = np.ascontiguousarray(rows.T, dtype=np.float64)
    lower, upper = (np.ascontiguousarray(limits, dtype=np.float64) for limits in (lower, upper))
    masks, used, n_used = pack_subsets(subsets)
    counts = np.zeros((len(lower), len(subsets)), dtype=np.intp)

    def count(start: int, stop: int) -> None:
        count_kernel(by_column, lower, upper, column, masks, used, n_used, start, stop, counts)

    run_blocks(count, len(lower), TARGETS, n_jobs)
    return counts


def pack_subsets(subsets: BoolArray) -> tuple[Words, IndexArray, IndexArray]:
    """Return the subsets as masks (Q, W), the words each uses (Q, W), and how many these are (Q,).

    Args:
        subsets: (Q, F) bool; test f is bit f % 64 of word f // 64.
    """
    n_subsets, n_tests = subsets.shape
    n_words = max(1, -(-n_tests // WORD))
    masks = np.zeros((n_subsets, n_words), dtype=np.uint64)
    for f in range(n_tests):
        bit = np.uint64(1) << np.uint64(f % WORD)
        masks[:, f // WORD] |= np.where(subsets[:, f], bit, np.uint64(0))
    used = np.argsort(masks == 0, axis=1, kind="stable").astype(np.intp)
    return masks, used, np.maximum(np.count_nonzero(masks, axis=1), 1).astype(np.intp)


@fast_kernel
def count_kernel(
    by_column: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    column: IndexArray,
    masks: Words,
    used: IndexArray,
    n_used: IndexArray,
    start: int,
    stop: int,
    out: IndexArray,
) -> None:
    """Add to out[start:stop] (T, Q) the matches among all rows; by_column is (d, n), C-ordered."""
    wide_vectors()
    n_tests, n_rows = column.size, by_column.shape[1]
    words = np.empty((masks.shape[1], ROWS), dtype=np.uint64)
    for first in range(0, n_rows, ROWS):
        n = min(ROWS, n_rows - first)
        for t in range(start, stop):
            words[:, :n] = np.uint64(0)
            for f in range(n_tests):
                values = by_column[column[f], first : first + n]
                _set_bit(words[f // WORD, :n], values, lower[t, f], upper[t, f], f % WORD)
            for q in range(len(masks)):
                if n_used[q] == 1:
                    w = used[q, 0]
                    out[t, q] += _count_one(words[w, :n], masks[q, w])
                else:
                    out[t, q] += _count_several(words, n, masks[q], used[q], n_used[q])


@fast_inlined
def _set_bit(word: Words, values: FloatArray, low: float, high: float, position: int) -> None:
    bit = np.uint64(1) << np.uint64(position)
    for s in range(values.size):
        passed = (values[s] >= low) & (values[s] <= high)
        word[s] |= bit if passed else np.uint64(0)


@fast_inlined
def _count_one(word: Words, mask: int) -> int:
    count = 0
    for s in range(word.size):
        count += 1 if (word[s] & mask) == mask else 0
    return count


@fast_inlined
def _count_several(words: Words, n: int, masks: Words, used: IndexArray, n_used: int) -> int:
    count = 0
    for s in range(n):
        passed = True
        for k in range(n_used):
            w = used[k]
            passed &= (words[w, s] & masks[w]) == masks[w]
        count += 1 if passed else 0
    return count
