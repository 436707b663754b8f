"""Planted rows: how each kind is made, how it is scored, and which coins it lets one guess.

A canary is a real row, drawn with replacement and changed. Each kind asks for one way of giving a
person away: a level nobody has, an extreme number, a combination of values nobody has.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.refits.encoding import Floats, Positions, encode_records
from sdmetrics_disclosure.plugins.refits.epsilon import guess_in
from sdmetrics_disclosure.plugins.refits.game import Coins
from sdmetrics_disclosure.plugins.refits.options import COMBINATION, EXTREME, LEVEL

MOST_DECIMALS = 10


@dataclass(frozen=True)
class Canaries:
    """Planted rows of one kind.

    Attributes:
        kind: One of `options.KINDS`.
        rows: As the real ones; each has a coin.
        columns: Of each the column that was changed; empty where all were.
    """

    kind: str
    rows: pd.DataFrame
    columns: tuple[Hashable, ...]


def make_canaries(
    kind: str,
    real: pd.DataFrame,
    kinds: Mapping[Hashable, Kind],
    n_canaries: int,
    generator: np.random.Generator,
) -> Canaries | None:
    """The canaries of a kind; None where no column can be changed so.

    Args:
        kind:
            One of `options.KINDS`.
        real:
            The real rows, as they came.
        kinds:
            The kind of each modelled column.
        n_canaries:
            How many; extremes are one a numeric column, since several hide each other.
        generator:
            Of every draw.
    """
    columns = _columns_to_change(kind, real, kinds)
    if not columns:
        return None
    n = len(columns) if kind == EXTREME else n_canaries
    rows = real.iloc[generator.integers(0, len(real), n)].reset_index(drop=True)
    rows = _with_own_names(rows, real, kinds)
    if kind == COMBINATION:
        return Canaries(kind, _mixed(rows, real, columns, generator), ())
    changed = tuple(columns[i % len(columns)] for i in range(n))
    for column in dict.fromkeys(changed):
        places = np.flatnonzero([each == column for each in changed])
        found = _extreme(real[column]) if kind == EXTREME else _new_levels(real[column], places)
        rows[column] = _replaced(rows[column], places, found)
    return Canaries(kind, rows, changed)


def score_canaries(canaries: Canaries, n_real: int, release: Release) -> Floats:
    """How much the synthetic rows speak for each canary's being in, (n,).

    `level`: how many have it. `extreme`: the synthetic maximum of its column minus the real one.
    `combination`: the distance to the nearest real row minus that to the nearest synthetic one.

    Args:
        canaries:
            The planted rows.
        n_real:
            How many of the release's real rows are not planted; they come first.
        release:
            All rows, the planted ones behind the real ones, and the synthetic ones.
    """
    synthetic, planted = release.synthetic[0], release.real.iloc[n_real:]
    if canaries.kind == LEVEL:
        made = [synthetic[column].cat.codes.to_numpy() for column in canaries.columns]
        own = [planted[c].cat.codes.iloc[i] for i, c in enumerate(canaries.columns)]
        return np.array([float((m == o).sum()) for m, o in zip(made, own, strict=True)])
    if canaries.kind == EXTREME:
        real = release.real.iloc[:n_real]
        return np.array([synthetic[c].max() - real[c].max() for c in canaries.columns], dtype=float)
    from sdmetrics_disclosure.numba_kernels.refits.distances import nearest_distances

    records = encode_records(release)
    own_rows = records.real[n_real:]
    to_real, to_made = (
        nearest_distances(own_rows, others, records.is_category, 1)[:, 0]
        for others in (records.real[:n_real], records.other)
    )
    return np.asarray(to_real - to_made)


def guess_canaries(
    kind: str, scores: Floats, guess_share: float, tie_order: Positions
) -> Positions:
    """Who is guessed to be in: the highest scores, or every extreme that was surpassed."""
    if kind == EXTREME:
        return np.flatnonzero(scores > 0.0)
    return guess_in(scores, round(guess_share * scores.size), tie_order)


def count_right(
    kind: str,
    scores: Sequence[Floats | None],
    coins: Coins,
    guess_share: float,
    tie_order: Positions,
) -> list[tuple[int, int]]:
    """Right guesses and guesses of each refit; one that failed makes none."""
    counts = []
    for found, own in zip(scores, coins, strict=True):
        if found is None:
            counts.append((0, 0))
            continue
        guessed = guess_canaries(kind, found, guess_share, tie_order)
        counts.append((int(own[guessed].sum()), len(guessed)))
    return counts


def _columns_to_change(
    kind: str, real: pd.DataFrame, kinds: Mapping[Hashable, Kind]
) -> list[Hashable]:
    if kind == COMBINATION:
        return list(kinds)
    if kind == EXTREME:
        return [c for c, k in kinds.items() if k is Kind.NUMERICAL and _is_numeric(real[c])]
    return [
        column
        for column, k in kinds.items()
        if k in (Kind.CATEGORICAL, Kind.ORDINAL) and not pd.api.types.is_bool_dtype(real[column])
    ]


def _is_numeric(column: pd.Series[Any]) -> bool:
    is_bool = pd.api.types.is_bool_dtype(column)
    return pd.api.types.is_numeric_dtype(column) and not is_bool and bool(column.notna().any())


def _new_levels(column: pd.Series[Any], places: Positions) -> list[Any]:
    """Levels that nobody has, one for each place, of the type that the column's are."""
    if _is_numeric(column):
        top = column.max()
        return [top + 1 + i for i in range(len(places))]
    taken = set(column.dropna().astype(str))
    prefix = "canary"
    while any(level.startswith(prefix) for level in taken):
        prefix += "_"
    return [f"{prefix} {i}" for i in places]


def _extreme(column: pd.Series[Any]) -> list[Any]:
    """The maximum and the column's range and one more, rounded as the column is."""
    low, high = column.min(), column.max()
    value = high + (high - low + 1)
    if pd.api.types.is_integer_dtype(column):
        return [value]
    return [round(float(value), _decimals(column.dropna()))]


def _decimals(present: pd.Series[Any]) -> int:
    values = present.to_numpy(dtype=float)
    return next(
        (k for k in range(MOST_DECIMALS) if np.array_equal(np.round(values, k), values)),
        MOST_DECIMALS,
    )


def _mixed(
    rows: pd.DataFrame,
    real: pd.DataFrame,
    columns: Sequence[Hashable],
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Every cell uniformly from its column's distinct values."""
    for column in columns:
        values = real[column].drop_duplicates()
        drawn = values.iloc[generator.integers(0, len(values), len(rows))]
        rows[column] = drawn.reset_index(drop=True)
    return rows


def _with_own_names(
    rows: pd.DataFrame, real: pd.DataFrame, kinds: Mapping[Hashable, Kind]
) -> pd.DataFrame:
    """Rows whose keys and ids, which are not modelled, are not those of the rows they copy."""
    for column in real.columns:
        if column not in kinds and real[column].is_unique:
            names = _new_levels(real[column], np.arange(len(rows)))
            rows[column] = _replaced(rows[column], np.arange(len(rows)), names)
    return rows


def _replaced(column: pd.Series[Any], places: Positions, values: Sequence[Any]) -> pd.Series[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        new = [value for value in values if value not in column.cat.categories]
        column = column.cat.add_categories(new)
    changed = column.copy()
    changed.iloc[places] = values if len(values) > 1 else values[0]
    return changed
