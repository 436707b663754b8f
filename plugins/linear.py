"""The `linear` attacker: least squares, of minimum norm where columns are redundant."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.plugins.attack_problem import Answer, Problem, standardised_dummies


def linear(problem: Problem) -> Answer:
    """Predict numbers by least squares on standardised dummies."""
    design = standardised_dummies(problem)
    mean = float(np.mean(problem.target))
    coefficients = np.linalg.lstsq(design.known, problem.target - mean, rcond=None)[0]
    return Answer([table @ coefficients + mean for table in design.tables], design.notes)
