"""The `boosting` attackers: gradient boosting that must earn each of its iterations.

Boosting left alone is confident about noise, and RAPID counts confidence. So the number of
iterations comes from rows that the trees have not seen: five folds of the synthetic rows, or, in
large tables, one fold of the five. Zero iterations, which is the class shares (the mean), are
kept unless the best number beats them by two standard errors: on 200 rows of pure noise the best
number alone was confident in one table of five. Rows that are equal in all known columns are held
out together: else a bootstrap of noise would be learned by heart.

Who guesses numbers and knows what a hit is tries what hits most of the rows held out: the best
constant, trees that lower the squared or the absolute error, and the best window among the values
of the nearest rows. The constant is kept unless one of them beats it by two standard errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from sdmetrics_disclosure.plugins.attackers.own_record import NearestWindow, distances_to
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    Constant,
    FittedAttacker,
    Matrix,
    NumberTarget,
    Predictor,
    RowWise,
    TrainingTask,
)
from sdmetrics_disclosure.plugins.common.folds import (
    first_equal,
    spread_classes_over_folds,
    spread_over_folds,
)
from sdmetrics_disclosure.plugins.common.hits import HitRule, beats

N_FOLDS = 5
MIN_SAMPLES_LEAF = 20
# Iterations of the first look; each further look doubles them ...
FIRST_ITERATIONS = 25
# ... until the best of them lies this far back.
PATIENCE = 10
STANDARD_ERRORS = 2.0
# What trees lower that guess numbers.
SQUARED, ABSOLUTE = "squared_error", "absolute_error"
LOSSES = (SQUARED, ABSOLUTE)
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
        note = (
            f"{n_rows} synthetic rows are too few to split a tree: {task.target.constant_name} "
            "predict."
        )
        return FittedAttacker(Constant(task.target.constant), (note,))
    # A column with fewer values than a leaf has rows is never split, and without any value it
    # cannot be binned.
    read, known, notes = fit_ordinal_encoding(
        task, missing="native", max_levels=MAX_LEVELS, min_present=MIN_SAMPLES_LEAF
    )
    if known.shape[1] == 0:
        return FittedAttacker(Constant(task.target.constant), notes)
    folds, fold_notes = _folds(task, known, effort)
    notes = (*notes, *fold_notes)
    trees = Trees(task, read, known, folds, effort)
    if isinstance(task.target, NumberTarget) and task.target.rule is not None:
        return FittedAttacker(_most_hits(trees, task.target, task.target.rule), notes)
    return FittedAttacker(trees.grow().predictor(), notes)


@dataclass(frozen=True)
class Trees:
    """Boosted trees, before or after their number was chosen.

    Attributes:
        task: What to learn from.
        read: How a table becomes a matrix.
        known: The synthetic rows' matrix.
        folds: The rows held out each time.
        effort: How much is allowed.
        loss: What they lower; None: log-loss or squared error.
        iterations: How many pay.
        models: One a fold, grown on the other rows.
    """

    task: TrainingTask
    read: OrdinalEncoding
    known: Matrix
    folds: list[NDArray[np.bool_]]
    effort: Effort
    loss: str | None = None
    iterations: int = 0
    models: tuple[Any, ...] = ()

    def grow(self, loss: str | None = None) -> Trees:
        """Choose the number of iterations."""
        asked = replace(self, loss=loss)
        iterations, models = _choose_iterations(asked)
        return replace(asked, iterations=iterations, models=tuple(models))

    def new(self) -> Any:
        """An empty model."""
        settings = {} if self.loss is None else {"loss": self.loss}
        is_number = isinstance(self.task.target, NumberTarget)
        model = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
        return model(
            max_leaf_nodes=self.effort.max_leaves,
            min_samples_leaf=MIN_SAMPLES_LEAF,
            categorical_features=self.read.is_category,
            early_stopping=False,
            random_state=self.task.seed,
            **settings,
        )

    def predictor(self) -> Predictor:
        """What they have learned from all rows."""
        if self.iterations == 0:
            return Constant(_without_trees(self.task.target, self.task.target.values, self.loss))
        if len(self.models) == 1:  # as early stopping does: a large table is not learned twice
            model = self.models[0]
        else:
            model = self.new().set_params(max_iter=self.iterations)
            model.fit(self.known, self.task.target.values)
        return RowWise(self.read, _Stage(model, self.iterations))

    def held_out(self) -> list[Matrix]:
        """The numbers guessed for the rows of each fold by who has not seen them."""
        values = self.task.target.values
        if self.iterations == 0:
            constants = [
                _without_trees(self.task.target, values[~f], self.loss) for f in self.folds
            ]
            return [np.full(int(f.sum()), c) for f, c in zip(self.folds, constants, strict=True)]
        stages = [_Stage(model, self.iterations) for model in self.models]
        return [stage(self.known[f]) for stage, f in zip(stages, self.folds, strict=True)]


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


def _most_hits(trees: Trees, target: NumberTarget, rule: HitRule) -> Predictor:
    """What hits most of the rows held out."""
    task, folds, values = trees.task, trees.folds, target.values
    distances = distances_to(task.known, task.kinds)
    window = NearestWindow(distances, values, rule, task.n_jobs)
    grown = [trees.grow(loss) for loss in LOSSES]
    tried: list[tuple[list[Matrix], Callable[[], Predictor]]] = [
        (each.held_out(), each.predictor) for each in grown
    ]
    tried.append(([window.learned_on(~f)([task.known[f]])[0] for f in folds], lambda: window))
    constants = [np.full(int(f.sum()), rule.best_constant(values[~f])) for f in folds]
    truth = np.concatenate([values[f] for f in folds])
    by_constant = rule.hits(truth, np.concatenate(constants))
    hits = [rule.hits(truth, np.concatenate(guesses)) for guesses, _ in tried]
    best = int(np.argmax([each.mean() for each in hits]))
    if beats(hits[best], by_constant, STANDARD_ERRORS):
        return tried[best][1]()
    return Constant(target.constant)


def _folds(
    task: TrainingTask, known: Matrix, effort: Effort
) -> tuple[list[NDArray[np.bool_]], tuple[str, ...]]:
    """The rows held out each time, every class spread evenly, and what to say about it.

    Rows that are equal in all known columns are held out together, unless there are as many as a
    leaf must have: then they are a pattern.
    """
    n_rows, target = len(known), task.target
    order = np.random.default_rng(task.random_state).permutation(n_rows)
    leader = first_equal(known, MIN_SAMPLES_LEAF)
    n_small = 0
    if isinstance(target, NumberTarget):
        fold = spread_over_folds(order, leader, N_FOLDS)
    else:
        fold = spread_classes_over_folds(order, leader, N_FOLDS, target.values)
        n_small = int(np.count_nonzero(np.bincount(target.values) < N_FOLDS))
    small = (
        f"{n_small} sensitive class(es) have fewer than {N_FOLDS} synthetic rows: they are held "
        "out in fewer folds when the number of boosting iterations is chosen.",
    )
    n_folds = N_FOLDS if n_rows <= effort.max_rows_folded else 1
    return [fold == i for i in range(n_folds)], small if n_small else ()


def _choose_iterations(trees: Trees) -> tuple[int, list[Any]]:
    """How many iterations pay, and the models that told, one a fold."""
    effort, values = trees.effort, trees.task.target.values
    models = [trees.new().set_params(warm_start=True) for _ in trees.folds]
    iterations = min(FIRST_ITERATIONS, effort.max_iterations)
    while True:
        losses = []
        for model, held_out in zip(models, trees.folds, strict=True):
            model.set_params(max_iter=iterations)
            model.fit(trees.known[~held_out], values[~held_out])
            losses.append(_losses(model, trees, held_out))
        by_row = np.concatenate(losses, axis=1)
        best = int(np.argmin(by_row.mean(axis=1)))
        if iterations == effort.max_iterations or best < iterations - PATIENCE:
            return (best if _pays(by_row[best], by_row[0]) else 0), models
        iterations = min(2 * iterations, effort.max_iterations)


def _losses(model: Any, trees: Trees, held_out: NDArray[np.bool_]) -> Matrix:
    """(iterations + 1, held-out rows) loss after 0, 1, ... iterations."""
    target = trees.task.target
    known, truth = trees.known[held_out], target.values[held_out]
    constant = _without_trees(target, target.values[~held_out], trees.loss)
    if isinstance(target, NumberTarget):
        numbers = [np.full(len(truth), constant), *model.staged_predict(known)]
        power = 1 if trees.loss == ABSOLUTE else 2
        return np.array([np.abs(truth - number) ** power for number in numbers])
    rows = np.arange(len(truth))
    stages = (probabilities[rows, truth] for probabilities in model.staged_predict_proba(known))
    hits = np.array([constant[truth], *stages])
    losses: Matrix = -np.log(np.maximum(hits, SMALLEST_PROBABILITY))
    return losses


def _without_trees(
    target: ClassTarget | NumberTarget, values: NDArray[Any], loss: str | None
) -> Matrix:
    """What predicts before the first tree: class shares, the mean or the median."""
    if isinstance(target, ClassTarget):
        return np.bincount(values, minlength=target.n_classes) / len(values)
    return np.asarray(np.median(values) if loss == ABSOLUTE else np.mean(values))


def _pays(losses: Matrix, shares_losses: Matrix) -> bool:
    gain = shares_losses - losses
    error = float(np.std(gain)) / np.sqrt(gain.size)
    return bool(np.mean(gain) > STANDARD_ERRORS * error)
