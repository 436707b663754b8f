"""The `forest` attacker: the default of the authors' R package, in scikit-learn's terms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import OrdinalEncoding, fit_ordinal_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
    FittedAttacker,
    Matrix,
    NumberTarget,
    Predictor,
    TrainingTask,
)

N_TREES = 500
# Comes nearest to ranger, which does not split nodes of 10 rows or fewer (5 for numbers).
MIN_SAMPLES_SPLIT = 7
# Trees in memory at a time.
BATCH = 50


@dataclass(frozen=True)
class Forest(Predictor):
    """500 trees, grown in batches: while predicting, or once for all.

    Attributes:
        task: What to learn from.
        read: How a table becomes a matrix.
        known: The synthetic rows' matrix.
        shape: Of one row's prediction.
        trees: The batches, where they were grown once for all.
    """

    task: TrainingTask
    read: OrdinalEncoding
    known: Any
    shape: tuple[int, ...]
    trees: tuple[Sequence[Any], ...] | None = None

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`; one batch of trees is in memory, or all if `for_many_tables`."""
        matrices = [self.read(table).astype(np.float32) for table in tables]
        totals = [np.zeros((len(table), *self.shape)) for table in tables]
        for trees in self.trees or self._batches():
            for matrix, total in zip(matrices, totals, strict=True):
                _add_predictions(trees, matrix, total, self.task.n_jobs)
        return [total / N_TREES for total in totals]

    def for_many_tables(self) -> Forest:
        """See `Predictor`; all trees are in memory."""
        task, target = self.task, self.task.target
        no_values: Any = target.values[:0]
        no_target = replace(target, values=no_values)
        small = replace(task, known=task.known.iloc[:0], target=no_target, n_jobs=1)
        return replace(self, task=small, trees=tuple(self._batches()), known=None)

    def _batches(self) -> Iterator[Sequence[Any]]:
        for seed in self.task.random_state.generate_state(N_TREES // BATCH):
            yield _grow(self.task, self.known, int(seed))


def forest(task: TrainingTask) -> FittedAttacker:
    """Predict by the average leaf shares (means) of 500 trees on level codes."""
    read, known, _ = fit_ordinal_encoding(task, missing="indicator")
    shape = task.target.constant.shape
    return FittedAttacker(Forest(task, read, known.astype(np.float32), shape))


FOREST = Attacker("forest", forest)


def _grow(task: TrainingTask, known: Any, seed: int) -> Sequence[Any]:
    is_number = isinstance(task.target, NumberTarget)
    model = RandomForestRegressor if is_number else RandomForestClassifier
    trees: Sequence[Any] = (
        model(
            n_estimators=BATCH,
            max_features=math.isqrt(task.known.shape[1]),
            min_samples_split=MIN_SAMPLES_SPLIT,
            random_state=seed,
            n_jobs=task.n_jobs,
        )
        .fit(known, task.target.values)
        .estimators_
    )
    return trees


def _add_predictions(trees: Sequence[Any], table: Any, total: Matrix, n_jobs: int) -> None:
    # scikit-learn adds in the order in which threads finish; here it is the trees' order, so
    # that the bits do not depend on the number of threads.
    predictions = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(_predict)(tree, table) for tree in trees
    )
    for prediction in predictions:
        total += prediction


def _predict(tree: Any, table: Any) -> Matrix:
    prediction: Matrix = (
        tree.predict_proba(table, check_input=False)
        if hasattr(tree, "predict_proba")
        else tree.predict(table, check_input=False)
    )
    return prediction
