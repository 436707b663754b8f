"""Nearest rows and rows within a radius, against the slow twin and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.numba_kernels.neighbors.nearest import (
    count_within,
    nearest,
    nearest_kernel,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import PANEL, TILE
from tests.helpers import reference
from tests.helpers.reference import Bools, Floats


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, Floats, Bools | None, int]:
    """Queries, rows, categories and k, with duplicates, ties and constant columns."""
    n, m = draw(st.integers(1, 9)), draw(st.sampled_from([1, 2, 5, 60, PANEL, PANEL + 1, 700]))
    d = draw(st.integers(1, 7))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    is_category = generator.random(d) < 0.5 if draw(st.booleans()) else None
    levels = draw(st.sampled_from([1, 2, 4, 1_000_000]))
    values = generator.integers(-1, levels, size=(n + m, d)).astype(float)
    numbers = np.ones(d, dtype=bool) if is_category is None else ~is_category
    values[:, numbers] *= draw(st.sampled_from([1.0, 1e-3, 1e5 / 3]))
    values[:, numbers] += draw(st.sampled_from([0.0, 1e6]))
    k = draw(st.sampled_from([1, 2, max(1, m // 3), m]))
    return values[:n], values[n:], is_category, min(k, m)


@settings(deadline=None, max_examples=150)
@given(problems())
def test_nearest_has_the_bits_of_a_plain_loop(
    problem: tuple[Floats, Floats, Bools | None, int],
) -> None:
    queries, rows, is_category, k = problem
    indices, distances = nearest(queries, rows, k, is_category=is_category)
    expected, expected_distances = reference.nearest(queries, rows, k, is_category=is_category)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, expected_distances)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(problems(), st.booleans(), st.integers(0, 10**6))
def test_count_within_has_the_counts_of_a_plain_loop(
    problem: tuple[Floats, Floats, Bools | None, int], strict: bool, pick: int
) -> None:
    queries, rows, is_category, _ = problem
    # A radius that some row is at exactly: the boundary is where an expansion goes wrong.
    all_distances = reference.distances(queries, rows, is_category, squared=True).ravel()
    radius = float(all_distances[pick % len(all_distances)])
    squared = is_category is None
    np.testing.assert_array_equal(
        count_within(
            queries, rows, radius, is_category=is_category, strict=strict, squared=squared
        ),
        reference.count_within(
            queries, rows, radius, is_category=is_category, strict=strict, squared=squared
        ),
    )


@pytest.mark.parametrize("k", [1, 10, 200])
@pytest.mark.parametrize("n_columns", [1, 4, 20, 37])
def test_nearest_among_many_rows(k: int, n_columns: int) -> None:
    generator = np.random.default_rng(k + n_columns)
    queries = generator.normal(size=(2 * TILE + 3, n_columns))
    rows = generator.normal(size=(3_000, n_columns))
    indices, distances = nearest(queries, rows, k, squared=True)
    expected, expected_distances = reference.nearest(queries, rows, k, squared=True)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, expected_distances)


def test_near_copies_of_far_rows_keep_their_digits() -> None:
    # |q|^2 + |r|^2 - 2 q.r is 0 or negative here: all digits of the distances are lost in it.
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(500, 6)) * 1e6
    queries = rows[:50] + generator.normal(size=(50, 6)) * 1e-6
    indices, distances = nearest(queries, rows, 3)
    expected, expected_distances = reference.nearest(queries, rows, 3)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, expected_distances)
    assert (indices[:, 0] == np.arange(50)).all()
    assert (distances[:, 0] < 1e-4).all()


@pytest.mark.parametrize("is_category", [None, np.array([False, True])])
def test_equal_rows_come_in_the_order_of_their_index(is_category: Bools | None) -> None:
    rows = np.tile([[1.0, 2.0], [3.0, 0.0]], (1_000, 1))
    indices, distances = nearest(np.array([[1.0, 2.0]]), rows, 1_300, is_category=is_category)
    np.testing.assert_array_equal(indices[0], np.r_[np.arange(0, 2_000, 2), np.arange(1, 600, 2)])
    assert set(distances[0, :1_000]) == {0.0}


def test_distances_by_hand() -> None:
    queries = np.array([[0.0, 0.0, 1.0]])
    rows = np.array([[3.0, 4.0, 1.0], [0.0, 1.0, 2.0], [0.5, 0.0, 1.0]])
    indices, distances = nearest(queries, rows, 3)
    np.testing.assert_array_equal(indices, [[2, 1, 0]])
    np.testing.assert_array_equal(distances, [[0.5, np.sqrt(2.0), 5.0]])
    mixed = np.array([False, False, True])
    indices, distances = nearest(queries, rows, 3, is_category=mixed)
    np.testing.assert_array_equal(indices, [[2, 1, 0]])
    np.testing.assert_array_equal(distances, [[0.5, 2.0, 7.0]])
    assert count_within(queries, rows, 5.0).tolist() == [3]
    assert count_within(queries, rows, 5.0, strict=True).tolist() == [2]
    assert count_within(queries, rows, 2.0, is_category=mixed).tolist() == [2]
    assert count_within(queries, rows, 2.0, is_category=mixed, strict=True).tolist() == [1]


def test_unknown_levels_match_nothing() -> None:
    queries, rows = np.array([[-1.0], [0.0]]), np.array([[-1.0], [0.0], [-2.0]])
    indices, distances = nearest(queries, rows, 3, is_category=np.array([True]))
    np.testing.assert_array_equal(distances, [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(indices, [[0, 1, 2], [1, 0, 2]])


@pytest.mark.parametrize("levels", [2, 20_000, 300_000])
def test_only_categories(levels: int) -> None:
    generator = np.random.default_rng(levels)
    values = generator.integers(0, levels, size=(400, 5)).astype(float)
    every = np.ones(5, dtype=bool)
    found = nearest(values[:30], values[20:], 40, is_category=every)
    expected = reference.nearest(values[:30], values[20:], 40, is_category=every)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    generator = np.random.default_rng(5)
    queries, rows = generator.normal(size=(1_030, 9)), generator.normal(size=(900, 9))
    mixed = np.arange(9) > 6
    for is_category in (None, mixed):
        one = nearest(queries, rows, 12, is_category=is_category, n_jobs=1)
        two = nearest(queries, rows, 12, is_category=is_category, n_jobs=2)
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[1], two[1])
        counts = [
            count_within(queries, rows, 3.0, is_category=is_category, n_jobs=n_jobs)
            for n_jobs in (1, 2)
        ]
        np.testing.assert_array_equal(counts[0], counts[1])


def every_second(values: Floats) -> Floats:
    return np.repeat(values, 2, axis=0)[::2]


def test_the_arguments_are_not_changed_and_any_layout_will_do() -> None:
    generator = np.random.default_rng(6)
    queries, rows = generator.normal(size=(40, 5)), generator.normal(size=(60, 5))
    for array in (queries, rows):
        array.setflags(write=False)
    expected = nearest(queries, rows, 4)
    for change in (np.asfortranarray, every_second):
        found = nearest(change(queries), change(rows), 4)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
    # nothing was compiled again for them
    assert len(nearest_kernel.signatures) == 1  # type: ignore[attr-defined]


def test_no_queries() -> None:
    indices, distances = nearest(np.empty((0, 3)), np.ones((4, 3)), 2)
    assert indices.shape == distances.shape == (0, 2)


@pytest.mark.parametrize(
    ("queries", "rows", "k", "message"),
    [
        (np.ones((2, 3)), np.ones((4, 3)), 5, "k is 5; it must be between 1 and the 4 rows"),
        (np.ones((2, 3)), np.ones((4, 3)), 0, "k is 0"),
        (np.ones((2, 3)), np.ones((4, 2)), 1, r"shapes \(2, 3\) and \(4, 2\)"),
        (np.ones((2, 3)), np.ones((0, 3)), 1, "at least one row"),
        (np.ones(3), np.ones((4, 3)), 1, "both must be tables"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    queries: Floats, rows: Floats, k: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        nearest(queries, rows, k)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("is_category", [None, np.zeros(2, dtype=bool)])
def test_numbers_without_a_distance_are_refused(value: float, is_category: Bools | None) -> None:
    for queries, rows in [([[0.0, value]], [[0.0, 0.0]]), ([[0.0, 0.0]], [[value, 0.0]])]:
        with pytest.raises(ValueError, match="must be finite and at most 1e"):
            nearest(np.array(queries), np.array(rows), 1, is_category=is_category)
