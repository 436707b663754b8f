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

from sdmetrics_disclosure.plugins.attackers.problem import Codes, Learned, Matrix, Problem, codes

N_TREES = 500
# Comes nearest to ranger, which does not split nodes of 10 rows or fewer (5 for numbers).
MIN_SAMPLES_SPLIT = 7
# Trees in memory at a time.
BATCH = 50


@dataclass(frozen=True)
class Forest:
    """500 trees, grown in batches: while predicting, or once for all.

    Attributes:
        problem: What to learn from.
        read: How a table becomes a matrix.
        known: The synthetic rows' matrix.
        trees: The batches, where they were grown once for all.
    """

    problem: Problem
    read: Codes
    known: Any
    trees: tuple[Sequence[Any], ...] | None = None

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`; at most one batch of trees is in memory unless they were `grown`."""
        n_classes = self.problem.n_classes
        shape = () if n_classes is None else (n_classes,)
        matrices = [self.read(table).astype(np.float32) for table in tables]
        totals = [np.zeros((len(table), *shape)) for table in tables]
        for trees in self.trees or self._batches():
            for matrix, total in zip(matrices, totals, strict=True):
                _add_predictions(trees, matrix, total, self.problem.n_jobs)
        return [total / N_TREES for total in totals]

    def grown(self) -> Forest:
        """The same with all trees in memory, for who asks many times."""
        problem = self.problem
        small = replace(problem, known=problem.known.iloc[:0], target=problem.target[:0], n_jobs=1)
        return replace(self, problem=small, trees=tuple(self._batches()), known=None)

    def _batches(self) -> Iterator[Sequence[Any]]:
        for seed in self.problem.random_state.generate_state(N_TREES // BATCH):
            yield _grow(self.problem, self.known, int(seed))


def forest(problem: Problem) -> Learned:
    """Predict by the average leaf shares (means) of 500 trees on level codes."""
    read, known, _ = codes(problem, missing="indicator")
    return Learned(Forest(problem, read, known.astype(np.float32)))


def _grow(problem: Problem, known: Any, seed: int) -> Sequence[Any]:
    model = RandomForestRegressor if problem.n_classes is None else RandomForestClassifier
    trees: Sequence[Any] = (
        model(
            n_estimators=BATCH,
            max_features=math.isqrt(problem.known.shape[1]),
            min_samples_split=MIN_SAMPLES_SPLIT,
            random_state=seed,
            n_jobs=problem.n_jobs,
        )
        .fit(known, problem.target)
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
