"""The `logistic` attacker: unpenalised maximum likelihood, two classes or more.

Newton's method on standardised dummies, stopped as R's `glm` stops: probabilities agree with R's,
also where classes can be separated, the likelihood has no maximum, and the rule for stopping is
all there is. A step that lowers the likelihood is damped.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, LinAlgWarning, solve, solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import fit_one_hot_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    FittedAttacker,
    Matrix,
    RowWise,
    TrainingTask,
)

MAX_ITERATIONS = 25
DEVIANCE_TOLERANCE = 1e-8
ROUNDING = 1e-12
# R starts from probabilities of 3/4 for what was observed; its first step is this much longer
# than Newton's from 1/2.
FIRST_STEP = (np.log(3.0) + 4.0 / 3.0) / 2.0
# At a maximum the last step moves no row's log-odds by this much; under separation every step
# moves some by about 1.
SETTLED = 0.1
# A column whose share of this is all that the columns before it leave of it is redundant.
REDUNDANT = 1e-7
# More coefficients than this make the Hessian the slow part.
MAX_NEWTON_COEFFICIENTS = 600
LBFGS_ITERATIONS = 500
MAX_DAMPING = 1e3

SEPARATED = (
    "logistic: the log-odds still grew when the fit stopped: synthetic classes can be separated, "
    "the likelihood has no maximum, and probabilities near 0 and 1 mean little."
)
UNFINISHED = "logistic: the fit reached its limit of iterations before the likelihood settled."
APPROXIMATE = "logistic: so many coefficients that they were fitted by L-BFGS, to about 1e-4."


@dataclass(frozen=True)
class Fit:
    """Coefficients, (d, n_classes - 1) against the first class, and what to say about them."""

    coefficients: Matrix
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Probabilities:
    coefficients: Matrix
    keep: list[int]

    def __call__(self, known: Matrix) -> Matrix:
        logs = _log_probabilities(_with_constant(known)[:, self.keep], self.coefficients)
        return np.asarray(np.exp(logs))


def logistic(task: TrainingTask) -> FittedAttacker:
    """Predict class probabilities by (multinomial) logistic regression."""
    assert isinstance(task.target, ClassTarget)
    read, matrix, notes = fit_one_hot_encoding(task)
    known = _with_constant(matrix)
    keep = independent_columns(known)
    known = np.ascontiguousarray(known[:, keep])
    n_coefficients = len(keep) * (task.target.n_classes - 1)
    solver = newton if n_coefficients <= MAX_NEWTON_COEFFICIENTS else _lbfgs
    fit = solver(known, task.target.values, task.target.n_classes)
    model = _Probabilities(fit.coefficients, keep)
    return FittedAttacker(RowWise(read, model), (*notes, *fit.notes))


LOGISTIC = Attacker("logistic", logistic, targets=(ClassTarget,))


def _with_constant(matrix: Matrix) -> Matrix:
    return np.column_stack([np.ones(len(matrix)), matrix])


def independent_columns(matrix: Matrix) -> list[int]:
    """Positions of the columns that those to their left do not determine."""
    triangle = _triangle(matrix)  # the same lengths and angles, in few rows
    directions = np.empty((triangle.shape[0], 0))
    keep = []
    for position, column in enumerate(triangle.T):
        rest = column - directions @ (directions.T @ column)
        rest -= directions @ (directions.T @ rest)  # once is not enough in floating point
        length = np.linalg.norm(rest)
        if length > REDUNDANT * np.linalg.norm(column):
            keep.append(position)
            directions = np.column_stack([directions, rest / length])
    return keep


def _triangle(matrix: Matrix) -> Matrix:
    triangle: Matrix = np.asarray(np.linalg.qr(matrix, mode="r"))
    return triangle


def newton(known: Matrix, classes: NDArray[np.intp], n_classes: int) -> Fit:
    """Maximise the likelihood.

    Args:
        known:
            (n, d) independent columns, the constant among them.
        classes:
            (n,) classes 0 to `n_classes` - 1.
        n_classes:
            Number of classes, each of which occurs.
    """
    coefficients = np.zeros((known.shape[1], n_classes - 1))
    logs = _log_probabilities(known, coefficients)
    deviance, damping, moved = _deviance(logs, classes), 0.0, np.inf
    length = FIRST_STEP if n_classes == 2 else 1.0
    for _ in range(MAX_ITERATIONS):
        was = deviance
        gradient, hessian = _derivatives(known, classes, np.exp(logs))
        while True:
            step = length * _step(gradient, hessian, damping * len(known))
            logs = _log_probabilities(known, coefficients + step)
            deviance = _deviance(logs, classes)
            if deviance <= was * (1 + ROUNDING) or damping > MAX_DAMPING:
                break
            damping, length = max(10 * damping, 1e-9), 1.0
        coefficients += step
        damping, length = (damping / 10 if damping > 1e-12 else 0.0), 1.0
        moved = float(np.max(np.abs(known @ step)))
        if abs(deviance - was) / (abs(deviance) + 0.1) < DEVIANCE_TOLERANCE:
            return Fit(coefficients, (SEPARATED,) if moved > SETTLED else ())
    return Fit(coefficients, (SEPARATED if moved > SETTLED else UNFINISHED,))


def _log_probabilities(known: Matrix, coefficients: Matrix) -> Matrix:
    scores = np.column_stack([np.zeros(len(known)), known @ coefficients])
    scores -= scores.max(axis=1, keepdims=True)
    logs: Matrix = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return logs


def _deviance(logs: Matrix, classes: NDArray[np.intp]) -> float:
    return float(-2 * np.sum(logs[np.arange(len(classes)), classes]))


def _derivatives(
    known: Matrix, classes: NDArray[np.intp], probabilities: Matrix
) -> tuple[Matrix, Matrix]:
    """Gradient (m, d) and Hessian (m, d, m, d) of the likelihood, m = classes - 1."""
    n_columns, m = known.shape[1], probabilities.shape[1] - 1
    gradient = np.empty((m, n_columns))
    hessian = np.empty((m, n_columns, m, n_columns))
    for a in range(m):
        share = probabilities[:, a + 1]
        gradient[a] = ((classes == a + 1) - share) @ known
        for b in range(a + 1):
            weight = share * ((a == b) - probabilities[:, b + 1])
            hessian[a, :, b] = hessian[b, :, a] = (known * weight[:, None]).T @ known
    return gradient, hessian


def _step(gradient: Matrix, hessian: Matrix, ridge: float) -> Matrix:
    size = gradient.size
    matrix = hessian.reshape(size, size) + ridge * np.eye(size)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)
            flat: Matrix = solve(matrix, gradient.ravel(), assume_a="pos")
    except LinAlgError:
        flat = np.asarray(np.linalg.lstsq(matrix, gradient.ravel(), rcond=1e-13)[0])
    return flat.reshape(gradient.shape).T


def _lbfgs(known: Matrix, classes: NDArray[np.intp], n_classes: int) -> Fit:
    # On orthogonal columns: on the dummies as they are L-BFGS does not arrive.
    triangle = _triangle(known) / np.sqrt(len(known))
    orthogonal = solve_triangular(triangle, known.T, trans="T").T
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-6, max_iter=LBFGS_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(orthogonal, classes)
    weights = (model.coef_[1:] - model.coef_[0]) if n_classes > 2 else model.coef_
    unfinished = (UNFINISHED,) if int(model.n_iter_[0]) >= LBFGS_ITERATIONS else ()
    return Fit(solve_triangular(triangle, weights.T), (APPROXIMATE, *unfinished))
