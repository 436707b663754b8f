"""Synthesizers that need no training, from copies of the rows to none of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class IgnoresRows:
    """Rows of its own, whatever it is fitted on."""

    source: pd.DataFrame

    def __call__(self, real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
        return self.source.sample(num_rows, replace=True, random_state=random_state)


def bootstrap(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    return real_data.sample(num_rows, replace=True, random_state=random_state)


def independent_columns(real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
    """Every column drawn by itself: the marginals and nothing else."""
    rng = np.random.default_rng(random_state)
    columns = {
        c: real_data[c].to_numpy()[rng.integers(0, len(real_data), num_rows)] for c in real_data
    }
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class LaplaceMarginals:
    """Histograms of categories with Laplace noise: each row counts once in each of d columns.

    With the domain from outside it is epsilon-private when a row is added or removed. With the
    domain taken from the rows it is not, whatever the noise.

    Attributes:
        epsilon: Claimed.
        domain: The levels of each column; None: those of the rows.
    """

    epsilon: float
    domain: Mapping[Hashable, Collection[Any]] | None

    def __call__(self, real_data: pd.DataFrame, num_rows: int, random_state: int) -> pd.DataFrame:
        rng = np.random.default_rng(random_state)
        made = {}
        for column in real_data:
            values = real_data[column]
            levels = sorted(set(values)) if self.domain is None else list(self.domain[column])
            counts = np.array([(values == level).sum() for level in levels], dtype=float)
            noisy = counts + rng.laplace(0.0, real_data.shape[1] / self.epsilon, len(levels))
            weights = np.maximum(noisy, 0.0)
            weights = weights if weights.sum() > 0 else np.ones(len(levels))
            made[column] = rng.choice(
                np.array(levels, dtype=object), num_rows, p=weights / weights.sum()
            )
        return pd.DataFrame(made)
