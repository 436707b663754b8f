"""What each attacker is by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.cart import pruned_leaves
from sdmetrics_disclosure.plugins.attackers.logistic import independent_columns
from sdmetrics_disclosure.plugins.attackers.training import (
    Prediction,
)
from tests.helpers.attacks import (
    TOWNS,
    attack,
    levels,
    numbers,
    people,
    probabilities,
    sensitive,
)

# --- Boosting ----------------------------------------------------------------------------


def at_risk(prediction: Prediction, truth: NDArray[np.intp], tau: float = 0.3) -> float:
    g = probabilities(prediction)[np.arange(len(truth)), truth]
    b = (np.bincount(truth) / len(truth))[truth]
    return float(np.mean((g - b) / (1 - b) > tau))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [("boosting", n) for n in (200, 1_000, 5_000, 20_000)]
    + [("boosting_light", n) for n in (200, 1_000, 20_000)],
)
def test_boosting_is_not_confident_about_noise(name: str, n: int) -> None:
    """Classes 95 / 5, independent of everything: risk at most 0.1 in 9 of 10 seeds."""
    classes = (np.arange(n) < n // 20).astype(np.intp)
    risks = []
    for seed in range(10):
        known, real = people(n, 2 * seed), people(n, 2 * seed + 1)
        rng = np.random.default_rng(seed)
        target, truth = rng.permutation(classes), rng.permutation(classes)
        result = attack(name, known, target, real, n_classes=2, seed=seed)
        risks.append(at_risk(result.predictions[0], truth))
    assert np.sort(risks)[8] <= 0.1


def test_boosting_on_noise_says_the_shares_exactly() -> None:
    known = people(100, 1)
    target = np.repeat([0, 1, 1, 1], 25)
    result = attack("boosting", known, target, people(3, 2), n_classes=2)
    np.testing.assert_array_equal(probabilities(result.predictions[0]), [[0.25, 0.75]] * 3)


@pytest.mark.parametrize("name", ["boosting", "boosting_light"])
def test_boosting_with_fewer_members_of_a_class_than_folds(name: str) -> None:
    known, real = people(300, 1), people(50, 2)
    target = sensitive(known, 2)
    target[[0, 1, 2]] = [2, 2, 3]
    result = attack(name, known, target, real, n_classes=4)
    assert any("2 sensitive class(es) have fewer than 5" in note for note in result.notes)
    assert probabilities(result.predictions[0]).max() > 0.8


def test_boosting_learns_from_a_gap_and_from_a_level() -> None:
    """The class is 1 where age is missing or the town is c."""
    known, real = people(500, 1, gaps=0.3), people(500, 2, gaps=0.3)

    def truth(frame: pd.DataFrame) -> NDArray[np.intp]:
        return (frame["age"].isna() | (frame["town"] == "c")).to_numpy().astype(np.intp)

    result = attack("boosting", known, truth(known), real, n_classes=2)
    assert at_risk(result.predictions[0], truth(real)) > 0.99


# --- CART --------------------------------------------------------------------------------


def weakest_link(tree: Any, alpha: float) -> set[int]:
    """Leaves after collapsing, again and again, the node whose subtree pays least a leaf."""
    left, right = tree.children_left, tree.children_right
    counts = np.rint(tree.value[:, 0, :] * tree.n_node_samples[:, None])
    wrong = tree.n_node_samples - counts.max(axis=1)
    collapsed: set[int] = set()

    def leaves(node: int) -> list[int]:
        if left[node] < 0 or node in collapsed:
            return [node]
        return leaves(left[node]) + leaves(right[node])

    while True:
        prices = {}
        stack = [0]
        while stack:
            node = stack.pop()
            if left[node] >= 0 and node not in collapsed:
                under = leaves(node)
                prices[node] = (wrong[node] - sum(wrong[leaf] for leaf in under)) / (len(under) - 1)
                stack += [left[node], right[node]]
        if not prices or min(prices.values()) > alpha + 1e-9:
            return set(leaves(0))
        collapsed.add(min(prices, key=lambda node: (prices[node], node)))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 150),
    n_classes=st.integers(2, 4),
    percent=st.sampled_from([0, 1, 5, 20]),
)
def test_pruning_is_weakest_link_pruning(seed: int, n: int, n_classes: int, percent: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(1)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n)])[:n]
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(X, y).tree_
    root_wrong = n - np.bincount(y).max()
    wrong = n_rows_wrong(tree)
    # a hundred times everything: whole numbers, so that ties are exact
    leaf_of = pruned_leaves(
        tree.children_left, tree.children_right, 100 * wrong, percent * root_wrong
    )
    assert set(leaf_of[tree.children_left < 0]) == weakest_link(tree, percent / 100 * root_wrong)


def n_rows_wrong(tree: Any) -> NDArray[np.float64]:
    n_rows = tree.n_node_samples
    return np.asarray(n_rows - np.rint(tree.value[:, 0, :].max(axis=1) * n_rows))


def test_cart_by_hand() -> None:
    """Two groups of ten that the age separates; within each nothing helps."""
    known = numbers(*range(10), *range(100, 110))
    target = np.repeat([0, 1], 10)
    target[[4, 13, 16]] = [1, 0, 0]
    kinds = {"age": Kind.NUMERICAL}
    result = attack("cart", known, target, numbers(3, 103), kinds=kinds, n_classes=2)
    np.testing.assert_allclose(probabilities(result.predictions[0]), [[0.9, 0.1], [0.2, 0.8]])


# --- Logistic and linear -----------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_on_one_category_is_the_shares_within_levels(n_classes: int) -> None:
    """A saturated model; an unknown level counts as the mean of the others' columns."""
    rng = np.random.default_rng(0)
    known = levels(*rng.choice(TOWNS[:3], 300))
    target = rng.integers(0, n_classes, 300)
    kinds = {"town": Kind.CATEGORICAL}
    result = attack("logistic", known, target, levels("a", "b", "c", "e"), kinds=kinds,
                    n_classes=n_classes)  # fmt: skip
    values = probabilities(result.predictions[0])
    towns = known["town"].to_numpy()
    for row, town in enumerate("abc"):
        shares = np.bincount(target[towns == town], minlength=n_classes) / np.sum(towns == town)
        np.testing.assert_allclose(values[row], shares, rtol=0, atol=1e-8)
    odds = np.log(values[:3, 1:] / values[:3, :1])
    weights = np.array([np.mean(towns == town) for town in "abc"])
    np.testing.assert_allclose(np.log(values[3, 1:] / values[3, :1]), weights @ odds, atol=1e-6)
    assert result.notes == ()


