"""Match counts by bits, against one row and one subset at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.refits.matches import ROWS, match_counts
from tests.helpers import reference_refits


def small_numbers(n: int, d: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).integers(0, 4, (n, d)).astype(float)
    values[values == 3] = np.inf
    return values


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 40),
    n_targets=st.integers(1, 20),
    d=st.integers(1, 5),
    n_subsets=st.integers(1, 6),
)
def test_counts_are_the_twins(seed: int, n: int, n_targets: int, d: int, n_subsets: int) -> None:
    rng = np.random.default_rng(seed)
    rows = small_numbers(n, d, seed)
    column = np.tile(np.arange(d), 2)
    lower = small_numbers(n_targets, 2 * d, seed + 1)
    upper = lower + rng.integers(0, 2, lower.shape)
    subsets = rng.random((n_subsets, 2 * d)) < 0.3
    found = match_counts(rows, lower, upper, column, subsets)
    wanted = reference_refits.match_counts(rows, lower, upper, column, subsets)
    np.testing.assert_array_equal(found, wanted)


def test_tests_of_more_than_one_word() -> None:
    d = 70  # 140 tests: three words
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (30, d)).astype(float)
    lower = rng.integers(0, 2, (4, 2 * d)).astype(float)
    subsets = np.zeros((5, 2 * d), dtype=bool)
    for q, tests in enumerate([[0], [139], [1, 100], [2, 65, 130], [63, 64]]):
        subsets[q, tests] = True
    column = np.tile(np.arange(d), 2)
    found = match_counts(rows, lower, lower, column, subsets)
    wanted = reference_refits.match_counts(rows, lower, lower, column, subsets)
    np.testing.assert_array_equal(found, wanted)
    assert found.max() > 0


def test_many_rows_add_up_over_blocks() -> None:
    rows = np.zeros((2 * ROWS + 3, 1))
    rows[-1] = 1.0
    limits = np.array([[0.0], [1.0]])
    found = match_counts(rows, limits, limits, np.array([0]), np.array([[True], [False]]))
    np.testing.assert_array_equal(found, [[2 * ROWS + 2, 2 * ROWS + 3], [1, 2 * ROWS + 3]])


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_change_nothing(n_jobs: int) -> None:
    rows, lower = small_numbers(500, 4, 0), small_numbers(90, 4, 1)
    subsets = np.random.default_rng(2).random((9, 4)) < 0.4
    column = np.arange(4)
    one = match_counts(rows, lower, lower, column, subsets)
    several = match_counts(rows, lower, lower, column, subsets, n_jobs=n_jobs)
    np.testing.assert_array_equal(one, several)
