"""The splits of `cart`: against all sets of levels, and all thresholds, by plain loops."""

from __future__ import annotations

from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers import splits
from sdmetrics_disclosure.plugins.attackers.cart import grow
from sdmetrics_disclosure.plugins.attackers.splits import best_split
from sdmetrics_disclosure.plugins.attackers.task import ClassTarget, NumberTarget


def impurity(values: NDArray[np.float64], is_number: bool) -> float:
    """Sum of squares, or rows x gini."""
    if is_number:
        return float(((values - values.mean()) ** 2).sum())
    shares = np.bincount(values.astype(int)) / len(values)
    return float(len(values) * (1 - (shares**2).sum()))


def best_gain(x: NDArray[np.float64], y: NDArray[np.float64], sets: bool, number: bool) -> float:
    """Over every division of the rows that the column allows."""
    levels = np.unique(x)
    if sets:
        chosen = [set(c) for n in range(1, len(levels)) for c in combinations(levels, n)]
        divisions = [np.isin(x, list(each)) for each in chosen]
    else:
        divisions = [x <= level for level in levels[:-1]]
    gains = [
        impurity(y, number) - impurity(y[left], number) - impurity(y[~left], number)
        for left in divisions
        if min(left.sum(), (~left).sum()) >= splits.MIN_SAMPLES_LEAF
    ]
    return max(gains, default=0.0)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3, 5]), st.integers(2, 8), st.integers(14, 60))
def test_the_best_split_is_that_of_all(seed: int, n_classes: int, n_levels: int, n: int) -> None:
    """One class stands for numbers; three columns, the second a number."""
    rng = np.random.default_rng(seed)
    known = rng.integers(0, n_levels, size=(n, 3)).astype(float)
    number = n_classes == 1
    y = rng.normal(size=n) if number else rng.integers(0, n_classes, n).astype(float)
    is_category = np.array([True, False, True])
    response = (y - y.mean())[:, None] if number else (y[:, None] == np.arange(n_classes)) * 1.0
    # With a smallest leaf the best sets need not be neighbours in the order of the means.
    with patch.object(splits, "MIN_SAMPLES_LEAF", 1):
        split = best_split(known, is_category, response)
        pairs = zip(known.T, is_category, strict=True)
        wanted = [best_gain(x, y, sets, number) for x, sets in pairs]
    if split is None:
        assert max(wanted) < 1e-9
        return
    assert split.gain == pytest.approx(max(wanted), rel=1e-9, abs=1e-9)
    left = split.goes_left(known)
    gain = impurity(y, number) - impurity(y[left], number) - impurity(y[~left], number)
    assert gain == pytest.approx(split.gain, rel=1e-9, abs=1e-9)


def test_more_levels_than_are_tried_all_at_once() -> None:
    """Twelve levels, three classes: the levels of one class against the others are found."""
    x = np.repeat(np.arange(12.0), 20)
    y = np.repeat([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], 20)
    tree = grow(x[:, None], np.array([True]), ClassTarget(y, 3))
    np.testing.assert_array_equal(tree.prune(1)(x[:, None]).argmax(axis=1), y)
    assert sum(split is not None for split in tree.splits) == 2


def test_sets_that_no_threshold_on_codes_gives() -> None:
    """Every other level: one split, where codes would take nine."""
    x = np.repeat(np.arange(10.0), 30)
    y = x % 2 * 10
    tree = grow(x[:, None], np.array([True]), NumberTarget(y))
    assert len(tree.splits) == 3
    np.testing.assert_allclose(tree(x[:, None]), y)


@pytest.mark.parametrize("unknown", [-1.0, 7.0])
def test_a_level_never_seen_goes_with_the_larger_child(unknown: float) -> None:
    x = np.repeat([0.0, 1.0], [30, 50])
    tree = grow(x[:, None], np.array([True]), NumberTarget(x * 10))
    np.testing.assert_allclose(tree(np.array([[unknown]])), [10.0])
    tree = grow(1 - x[:, None], np.array([True]), NumberTarget(x * 10))
    np.testing.assert_allclose(tree(np.array([[unknown]])), [10.0])


def test_a_surrogate_says_where_a_level_never_seen_goes() -> None:
    """The second column nearly says what the first does; the larger child is the other one."""
    first = np.repeat([0.0, 1.0], [30, 50])
    second = first * 5 + np.tile([0.0, 1.0], 40)
    second[:2] = 6.0
    known = np.column_stack([first, second])
    tree = grow(known, np.array([True, False]), NumberTarget(first * 10))
    np.testing.assert_allclose(tree(np.array([[7.0, 0.0], [7.0, 9.0]])), [0.0, 10.0])
