"""The `cart` attacker: one tree, grown and pruned as R's rpart does by default.

A category is split into two sets of its levels. For numbers and two classes the best sets are found
by ordering the levels by their mean (Breiman et al. 1984); for more classes all sets are tried up
to ten levels, beyond that those that come of ordering the levels by the share of each class. A
level that the node's rows never show goes with the larger child.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import fit_ordinal_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    FittedAttacker,
    Matrix,
    NumberTarget,
    RowWise,
    TrainingTask,
)

MIN_SAMPLES_SPLIT = 20
MIN_SAMPLES_LEAF = 7
# A split must lower the risk by this percentage of the root's risk (rpart's cp = 0.01).
COMPLEXITY_PERCENT = 1
# With more levels than this, and more classes than two, not all sets of levels are tried.
MAX_LEVELS_TRIED = 10
# What a split must gain, as a part of the sum of squares: less is rounding.
ROUNDING = 1e-12

Rows = NDArray[np.intp]
Levels = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """How a node sends its rows left or right.

    Attributes:
        gain: By how much it lowers the impurity.
        column: Which is asked.
        threshold: Numbers at most this go left; NaN where sets of levels are.
        left: The levels that go left.
        right: The levels that go right.
        larger_is_left: Where a level goes that is in neither.
    """

    gain: float
    column: int
    threshold: float = float("nan")
    left: Levels = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    right: Levels = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    larger_is_left: bool = True

    def goes_left(self, values: Matrix) -> NDArray[np.bool_]:
        """(n,) whether rows with these values of the column go left."""
        if not np.isnan(self.threshold):
            return np.asarray(values <= self.threshold)
        if self.larger_is_left:
            return ~np.isin(values, self.right)
        return np.isin(values, self.left)


@dataclass
class Tree:
    """A tree; node 0 is the root, children come behind their parent.

    Attributes:
        splits: Of each node; None for a leaf.
        left: The left child of each node.
        right: The right child of each node.
        values: What each node says: class shares, or the mean.
        risks: What each node gets wrong as a leaf: misclassified rows, or the sum of squares.
    """

    splits: list[Split | None] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    values: list[Matrix] = field(default_factory=list)
    risks: list[float] = field(default_factory=list)

    def add(self, value: Matrix, risk: float) -> int:
        """A new leaf; its number."""
        self.splits.append(None)
        self.left.append(-1)
        self.right.append(-1)
        self.values.append(value)
        self.risks.append(risk)
        return len(self.splits) - 1

    def __call__(self, known: Matrix) -> Matrix:
        """What the leaves say, row by row."""
        found = np.empty((len(known), *self.values[0].shape))
        waiting = [(0, np.arange(len(known)))]
        while waiting:
            node, rows = waiting.pop()
            split = self.splits[node]
            if split is None:
                found[rows] = self.values[node]
                continue
            goes_left = split.goes_left(known[rows, split.column])
            waiting += [(self.left[node], rows[goes_left]), (self.right[node], rows[~goes_left])]
        return found

    def prune(self, percent: int) -> Tree:
        """Take out what does not pay so many percent of the root's risk for each leaf."""
        # A hundred times everything: misclassified rows stay whole numbers, and ties exact.
        risks, price = 100 * np.array(self.risks), percent * self.risks[0]
        kept = pruned_leaves(np.array(self.left), np.array(self.right), risks, price)
        for node in range(len(self.splits)):
            if kept[node] == node and self.left[node] >= 0 and kept[self.left[node]] == node:
                self.splits[node] = None
        return self


def cart(task: TrainingTask) -> FittedAttacker:
    """Predict by leaf shares (means) of one pruned tree."""
    read, known, _ = fit_ordinal_encoding(task, missing="indicator")
    tree = grow(known, read.is_category, task.target)
    return FittedAttacker(RowWise(read, tree.prune(COMPLEXITY_PERCENT)))


CART = Attacker("cart", cart)


def grow(known: Matrix, is_category: NDArray[np.bool_], target: ClassTarget | NumberTarget) -> Tree:
    """Grow a tree until no further split can be worth its price.

    Args:
        known:
            (n, d) numbers and codes, without gaps.
        is_category:
            (d,) which columns hold codes.
        target:
            What is to be predicted.
    """
    is_number = isinstance(target, NumberTarget)
    response = (
        (target.values - target.values.mean())[:, None]
        if isinstance(target, NumberTarget)
        else (target.values[:, None] == np.arange(target.n_classes)).astype(np.float64)
    )
    tree = Tree()

    def leaf(rows: Rows) -> int:
        here = response[rows]
        if is_number:
            return tree.add(np.asarray(target.values[rows].mean()), float(here.var() * len(rows)))
        return tree.add(here.mean(axis=0), float(len(rows) - here.sum(axis=0).max()))

    waiting = [(leaf(np.arange(len(known))), np.arange(len(known)))]
    while waiting:
        node, rows = waiting.pop()
        # What a subtree can gain is at most the node's risk: below the price it would be pruned.
        worthless = 100 * tree.risks[node] <= COMPLEXITY_PERCENT * tree.risks[0]
        if worthless or len(rows) < MIN_SAMPLES_SPLIT:
            continue
        split = best_split(known[rows], is_category, response[rows])
        if split is None:
            continue
        goes_left = split.goes_left(known[rows, split.column])
        parts = rows[goes_left], rows[~goes_left]
        tree.splits[node] = split
        tree.left[node], tree.right[node] = (leaf(part) for part in parts)
        waiting += [(tree.left[node], parts[0]), (tree.right[node], parts[1])]
    return tree


