"""Distances to the nearest rows, against one pair at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.refits.distances import ROWS, nearest_distances
from tests.helpers import reference_refits


def mixed(n: int, is_category: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, is_category.size))
    values[rng.random(values.shape) < 0.2] = np.nan
    codes = rng.integers(0, 3, values.shape)
    return np.where(is_category, codes, values)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 40),
    n_targets=st.integers(1, 20),
    d=st.integers(1, 5),
    k=st.integers(1, 25),
)
def test_distances_are_the_twins(seed: int, n: int, n_targets: int, d: int, k: int) -> None:
    is_category = np.random.default_rng(seed).random(d) < 0.5
    targets, rows = mixed(n_targets, is_category, seed + 1), mixed(n, is_category, seed + 2)
    found = nearest_distances(targets, rows, is_category, k)
    wanted = reference_refits.nearest_distances(targets, rows, is_category, k)
    assert found.shape == (n_targets, min(n, k))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_by_hand() -> None:
    is_category = np.array([False, True])
    targets = np.array([[0.0, 1.0], [np.nan, 1.0]])
    rows = np.array([[3.0, 1.0], [1e9, 1.0], [np.nan, 0.0]])
    found = nearest_distances(targets, rows, is_category, 3)
    np.testing.assert_allclose(found[0] ** 2, [2.0, 9.0, 1e6])  # a gap and a category; 3; the cap
    np.testing.assert_allclose(found[1] ** 2, [1.0, 1.0, 1.0])


def test_the_nearest_are_found_in_every_block() -> None:
    rows = np.full((2 * ROWS + 1, 1), 5.0)
    rows[[0, ROWS, 2 * ROWS], 0] = [2.0, 1.0, 3.0]
    found = nearest_distances(np.zeros((1, 1)), rows, np.array([False]), 4)
    np.testing.assert_array_equal(found, [[1.0, 2.0, 3.0, 5.0]])
