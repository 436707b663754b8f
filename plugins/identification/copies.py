"""Real rows among the synthetic ones: how many, beside how many chance puts there."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.common.statistics import Interval, newcombe, newcombe_paired
from sdmetrics_disclosure.plugins.identification.equal_rows import row_ids
from sdmetrics_disclosure.plugins.identification.people import (
    People,
    cut_to_one_size,
    units_of,
)

Ids = NDArray[np.intp]
Flags = NDArray[np.bool_]

# How often people change places to see how much the difference varies.
EXCHANGES = 500


@dataclass(frozen=True)
class Copied:
    """How many synthetic rows are real ones.

    Attributes:
        n_synthetic: Synthetic rows.
        n_copies: Those equal to a training row.
        n_people: Training people.
        n_people_copied: Those of whom a row stands among the synthetic ones.
        by_chance: With a holdout: share of synthetic rows equal to a holdout row. Without: share
            of training rows equal to another person's row.
        difference: What training rows give more than others would, compared at one size and said
            of all training people: of rows copied at random it is the share, whatever that size.
        n_compared: People on each side of that difference.
        n_outsiders: Holdout people; 0 without a holdout.
    """

    n_synthetic: int
    n_copies: int
    n_people: int
    n_people_copied: int
    by_chance: float
    difference: Interval
    n_compared: int
    n_outsiders: int

    @property
    def share(self) -> float:
        """The share of synthetic rows that are equal to a training row."""
        return self.n_copies / self.n_synthetic


def find_copies(
    synthetic: pd.DataFrame,
    training: pd.DataFrame,
    holdout: pd.DataFrame | None,
    kinds: Mapping[Any, Kind],
    unit: Hashable | None,
    *,
    confidence_level: float,
    generator: np.random.Generator,
) -> Copied:
    """Count the real rows among the synthetic ones.

    With a holdout: the share of synthetic rows equal to a training row minus that equal to a
    holdout row, people of both cut to one number. A synthetic row that stands in both, or in
    neither, says nothing, and equal rows say the same thing: Newcombe's paired interval, for as
    many independent rows as let the difference vary so much when people change places.

    Without: training people are cut into two halves at random. The share of synthetic rows equal
    to a row of the first half minus that of the second half's rows: given the first half, both are
    independent draws where nothing was copied, and Newcombe's interval is that of two proportions.

    Args:
        synthetic:
            Canonical frame.
        training:
            Canonical frame.
        holdout:
            Canonical frame, or None.
        kinds:
            The kind of each column that is compared.
        unit:
            The column that says whose row a real row is, or None.
        confidence_level:
            Of the interval.
        generator:
            Draws people, and halves.
    """
    real = [training] if holdout is None else [training, holdout]
    (own, *others), (released,) = row_ids(real, [synthetic], kinds)
    persons = units_of(training, unit)
    people_copied = np.unique(persons[np.isin(own, released)])
    if holdout is None:
        by_chance = float(np.mean(_shared_between_people(own, persons)))
        difference, n_compared = _against_itself(
            released, own, persons, confidence_level, generator
        )
    else:
        people = cut_to_one_size(training, holdout, unit, generator)
        sides = (own[people.training_rows], others[0][people.holdout_rows])
        by_chance = float(np.isin(released, sides[1]).mean())
        difference = _against_holdout(released, sides, people, confidence_level, generator)
        n_compared = people.n
    return Copied(
        n_synthetic=len(released),
        n_copies=int(np.isin(released, own).sum()),
        n_people=int(persons.max()) + 1,
        n_people_copied=len(people_copied),
        by_chance=by_chance,
        difference=_of_all_people(difference, (int(persons.max()) + 1) / n_compared),
        n_compared=n_compared,
        n_outsiders=0 if holdout is None else int(units_of(holdout, unit).max()) + 1,
    )


def _of_all_people(difference: Interval, times: float) -> Interval:
    """The difference as if all training people had been compared, not one in so many."""
    value, low, high = (
        min(max(limit * times, -1.0), 1.0)
        for limit in (difference.value, difference.low, difference.high)
    )
    return Interval(value, low, high, difference.method)


def _shared_between_people(ids: Ids, persons: Ids) -> Flags:
    """Whether each row is equal to a row of another person."""
    pairs = np.unique(np.column_stack([ids, persons]), axis=0)
    owners = np.bincount(pairs[:, 0], minlength=int(ids.max()) + 1)
    return np.asarray(owners[ids] > 1)


def _against_holdout(
    released: Ids,
    sides: tuple[Ids, Ids],
    people: People,
    confidence_level: float,
    generator: np.random.Generator,
) -> Interval:
    """Synthetic rows in the training rows, and in the holdout, counted on the same rows."""
    in_training, in_holdout = (np.isin(released, side) for side in sides)
    both, neither = in_training & in_holdout, ~(in_training | in_holdout)
    n_both, n_neither = float(both.sum()), float(neither.sum())
    size = _rows_a_draw(released, np.concatenate(sides), people, generator)
    return newcombe_paired(
        n_both / size,
        (float(in_training.sum()) - n_both) / size,
        (float(in_holdout.sum()) - n_both) / size,
        n_neither / size,
        confidence_level,
    )


def _rows_a_draw(released: Ids, rows: Ids, people: People, generator: np.random.Generator) -> float:
    """How many synthetic rows go together, as what they say hangs on the same few people.

    When people change places, the difference varies as that of this many times fewer independent
    rows would: its variance over the mean number of rows that stand on one side only.
    """
    known, group = np.unique(rows, return_inverse=True)
    found = np.searchsorted(known, released[np.isin(released, known)])
    weights = np.bincount(found, minlength=known.size)
    matters = weights[group.reshape(-1)] > 0
    group = group.reshape(-1)[matters]
    matching, person = np.unique(people.person[matters], return_inverse=True)
    others = 2 * people.n - matching.size
    differences, discordant = np.empty(EXCHANGES), np.empty(EXCHANGES)
    for b in range(EXCHANGES):
        called = np.zeros(matching.size, dtype=np.bool_)
        n_called = generator.hypergeometric(matching.size, others, people.n)
        called[generator.permutation(matching.size)[:n_called]] = True
        in_training = called[person.reshape(-1)]
        sides = [np.zeros(known.size, dtype=np.bool_) for _ in range(2)]
        sides[0][group[in_training]] = True
        sides[1][group[~in_training]] = True
        differences[b] = weights[sides[0]].sum() - weights[sides[1]].sum()
        discordant[b] = weights[sides[0] != sides[1]].sum()
    varied, rows_on_one_side = float(np.mean(differences**2)), float(discordant.mean())
    return varied / rows_on_one_side if varied > 0 else 1.0


def _against_itself(
    released: Ids,
    own: Ids,
    persons: Ids,
    confidence_level: float,
    generator: np.random.Generator,
) -> tuple[Interval, int]:
    """Synthetic rows in one half of the training rows, and the other half's rows in it."""
    n = int(persons.max()) + 1
    in_first = np.zeros(n, dtype=np.bool_)
    in_first[generator.permutation(n)[: n // 2]] = True
    first, second = own[in_first[persons]], own[~in_first[persons]]
    found = newcombe(
        int(np.isin(released, first).sum()),
        released.size,
        int(np.isin(second, first).sum()),
        second.size,
        confidence_level,
    )
    return found, n // 2
