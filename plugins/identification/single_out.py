"""How many predicates that single out a synthetic row single out a training person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.identification.people import People
from sdmetrics_disclosure.plugins.identification.predicates import (
    Matches,
    Predicates,
    SyntheticRows,
    one_column_predicates,
    several_column_predicates,
)

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Isolation:
    """Who satisfies the predicates, and how many people each one singles out.

    Attributes:
        matches: Who satisfies which.
        n: People on each side; the first n are those of the training rows.
    """

    matches: Matches
    n: int

    def rates(self, in_training: Flags | None = None) -> tuple[float, float]:
        """Share of predicates that exactly one training person satisfies, and one holdout person.

        Args:
            in_training: (2n,) who is called a training person; None: those who are.
        """
        if in_training is None:
            in_training = np.arange(2 * self.n) < self.n
        sides = (self.matches.count(in_training), self.matches.count(~in_training))
        training, holdout = (int((counts == 1).sum()) for counts in sides)
        return training / self.matches.n_predicates, holdout / self.matches.n_predicates

    def excess(self, in_training: Flags | None = None) -> float:
        """The first rate minus the second."""
        training, holdout = self.rates(in_training)
        return training - holdout

    def expected_by_chance(self) -> float:
        """The mean over predicates of n w (1 - w)^(n - 1), w a predicate's share of the holdout.

        What a predicate of that weight isolates among n strangers (Cohen and Nissim, 2020).
        """
        weights = self.matches.count(np.arange(2 * self.n) >= self.n) / self.n
        return float(np.mean(self.n * weights * (1.0 - weights) ** (self.n - 1)))


def find_isolation(
    synthetic: pd.DataFrame,
    synthetic_units: Indices,
    people: People,
    kinds: Mapping[Any, Kind],
    *,
    n_columns: int,
    n_attacks: int,
    max_tries: int,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> Isolation:
    """Make predicates from the synthetic rows, and hold them against the people.

    Args:
        synthetic:
            Canonical frame.
        synthetic_units:
            Whose row each one is.
        people:
            Training and holdout people.
        kinds:
            The kind of each column, in an order that does not depend on the table's.
        n_columns:
            Conditions of a predicate; at most the columns there are.
        n_attacks:
            The most predicates.
        max_tries:
            The most that are tried, where they have several columns.
        generator:
            The source of the predicates.
        n_jobs:
            Threads.
    """
    tables = [synthetic, people.training, people.holdout]
    # A level that the synthetic rows never show can be in no predicate.
    seen, *real = encode(tables, kinds, fit_on=[0], ordinal="category")
    rows = SyntheticRows.distinct(seen.values, synthetic_units, seen.is_category)
    found: Predicates
    if n_columns == 1:
        found = one_column_predicates(rows, n_attacks, generator)
    else:
        found = several_column_predicates(rows, n_columns, n_attacks, max_tries, generator, n_jobs)
    values = np.concatenate([table.values for table in real])
    return Isolation(found.satisfied_by(values, people.person, n_jobs), people.n)
