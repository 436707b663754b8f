"""Small tables and attackers that the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

METADATA = {
    "columns": {
        "age": {"sdtype": "numerical"},
        "sex": {"sdtype": "categorical"},
        "income": {"sdtype": "categorical"},
        "wage": {"sdtype": "numerical"},
        "id": {"sdtype": "id"},
    },
    "primary_key": "id",
}


def people(n: int, seed: int, signal: float = 2.0) -> pd.DataFrame:
    """People whose income and wage depend on their age and sex as strongly as `signal` says."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    sex = rng.choice(["f", "m"], n)
    leaning = signal * ((age - 49) / 18 + (sex == "m") - 0.5) + rng.normal(size=n)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "age": age,
            "sex": sex,
            "income": np.where(leaning > 0, "high", "low"),
            "wage": np.round(np.exp(2 + 0.3 * leaning), 2),
        }
    )


def independent(n: int, seed: int, share: float = 0.05) -> pd.DataFrame:
    """A sensitive class of exactly this share that has nothing to do with the known columns."""
    rng = np.random.default_rng(seed)
    ill = rng.permutation(np.arange(n) < round(share * n))
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "height": rng.normal(170, 10, n),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(list("abcde"), n),
            "ill": np.where(ill, "yes", "no"),
        }
    )


PATIENTS = {
    "columns": {
        **{f"value_{i}": {"sdtype": "numerical"} for i in range(6)},
        "ward": {"sdtype": "categorical"},
        "smoker": {"sdtype": "boolean"},
    }
}


def patients(n: int, seed: int) -> pd.DataFrame:
    """Patients with enough columns that no two are alike."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    values = 0.6 * common + rng.normal(size=(n, 6))
    frame = pd.DataFrame(values, columns=[f"value_{i}" for i in range(6)])
    frame["ward"] = rng.choice(["east", "north", "west"], n, p=[0.5, 0.3, 0.2])
    frame["smoker"] = common[:, 0] + rng.normal(size=n) > 1
    return frame


class LookUp(ClassifierMixin, BaseEstimator):
    """An attacker whose probabilities are given: the known column is the row in its table."""

    def __init__(self, table: Any = None) -> None:
        self.table = table

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> LookUp:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.table, dtype=float)[X[:, 0].astype(int)][:, : len(self.classes_)]

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Guess(RegressorMixin, BaseEstimator):
    """An attacker whose guesses are given: the known column is the row in its table."""

    def __init__(self, table: Any = None) -> None:
        self.table = table

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64]) -> Guess:
        self.is_fitted_ = True
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.table, dtype=float)[X[:, 0].astype(int)]
