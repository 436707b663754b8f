"""Refitted Gen-LRA scores: the authors' own scores, and two fresh densities a candidate."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sdmetrics_disclosure.numba_kernels.gen_lra.refit import block_length, refit_scores
from tests.helpers import reference
from tests.helpers.reference import Floats
from tests.numba_kernels.gen_lra.test_closed_form import read_case

KS = (1, 5, 10, 50, 100, 200)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["housing_raw", "housing_std", "insurance_num", "gauss12"])
def test_the_authors_scores(golden: Path, case: str) -> None:
    targets, synthetic, others, _ = read_case(golden, case)
    with gzip.open(golden / "attacks" / f"{case}__scores.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for k in KS:
        scores = refit_scores(targets, synthetic, others, n_neighbors=k, floor=1e-20)
        authors = np.array([float(row[f"gen_lra_refit_k{k}"]) for row in rows])
        assert (np.abs(scores - authors) <= 1e-9 * np.maximum(1, np.abs(authors))).all()


@pytest.mark.parametrize(
    ("k", "auc"), [(5, 0.7444), (10, 0.7227), (50, 0.6924), (100, 0.6794), (200, 0.6481)]
)
def test_refit_lands_on_the_figures(golden: Path, k: int, auc: float) -> None:
    targets, synthetic, others, members = read_case(golden, "housing_std")
    scores = refit_scores(targets, synthetic, others, n_neighbors=k, floor=1e-20)
    assert roc_auc_score(members, scores) == pytest.approx(auc, abs=1e-4)


def assert_agrees(found: Floats, expected: Floats) -> None:
    assert (np.abs(found - expected) <= 1e-9 * np.maximum(1, np.abs(expected))).all()


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 6),
    st.sampled_from([1, 3, 4, 30, 210]),
    st.sampled_from([12, 60, 400]),
    st.integers(1, 6),
    st.sampled_from([0.0, 1e-20, 1e-3]),
    st.sampled_from([0.1, 1.0, 30.0]),
    st.integers(0, 2**32 - 1),
)
def test_refit_against_two_fresh_densities(
    n: int, m: int, r: int, d: int, floor: float, spread: float, seed: int
) -> None:
    # a spread of 30 makes lifts of hundreds, one of 0.1 lifts below a thousandth
    generator = np.random.default_rng(seed)
    others = generator.normal(size=(r, d))
    targets, synthetic = (generator.normal(size=(rows, d)) * spread for rows in (n, m))
    for k in {1, m}:
        arguments: dict[str, Any] = {"n_neighbors": k, "floor": floor}
        assert_agrees(
            refit_scores(targets, synthetic, others, **arguments),
            reference.refit_scores(targets, synthetic, others, **arguments),
        )


def test_the_options() -> None:
    generator = np.random.default_rng(0)
    targets, synthetic, others = (generator.normal(size=(n, 3)) for n in (20, 60, 150))
    expected = reference.refit_scores(
        targets, synthetic, others, bandwidth_factor=0.4, n_neighbors=9, aggregate="max"
    )
    found = refit_scores(
        targets, synthetic, others, bandwidth_factor=0.4, n_neighbors=9, aggregate="max"
    )
    assert_agrees(found, expected)


def test_far_candidates_keep_their_own_scores() -> None:
    generator = np.random.default_rng(1)
    others = generator.normal(size=(2_000, 2))
    far = np.array([[1e1, 0.0], [1e2, 0.0], [1e3, 0.0], [1e4, 0.0]])
    synthetic = np.vstack([far + 0.01, others[:10]])
    scores = refit_scores(far, synthetic, others, n_neighbors=1)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) > scores[:-1]).all()


def test_refit_is_affine_invariant_and_ignores_equal_columns() -> None:
    generator = np.random.default_rng(2)
    tables = [generator.normal(size=(n, 4)) for n in (40, 70, 90)]
    mixing = generator.normal(size=(4, 4)) + 2 * np.eye(4)
    expected = refit_scores(*tables, n_neighbors=20, neighbors_in="covariance")
    mapped = [table @ mixing + 5.0 for table in tables]
    assert_agrees(refit_scores(*mapped, n_neighbors=20, neighbors_in="covariance"), expected)
    doubled = [np.hstack([table, table[:, :2], np.ones((len(table), 1))]) for table in tables]
    assert_agrees(refit_scores(*doubled, n_neighbors=20, neighbors_in="covariance"), expected)


def test_too_many_neighbours_are_refused() -> None:
    rows = np.random.default_rng(3).normal(size=(10, 2))
    with pytest.raises(ValueError, match="n_neighbors is 11; it must be between 1 and the 10"):
        refit_scores(rows, rows, rows, n_neighbors=11)


@pytest.mark.parametrize(("n", "length"), [(1, 64), (400, 64), (5_000, 628), (100_000, 1_024)])
def test_blocks_follow_from_the_number_of_candidates(n: int, length: int) -> None:
    assert block_length(n) == length


def test_the_number_of_threads_and_of_companions_does_not_change_a_bit() -> None:
    generator = np.random.default_rng(4)
    targets, synthetic, others = (generator.normal(size=(n, 4)) for n in (300, 200, 250))
    one = refit_scores(targets, synthetic, others, n_neighbors=30, n_jobs=1)
    np.testing.assert_array_equal(
        one, refit_scores(targets, synthetic, others, n_neighbors=30, n_jobs=2)
    )
    np.testing.assert_array_equal(
        one[:50], refit_scores(targets[:50], synthetic, others, n_neighbors=30)
    )
