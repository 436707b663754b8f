"""The attackers: what each promises whatever the data, and what each is by definition."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sdmetrics_disclosure.adapters.kinds import Kind
from sdmetrics_disclosure.plugins.attackers import (
    ATTACKERS,
    Attack,
    Prediction,
    attacker_name,
    run_attacker,
)
from sdmetrics_disclosure.plugins.cart import pruned_leaves
from sdmetrics_disclosure.plugins.logistic import independent_columns

FOR_CLASSES = sorted(set(ATTACKERS) - {"linear"})
FOR_NUMBERS = sorted(set(ATTACKERS) - {"logistic"})
SETTINGS = [(name, 2) for name in FOR_CLASSES] + [(name, None) for name in FOR_NUMBERS]
FAST = [(name, n) for name, n in SETTINGS if name != "forest"]
TOWNS = ["a", "b", "c", "d", "e"]
KINDS = {
    "age": Kind.NUMERICAL,
    "born": Kind.DATETIME,
    "grade": Kind.ORDINAL,
    "town": Kind.CATEGORICAL,
    "union": Kind.BOOLEAN,
}


def people(n: int, seed: int, gaps: float = 0.0) -> pd.DataFrame:
    """Known columns of every kind, canonical."""
    rng = np.random.default_rng(seed)

    def holes(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(rng.random(n) < gaps, np.nan, values)

    def category(levels: list[Any]) -> pd.Categorical:
        codes = np.where(rng.random(n) < gaps, -1, rng.integers(0, len(levels), n))
        return pd.Categorical.from_codes(codes, categories=levels)

    return pd.DataFrame(
        {
            "age": holes(rng.normal(45, 15, n)),
            "born": holes(rng.uniform(0, 1.6e9, n).round()),
            "grade": category([1, 2, 3, 4]),
            "town": category(TOWNS),
            "union": category([False, True]),
        }
    )


def sensitive(known: pd.DataFrame, n_classes: int | None, seed: int = 0) -> NDArray[Any]:
    """A sensitive column that depends on age and town."""
    rng = np.random.default_rng(seed)
    score = known["age"].fillna(45).to_numpy() / 15 + known["town"].cat.codes.to_numpy()
    score = score + rng.normal(size=len(known))
    if n_classes is None:
        return score
    ranks = np.argsort(np.argsort(score))
    return (ranks * n_classes // max(len(known), 1)).astype(np.intp)


def attack(
    attacker: Any,
    known: pd.DataFrame,
    target: NDArray[Any],
    *tables: pd.DataFrame,
    kinds: dict[Any, Kind] | None = None,
    n_classes: int | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Attack:
    return run_attacker(
        attacker,
        known,
        target,
        list(tables),
        kinds=KINDS if kinds is None else kinds,
        n_classes=n_classes,
        random_state=np.random.SeedSequence(seed),
        n_jobs=n_jobs,
    )


def probabilities(prediction: Prediction) -> NDArray[np.float64]:
    """(n, n_classes) the probability of every class."""
    assert prediction.column is not None
    assert prediction.share is not None
    return prediction.values[:, prediction.column] * prediction.share


def numbers(*values: float) -> pd.DataFrame:
    return pd.DataFrame({"age": np.array(values, dtype=float)})


def levels(*values: str | None) -> pd.DataFrame:
    return pd.DataFrame({"town": pd.Categorical(values, categories=TOWNS)})


# --- Names and refusals ------------------------------------------------------------------


def test_the_names() -> None:
    assert sorted(ATTACKERS) == [
        "boosting",
        "boosting_light",
        "cart",
        "forest",
        "linear",
        "logistic",
    ]
    assert attacker_name("cart") == "cart"
    assert attacker_name(DecisionTreeClassifier()) == "DecisionTreeClassifier"


@pytest.mark.parametrize(
    ("attacker", "n_classes", "message"),
    [
        ("svm", 2, r"`attacker` is 'svm'; allowed are boosting, .*, logistic"),
        ("logistic", None, r"`attacker` is 'logistic'.*holds numbers; use boosting,.* linear"),
        ("linear", 2, r"`attacker` is 'linear'.*holds classes; use .*cart.*, logistic"),
        (LogisticRegression(), None, r"`attacker` LogisticRegression is a classifier.*regressor"),
        (LinearRegression(), 2, r"`attacker` LinearRegression is a regressor.*classifier"),
    ],
)
def test_what_does_not_suit_the_column_is_refused(
    attacker: Any, n_classes: int | None, message: str
) -> None:
    known = people(20, 0)
    with pytest.raises(ValueError, match=message):
        attack(attacker, known, sensitive(known, n_classes), known, n_classes=n_classes)


def test_what_is_no_attacker_is_refused() -> None:
    known = people(20, 0)
    with pytest.raises(TypeError, match="`attacker` is a dict; pass a name or"):
        attack({}, known, sensitive(known, 2), known, n_classes=2)


# --- Promises of every attacker ----------------------------------------------------------


@pytest.mark.parametrize("name", FOR_CLASSES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_are_probabilities_and_beat_the_shares(name: str, n_classes: int) -> None:
    known, real = people(400, 1), people(300, 2)
    target, truth = sensitive(known, n_classes), sensitive(real, n_classes, seed=5)
    result = probabilities(attack(name, known, target, real, n_classes=n_classes).predictions[0])
    assert result.shape == (300, n_classes)
    assert result.min() >= 0
    np.testing.assert_allclose(result.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.mean(result[np.arange(300), truth]) > 1.2 / n_classes


@pytest.mark.parametrize("name", FOR_NUMBERS)
def test_numbers_are_nearer_than_the_mean(name: str) -> None:
    known, real = people(400, 1), people(300, 2)
    target, truth = sensitive(known, None), sensitive(real, None, seed=5)
    result = attack(name, known, target, real).predictions[0]
    assert result.column is None
    assert result.share is None
    assert np.mean((result.values - truth) ** 2) < 0.6 * np.mean((target.mean() - truth) ** 2)


@pytest.mark.parametrize(("name", "n_classes"), SETTINGS)
def test_same_bits_on_any_number_of_threads(name: str, n_classes: int | None) -> None:
    known, real = people(300, 1, gaps=0.1), people(200, 2, gaps=0.1)
    target = sensitive(known, n_classes)
    results = [
        attack(name, known, target, real, n_classes=n_classes, n_jobs=n_jobs).predictions[0].values
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(("name", "n_classes"), FAST)
def test_predictions_do_not_depend_on_the_tables_that_come_along(
    name: str, n_classes: int | None
) -> None:
    """Nor on gaps that only they have, nor on levels that only they have."""
    known, real = people(300, 1), people(200, 2)
    target = sensitive(known, n_classes)
    others = [people(50, 3, gaps=0.5), people(1, 4)]
    alone = attack(name, known, target, real, n_classes=n_classes)
    together = attack(name, known, target, *others, real, n_classes=n_classes)
    np.testing.assert_array_equal(alone.predictions[0].values, together.predictions[2].values)


@pytest.mark.parametrize(("name", "n_classes"), FAST)
def test_names_of_columns_and_rows_do_not_matter(name: str, n_classes: int | None) -> None:
    known, real = people(200, 1, gaps=0.1), people(100, 2, gaps=0.1)
    target = sensitive(known, n_classes)
    expected = attack(name, known, target, real, n_classes=n_classes).predictions[0].values
    strange: dict[str, Any] = {
        "age": 7, "born": ("a", "b"), "grade": "x\ny", "town": 'quote"d', "union": "a . b"
    }  # fmt: skip
    frames = []
    for frame in (known, real):
        renamed = pd.DataFrame(
            {strange[column]: frame[column] for column in frame}, index=frame.index[::-1]
        )
        renamed = renamed.set_axis(pd.Index(list(strange.values()), tupleize_cols=False), axis=1)
        frames.append(renamed.set_axis(frame.index[::-1], axis=0))
    for frame, source in zip(frames, (known, real), strict=True):
        for position, column in enumerate(source):
            frame.isetitem(position, source[column].array)
    kinds = {strange[column]: kind for column, kind in KINDS.items()}
    result = attack(name, frames[0], target, frames[1], kinds=kinds, n_classes=n_classes)
    np.testing.assert_array_equal(result.predictions[0].values, expected)


@pytest.mark.parametrize(("name", "n_classes"), FAST)
def test_nothing_given_is_changed(name: str, n_classes: int | None) -> None:
    known, real = people(100, 1, gaps=0.1), people(100, 2, gaps=0.1)
    target = sensitive(known, n_classes)
    before = known.copy(deep=True), real.copy(deep=True), target.copy()
    state = np.random.get_state()[1].copy()
    seeds = np.random.SeedSequence(3)
    first, second = (
        run_attacker(
            name, known, target, [real], kinds=KINDS, n_classes=n_classes, random_state=seeds,
            n_jobs=None,
        )
        for _ in range(2)
    )  # fmt: skip
    pd.testing.assert_frame_equal(known, before[0])
    pd.testing.assert_frame_equal(real, before[1])
    np.testing.assert_array_equal(target, before[2])
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    np.testing.assert_array_equal(first.predictions[0].values, second.predictions[0].values)


@pytest.mark.parametrize(("name", "n_classes"), FAST)
@pytest.mark.parametrize("where", ["synthetic", "real", "both"])
def test_gaps_anywhere(name: str, n_classes: int | None, where: str) -> None:
    known = people(120, 1, gaps=0.0 if where == "real" else 0.3)
    real = people(60, 2, gaps=0.0 if where == "synthetic" else 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = attack(name, known, sensitive(known, n_classes), real, n_classes=n_classes)
    assert np.all(np.isfinite(result.predictions[0].values))


@pytest.mark.parametrize(("name", "n_classes"), SETTINGS)
def test_columns_that_say_nothing_in_the_synthetic_rows(name: str, n_classes: int | None) -> None:
    """All missing or constant there, but not in the real rows."""
    known, real = people(120, 1), people(60, 2)
    known = known.assign(
        age=np.nan,
        born=5.0,
        town=pd.Categorical([None] * 120, categories=TOWNS),
        grade=pd.Categorical([2] * 120, categories=[1, 2, 3, 4]),
    )
    target = np.arange(120) % 2 if n_classes else np.arange(120) / 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = attack(name, known, target, real, n_classes=n_classes)
    assert np.all(np.isfinite(result.predictions[0].values))


@pytest.mark.parametrize(("name", "n_classes"), FAST)
@pytest.mark.parametrize("column", ["age", "town"])
def test_one_known_column_that_only_the_real_rows_fill(
    name: str, n_classes: int | None, column: str
) -> None:
    known, real = people(60, 1)[[column]], people(30, 2)[[column]]
    known[column] = np.nan if column == "age" else pd.Categorical([None] * 60, categories=TOWNS)
    target = np.repeat([0, 1, 1], 20) if n_classes else np.arange(60) / 7
    kinds = {column: KINDS[column]}
    result = attack(name, known, target, real, kinds=kinds, n_classes=n_classes)
    expected = [1 / 3, 2 / 3] if n_classes else target.mean()
    np.testing.assert_allclose(
        result.predictions[0].values, np.broadcast_to(expected, (30, 2) if n_classes else 30)
    )


@pytest.mark.parametrize(("name", "n_classes"), SETTINGS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_rows(name: str, n_classes: int | None, n: int) -> None:
    known, real = people(n, 1), people(9, 2)
    target = np.arange(n) % 2 if n_classes else np.arange(n) / 7
    result = attack(name, known, target, real, n_classes=n_classes)
    assert np.all(np.isfinite(result.predictions[0].values))
    if name.startswith("boosting") and n > 1:
        assert "too few to split a tree" in result.notes[0]
        expected = probabilities(result.predictions[0]) if n_classes else None
        if expected is not None:
            np.testing.assert_array_equal(expected[0], np.bincount(target, minlength=2) / n)


@pytest.mark.parametrize("name", FOR_CLASSES)
def test_one_synthetic_class_is_certain(name: str) -> None:
    known = people(50, 1)
    result = attack(name, known, np.full(50, 2, dtype=np.intp), people(5, 2), n_classes=4)
    expected = np.tile([0.0, 0.0, 1.0, 0.0], (5, 1))
    np.testing.assert_array_equal(probabilities(result.predictions[0]), expected)


def test_without_known_columns_the_shares_predict() -> None:
    nothing = pd.DataFrame(index=range(4))
    result = attack("cart", nothing, np.array([0, 2, 2, 2]), nothing, kinds={}, n_classes=3)
    expected = np.tile([0.25, 0.0, 0.75], (4, 1))
    np.testing.assert_array_equal(probabilities(result.predictions[0]), expected)
    assert result.notes == ("There is no known column to learn from.",)
    mean = attack("linear", nothing, np.array([1.0, 2.0, 3.0, 6.0]), nothing, kinds={})
    np.testing.assert_array_equal(mean.predictions[0].values, np.full(4, 3.0))


@pytest.mark.parametrize("name", FOR_CLASSES)
def test_classes_that_the_synthetic_rows_never_show_get_nothing(name: str) -> None:
    """Their number does not change what is said of the others."""
    known, real = people(200, 1), people(50, 2)
    dense = sensitive(known, 3)
    sparse = np.array([1, 4, 6], dtype=np.intp)[dense]
    few = probabilities(attack(name, known, dense, real, n_classes=3).predictions[0])
    many = probabilities(attack(name, known, sparse, real, n_classes=8).predictions[0])
    np.testing.assert_array_equal(many[:, [1, 4, 6]], few)
    np.testing.assert_array_equal(many[:, [0, 2, 3, 5, 7]], 0)


# --- Many classes, many levels -----------------------------------------------------------


@pytest.mark.parametrize("name", ["logistic", "cart"])
def test_rare_classes_are_predicted_together(name: str) -> None:
    """50 classes of ten rows each, and three of 1, 2 and 3 rows in one column by their shares."""
    target = np.concatenate([np.repeat(np.arange(3, 53), 10), [0, 1, 1, 2, 2, 2]]).astype(np.intp)
    known = people(len(target), 1)
    result = attack(name, known, target, people(20, 2), n_classes=60)
    prediction = result.predictions[0]
    assert prediction.values.shape == (20, 51)
    assert prediction.column is not None
    assert prediction.share is not None
    assert prediction.column[[0, 1, 2]].tolist() == [50, 50, 50]
    np.testing.assert_allclose(prediction.share[[0, 1, 2]], [1 / 6, 2 / 6, 3 / 6])
    np.testing.assert_array_equal(prediction.share[53:], 0)
    np.testing.assert_allclose(probabilities(prediction).sum(axis=1), 1)
    assert result.notes[0].startswith("53 sensitive classes: the 50 most frequent")


def test_twenty_thousand_classes_take_memory_by_rows() -> None:
    n = 20_000
    known = people(n, 1)
    target = np.random.default_rng(0).permutation(n).astype(np.intp)
    prediction = attack("cart", known, target, known, n_classes=n).predictions[0]
    assert prediction.values.shape == (n, 51)


@pytest.mark.parametrize("name", ["boosting", "boosting_light", "logistic", "linear", "cart"])
def test_more_levels_than_boosting_has_bins(name: str) -> None:
    """The sensitive class is the parity of the level, for frequent levels and rare ones."""
    n_levels = 400
    categories = [f"level {i:03d}" for i in range(n_levels)]
    codes = np.concatenate([np.arange(n_levels), np.repeat(np.arange(100), 20)])
    known = pd.DataFrame({"town": pd.Categorical.from_codes(codes, categories=categories)})
    is_number = name == "linear"
    target = (codes % 2).astype(float if is_number else np.intp)
    kinds = {"town": Kind.CATEGORICAL}
    classes = None if is_number else 2
    result = attack(name, known, target, known, kinds=kinds, n_classes=classes)
    assert np.all(np.isfinite(result.predictions[0].values))
    pooled = name != "cart"
    assert any("only the 254 most frequent" in note for note in result.notes) == pooled
    if name == "boosting":
        truth = probabilities(result.predictions[0])[np.arange(len(codes)), codes % 2]
        assert truth[n_levels:].mean() > 0.9


# --- Estimators --------------------------------------------------------------------------


def test_a_classifier_without_probabilities_is_certain() -> None:
    known, real = people(200, 1), people(50, 2)
    result = attack(LinearSVC(), known, sensitive(known, 3), real, n_classes=3)
    values = probabilities(result.predictions[0])
    assert set(np.unique(values)) == {0.0, 1.0}
    np.testing.assert_array_equal(values.sum(axis=1), 1)


def test_an_estimator_gets_codes_without_gaps_and_is_left_alone() -> None:
    known = pd.DataFrame(
        {"age": [1.0, np.nan, 3.0, 5.0], "town": pd.Categorical(["d", "b", None, "d"], TOWNS)}
    )
    real = pd.DataFrame({"age": [np.nan, 2.0], "town": pd.Categorical(["e", "b"], TOWNS)})
    seen: dict[str, Any] = {}

    class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            seen["X"], seen["y"], seen["fitted"] = X, y, self
            self.classes_ = np.array([1, 0])
            return self

        def predict_proba(self, X: Any) -> Any:
            seen["Z"] = X
            return np.tile([0.9, 0.1], (len(X), 1))

        def predict(self, X: Any) -> Any:
            raise AssertionError("the probabilities are there")

    spy, kinds = Spy(), {"age": Kind.NUMERICAL, "town": Kind.CATEGORICAL}
    result = attack(spy, known, np.array([0, 3, 3, 3]), real, kinds=kinds, n_classes=4)
    np.testing.assert_array_equal(seen["X"], [[1, 0, 1], [3, 1, 0], [3, 0, 2], [5, 0, 1]])
    np.testing.assert_array_equal(seen["Z"], [[3, 1, -1], [2, 0, 0]])
    np.testing.assert_array_equal(seen["y"], [0, 1, 1, 1])
    assert seen["fitted"] is not spy
    # classes_ may stand in any order.
    expected = np.tile([0.1, 0, 0, 0.9], (2, 1))
    np.testing.assert_array_equal(probabilities(result.predictions[0]), expected)


def test_open_random_states_are_seeded_and_chosen_ones_kept() -> None:
    known, real = people(200, 1), people(100, 2)
    target = sensitive(known, 2)

    def run(estimator: Any, seed: int) -> NDArray[np.float64]:
        return attack(estimator, known, target, real, n_classes=2, seed=seed).predictions[0].values

    nested = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    np.testing.assert_array_equal(run(nested, 1), run(nested, 1))
    assert not np.array_equal(run(nested, 1), run(nested, 2))
    assert nested[1].random_state is None
    chosen = RandomForestClassifier(5, random_state=3)
    np.testing.assert_array_equal(run(chosen, 1), run(chosen, 2))


def test_an_estimator_that_fails_is_named_and_its_reason_kept() -> None:
    class Broken(DummyClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise RuntimeError("no luck")

    known = people(20, 1)
    with pytest.raises(ValueError, match=r"`attacker` Broken failed on 20 .*: no luck") as caught:
        attack(Broken(), known, sensitive(known, 2), known, n_classes=2)
    assert isinstance(caught.value.__cause__, RuntimeError)


# --- Boosting ----------------------------------------------------------------------------


def at_risk(prediction: Prediction, truth: NDArray[np.intp], tau: float = 0.3) -> float:
    g = probabilities(prediction)[np.arange(len(truth)), truth]
    b = (np.bincount(truth) / len(truth))[truth]
    return float(np.mean((g - b) / (1 - b) > tau))


@pytest.mark.parametrize("name", ["boosting", "boosting_light"])
@pytest.mark.parametrize("n", [200, 1_000, 5_000, 20_000])
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
    leaf_of = pruned_leaves(tree, percent)
    assert set(leaf_of[tree.children_left < 0]) == weakest_link(tree, percent / 100 * root_wrong)


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
