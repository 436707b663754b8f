"""scikit-learn estimators as attackers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sdmetrics_disclosure.adapters.release.kinds import Kind
from tests.helpers.attacks import (
    TOWNS,
    attack,
    people,
    probabilities,
    sensitive,
)


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
