"""Links against the slow twin, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.identification.links import link_probabilities
from tests.helpers import reference


@settings(deadline=None, max_examples=100)
@given(
    st.integers(1, 9),
    st.integers(1, 40),
    st.integers(2, 6),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2]),
)
def test_links_are_those_of_a_plain_loop(n, m, d, seed, n_jobs):
    rng = np.random.default_rng(seed)
    is_category = rng.random(d) < 0.5
    values = rng.integers(-1, 3, (n + m, d)) * np.where(is_category, 1.0, 0.1)
    cut = int(rng.integers(1, d))
    order = rng.permutation(d)
    sets = (order[:cut], order[cut:])
    people, rows = values[:n], values[n:]
    expected = reference.link_probabilities(people, rows, is_category, *sets)
    found = link_probabilities(people, rows, is_category, *sets, n_jobs)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_ties_are_drawn_from_exactly():
    """Two rows are nearest in A, three in B, one of them in both: 1 / 6."""
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    found = link_probabilities(
        np.array([[0.0, 0.0]]), rows, np.array([True, True]), np.array([0]), np.array([1])
    )
    assert found.tolist() == [pytest.approx(1 / 6)]


def test_an_unknown_level_is_unlike_everything():
    rows = np.array([[0.0, 0.0], [1.0, 1.0]])
    categories = np.array([True, True])
    found = link_probabilities(
        np.array([[-1.0, 1.0]]), rows, categories, np.array([0]), np.array([1])
    )
    assert found.tolist() == [0.5]
