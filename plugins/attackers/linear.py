"""The `linear` attacker: least squares, of minimum norm where columns are redundant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdmetrics_disclosure.plugins.attackers.catalog import Attacker
from sdmetrics_disclosure.plugins.attackers.encodings import fit_one_hot_encoding
from sdmetrics_disclosure.plugins.attackers.task import (
    FittedAttacker,
    Matrix,
    NumberTarget,
    RowWise,
    TrainingTask,
)


@dataclass(frozen=True)
class _Line:
    coefficients: Matrix
    mean: float

    def __call__(self, known: Matrix) -> Matrix:
        return np.asarray(known @ self.coefficients + self.mean)


def linear(task: TrainingTask) -> FittedAttacker:
    """Predict numbers by least squares on standardised dummies."""
    read, known, notes = fit_one_hot_encoding(task)
    mean = float(np.mean(task.target.values))
    coefficients = np.asarray(np.linalg.lstsq(known, task.target.values - mean, rcond=None)[0])
    return FittedAttacker(RowWise(read, _Line(coefficients, mean)), notes)


LINEAR = Attacker("linear", linear, targets=(NumberTarget,))
