"""Closed-form Gen-LRA scores: the figures of the specification, slow twins, invariances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sdmetrics_disclosure.numba_kernels.gen_lra.closed_form import Aggregate
from sdmetrics_disclosure.numba_kernels.gen_lra.density import Covariance
from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import (
    default_smoothing,
    log_power_sums,
    power_law_scores,
)
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest
from tests.helpers import reference
from tests.helpers.reference import Bools, Floats


def read_case(golden: Path, case: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Targets (members first), synthetic rows, reference rows, 1 for members."""
    parts = {
        name: np.loadtxt(golden / "attacks" / f"{case}__{name}.csv.gz", delimiter=",", ndmin=2)
        for name in ("members", "non_members", "reference", "synthetic")
    }
    members = np.r_[np.ones(len(parts["members"])), np.zeros(len(parts["non_members"]))]
    targets = np.vstack([parts["members"], parts["non_members"]])
    return targets, parts["synthetic"], parts["reference"], members


@pytest.mark.parametrize(
    ("case", "auc", "distance_auc"),
    [
        ("housing_raw", 0.7600, 0.7331),
        ("housing_std", 0.7600, 0.7331),
        ("insurance_num", 0.6539, 0.6271),
        ("gauss12", 0.9411, 0.9416),
    ],
)
def test_power_law_lands_on_the_figures(
    golden: Path, case: str, auc: float, distance_auc: float
) -> None:
    targets, synthetic, others, members = read_case(golden, case)
    scale = np.vstack([synthetic, others]).std(axis=0)
    targets, synthetic, others = targets / scale, synthetic / scale, others / scale
    numbers = np.zeros(len(scale), dtype=bool)
    scores = power_law_scores(targets, synthetic, others, is_category=numbers)
    assert roc_auc_score(members, scores) == pytest.approx(auc, abs=1e-4)
    _, distances = nearest(targets, synthetic, 1, is_category=numbers)
    assert roc_auc_score(members, -distances[:, 0]) == pytest.approx(distance_auc, abs=1e-4)


@pytest.mark.parametrize(
    ("k", "auc"), [(5, 0.7518), (10, 0.7358), (50, 0.7231), (100, 0.7182), (200, 0.7200)]
)
def test_gaussian_lands_on_the_figures(golden: Path, k: int, auc: float) -> None:
    targets, synthetic, others, members = read_case(golden, "housing_std")
    scores = gaussian_scores(
        targets, synthetic, others, covariance="full", bandwidth_factor=1.0, n_neighbors=k
    )
    assert roc_auc_score(members, scores) == pytest.approx(auc, abs=1e-4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, Bools, int]:
    """Targets, synthetic and reference rows of mixed columns, with copies, and k."""
    n, m, r = draw(st.integers(1, 9)), draw(st.sampled_from([1, 3, 300])), draw(st.integers(2, 250))
    d = draw(st.integers(1, 6))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    is_category = generator.random(d) < 0.5
    values = np.where(
        is_category,
        generator.integers(-1, 4, size=(n + m + r, d)),
        generator.normal(size=(n + m + r, d)).round(draw(st.sampled_from([0, 8]))),
    )
    targets, synthetic, others = values[:n], values[n : n + m], values[n + m :]
    targets[0] = synthetic[-1]
    return targets, synthetic, others, is_category, draw(st.sampled_from([1, m]))


@settings(deadline=None, max_examples=80)
@given(tables(), st.sampled_from([3.0, 4.0, 5.5]), st.sampled_from(["max", "sum"]))
def test_power_law_against_the_formula(
    problem: tuple[Floats, Floats, Floats, Bools, int], exponent: float, aggregate: Aggregate
) -> None:
    targets, synthetic, others, is_category, k = problem
    shared: dict[str, Any] = {
        "is_category": is_category,
        "exponent": exponent,
        "smoothing": 1e-6,
    }
    arguments = {"n_neighbors": k, "aggregate": aggregate, **shared}
    np.testing.assert_allclose(
        power_law_scores(targets, synthetic, others, **arguments),
        reference.power_law_scores(targets, synthetic, others, **arguments),
        rtol=1e-11,
    )
    np.testing.assert_allclose(
        log_power_sums(synthetic, others, **shared),
        reference.log_power_sums(synthetic, others, **shared),
        rtol=1e-11,
        atol=1e-12,
    )


@pytest.mark.parametrize("covariance", ["isotropic", "diagonal", "floored", "full"])
@pytest.mark.parametrize("floor", [0.0, 1e-20, 1e-3])
@pytest.mark.parametrize("aggregate", ["max", "sum"])
def test_gaussian_against_two_densities(
    covariance: Covariance, floor: float, aggregate: Aggregate
) -> None:
    generator = np.random.default_rng(0)
    mixing = generator.normal(size=(4, 4)) + 2 * np.eye(4)
    targets, synthetic, others = (generator.normal(size=(n, 4)) @ mixing for n in (30, 250, 200))
    arguments: dict[str, Any] = {"covariance": covariance, "floor": floor, "aggregate": aggregate}
    for k in (1, 7, 250):
        np.testing.assert_allclose(
            gaussian_scores(targets, synthetic, others, n_neighbors=k, **arguments),
            reference.gaussian_scores(targets, synthetic, others, n_neighbors=k, **arguments),
            rtol=1e-8,  # the twin cancels what it looks for
            atol=1e-12,
        )


