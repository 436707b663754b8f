"""Rows that repeat are held out together."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.plugins.common.folds import (
    first_equal,
    spread_classes_over_folds,
    spread_over_folds,
)


def test_the_first_equal_row_by_hand() -> None:
    gap = float("nan")
    table = np.array([[1, gap], [2, 0], [1, gap], [1, 0], [2, 0], [2, 0]], dtype=float)
    np.testing.assert_array_equal(first_equal(table, 20), [0, 1, 0, 3, 1, 1])
    # three equal rows are a pattern where a leaf has three
    np.testing.assert_array_equal(first_equal(table, 3), [0, 1, 0, 3, 4, 5])


def test_equal_rows_share_a_fold() -> None:
    order = np.random.default_rng(0).permutation(100)
    leader = np.arange(100) // 2 * 2
    fold = spread_over_folds(order, leader, 5)
    np.testing.assert_array_equal(fold[0::2], fold[1::2])
    assert set(fold) == set(range(5))


def test_a_class_is_never_held_out_as_a_whole() -> None:
    classes = np.array([0] * 20 + [1, 1, 1] + [2])
    leader = np.arange(24)
    leader[20:23] = 20
    fold = spread_classes_over_folds(np.arange(24), leader, 5, classes)
    np.testing.assert_array_equal(fold[20:], [-1] * 4)
    assert all(np.count_nonzero(fold[:20] == i) == 4 for i in range(5))
