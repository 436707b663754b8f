"""The `boosting` attackers: gradient boosting that must earn each of its iterations.

Boosting left alone is confident about noise, and RAPID counts confidence. So the number of
iterations comes from rows that the trees have not seen: five folds of the synthetic rows, or, in
large tables, one fold of the five. Zero iterations, which is the class shares (the mean), are
kept unless the best number beats them by two standard errors: on 200 rows of pure noise the best
number alone was confident in one table of five.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import (
    MAX_LEVELS,
    OrdinalEncoding,
    fit_ordinal_encoding,
)
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    Constant,
    FittedAttacker,
    Matrix,
    NumberTarget,
    RowWise,
    TrainingTask,
)

N_FOLDS = 5
MIN_SAMPLES_LEAF = 20
# Iterations of the first look; each further look doubles them ...
FIRST_ITERATIONS = 25
# ... until the best of them lies this far back.
PATIENCE = 10
STANDARD_ERRORS = 2.0
# A probability of 0 must not make one row's loss infinite.
SMALLEST_PROBABILITY = 1e-10


@dataclass(frozen=True)
class Effort:
    """How much boosting is allowed.

    Attributes:
        max_iterations: The most iterations.
        max_leaves: Leaves of a tree.
        max_rows_folded: Up to this many synthetic rows all folds are held out in turn, above it
            only the first.
    """

    max_iterations: int
    max_leaves: int
    max_rows_folded: int


FULL = Effort(max_iterations=100, max_leaves=31, max_rows_folded=10_000)
LIGHT = Effort(max_iterations=20, max_leaves=15, max_rows_folded=2_000)


def boosting(task: TrainingTask) -> FittedAttacker:
    """The default attacker."""
    return _boost(task, FULL)


def boosting_light(task: TrainingTask) -> FittedAttacker:
    """The default attacker where it runs unasked, inside the quality report."""
    return _boost(task, LIGHT)


BOOSTING = Attacker("boosting", boosting)
BOOSTING_LIGHT = Attacker("boosting_light", boosting_light)


def _boost(task: TrainingTask, effort: Effort) -> FittedAttacker:
    n_rows = len(task.target.values)
    if n_rows < 2 * MIN_SAMPLES_LEAF:
        return FittedAttacker(
            Constant(task.target.constant),
            (
                f"{n_rows} synthetic rows are too few to split a tree: "
                f"{task.target.constant_name} predict.",
            ),
        )
    # A column with fewer values than a leaf has rows is never split, and without any value it
    # cannot be binned.
    read, known, notes = fit_ordinal_encoding(
        task, missing="native", max_levels=MAX_LEVELS, min_present=MIN_SAMPLES_LEAF
    )
    folds, fold_notes = _folds(task, effort)
    notes = (*notes, *fold_notes)
    if known.shape[1] == 0:
        return FittedAttacker(Constant(task.target.constant), notes)
    new = partial(_model, task, read, effort)
    iterations, models = _choose_iterations(task, known, folds, effort, new)
    if iterations == 0:
        return FittedAttacker(Constant(task.target.constant), notes)
    if len(models) == 1:  # as early stopping does: a large table need not be learned twice
        model = models[0]
    else:
        model = new().set_params(max_iter=iterations).fit(known, task.target.values)
    return FittedAttacker(RowWise(read, _Stage(model, iterations)), notes)


@dataclass(frozen=True)
class _Stage:
    """The predictions after so many iterations."""

    model: Any
    iterations: int

    def __call__(self, known: Matrix) -> Matrix:
        is_number = isinstance(self.model, HistGradientBoostingRegressor)
        staged = self.model.staged_predict if is_number else self.model.staged_predict_proba
        found: Matrix = next(islice(staged(known), self.iterations - 1, self.iterations))
        return found


def _model(task: TrainingTask, read: OrdinalEncoding, effort: Effort) -> Any:
    is_number = isinstance(task.target, NumberTarget)
    model = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
    return model(
        max_leaf_nodes=effort.max_leaves,
        min_samples_leaf=MIN_SAMPLES_LEAF,
        categorical_features=read.is_category,
        early_stopping=False,
        random_state=task.seed,
    )


def _folds(task: TrainingTask, effort: Effort) -> tuple[list[NDArray[np.bool_]], tuple[str, ...]]:
    """The rows held out each time, every class spread evenly, and what to say about it.

    A class's only row is held out never: every part must show all classes.
    """
    n_rows = len(task.target.values)
    order = np.random.default_rng(task.random_state).permutation(n_rows)
    fold = np.empty(n_rows, dtype=np.intp)
    notes: tuple[str, ...] = ()
    if isinstance(task.target, NumberTarget):
        fold[order] = np.arange(n_rows) % N_FOLDS
    else:
        classes = task.target.values
        counts = np.bincount(classes, minlength=task.target.n_classes)
        by_class = order[np.argsort(classes[order], kind="stable")]
        fold[by_class] = np.arange(n_rows) % N_FOLDS
        fold[counts[classes] == 1] = -1
        n_small = int(np.count_nonzero(counts < N_FOLDS))
        if n_small:
            notes = (
                f"{n_small} sensitive class(es) have fewer than {N_FOLDS} synthetic rows: they "
                "are held out in fewer folds when the number of boosting iterations is chosen.",
            )
    n_folds = N_FOLDS if n_rows <= effort.max_rows_folded else 1
    return [fold == i for i in range(n_folds)], notes


def _choose_iterations(
    task: TrainingTask,
    known: Matrix,
    folds: list[NDArray[np.bool_]],
    effort: Effort,
    new: Callable[[], Any],
) -> tuple[int, list[Any]]:
    """How many iterations pay, and the models that told, one a fold."""
    models = [new().set_params(warm_start=True) for _ in folds]
    iterations = min(FIRST_ITERATIONS, effort.max_iterations)
    while True:
        losses = []
        for model, held_out in zip(models, folds, strict=True):
            model.set_params(max_iter=iterations)
            model.fit(known[~held_out], task.target.values[~held_out])
            losses.append(_losses(model, task.target, known, held_out))
        by_row = np.concatenate(losses, axis=1)
        best = int(np.argmin(by_row.mean(axis=1)))
        if iterations == effort.max_iterations or best < iterations - PATIENCE:
            return (best if _beats(by_row[best], by_row[0]) else 0), models
        iterations = min(2 * iterations, effort.max_iterations)


def _losses(
    model: Any, target: ClassTarget | NumberTarget, known: Matrix, held_out: NDArray[np.bool_]
) -> Matrix:
    """(iterations + 1, held-out rows) loss after 0, 1, ... iterations."""
    known, truth = known[held_out], target.values[held_out]
    learned = target.values[~held_out]
    if isinstance(target, NumberTarget):
        numbers = [np.full(len(truth), np.mean(learned)), *model.staged_predict(known)]
        return np.array([(truth - number) ** 2 for number in numbers])
    rows = np.arange(len(truth))
    shares = np.bincount(learned, minlength=target.n_classes) / len(learned)
    stages = (probabilities[rows, truth] for probabilities in model.staged_predict_proba(known))
    hits = np.array([shares[truth], *stages])
    losses: Matrix = -np.log(np.maximum(hits, SMALLEST_PROBABILITY))
    return losses


def _beats(losses: Matrix, shares_losses: Matrix) -> bool:
    gain = shares_losses - losses
    error = float(np.std(gain)) / np.sqrt(gain.size)
    return bool(np.mean(gain) > STANDARD_ERRORS * error)
