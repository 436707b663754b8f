"""What every attacker promises, whatever the data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers import catalog
from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.task import Constant, FittedAttacker
from sdmetrics_disclosure.plugins.attackers.training import (
    attacker_name,
    run_attacker,
)
from tests.helpers.attacks import (
    FAST,
    FOR_CLASSES,
    FOR_NUMBERS,
    KINDS,
    SETTINGS,
    TOWNS,
    attack,
    people,
    probabilities,
    sensitive,
)

# --- Names and refusals ------------------------------------------------------------------


def test_the_names() -> None:
    assert sorted({*FOR_CLASSES, *FOR_NUMBERS}) == [
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


def test_predictions_of_another_shape_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin's attacker that gives one probability a row where there are two classes."""
    half = Attacker("half", lambda task: FittedAttacker(Constant(task.target.constant[:1])))
    monkeypatch.setattr(catalog, "_LOOK_UP", [lambda: {"half": half}])
    known = people(20, 0)
    message = r"`attacker` half predicted \(20, 1\) values for 20 rows; \(20, 2\) were asked for"
    with pytest.raises(ValueError, match=message):
        attack("half", known, sensitive(known, 2), known, n_classes=2)


# --- Promises of every attacker ----------------------------------------------------------


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_classes"), SETTINGS)
def test_same_bits_on_any_number_of_threads(name: str, n_classes: int | None) -> None:
    known, real = people(300, 1, gaps=0.1), people(200, 2, gaps=0.1)
    target = sensitive(known, n_classes)
    one, two = (
        attack(name, known, target, real, n_classes=n_classes, n_jobs=n_jobs).predictions[0].values
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


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
        renamed = frame.set_axis(frame.index[::-1], axis=0)
        renamed.columns = pd.Index(list(strange.values()), tupleize_cols=False)
        frames.append(renamed)
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


@pytest.mark.parametrize("name", ["boosting", "cart", "logistic"])
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