def best_split(known: Matrix, is_category: NDArray[np.bool_], response: Matrix) -> Split | None:
    """The split that lowers the impurity most; of equal ones the first. None if none does.

    Args:
        known:
            (n, d) the node's rows.
        is_category:
            (d,) which columns hold codes.
        response:
            (n, k) one column for each class (0 or 1), or the centred number.
    """
    total = response.sum(axis=0)
    floor = ROUNDING * float((response**2).sum())
    best: Split | None = None
    for column, values in enumerate(known.T):
        find = _split_levels if is_category[column] else _split_number
        split = find(column, values, response, float(total @ total) / len(values))
        if split is not None and split.gain > max(floor, best.gain if best else 0.0):
            best = split
    return best


def _split_number(column: int, values: Matrix, response: Matrix, root: float) -> Split | None:
    order = np.argsort(values, kind="stable")
    rising, n = values[order], len(values)
    sums = np.cumsum(response[order], axis=0)
    at = np.arange(MIN_SAMPLES_LEAF - 1, n - MIN_SAMPLES_LEAF)
    at = at[rising[at] < rising[at + 1]]
    if not at.size:
        return None
    gains = _squares(sums[at], at + 1) + _squares(sums[-1] - sums[at], n - at - 1) - root
    i = at[int(np.argmax(gains))]
    middle = rising[i] / 2 + rising[i + 1] / 2
    threshold = middle if middle < rising[i + 1] else rising[i]
    return Split(float(gains.max()), column, threshold=float(threshold))


def _split_levels(column: int, values: Matrix, response: Matrix, root: float) -> Split | None:
    levels, code = np.unique(values.astype(np.intp), return_inverse=True)
    if len(levels) < 2:
        return None
    sizes = np.bincount(code)
    sums = np.column_stack([np.bincount(code, weights=each) for each in response.T])
    best: Split | None = None
    for masks in _sets(sums / sizes[:, None]):
        n_left = masks @ sizes
        fit = (n_left >= MIN_SAMPLES_LEAF) & (len(values) - n_left >= MIN_SAMPLES_LEAF)
        if not fit.any():
            continue
        masks, n_left = masks[fit], n_left[fit]
        left = masks @ sums
        right = sums.sum(axis=0) - left
        gains = _squares(left, n_left) + _squares(right, len(values) - n_left) - root
        i = int(np.argmax(gains))
        if best is None or gains[i] > best.gain:
            chosen, larger = masks[i] > 0, bool(2 * n_left[i] >= len(values))
            best = Split(
                float(gains[i]),
                column,
                left=levels[chosen],
                right=levels[~chosen],
                larger_is_left=larger,
            )
    return best


def _sets(means: Matrix) -> Iterator[Matrix]:
    """(m, n_levels) 0/1 the sets of levels to be tried on the left, by the levels' means."""
    n_levels, n_columns = means.shape
    if n_columns > 2 and n_levels <= MAX_LEVELS_TRIED:
        yield _all_sets(n_levels)
        return
    below = np.tri(n_levels - 1, n_levels)
    # Of two classes the shares of one are those of the other turned round.
    for each in means.T[: 1 if n_columns <= 2 else n_columns]:
        masks = np.empty_like(below)
        masks[:, np.argsort(each, kind="stable")] = below
        yield masks


@functools.cache
def _all_sets(n_levels: int) -> Matrix:
    """Every division into two sets once: the last level stands on the right."""
    numbers = np.arange(1, 2 ** (n_levels - 1))
    return (numbers[:, None] >> np.arange(n_levels) & 1).astype(np.float64)


def _squares(sums: Matrix, sizes: NDArray[Any]) -> Matrix:
    return np.asarray((sums**2).sum(axis=1) / sizes)


def pruned_leaves(
    left: NDArray[np.intp], right: NDArray[np.intp], risks: Matrix, price: float
) -> NDArray[np.intp]:
    """Weakest-link pruning: the leaves of the smallest tree of least risk + leaves x `price`.

    Args:
        left:
            (n_nodes,) left children, behind their parents; -1 for a leaf.
        right:
            (n_nodes,) right children.
        risks:
            (n_nodes,) the risk of each node as a leaf. A tie is pruned.
        price:
            Of a leaf.

    Returns:
        (n_nodes,) for each node the leaf of the pruned tree to which its rows belong.
    """
    as_leaf = risks + price
    best = as_leaf.copy()
    for node in reversed(range(len(left))):
        if left[node] >= 0:
            best[node] = min(as_leaf[node], best[left[node]] + best[right[node]])
    leaf_of = np.arange(len(left), dtype=np.intp)
    for node in range(len(left)):
        collapsed = best[node] == as_leaf[node] or leaf_of[node] != node
        if left[node] >= 0 and collapsed:
            leaf_of[[left[node], right[node]]] = leaf_of[node]
    return leaf_of
