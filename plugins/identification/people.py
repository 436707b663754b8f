"""Training and holdout people of one number, and what happens when they change places."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class People:
    """Rows of as many training as holdout people.

    Attributes:
        training: The rows of training people.
        holdout: The rows of holdout people.
        training_rows: Their positions in the whole table.
        holdout_rows: The same.
        person: Whose row each is, training rows first: 0 to n - 1 in training, then to 2n - 1.
        n: How many people on each side.
    """

    training: pd.DataFrame
    holdout: pd.DataFrame
    training_rows: Indices
    holdout_rows: Indices
    person: Indices
    n: int


def units_of(frame: pd.DataFrame, unit: Hashable | None) -> Indices:
    """Whose row each one is, from 0; a row without a name is a person of its own.

    Args:
        frame:
            A canonical frame.
        unit:
            The column that says it; None: every row is a person.
    """
    if unit is None:
        return np.arange(len(frame))
    codes = frame[unit].cat.codes.to_numpy(dtype=np.intp)
    nameless = codes < 0
    codes = np.where(nameless, codes.max(initial=0) + 1 + np.cumsum(nameless), codes)
    return np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.intp)


def cut_to_one_size(
    training: pd.DataFrame,
    holdout: pd.DataFrame,
    unit: Hashable | None,
    generator: np.random.Generator,
) -> People:
    """As many people on both sides: a random draw of the larger, whole people, in their order.

    Args:
        training:
            Canonical frame.
        holdout:
            Canonical frame.
        unit:
            The column that says whose row it is, or None.
        generator:
            The source of the draw.
    """
    sides = [units_of(frame, unit) for frame in (training, holdout)]
    n = min(int(side.max()) + 1 for side in sides)
    (rows, person), (other_rows, other_person) = (_draw(side, n, generator) for side in sides)
    return People(
        training=training.iloc[rows],
        holdout=holdout.iloc[other_rows],
        training_rows=rows,
        holdout_rows=other_rows,
        person=np.concatenate([person, other_person + n]),
        n=n,
    )


def _draw(side: Indices, n: int, generator: np.random.Generator) -> tuple[Indices, Indices]:
    """The rows of n people, and whose they are, from 0."""
    n_side = int(side.max()) + 1
    drawn = np.sort(generator.choice(n_side, n, replace=False)) if n < n_side else np.arange(n)
    number = np.full(n_side, -1, dtype=np.intp)
    number[drawn] = np.arange(n)
    rows = np.flatnonzero(number[side] >= 0)
    return rows, number[side][rows]


def exchange(
    statistics: Sequence[Callable[[Flags], float]],
    n: int,
    n_permutations: int,
    generator: np.random.Generator,
) -> Floats:
    """What statistics would have been had other n of the 2n people been the training people.

    All statistics see the same exchanges, so their maximum can be compared with its own.

    Args:
        statistics:
            From whether each of the 2n people is called a training person.
        n:
            People on each side.
        n_permutations:
            How many exchanges.
        generator:
            Their source.

    Returns:
        (number of statistics, n_permutations).
    """
    null = np.empty((len(statistics), n_permutations))
    for b in range(n_permutations):
        in_training = np.zeros(2 * n, dtype=np.bool_)
        in_training[generator.permutation(2 * n)[:n]] = True
        for i, statistic in enumerate(statistics):
            null[i, b] = statistic(in_training)
    return null
