"""The `cart` attacker: one tree, grown and pruned as R's rpart does by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import fit_ordinal_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
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


@dataclass(frozen=True)
class _PrunedTree:
    tree: DecisionTreeClassifier
    leaf_of: NDArray[np.intp]

    def __call__(self, known: Matrix) -> Matrix:
        shares: Matrix = self.tree.tree_.value[self.leaf_of[self.tree.apply(known)], 0, :]
        return shares


def cart(task: TrainingTask) -> FittedAttacker:
    """Predict by leaf shares (means) of one pruned tree on level codes."""
    read, known, _ = fit_ordinal_encoding(task, missing="indicator")
    settings = {
        "min_samples_split": MIN_SAMPLES_SPLIT,
        "min_samples_leaf": MIN_SAMPLES_LEAF,
        "random_state": task.seed,
    }
    if isinstance(task.target, NumberTarget):
        penalty = COMPLEXITY_PERCENT / 100 * float(np.var(task.target.values))
        tree = DecisionTreeRegressor(ccp_alpha=penalty, **settings)
        tree.fit(known, task.target.values)
        return FittedAttacker(RowWise(read, tree.predict))
    tree = DecisionTreeClassifier(**settings).fit(known, task.target.values)
    leaf_of = pruned_leaves(tree.tree_, COMPLEXITY_PERCENT)
    return FittedAttacker(RowWise(read, _PrunedTree(tree, leaf_of)))


CART = Attacker("cart", cart)


def pruned_leaves(tree: Any, complexity_percent: int) -> NDArray[np.intp]:
    """Weakest-link pruning by the count of misclassified rows.

    scikit-learn's `ccp_alpha` prunes by impurity. Here a subtree is kept only if it lowers
    misclassified rows + leaves x (`complexity_percent` / 100) x the root's misclassified rows;
    0 collapses every subtree that does not lower their number. Counts times 100 are whole
    numbers, so that ties are exact; a tie is pruned.

    Args:
        tree:
            `tree_` of a fitted DecisionTreeClassifier.
        complexity_percent:
            The price of a leaf, in percent of the root's misclassified rows.

    Returns:
        (n_nodes,) for each node the leaf of the pruned tree to which its rows belong.
    """
    n_rows = tree.n_node_samples
    correct = np.rint(tree.value[:, 0, :].max(axis=1) * n_rows).astype(np.int64)
    as_leaf = 100 * (n_rows - correct) + complexity_percent * (n_rows[0] - correct[0])
    left, right = tree.children_left, tree.children_right
    best = as_leaf.copy()
    for node in reversed(range(tree.node_count)):  # children come behind their parent
        if left[node] >= 0:
            best[node] = min(as_leaf[node], best[left[node]] + best[right[node]])
    leaf_of = np.arange(tree.node_count, dtype=np.intp)
    for node in range(tree.node_count):
        collapsed = best[node] == as_leaf[node] or leaf_of[node] != node
        if left[node] >= 0 and collapsed:
            leaf_of[[left[node], right[node]]] = leaf_of[node]
    return leaf_of
