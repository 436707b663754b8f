"""Predicates against the slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.identification.predicates import (
    find_unique,
    matching_rows,
)
from tests.helpers import reference


@settings(deadline=None, max_examples=100)
@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(1, 150),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2]),
)
def test_predicates_hold_as_in_a_plain_loop(n, d, c, p, seed, n_jobs):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 3, (n, d)).astype(float)
    rows[rng.random((n, d)) < 0.2] = np.nan
    columns = rng.integers(0, d, (p, c))
    operators = rng.integers(0, 4, (p, c)).astype(np.int32)
    values = rng.integers(-1, 3, (p, c)).astype(float)
    units = rng.integers(0, 4, n)
    expected = reference.matching_rows(rows, columns, operators, values)
    found = matching_rows(rows, columns, operators, values, n_jobs)
    np.testing.assert_array_equal(found, expected)
    alone = [len(set(units[row])) == 1 for row in expected]
    unique = find_unique(rows, units, columns, operators, values, n_jobs)
    np.testing.assert_array_equal(unique, alone)
