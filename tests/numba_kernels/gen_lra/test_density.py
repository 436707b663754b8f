"""The exponential, covariances, log-densities: against slow twins, scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.stats import gaussian_kde

from sdmetrics_disclosure.numba_kernels.fast_exp import FLUSH_BELOW, flushed_exp
from sdmetrics_disclosure.numba_kernels.gen_lra.density import (
    Covariance,
    log_density,
    log_kernel_sums,
    silverman_factor,
    whiten,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import PANEL
from tests.helpers import reference
from tests.helpers.reference import Floats

COVARIANCES: tuple[Covariance, ...] = ("isotropic", "diagonal", "floored", "full")


def correlated(generator: np.random.Generator, n: int, d: int) -> Floats:
    mixing = np.random.default_rng(d).normal(size=(d, d)) + 2 * np.eye(d)
    return np.asarray(generator.normal(size=(n, d)) @ mixing + 10.0)


@njit  # type: ignore[untyped-decorator]
def exponentials(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = flushed_exp(values[i])


def test_the_exponential_is_within_seven_units_in_the_last_place() -> None:
    values = np.concatenate([np.linspace(-57.5, 57.5, 200_001), [0.0, -0.0, 1e-300, -1e-17]])
    found = np.empty_like(values)
    exponentials(values, found)
    exact = np.exp(values.astype(np.longdouble))
    assert float(np.abs(found / exact - 1).max()) < 1.5e-15
    assert found[np.flatnonzero(values == 0.0)].tolist() == [1.0] * int((values == 0.0).sum())


def test_the_exponential_flushes_what_a_sum_of_ones_cannot_see() -> None:
    values = np.array([FLUSH_BELOW * 1.0001, -708.0, -1e308, -np.inf])
    found = np.full(4, np.nan)
    exponentials(values, found)
    assert found.tolist() == [0.0] * 4


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("n", "m", "d"), [(1, 2, 1), (7, PANEL + 5, 3), (40, 500, 12)])
def test_log_density_against_the_formula(covariance: Covariance, n: int, m: int, d: int) -> None:
    generator = np.random.default_rng(n)
    queries, rows = correlated(generator, n, d), correlated(generator, m, d)
    for factor in (1.0, 0.5):
        np.testing.assert_allclose(
            log_density(queries, rows, covariance=covariance, bandwidth_factor=factor),
            reference.log_density(queries, rows, covariance=covariance, bandwidth_factor=factor),
            rtol=1e-11,
        )


def test_log_density_is_scipys() -> None:
    generator = np.random.default_rng(3)
    queries, rows = correlated(generator, 100, 8), correlated(generator, 300, 8)
    density = gaussian_kde(rows.T, bw_method="silverman")
    np.testing.assert_allclose(log_density(queries, rows), density.logpdf(queries.T), rtol=1e-11)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 6),
    st.sampled_from([1, 2, PANEL - 1, PANEL, 2 * PANEL + 1]),
    st.integers(1, 6),
    st.sampled_from([1e-3, 1.0, 1e3, 1e6]),
    st.integers(0, 2**32 - 1),
)
def test_log_kernel_sums_over_any_range(n: int, m: int, d: int, scale: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    queries: Floats = generator.integers(-3, 4, size=(n, d)) * np.float64(scale)
    rows: Floats = generator.integers(-3, 4, size=(m, d)) * np.float64(scale)
    found = log_kernel_sums(queries, rows, 0.7)
    expected = reference.log_kernel_sums(queries, rows, 0.7)
    # an exponent of 1e12 has no more than four decimals
    size = (queries**2).sum(axis=1) + (rows**2).sum(axis=1).max()
    assert (np.abs(found - expected) <= 1e-12 + 1e-14 * size).all()


def test_far_queries_keep_a_finite_log_density() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 2))
    far = np.array([[1e3, 0.0], [1e6, 0.0], [1e9, 0.0]])
    found = log_density(far, rows)
    np.testing.assert_allclose(found, reference.log_density(far, rows), rtol=1e-9)
    assert (np.diff(found) < 0).all()


def test_equal_rows_and_one_query() -> None:
    rows = np.zeros((3 * PANEL, 2))
    np.testing.assert_allclose(
        log_kernel_sums(np.array([[0.0, 2.0]]), rows, 1.0), [np.log(3 * PANEL) - 2.0], rtol=1e-14
    )


def test_silverman_factor_by_hand() -> None:
    assert silverman_factor(16, 2) == pytest.approx(16.0 ** (-1 / 6))


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_whitened_rows_have_the_shape_asked_for(covariance: Covariance) -> None:
    rows = correlated(np.random.default_rng(1), 400, 5)
    whitening = whiten(rows, covariance=covariance)
    shape = reference.kernel_covariance(rows, covariance) / silverman_factor(400, 5) ** 2
    transform = whitening.transform
    np.testing.assert_allclose(transform.T @ shape @ transform, np.eye(5), atol=1e-9)
    assert whitening.log_determinant == pytest.approx(np.linalg.slogdet(shape)[1])
    assert (whitening.rank, whitening.dropped) == (5, 0)
    np.testing.assert_allclose(whitening.coordinates(rows).mean(axis=0), 0.0, atol=1e-12)


def test_a_singular_covariance_is_handled_in_its_eigenspace() -> None:
    generator = np.random.default_rng(2)
    numbers = correlated(generator, 60, 3)
    levels = np.eye(4)[generator.integers(0, 4, size=60)]
    # an equal column, a constant one, and a one-hot block whose columns add up to 1
    rows = np.hstack([numbers, numbers[:, :1] * 7.0, np.full((60, 1), 3.0), levels])
    whitening = whiten(rows)
    assert (whitening.rank, whitening.dropped) == (6, 3)
    independent = np.hstack([numbers, levels[:, :3]])
    shape = np.atleast_2d(np.cov(independent, rowvar=False))
    coordinates = whitening.coordinates(rows)
    squares = reference.distances(coordinates, coordinates, squared=True)
    differences = (independent[:, np.newaxis] - independent).reshape(-1, 6)
    mahalanobis = (differences @ np.linalg.inv(shape) * differences).sum(axis=1)
    np.testing.assert_allclose(squares.ravel(), mahalanobis, atol=1e-9)
    assert np.isfinite(log_density(rows, rows)).all()


def test_more_columns_than_rows() -> None:
    rows = np.random.default_rng(3).normal(size=(20, 300))
    for covariance in COVARIANCES:
        whitening = whiten(rows, covariance=covariance)
        assert whitening.rank == (19 if covariance == "full" else 300)
        assert np.isfinite(log_density(rows, rows, covariance=covariance)).all()


def test_three_hundred_columns_need_a_log_determinant() -> None:
    rows = np.random.default_rng(4).normal(size=(400, 300)) * 1e-3
    queries = rows[:2] + 1e-4
    assert np.linalg.det(np.cov(rows, rowvar=False)) == 0.0
    np.testing.assert_allclose(
        log_density(queries, rows), reference.log_density(queries, rows), rtol=1e-10
    )


def test_units_do_not_make_a_covariance_singular() -> None:
    rows = correlated(np.random.default_rng(5), 200, 3)
    scaled = rows * np.array([1e-6, 1.0, 1e6])
    assert whiten(scaled).rank == 3
    np.testing.assert_allclose(log_density(scaled, scaled), log_density(rows, rows), rtol=1e-9)


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("value", [1.0, 0.1, 1e9 / 3])  # the mean of the last two is rounded
def test_a_constant_column_is_dropped(covariance: Covariance, value: float) -> None:
    rows = np.hstack([correlated(np.random.default_rng(6), 49, 2), np.full((49, 1), value)])
    assert whiten(rows, covariance=covariance).dropped == 1
    queries = rows + 0.5
    np.testing.assert_allclose(
        log_density(queries, rows, covariance=covariance),
        reference.log_density(queries[:, :2], rows[:, :2], covariance=covariance),
        rtol=1e-10,
    )


def test_a_panel_far_nearer_than_the_first_one() -> None:
    rows = np.zeros((3 * PANEL, 1))
    rows[:PANEL] = 1e4
    queries = np.array([[0.5], [1e4], [5e3], [-1e7]])
    np.testing.assert_allclose(
        log_kernel_sums(queries, rows, 1.0),
        reference.log_kernel_sums(queries, rows, 1.0),
        rtol=1e-12,
        atol=1e-8,  # exponents of 1e8
    )


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.ones((5, 3)), np.empty((0, 3))])
def test_nothing_varies(rows: Floats) -> None:
    with pytest.raises(ValueError, match=f"rows has {len(rows)} rows and no variation"):
        whiten(rows)


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    generator = np.random.default_rng(7)
    queries, rows = generator.normal(size=(1_000, 5)), generator.normal(size=(700, 5))
    np.testing.assert_array_equal(
        log_density(queries, rows, n_jobs=1), log_density(queries, rows, n_jobs=2)
    )
