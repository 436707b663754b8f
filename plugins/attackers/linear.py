"""The `linear` attacker: least squares, of minimum norm where columns are redundant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdmetrics_disclosure.plugins.attackers.problem import (
    Learned,
    Matrix,
    Problem,
    RowWise,
    standardised_dummies,
)


@dataclass(frozen=True)
class _Line:
    coefficients: Matrix
    mean: float

    def __call__(self, known: Matrix) -> Matrix:
        return np.asarray(known @ self.coefficients + self.mean)


def linear(problem: Problem) -> Learned:
    """Predict numbers by least squares on standardised dummies."""
    read, known, notes = standardised_dummies(problem)
    mean = float(np.mean(problem.target))
    coefficients = np.asarray(np.linalg.lstsq(known, problem.target - mean, rcond=None)[0])
    return Learned(RowWise(read, _Line(coefficients, mean)), notes)
