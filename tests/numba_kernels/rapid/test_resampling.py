"""Bootstrap and permutation of stored scores: exact against the slow twin, and what they mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.rapid.resampling import (
    bootstrap_curve,
    bootstrap_error_curve,
    permutation_curve,
    permutation_error_curve,
)
from sdmetrics_disclosure.numba_kernels.rapid.scores import (
    ERRORS,
    SCORES,
    categorical_scores,
    errors,
    share_above,
    share_below,
)
from tests.helpers import reference_resampling as slow

UNIFORM = np.linspace(0.0, 1.0, 101)
#: Tenths tie with scores and with each other's multiples; one point, and steps of very unlike size.
GRIDS = [
    UNIFORM,
    np.arange(11) / 10,
    np.array([0.3]),
    np.array([-1e300, -1.0, 0.0, 1e-300, 0.1 + 0.2, 0.5, 1e300]),
]

grids = st.one_of(
    st.sampled_from(GRIDS),
    st.lists(st.floats(-10, 10), min_size=1, max_size=12, unique=True).map(
        lambda points: np.array(sorted(points))
    ),
)
tenths = st.integers(0, 10).map(lambda tenth: tenth / 10)
probabilities = st.one_of(tenths, st.floats(0, 1))
seeds = st.integers(0, 2**32 - 1)


@st.composite
def predictions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Predicted probabilities with pooled and unseen classes, and true classes."""
    n, k, n_classes = draw(st.integers(1, 12)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    values = draw(st.lists(probabilities, min_size=n * k, max_size=n * k))
    column = draw(st.lists(st.integers(0, k - 1), min_size=n_classes, max_size=n_classes))
    share = draw(st.lists(probabilities, min_size=n_classes, max_size=n_classes))
    classes = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    return (
        np.array(values).reshape(n, k),
        np.array(column, dtype=np.intp),
        np.array(share),
        np.array(classes, dtype=np.intp),
    )


@pytest.mark.parametrize("score", SCORES)
@settings(deadline=None, max_examples=60)
@given(predictions(), grids, seeds)
def test_class_curves_equal_the_slow_twin(score, prediction, thresholds, seed):
    values, column, share, classes = prediction
    g = values[np.arange(len(classes)), column[classes]] * share[classes]
    rng = np.random.default_rng

    fast = bootstrap_curve(g, classes, len(column), thresholds, score, 9, rng(seed))
    twin = slow.bootstrap_curve(g, classes, len(column), thresholds, score, 9, rng(seed))
    np.testing.assert_array_equal(fast, twin)

    arguments = (values, column, share, classes, thresholds, score, 9)
    fast = permutation_curve(*arguments, rng(seed))
    np.testing.assert_array_equal(fast, slow.permutation_curve(*arguments, rng(seed)))


@pytest.mark.parametrize("error", ERRORS)
@settings(deadline=None, max_examples=60)
@given(st.data(), grids, seeds)
def test_number_curves_equal_the_slow_twin(error, data, thresholds, seed):
    numbers = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6))
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12))
    truths, guesses = np.array(pairs).T.copy()
    rng = np.random.default_rng

    values = errors(truths, guesses, error, 0.01)
    fast = bootstrap_error_curve(values, thresholds, 9, rng(seed))
    np.testing.assert_array_equal(
        fast, slow.bootstrap_error_curve(values, thresholds, 9, rng(seed))
    )

    arguments = (guesses, truths, thresholds, error, 0.01, 9)
    fast = permutation_error_curve(*arguments, rng(seed))
    np.testing.assert_array_equal(fast, slow.permutation_error_curve(*arguments, rng(seed)))


