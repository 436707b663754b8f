"""Scores and whose they are: intervals count people, not rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.holdout.repeats import Ids
from sdmetrics_disclosure.plugins.membership.roc import ranks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Owners:
    """Whose the candidates are.

    Attributes:
        members: (m,) the unit of each member.
        outsiders: For each half (n_h,) the unit of each outsider.
    """

    members: Ids
    outsiders: tuple[Ids, ...]


@dataclass(frozen=True)
class ScoredHalf:
    """One direction of the cross-fit, or the only one; a higher score says "member".

    Attributes:
        members: (m,) float64, scores of the same members in the same order in every half.
        non_members: (n_h,) float64, scores of this half's non-members.
        member_units: (m,) whose each member is, the same in every half; None: each its own.
        non_member_units: (n_h,) whose each non-member is; None: each its own.
    """

    members: Floats
    non_members: Floats
    member_units: Ids | None = None
    non_member_units: Ids | None = None

    @property
    def n_member_units(self) -> int:
        """How many people are behind the members."""
        return count_units(self.members, self.member_units)

    @property
    def n_non_member_units(self) -> int:
        """How many people are behind the non-members."""
        return count_units(self.non_members, self.non_member_units)


def count_units(values: Floats, units: Ids | None) -> int:
    """How many people are behind the values."""
    return values.size if units is None else int(np.unique(units).size)


def sort_records(attacks: Sequence[Sequence[ScoredHalf]]) -> list[list[ScoredHalf]]:
    """The halves of several attacks on the same records, in an order that the scores make.

    What is drawn or added up then does not depend on the order in which records came.
    """
    n_halves = len(attacks[0])
    members = _order(
        [half.members for halves in attacks for half in halves], attacks[0][0].member_units
    )
    others = [
        _order([halves[h].non_members for halves in attacks], attacks[0][h].non_member_units)
        for h in range(n_halves)
    ]
    return [
        [
            ScoredHalf(
                half.members[members],
                half.non_members[order],
                None if half.member_units is None else half.member_units[members],
                None if half.non_member_units is None else half.non_member_units[order],
            )
            for half, order in zip(halves, others, strict=True)
        ]
        for halves in attacks
    ]


def _order(scores: Sequence[Floats], units: Ids | None) -> NDArray[np.intp]:
    keys: list[NDArray[Any]] = list(scores)
    if units is not None:  # equal scores of different units: by what else the units have
        of_unit = np.unique(units, return_inverse=True)[1].reshape(-1)
        keys += [np.bincount(of_unit, ranks(each))[of_unit] for each in scores]
        keys.append(np.bincount(of_unit)[of_unit])
    return np.lexsort(keys[::-1])


def variance_of_mean(values: Floats, units: Ids | None) -> float:
    """The variance of the mean of placements; rows of one unit are one draw.

    Obuchowski (Biometrics 1997): I / (I - 1) sum_i (sum of unit i's deviations)^2 / n^2 with I
    units and n values. Of one unit the largest that its mean can come from.

    Args:
        values: (n,) in [0, 1].
        units: (n,) whose each is; None: its own.
    """
    n_units = count_units(values, units)
    if n_units == 1:
        mean = float(values.mean())
        return mean * (1.0 - mean)
    if units is None:
        return float(values.var(ddof=1) / values.size)
    of_unit = np.unique(units, return_inverse=True)[1].reshape(-1)
    sums = np.bincount(of_unit, values - values.mean())
    return float(n_units / (n_units - 1) * np.square(sums).sum() / values.size**2)


def variance_of_swap(halves: Sequence[ScoredHalf]) -> float:
    """What the swap of the halves adds to the variance of the mean area.

    Outsiders of one half are the reference of the other: where two of them are alike, both look
    less like members, and both areas rise. By how much a reference moves anybody's place is seen
    in the members, who are placed by both: with w half the mean squared difference of a member's
    two places among the members, and n outsiders in all, it is w / n. An attack that does not look
    at the reference has w = 0.

    Args:
        halves: With the same members in the same order.
    """
    if len(halves) < 2:
        return 0.0
    places = [ranks(half.members) / half.members.size for half in halves]
    moved = variance_of_mean(places[1] - places[0], halves[0].member_units)
    w = max(moved, 0.0) * halves[0].n_member_units / 2.0
    return w / sum(half.n_non_member_units for half in halves)


def one_of_each(units: Ids | None, n: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Positions of one row of every unit, drawn at random; without units all n."""
    if units is None:
        return np.arange(n)
    order = generator.permutation(n)
    return np.sort(order[np.unique(units[order], return_index=True)[1]])


def draw_units(
    n_replicates: int, units: Ids | None, n: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """(n_replicates, n) how often each row stands in each replicate; units are drawn whole."""
    if units is None:
        return _draw(n_replicates, n, generator)
    _, first, of_unit = np.unique(units, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))  # what units are called draws nothing
    return _draw(n_replicates, first.size, generator)[:, place[of_unit.reshape(-1)]]


def _draw(n_replicates: int, n: int, generator: np.random.Generator) -> NDArray[np.intp]:
    drawn = generator.integers(0, n, size=(n_replicates, n))
    return np.stack([np.bincount(row, minlength=n) for row in drawn])
