"""Generators that need no training: from exact copies of the training rows to a fresh sample.

Each is a function (training rows, fresh rows, generator) -> synthetic rows. Only `fresh` looks at
the fresh rows, which nobody else sees.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

Generator = Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], pd.DataFrame]


def exact_copy(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """The training rows themselves."""
    return training.copy()


def fresh_sample(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """Other rows of the same population: nothing leaks."""
    return fresh.copy()


def noisy_copy(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator, scale: float
) -> pd.DataFrame:
    """Each number moved by a normal of `scale` standard deviations of its column."""
    copied = training.copy()
    for column in _numbers(training):
        noise = rng.normal(0, scale * float(training[column].std()), len(training))
        copied[column] = training[column] + noise
    return copied


def interpolation(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """As SMOTE does: a point between a training row and one of its five nearest.

    Numbers lie between the two, categories are one's or the other's.
    """
    numbers = _numbers(training)
    values = training[numbers].to_numpy(dtype=float)
    values = np.where(np.isnan(values), np.nanmedian(values, axis=0), values)
    scaled = values / np.maximum(values.std(axis=0), 1e-12)
    distance = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1)[:, :5]
    rows = rng.integers(0, len(training), len(training))
    others = nearest[rows, rng.integers(0, nearest.shape[1], len(training))]
    share = rng.random((len(training), 1))
    between = values[rows] + share * (values[others] - values[rows])
    taken = training.iloc[rows].reset_index(drop=True)
    swapped = training.iloc[others].reset_index(drop=True)
    made = taken.where(rng.random(taken.shape) < 0.5, swapped)
    return made.assign(**{column: between[:, i] for i, column in enumerate(numbers)})


GENERATORS: dict[str, Generator] = {
    "exact copy": exact_copy,
    "noisy copy 0.1": partial(noisy_copy, scale=0.1),
    "noisy copy 0.3": partial(noisy_copy, scale=0.3),
    "noisy copy 1.0": partial(noisy_copy, scale=1.0),
    "interpolation": interpolation,
    "fresh sample": fresh_sample,
}


def _numbers(frame: pd.DataFrame) -> list[str]:
    return [c for c in frame if frame[c].dtype.kind in "if"]
