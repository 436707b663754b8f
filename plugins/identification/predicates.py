"""Predicates that single out one synthetic row, made from the synthetic rows alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.identification.equal_rows import number_rows

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

# Tries that are drawn and looked at together.
TRIES = 1_024


@dataclass(frozen=True)
class Predicates:
    """Conjunctions of as many conditions each (see the kernels' `predicates`).

    Attributes:
        columns: (p, c) the columns.
        operators: (p, c) the operators.
        values: (p, c) what is compared with; NaN where a gap is asked for.
    """

    columns: Indices
    operators: NDArray[np.int32]
    values: Floats

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, chosen: Indices | Flags) -> Predicates:
        """Some of them."""
        return Predicates(self.columns[chosen], self.operators[chosen], self.values[chosen])

    def satisfied_by(self, rows: Floats, person: Indices, n_jobs: int | None) -> Matches:
        """Which people have a row that satisfies each predicate.

        Args:
            rows: (n, d) the people's rows.
            person: (n,) whose row each one is.
            n_jobs: Threads.
        """
        from sdmetrics_disclosure.numba_kernels.identification.predicates import matching_rows

        found = matching_rows(rows, self.columns, self.operators, self.values, n_jobs)
        predicate, row = np.nonzero(found)
        pairs = np.unique(np.column_stack([predicate, person[row]]), axis=0)
        return Matches(pairs[:, 0], pairs[:, 1], len(self))


@dataclass(frozen=True)
class Matches:
    """Who satisfies which predicate.

    Attributes:
        predicate: Of each match, the predicate.
        person: Of each match, the person.
        n_predicates: How many predicates there are, satisfied or not.
    """

    predicate: Indices
    person: Indices
    n_predicates: int

    def count(self, among: Flags) -> Indices:
        """How many of these people satisfy each predicate."""
        return np.bincount(self.predicate[among[self.person]], minlength=self.n_predicates)


@dataclass(frozen=True)
class SyntheticRows:
    """What the attacker sees: distinct rows, in the order of their values.

    Attributes:
        values: (n, d) numbers with NaN for a gap, and codes of categories.
        units: (n,) whose row each one is.
        is_category: (d,) whether a column has codes.
    """

    values: Floats
    units: Indices
    is_category: Flags

    @staticmethod
    def distinct(values: Floats, units: Indices, is_category: Flags) -> SyntheticRows:
        """Of equal rows the first."""
        first = np.unique(number_rows(values.T, len(values)), return_index=True)[1]
        return SyntheticRows(values[first], units[first], is_category)

    def single_out(self, predicates: Predicates, n_jobs: int | None) -> Flags:
        """Whether exactly one synthetic unit satisfies each predicate."""
        from sdmetrics_disclosure.numba_kernels.identification.predicates import find_unique

        return find_unique(
            self.values,
            self.units,
            predicates.columns,
            predicates.operators,
            predicates.values,
            n_jobs,
        )


def one_column_predicates(
    seen: SyntheticRows, n_attacks: int, generator: np.random.Generator
) -> Predicates:
    """At most the smallest number, at least the largest, and every value that one unit has.

    Args:
        seen:
            The synthetic rows.
        n_attacks:
            Where there are more, so many are drawn.
        generator:
            The source of the draw.
    """
    made = [condition for j in range(seen.values.shape[1]) for condition in _conditions(seen, j)]
    columns, operators, values = zip(*made, strict=True) if made else ((), (), ())
    found = Predicates(
        np.array(columns, dtype=np.intp).reshape(-1, 1),
        np.array(operators, dtype=np.int32).reshape(-1, 1),
        np.array(values, dtype=np.float64).reshape(-1, 1),
    )
    if len(found) <= n_attacks:
        return found
    return found.take(np.sort(generator.choice(len(found), n_attacks, replace=False)))


def _conditions(seen: SyntheticRows, j: int) -> Iterator[tuple[int, int, float]]:
    from sdmetrics_disclosure.numba_kernels.identification.predicates import (
        AT_LEAST,
        AT_MOST,
        EQUAL,
        IS_MISSING,
    )

    column = seen.values[:, j]
    present = ~np.isnan(column)
    if not seen.is_category[j] and present.any():
        yield j, AT_MOST, float(column[present].min())
        yield j, AT_LEAST, float(column[present].max())
    levels, codes = np.unique(column, return_inverse=True)
    pairs = np.unique(np.column_stack([codes.reshape(-1), seen.units]), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=levels.size)
    for level in levels[counts == 1]:
        yield j, (IS_MISSING if np.isnan(level) else EQUAL), float(level)


def several_column_predicates(
    seen: SyntheticRows,
    n_columns: int,
    n_attacks: int,
    max_tries: int,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> Predicates:
    """What a random row is like in random columns, where exactly one synthetic unit is.

    Args:
        seen:
            The synthetic rows.
        n_columns:
            Conditions of a predicate; at most the columns there are.
        n_attacks:
            The most predicates; no two are the same.
        max_tries:
            The most that are tried.
        generator:
            The source of rows and columns.
        n_jobs:
            Threads.
    """
    medians = _medians(seen)
    parts: list[Predicates] = []
    known: set[bytes] = set()
    for start in range(0, max_tries, TRIES):
        n_tries = min(TRIES, max_tries - start)
        tried = _draw(seen, medians, n_columns, n_tries, generator)
        unique = tried.take(seen.single_out(tried, n_jobs))
        parts.append(unique.take(_new(unique, known, n_attacks)))
        if len(known) == n_attacks:
            break
    return Predicates(
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.operators for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def _medians(seen: SyntheticRows) -> Floats:
    medians = np.zeros(seen.values.shape[1])
    for j in range(medians.size):
        present = seen.values[~np.isnan(seen.values[:, j]), j]
        medians[j] = np.median(present) if present.size else 0.0
    return medians


def _draw(
    seen: SyntheticRows,
    medians: Floats,
    n_columns: int,
    n_tries: int,
    generator: np.random.Generator,
) -> Predicates:
    from sdmetrics_disclosure.numba_kernels.identification.predicates import (
        AT_LEAST,
        AT_MOST,
        EQUAL,
        IS_MISSING,
    )

    n, d = seen.values.shape
    rows = generator.integers(n, size=(n_tries, 1))
    order = np.argsort(generator.random((n_tries, d)), axis=1)[:, :n_columns]
    columns = np.sort(order, axis=1).astype(np.intp)
    values = seen.values[rows, columns]
    sides = np.where(values > medians[columns], AT_LEAST, AT_MOST)
    operators = np.where(np.isnan(values), IS_MISSING, sides)
    operators = np.where(seen.is_category[columns], EQUAL, operators)
    return Predicates(columns, operators.astype(np.int32), values)


def _new(predicates: Predicates, known: set[bytes], n_attacks: int) -> Indices:
    """Positions of those not known yet, which then are; no more than are wanted."""
    new = []
    for i in range(len(predicates)):
        key = predicates.columns[i].tobytes() + predicates.values[i].tobytes()
        if key not in known and len(known) < n_attacks:
            known.add(key)
            new.append(i)
    return np.array(new, dtype=np.intp)
