"""Any scikit-learn estimator as the attacker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from sdmetrics_disclosure.plugins.attackers.catalog import TargetType
from sdmetrics_disclosure.plugins.attackers.encodings import fit_ordinal_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    FittedAttacker,
    Matrix,
    NumberTarget,
    RowWise,
    TrainingTask,
)
from sdmetrics_disclosure.plugins.common.messages import mask


def check_estimator(estimator: Any, target: TargetType) -> None:
    """Refuse what cannot predict the sensitive column.

    Raises:
        TypeError: If `estimator` cannot be fitted and asked for predictions.
        ValueError: If it is a regressor and classes are sensitive, or the reverse.
    """
    name = type(estimator).__name__
    if not all(hasattr(estimator, method) for method in ("fit", "predict", "get_params")):
        raise TypeError(
            f"`attacker` is a {name}; pass a name or a scikit-learn estimator with `fit` and "
            "`predict`."
        )
    if target is NumberTarget and is_classifier(estimator):
        raise ValueError(
            f"`attacker` {name} is a classifier, but the sensitive column holds numbers; pass a "
            "regressor."
        )
    if target is ClassTarget and is_regressor(estimator):
        raise ValueError(
            f"`attacker` {name} is a regressor, but the sensitive column holds classes; pass a "
            "classifier."
        )


@dataclass(frozen=True)
class _Asked:
    """A fitted estimator's predictions.

    Attributes:
        model: The estimator.
        n_classes: How many probabilities a row has; None for numbers.
    """

    model: Any
    n_classes: int | None

    def __call__(self, known: Matrix) -> Matrix:
        with _named(self.model, known):
            if self.n_classes is None:
                return np.asarray(self.model.predict(known), dtype=np.float64).reshape(len(known))
            return _probabilities(self.model, known, self.n_classes)


def fit_estimator(estimator: Any, task: TrainingTask) -> FittedAttacker:
    """Fit a copy of the estimator on level codes.

    Gaps in numbers are the synthetic median with a 0/1 column beside it; an unknown level is -1.

    Raises:
        ValueError: If the estimator fails, naming it and keeping the cause.
    """
    read, known, notes = fit_ordinal_encoding(task, missing="indicator")
    model = _seeded(clone(estimator), task.seed)
    with _named(estimator, known):
        model.fit(known, task.target.values)
    n_classes = task.target.n_classes if isinstance(task.target, ClassTarget) else None
    return FittedAttacker(RowWise(read, _Asked(model, n_classes)), notes)


@contextmanager
def _named(estimator: Any, known: Matrix) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        n_rows, n_columns = known.shape
        raise ValueError(
            f"`attacker` {type(estimator).__name__} failed on {n_rows} rows with {n_columns} "
            f"encoded known columns: {mask(error)}"
        ) from error


def _seeded(model: Any, seed: int) -> Any:
    """Give a seed to every random state, nested ones too, that the user left open."""
    open_states = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**open_states)


def _probabilities(model: Any, table: Matrix, n_classes: int) -> Matrix:
    if not hasattr(model, "predict_proba"):
        predicted = np.asarray(model.predict(table)).reshape(len(table), 1)
        certain: Matrix = (predicted == np.arange(n_classes)).astype(np.float64)
        return certain
    probabilities = np.zeros((len(table), n_classes))
    probabilities[:, np.asarray(model.classes_, dtype=np.intp)] = model.predict_proba(table)
    return probabilities