def test_the_constant_is_taken_off_once_a_neighbour() -> None:
    generator = np.random.default_rng(1)
    targets, synthetic, others = (generator.normal(size=(n, 3)) for n in (5, 40, 30))
    for aggregate, times in (("sum", 6), ("max", 1)):
        arguments: dict[str, Any] = {"n_neighbors": 6, "aggregate": aggregate}
        plain = gaussian_scores(targets, synthetic, others, **arguments)
        full = gaussian_scores(targets, synthetic, others, constant=True, **arguments)
        np.testing.assert_allclose(plain - full, times * np.log(31 / 30), rtol=1e-12)


def test_far_candidates_keep_their_own_scores() -> None:
    # A synthetic row beside a far candidate: the further, the stronger the evidence.
    generator = np.random.default_rng(2)
    others = generator.normal(size=(100, 3))
    far = np.array([[1e2, 0, 0], [1e3, 0, 0], [1e4, 0, 0], [1e5, 0, 0]])
    scores = gaussian_scores(far, far + 0.01, others, n_neighbors=1)
    assert (np.diff(scores) > scores[:-1]).all()
    arguments: dict[str, Any] = {"is_category": np.zeros(3, dtype=bool), "smoothing": 1e-8}
    scores = power_law_scores(far, far + 0.01, others, n_neighbors=1, **arguments)
    assert (np.diff(scores) > 1).all()
    # Far from everything, synthetic rows too: small, never equal.
    alone = power_law_scores(far[::-1], others[:50], others, **arguments)
    assert (alone > 0).all()
    assert (np.diff(alone) > 0).all()


def test_exact_copies_have_a_finite_score_and_the_highest() -> None:
    generator = np.random.default_rng(3)
    targets, others = generator.normal(size=(40, 5)), generator.normal(size=(60, 5))
    synthetic = np.vstack([targets[:20], generator.normal(size=(30, 5))])
    numbers = np.zeros(5, dtype=bool)
    scores = power_law_scores(targets, synthetic, others, is_category=numbers)
    assert np.isfinite(scores).all()
    assert scores[:20].min() > scores[20:].max()


def test_a_row_shared_by_everyone_is_no_evidence() -> None:
    row = np.zeros((1, 2))
    numbers = np.zeros(2, dtype=bool)
    score = power_law_scores(row, row, np.zeros((9, 2)), is_category=numbers, n_neighbors=1)
    np.testing.assert_allclose(score, [np.log(1 + 1 / 9)])


def test_power_law_does_not_depend_on_order_or_on_the_names_of_levels() -> None:
    generator = np.random.default_rng(4)
    is_category = np.array([False, False, True, True])
    values = np.where(
        is_category, generator.integers(0, 5, (2_100, 4)), generator.normal(size=(2_100, 4))
    )
    renamed = np.where(is_category, (values * 3 + 1) % 5, values)
    targets, synthetic, others = np.split(values, [700, 1_400])
    order = generator.permutation(700)
    expected = power_law_scores(targets, synthetic, others, is_category=is_category)
    shuffled = power_law_scores(
        targets[order], synthetic[order], others[order], is_category=is_category
    )
    np.testing.assert_allclose(shuffled, expected[order], rtol=1e-12)
    again = power_law_scores(*np.split(renamed, [700, 1_400]), is_category=is_category)
    np.testing.assert_allclose(again, expected, rtol=1e-12)


def test_gaussian_with_neighbours_in_its_metric_is_affine_invariant() -> None:
    generator = np.random.default_rng(5)
    tables = [generator.normal(size=(n, 4)) for n in (50, 80, 90)]
    mixing = generator.normal(size=(4, 4)) + 2 * np.eye(4)
    expected = gaussian_scores(*tables, covariance="full", neighbors_in="covariance")
    mapped = [table @ mixing + 5.0 for table in tables]
    found = gaussian_scores(*mapped, covariance="full", neighbors_in="covariance")
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_smoothing_is_a_share_of_the_median_squared_distance() -> None:
    generator = np.random.default_rng(6)
    is_category = np.array([False, False, True])
    values = np.hstack([generator.normal(size=(1_500, 2)), generator.integers(0, 3, (1_500, 1))])
    exact = reference.default_smoothing(values[:300], values[400:800], is_category)
    assert default_smoothing(values[:300], values[400:800], is_category) == pytest.approx(exact)
    sampled = default_smoothing(values[:700], values[700:], is_category)
    exact = reference.default_smoothing(values[:700], values[700:], is_category)
    assert sampled == pytest.approx(exact, rel=0.1)
    assert default_smoothing(np.ones((3, 1)), np.ones((4, 1)), np.array([False])) == 1e-8


@pytest.mark.parametrize("k", [0, 11])
def test_more_neighbours_than_rows_are_refused(k: int) -> None:
    rows = np.random.default_rng(7).normal(size=(10, 2))
    message = f"n_neighbors is {k}; it must be between 1 and the 10 synthetic rows"
    with pytest.raises(ValueError, match=message):
        gaussian_scores(rows, rows, rows, n_neighbors=k)
    with pytest.raises(ValueError, match=message):
        power_law_scores(rows, rows, rows, n_neighbors=k, is_category=np.zeros(2, dtype=bool))


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    generator = np.random.default_rng(8)
    tables = [generator.normal(size=(n, 4)) for n in (900, 800, 700)]
    numbers = np.zeros(4, dtype=bool)
    np.testing.assert_array_equal(
        gaussian_scores(*tables, n_jobs=1), gaussian_scores(*tables, n_jobs=2)
    )
    np.testing.assert_array_equal(
        power_law_scores(*tables, is_category=numbers, n_jobs=1),
        power_law_scores(*tables, is_category=numbers, n_jobs=2),
    )
