"""A sequential CART synthesizer, as synthpop makes them: the one behind the published figures.

Columns are made one after the other. The first is drawn from the rows as it is; each next one by
a tree on the columns before it: a synthetic row falls into a leaf and takes the value of one of
the leaf's rows. Values are drawn, never made up, so any column type goes through unchanged.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sdmetrics_disclosure.plugins.attackers.cart import pruned_leaves

MIN_SAMPLES_SPLIT = 15
MIN_SAMPLES_LEAF = 5


@dataclass(frozen=True)
class _Leaves:
    """A tree, and the rows in each of its leaves."""

    tree: Any
    leaf_of: NDArray[np.intp]  # node -> leaf of the pruned tree
    rows: NDArray[np.intp]  # sorted by leaf
    starts: NDArray[np.intp]  # node -> where its rows begin; one more at the end

    def draw(self, known: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
        """A row of the leaf into which each of the known rows falls."""
        leaves = self.leaf_of[self.tree.apply(known)]
        sizes = self.starts[leaves + 1] - self.starts[leaves]
        return np.asarray(self.rows[self.starts[leaves] + rng.integers(0, sizes)])


class CartSynthesizer:
    """Learn a table, sample others like it.

    Args:
        random_state:
            Seed of everything random.
        visit_order:
            The order in which columns are made; None is the frame's own.
    """

    def __init__(
        self, random_state: int = 0, visit_order: Sequence[Hashable] | None = None
    ) -> None:
        self.random_state = random_state
        self.visit_order = visit_order

    def fit(self, frame: pd.DataFrame) -> CartSynthesizer:
        """Grow a tree for every column but the first in the visit order."""
        self._rng = np.random.default_rng(self.random_state)
        self._frame = frame
        self._order = list(frame.columns if self.visit_order is None else self.visit_order)
        self._codes = np.column_stack([_codes(frame[column]) for column in self._order])
        self._leaves = [
            self._grow(position, _is_number(frame[column]))
            for position, column in enumerate(self._order[1:], start=1)
        ]
        return self

    def sample(self, n: int) -> pd.DataFrame:
        """Draw n synthetic rows, with the columns and dtypes of the frame learned."""
        donors = self._rng.integers(0, len(self._frame), n)
        drawn = {self._order[0]: donors}
        known = self._codes[donors, :1]
        for position, leaves in enumerate(self._leaves, start=1):
            donors = leaves.draw(known, self._rng)
            drawn[self._order[position]] = donors
            known = np.column_stack([known, self._codes[donors, position]])
        columns = [
            self._frame[column].iloc[drawn[column]].reset_index(drop=True) for column in self._frame
        ]
        return pd.concat(columns, axis=1)

    def _grow(self, position: int, is_number: bool) -> _Leaves:
        known, target = self._codes[:, :position], self._codes[:, position]
        settings = {
            "min_samples_split": MIN_SAMPLES_SPLIT,
            "min_samples_leaf": MIN_SAMPLES_LEAF,
            "random_state": int(self._rng.integers(2**31)),
        }
        if is_number:
            present = target[~np.isnan(target)]
            filled = np.where(np.isnan(target), np.median(present) if present.size else 0, target)
            tree = DecisionTreeRegressor(**settings).fit(known, filled)
            leaf_of = np.arange(tree.tree_.node_count)
        else:
            tree = DecisionTreeClassifier(**settings).fit(known, target)
            grown = tree.tree_
            n_rows = grown.n_node_samples
            wrong = n_rows - np.rint(grown.value[:, 0, :].max(axis=1) * n_rows)
            leaf_of = pruned_leaves(grown.children_left, grown.children_right, wrong, price=0.0)
        leaves = leaf_of[tree.apply(known)]
        counts = np.bincount(leaves, minlength=tree.tree_.node_count)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return _Leaves(tree, leaf_of, np.argsort(leaves, kind="stable"), starts)


def _is_number(column: pd.Series[Any]) -> bool:
    return not pd.api.types.is_bool_dtype(column) and (
        pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
    )


def _codes(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Numbers as they are, NaN where missing; levels by their order, -1 where missing."""
    if pd.api.types.is_datetime64_any_dtype(column):
        ticks = column.astype("int64").to_numpy(np.float64)
        return np.where(column.isna(), np.nan, ticks)
    if _is_number(column):
        return np.asarray(column.to_numpy(np.float64, na_value=np.nan))
    return np.asarray(column.astype("category").cat.codes, dtype=np.float64)
