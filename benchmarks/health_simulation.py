"""The simulated health microdata of the paper: a table whose dependency is one number."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

KNOWN = ("gender", "age", "education", "income", "health_score")
SENSITIVE = "disease"
# The first column is drawn as it is, each next one from those before it.
VISIT_ORDER = (*KNOWN, SENSITIVE)
EDUCATION = ("low", "medium", "high")
DISEASE = ("healthy", "diabetic", "hypertensive")

Floats = NDArray[np.float64]


def simulate(kappa: float, rng: np.random.Generator, n: int = 1000) -> pd.DataFrame:
    """Draw n people.

    Args:
        kappa:
            How strongly the columns depend on each other: 0 is not at all, 50 nearly all.
        rng:
            Where the draws come from.
        n:
            Number of people.
    """
    weight, noise = np.sqrt(kappa / (1 + kappa)), np.sqrt(1 / (1 + kappa))

    def mixed(signal: Floats) -> Floats:
        return weight * signal + noise * rng.normal(size=n)

    age = _truncated_normal(45, 15, 18, 90, n, rng)
    status = rng.normal(size=n)  # socio-economic, not released
    education = np.digitize(mixed(0.8 * status - 0.4 * _z(age)), [-0.3, 0.7])
    log_income = 10 + mixed(0.5 * status + 0.3 * _z(age) + 0.25 * education)
    health = mixed(0.6 * status - 0.5 * _z(age) + 0.2 * education + 0.2 * _z(log_income))
    diabetic = -1.5 + kappa * (0.8 * _z(age) - 0.3 * _z(log_income) - 0.2 * education)
    hypertensive = -1.3 + kappa * (1.0 * _z(age) - 0.2 * _z(log_income) - 0.1 * education)
    disease = _multinomial(np.column_stack([np.zeros(n), diabetic, hypertensive]), rng)
    male = weight * (0.3 * status - 0.2 * _z(age) + 0.2 * education)
    return pd.DataFrame(
        {
            "gender": np.where(rng.random(n) < _logistic(male), "male", "female"),
            "age": age,
            "education": pd.Categorical.from_codes(education, EDUCATION, ordered=True),
            "income": np.exp(log_income),
            "health_score": 100 * _logistic(health),
            "disease": pd.Categorical.from_codes(disease, DISEASE),
        }
    )


def _z(values: Floats) -> Floats:
    return (values - values.mean()) / values.std(ddof=1)


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)))


def _truncated_normal(
    mean: float, deviation: float, low: float, high: float, n: int, rng: np.random.Generator
) -> Floats:
    values = rng.normal(mean, deviation, n)
    while (outside := (values < low) | (values > high)).any():
        values[outside] = rng.normal(mean, deviation, np.count_nonzero(outside))
    return values


def _multinomial(scores: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((rng.random((len(scores), 1)) > shares.cumsum(axis=1)[:, :-1]).sum(axis=1))
