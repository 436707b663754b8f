"""Cutting the real rows into folds: alike in the sensitive classes, whole units together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from sdmetrics_disclosure.adapters.release.release import Release, take_columns

Positions = NDArray[np.intp]


@dataclass(frozen=True)
class Folds:
    """The folds of a table.

    Attributes:
        pairs: Of each fold the positions of the rows to fit on, and of those held out.
        notes: What had to be done differently from what was asked.
    """

    pairs: tuple[tuple[Positions, Positions], ...]
    notes: tuple[str, ...]


def make_folds(
    release: Release, n_splits: int, sensitive: Sequence[Hashable] | None, seed: int
) -> Folds:
    """Cut the real rows into folds with the same shares of the sensitive classes.

    All sensitive classes together where each combination has a row for every fold, else the
    first sensitive column's, rare ones pooled. Rows of one unit stay together: a unit has the
    class that most of its rows have.

    Args:
        release:
            Its real rows are cut.
        n_splits:
            How many folds; where there are fewer rows (or units), as many as there are.
        sensitive:
            The sensitive columns; None: all, and the first of them that has classes counts.
        seed:
            Of the shuffling.

    Raises:
        ValueError: If there are fewer than two rows, or units.
    """
    owners, what = _owners(release)
    n_owners = int(owners.max()) + 1
    if n_owners < 2:
        raise ValueError(f"`real_data` has {n_owners} {what}: nothing can be held out. Pass more.")
    notes = []
    if n_owners < n_splits:
        notes.append(f"There are {n_owners} {what}: {n_owners} folds were made, not {n_splits}.")
        n_splits = n_owners
    strata, remarks = _strata(release, owners, n_splits, sensitive)
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    pairs = [
        (np.flatnonzero(np.isin(owners, fitted)), np.flatnonzero(np.isin(owners, held_out)))
        for fitted, held_out in splitter.split(strata, strata)
    ]
    return Folds(tuple(pairs), (*notes, *remarks))


def _owners(release: Release) -> tuple[Positions, str]:
    """Whose each row is, counted from 0: its unit's, or its own."""
    if release.unit is None:
        return np.arange(len(release.real)), "rows"
    codes = release.real[release.unit].cat.codes.to_numpy()
    return np.unique(codes, return_inverse=True)[1].reshape(-1), "units"


def _strata(
    release: Release, owners: Positions, n_splits: int, sensitive: Sequence[Hashable] | None
) -> tuple[Positions, list[str]]:
    offered = release.columns if sensitive is None else sensitive
    columns = [column for column in offered if not release.kinds[column].is_number]
    if not columns:
        n_owners = int(owners.max()) + 1
        return np.zeros(n_owners, dtype=np.intp), [
            "No sensitive column has classes: the folds were cut at random."
        ]
    if sensitive is not None and len(columns) > 1:
        together = _classes(take_columns(release.real, columns), owners)
        if np.bincount(together).min() >= n_splits:
            return together, []
    return _pool(_classes(take_columns(release.real, columns[:1]), owners), n_splits, columns[0])


def _pool(classes: Positions, n_splits: int, column: Hashable) -> tuple[Positions, list[str]]:
    counts = np.bincount(classes)
    rare = counts < n_splits
    if not rare.any():
        return classes, []
    pool = counts.size if counts[rare].sum() >= n_splits else int(counts.argmax())
    if counts.max() < n_splits:
        return np.zeros_like(classes), [
            f"No class of {column!r} has enough rows for {n_splits} folds: they were cut at random."
        ]
    return np.where(rare[classes], pool, classes), [
        f"{int(rare.sum())} classes of {column!r} have too few rows for {n_splits} folds: they "
        "were pooled when the folds were cut."
    ]


def _classes(frame: pd.DataFrame, owners: Positions) -> Positions:
    """Each owner's most frequent combination of classes, counted from 0."""
    codes = np.column_stack([frame.iloc[:, i].cat.codes for i in range(frame.shape[1])])
    classes = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    pairs, counts = np.unique(np.column_stack([owners, classes]), axis=0, return_counts=True)
    pairs = pairs[np.lexsort((-counts, pairs[:, 0]))]
    first = np.unique(pairs[:, 0], return_index=True)[1]
    return np.unique(pairs[first, 1], return_inverse=True)[1].reshape(-1)