def test_logistic_says_that_classes_can_be_separated() -> None:
    known = numbers(*range(40))
    kinds = {"age": Kind.NUMERICAL}
    result = attack("logistic", known, np.arange(40) // 20, known, kinds=kinds, n_classes=2)
    assert "can be separated" in result.notes[0]
    values = probabilities(result.predictions[0])
    np.testing.assert_array_equal(values.argmax(axis=1), np.arange(40) // 20)


def test_logistic_with_very_many_coefficients_reaches_the_same_maximum() -> None:
    """By L-BFGS: at the maximum, each class's probabilities sum to its count in every level."""
    rng = np.random.default_rng(0)
    categories = [str(i) for i in range(40)]
    codes, target = np.repeat(np.arange(40), 50), np.tile(np.arange(20), 100)
    rng.shuffle(target)
    known = pd.DataFrame({"town": pd.Categorical.from_codes(codes, categories=categories)})
    result = attack("logistic", known, target, known, kinds={"town": Kind.CATEGORICAL},
                    n_classes=20)  # fmt: skip
    assert "L-BFGS" in result.notes[0]
    values = probabilities(result.predictions[0])
    sums = np.array([values[codes == level].sum(axis=0) for level in range(40)])
    counts = np.array([np.bincount(target[codes == level], minlength=20) for level in range(40)])
    np.testing.assert_allclose(sums, counts, rtol=0, atol=0.05)


def test_redundant_columns_are_dropped_from_left_to_right() -> None:
    a, b = np.array([1.0, 2, 3, 5, 8]), np.array([1.0, 0, 0, 1, 0])
    ones = np.ones(5)
    assert independent_columns(np.column_stack([ones, a, 2 - a, b, a + b, b])) == [0, 1, 3]
    assert independent_columns(np.column_stack([b, ones, 1 - b])) == [0, 1]
    assert independent_columns(np.column_stack([a, b, ones])[:2]) == [0, 1]


@pytest.mark.parametrize("repeat", [1, 2])
def test_linear_finds_a_line_also_twice(repeat: int) -> None:
    known = pd.DataFrame({f"x{i}": np.arange(6.0) for i in range(repeat)})
    real = pd.DataFrame({f"x{i}": [10.0, -1.0] for i in range(repeat)})
    kinds = dict.fromkeys(known, Kind.NUMERICAL)
    result = attack("linear", known, 3 + 2 * np.arange(6.0), real, kinds=kinds)
    np.testing.assert_allclose(result.predictions[0].values, [23.0, 1.0], rtol=1e-12)


def test_linear_gives_an_unknown_level_the_mean() -> None:
    kinds = {"town": Kind.CATEGORICAL}
    result = attack("linear", levels("a", "a", "a", "b"), np.array([1.0, 2.0, 3.0, 10.0]),
                    levels("a", "b", "e", None), kinds=kinds)  # fmt: skip
    np.testing.assert_allclose(result.predictions[0].values, [2, 10, 4, 4])
