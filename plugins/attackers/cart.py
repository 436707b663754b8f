"""The `cart` attacker: one tree, grown and pruned as R's rpart does by default."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import fit_ordinal_encoding
from sdmetrics_disclosure.plugins.attackers.splits import Split, best_split
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    FittedAttacker,
    Matrix,
    NumberTarget,
    RowWise,
    TrainingTask,
)

MIN_SAMPLES_SPLIT = 20
# A split must lower the risk by this percentage of the root's risk (rpart's cp = 0.01).
COMPLEXITY_PERCENT = 1
Rows = NDArray[np.intp]


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
            goes_left = split.goes_left(known[rows])
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
        goes_left = split.goes_left(known[rows])
        parts = rows[goes_left], rows[~goes_left]
        tree.splits[node] = split.with_surrogates(known[rows], is_category, goes_left)
        tree.left[node], tree.right[node] = (leaf(part) for part in parts)
        waiting += [(tree.left[node], parts[0]), (tree.right[node], parts[1])]
    return tree


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
