"""Which rows are held out together, and in which fold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Folds = NDArray[np.intp]


def first_equal(table: NDArray[np.float64], fewer_than: int) -> NDArray[np.intp]:
    """(n,) the first row that is equal to each in all columns, or itself.

    Args:
        table:
            (n, d) finite numbers; a gap is equal to a gap.
        fewer_than:
            Rows of which there are as many are no copies but a pattern: each is itself.
    """
    filled = np.where(np.isnan(table), np.inf, table)  # a gap is not equal to itself
    _, first, group, count = np.unique(
        filled, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    group = group.reshape(-1)
    repeats = (count[group] > 1) & (count[group] < fewer_than)
    return np.where(repeats, first[group], np.arange(len(table)))


def spread_over_folds(order: NDArray[np.intp], leader: NDArray[np.intp], n_folds: int) -> Folds:
    """(n,) the fold of each row.

    Args:
        order:
            The rows in random order.
        leader:
            (n,) the row with which each is held out.
        n_folds:
            How many folds.
    """
    fold = np.empty(len(order), dtype=np.intp)
    fold[order] = np.arange(len(order)) % n_folds
    return fold[leader]


def spread_classes_over_folds(
    order: NDArray[np.intp], leader: NDArray[np.intp], n_folds: int, classes: NDArray[np.intp]
) -> Folds:
    """(n,) the fold of each row, every class spread evenly; -1 for one that is never held out.

    A class that would be held out as a whole is held out never: each part shows all classes.

    Args:
        order:
            See `spread_over_folds`.
        leader:
            See `spread_over_folds`.
        n_folds:
            See `spread_over_folds`.
        classes:
            (n,) from 0.
    """
    by_class = order[np.argsort(classes[order], kind="stable")]
    fold = spread_over_folds(by_class, leader, n_folds)
    lowest = np.full(int(classes.max()) + 1, n_folds)
    highest = np.full(len(lowest), -1)
    np.minimum.at(lowest, classes, fold)
    np.maximum.at(highest, classes, fold)
    fold[(lowest == highest)[classes]] = -1
    return fold