def _example(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    values = rng.dirichlet([1.0, 1.0, 1.0], n)
    classes = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    return values, classes, values[np.arange(n), classes]


@pytest.mark.parametrize("score", SCORES)
def test_same_bits_on_any_number_of_threads(score):
    values, classes, g = _example(500)
    one = np.ones(3)
    bootstrap, permutation = (
        [
            curve(*arguments, UNIFORM, score, 43, np.random.default_rng(1), n_jobs)
            for n_jobs in (None, 2, 5)
        ]
        for curve, arguments in [
            (bootstrap_curve, (g, classes, 3)),
            (permutation_curve, (values, np.arange(3), one, classes)),
        ]
    )
    for runs in (bootstrap, permutation):
        np.testing.assert_array_equal(runs[0], runs[1])
        np.testing.assert_array_equal(runs[0], runs[2])


def test_number_nulls_have_the_same_bits_on_any_number_of_threads():
    truths = np.random.default_rng(0).normal(size=300)
    runs = [
        permutation_error_curve(
            truths, truths, UNIFORM, "symmetric", 0.01, 43, np.random.default_rng(1), n_jobs
        )
        for n_jobs in (None, 2, 5)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])


def test_global_random_state_is_untouched():
    before = np.random.get_state()[1].copy()
    _, classes, g = _example(50)
    bootstrap_curve(g, classes, 3, UNIFORM, "normalized_gain", 5, np.random.default_rng(1))
    np.testing.assert_array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize("score", ["normalized_gain", "conditional"])
def test_bootstrap_does_not_depend_on_the_order_of_records(score):
    _, classes, g = _example(200)
    order = np.random.default_rng(2).permutation(200)
    runs = [
        bootstrap_curve(p, y, 3, UNIFORM, score, 20, np.random.default_rng(3))
        for p, y in [(g, classes), (g[order], classes[order])]
    ]
    np.testing.assert_array_equal(runs[0], runs[1])


def test_unpermuted_scores_are_the_point_estimate():
    """A class that is its own permutation: the null is the observed curve."""
    _, _, g = _example(200)
    classes = np.zeros(200, dtype=np.intp)
    column, share = np.zeros(2, dtype=np.intp), np.ones(2)
    observed, _ = categorical_scores(g, classes, 2, "cross_entropy")
    null = permutation_curve(
        g[:, None], column, share, classes, UNIFORM, "cross_entropy", 3, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(null, np.tile(share_above(observed, UNIFORM), (3, 1)))


def test_bootstrap_of_a_rate_spreads_as_a_binomial():
    """1,000 records of which 300 are below: mean .3, standard deviation sqrt(.3 .7 / 1000)."""
    values = np.repeat([0.05, 0.5], [300, 700])
    rates = bootstrap_error_curve(values, np.array([0.1]), 20_000, np.random.default_rng(0))
    assert rates.mean() == pytest.approx(0.3, abs=5e-4)
    assert rates.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 1000), rel=0.02)


def test_bootstrap_recomputes_the_baseline():
    """Two classes, g = 0.65, tau = 0.3: at risk when the resampled share is below 0.5."""
    classes = np.repeat([0, 1], 50)
    g = np.full(100, 0.65)
    rates = bootstrap_curve(
        g, classes, 2, np.array([0.3 + 1e-9]), "normalized_gain", 2_000, np.random.default_rng(0)
    )
    assert np.all((rates < 0.5) | (rates == 0.0))  # the smaller class alone is ever at risk
    assert 0.05 < np.mean(rates == 0.0) < 0.11  # P(exactly 50 of 100) = 0.0796


def test_ties_are_on_neither_side():
    scores = np.array([0.0, 0.5, 0.5, 1.0])
    np.testing.assert_array_equal(share_above(scores, np.array([0.0, 0.5, 1.0])), [0.75, 0.25, 0.0])
    np.testing.assert_array_equal(share_below(scores, np.array([0.0, 0.5, 1.0])), [0.0, 0.25, 0.75])


def test_many_small_classes():
    n = 3_000
    rng = np.random.default_rng(0)
    classes, g = rng.integers(0, 2_000, n), rng.random(n)
    rates = bootstrap_curve(g, classes, 2_000, UNIFORM, "normalized_gain", 3, rng)
    assert rates.shape == (3, 101)
    assert np.all(np.diff(rates, axis=1) <= 0)
