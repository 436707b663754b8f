"""The game: who gets a coin, the coins, and the blocks in which refits are scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns

Positions = NDArray[np.intp]
Coins = NDArray[np.bool_]
N_BLOCKS = 4


@dataclass(frozen=True)
class Units:
    """Who gets a coin: equal rows (or equal sequences) share one, since a twin answers for another.

    Attributes:
        records: (T,) of each unit with a coin, the position of its first record: a row of the
            table, or a sequence in the order of the sequences' names.
        of_row: (n,) the unit of each row of the table; -1 for rows that are always in.
        n_records: How many records there are, with those that are always in.
        notes: What a reader must know of them.
    """

    records: Positions
    of_row: Positions
    n_records: int
    notes: tuple[str, ...]

    def rows_of(self, coins: Coins) -> Positions:
        """The positions of the table's rows that are in, by the coins (T,)."""
        return np.flatnonzero((self.of_row < 0) | coins[self.of_row])


def find_units(
    records: pd.DataFrame, owners: Positions, max_units: int, generator: np.random.Generator
) -> Units:
    """Units from records that are compared with each other.

    Args:
        records:
            Canonical (see `Release`), one a row or one a sequence.
        owners:
            (n,) the record of each row of the table; -1 where it has none.
        max_units:
            The most units that get a coin; a random draw of them if there are more.
        generator:
            Of that draw.
    """
    numbers, first = _number_equal(records)
    drawn = np.arange(first.size)
    notes = []
    if first.size < len(records):
        shared = len(records) - first.size
        notes.append(f"{shared} of {len(records)} records equal another: equal ones share a coin.")
    if first.size > max_units:
        drawn = np.sort(generator.choice(first.size, max_units, replace=False))
        notes.append(
            f"{max_units} of {first.size} units, drawn at random, are attacked; the others are in "
            "every refit."
        )
    target_of = np.full(first.size, -1, dtype=np.intp)
    target_of[drawn] = np.arange(drawn.size)
    of_row = np.where(owners >= 0, target_of[numbers[owners]], -1)
    return Units(first[drawn], of_row, len(records), tuple(notes))


def owners_of(release: Release) -> Positions:
    """(n,) the record of each real row: itself, or its sequence in the order of their names."""
    if release.unit is None:
        return np.arange(len(release.real))
    codes = release.real[release.unit].cat.codes.to_numpy()
    present = np.unique(codes[codes >= 0])
    return np.where(codes >= 0, np.searchsorted(present, codes), -1)


def draw_coins(n_refits: int, n_units: int, generator: np.random.Generator) -> Coins:
    """Independent fair coins, (n_refits, n_units)."""
    return generator.integers(0, 2, (n_refits, n_units)).astype(np.bool_)


def blocks_of(n_refits: int) -> list[Positions]:
    """The refits in four blocks, in order; the first is learned from and never scored."""
    return np.array_split(np.arange(n_refits), N_BLOCKS)


def _number_equal(records: pd.DataFrame) -> tuple[Positions, Positions]:
    """The number of each record, alike for equal ones, and the first record of each number."""
    columns = list(records.columns)
    codes = [
        pd.factorize(take_columns(records, [column]).iloc[:, 0], use_na_sentinel=True)[0]
        for column in columns
    ]
    numbered = np.unique(np.column_stack(codes), axis=0, return_index=True, return_inverse=True)
    _, first, numbers = numbered
    order = np.argsort(first)  # in the order of the table
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[numbers.reshape(-1)], first[order]
