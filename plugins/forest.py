"""The `forest` attacker: the default of the authors' R package, in scikit-learn's terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from sdmetrics_disclosure.plugins.attack_problem import Answer, Matrix, Problem, codes

N_TREES = 500
# Comes nearest to ranger, which does not split nodes of 10 rows or fewer (5 for numbers).
MIN_SAMPLES_SPLIT = 7
# Trees in memory at a time.
BATCH = 50


def forest(problem: Problem) -> Answer:
    """Predict by the average leaf shares (means) of 500 trees on level codes."""
    design = codes(problem, missing="indicator")
    known = design.known.astype(np.float32)
    tables = [table.astype(np.float32) for table in design.tables]
    shape = () if problem.n_classes is None else (problem.n_classes,)
    totals = [np.zeros((len(table), *shape)) for table in tables]
    for seed in problem.random_state.generate_state(N_TREES // BATCH):
        trees = _grow(problem, known, int(seed))
        for table, total in zip(tables, totals, strict=True):
            _add_predictions(trees, table, total, problem.n_jobs)
    return Answer([total / N_TREES for total in totals])


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
