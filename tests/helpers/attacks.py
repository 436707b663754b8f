"""Known columns of every kind, and attacks on what depends on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.task import ClassTarget, NumberTarget
from sdmetrics_disclosure.plugins.attackers.training import (
    Attack,
    Prediction,
    run_attacker,
)
from sdmetrics_disclosure.plugins.hooks.builtin import register_attackers

OURS = register_attackers()
FOR_CLASSES = sorted(each.name for each in OURS if ClassTarget in each.targets)
FOR_NUMBERS = sorted(each.name for each in OURS if NumberTarget in each.targets)
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
