"""Nearest rows by groups: the bits of a plain loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.neighbors import grouped
from sdmetrics_disclosure.numba_kernels.neighbors.grouped import nearest_by_groups
from tests.helpers import reference


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_has_the_bits_of_a_plain_loop(data: st.DataObject) -> None:
    """Few groups and many, columns of one kind only, ties, unknown levels."""
    n, m = data.draw(st.integers(1, 400)), data.draw(st.sampled_from([1, 2, 17, 300]))
    d = data.draw(st.integers(1, 7))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    is_category = rng.random(d) < data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    levels = data.draw(st.sampled_from([1, 2, 4, 1_000_000]))
    values = rng.integers(-1, levels, size=(n + m, d)).astype(float)
    values[:, ~is_category] *= data.draw(st.sampled_from([1.0, 1 / 3]))
    k = min(m, data.draw(st.integers(1, 20)))
    queries, rows = values[:n], values[n:]
    indices, distances = nearest_by_groups(queries, rows, k, is_category=is_category)
    expected, expected_distances = reference.nearest(queries, rows, k, is_category=is_category)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, expected_distances)


def test_the_same_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, size=(1_500, 6)).astype(float)
    values[:, :2] = rng.normal(size=(1_500, 2))
    is_category = np.arange(6) >= 2
    one, two = (
        nearest_by_groups(values, values[:900], 3, is_category=is_category, n_jobs=n)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


def test_keys_stay_small_enough() -> None:
    """Twelve columns of a million levels: their product has 73 digits."""
    codes = np.random.default_rng(0).integers(0, 1_000_000, size=(50, 12)).astype(np.int32)
    codes = np.concatenate([codes, codes[:7]])
    key = grouped._group_keys(codes)
    assert key.min() >= 0
    np.testing.assert_array_equal(key[50:], key[:7])
    assert len(np.unique(key)) == 50
