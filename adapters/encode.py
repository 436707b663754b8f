"""From canonical tables to matrices: the one encoder that both metrics use."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.kinds import Kind

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class EncodedTable:
    """A table as numbers.

    Attributes:
        values: (n, d) float64, C-ordered, never infinite; NaN only with `missing="native"`.
        columns: The source column of each of the d encoded columns.
        is_category: (d,) whether values of the column can only be equal or not.
        pooled: Source columns whose rare levels became one.
    """

    values: Matrix
    columns: tuple[Hashable, ...]
    is_category: NDArray[np.bool_]
    pooled: tuple[Hashable, ...]


@dataclass(frozen=True)
class _Style:
    categories: Literal["codes", "one_hot"]
    missing: Literal["native", "indicator"]
    scale: Literal["none", "sd"]
    ordinal: Literal["rank", "category"]
    one_hot_weight: float
    max_levels: int | None


@dataclass(frozen=True)
class _Block:
    """The encoded columns of one source column, for every table."""

    values: Sequence[NDArray[Any]]
    is_category: list[bool]
    pooled: bool = False
    weight: float = 1.0


def encode(
    tables: Sequence[pd.DataFrame],
    kinds: Mapping[Any, Kind],
    *,
    fit_on: Sequence[int],
    categories: Literal["codes", "one_hot"] = "codes",
    missing: Literal["native", "indicator"] = "native",
    scale: Literal["none", "sd"] = "none",
    ordinal: Literal["rank", "category"] = "rank",
    one_hot_weight: float = 1.0,
    max_levels: int | None = None,
) -> list[EncodedTable]:
    """Encode canonical tables (see `Release`) alike.

    Levels, medians and scales come only from what the attacker sees, the tables in `fit_on`.
    Codes run over the levels seen there in sorted order; a missing category that occurs there
    is the last level, and what does not occur there is -1 (all zeros in one-hot).

    Args:
        tables:
            Canonical frames with the same columns.
        kinds:
            The kind of each column.
        fit_on:
            Positions in `tables` of those that the attacker sees.
        categories:
            One column of codes, or one 0/1 column a level.
        missing:
            Whether a missing number stays NaN, or becomes the median with a 0/1 column beside it.
        scale:
            "sd" divides numbers and ranks by their sample standard deviation (a constant: 1).
        ordinal:
            Whether ordered classes are numbers (their rank) or categories.
        one_hot_weight:
            What stands for 1 in one-hot columns.
        max_levels:
            Beyond this many levels, the most frequent are kept and the rest become one more.

    Returns:
        One `EncodedTable` a table.
    """
    style = _Style(categories, missing, scale, ordinal, one_hot_weight, max_levels)
    blocks = {}
    for column, kind in kinds.items():
        series = [table[column] for table in tables]
        encoder = _encode_numbers if kind.is_number else _encode_levels
        blocks[column] = encoder(series, kind, fit_on, style)
    return [_assemble(blocks, i, len(table)) for i, table in enumerate(tables)]


def _assemble(blocks: Mapping[Hashable, _Block], table: int, n_rows: int) -> EncodedTable:
    columns: list[Hashable] = []
    for column, block in blocks.items():
        columns += [column] * len(block.is_category)
    values = np.empty((n_rows, len(columns)))
    start = 0
    for block in blocks.values():
        stop = start + len(block.is_category)
        np.multiply(block.values[table], block.weight, out=values[:, start:stop])
        start = stop
    flags = [flag for block in blocks.values() for flag in block.is_category]
    pooled = tuple(column for column, block in blocks.items() if block.pooled)
    return EncodedTable(values, tuple(columns), np.array(flags, dtype=np.bool_), pooled)


def _encode_numbers(
    series: Sequence[pd.Series[Any]], kind: Kind, fit_on: Sequence[int], style: _Style
) -> _Block:
    values = [part.to_numpy(dtype=np.float64) for part in series]
    seen = np.concatenate([values[i] for i in fit_on])
    if style.scale == "sd":
        values = [part / _scale_of(seen) for part in values]
        seen = np.concatenate([values[i] for i in fit_on])
    gaps = [np.isnan(part) for part in values]
    if style.missing == "native" or not any(gap.any() for gap in gaps):
        return _Block([part[:, None] for part in values], [False])
    present = seen[~np.isnan(seen)]
    median = float(np.median(present)) if present.size else 0.0
    filled = [np.where(gap, median, part) for part, gap in zip(values, gaps, strict=True)]
    return _Block(
        [np.column_stack([part, gap]) for part, gap in zip(filled, gaps, strict=True)],
        [False, True],
    )


def _scale_of(seen: Matrix) -> float:
    present = seen[~np.isnan(seen)]
    largest = float(np.max(np.abs(present), initial=0.0))
    if present.size < 2 or largest == 0.0:
        return 1.0
    deviation = float(np.std(present / largest, ddof=1))  # squares of the values may overflow
    # Rounding leaves a constant column a tiny deviation: that is no scale.
    return deviation * largest if deviation > 1e-12 else 1.0


def _encode_levels(
    series: Sequence[pd.Series[Any]], kind: Kind, fit_on: Sequence[int], style: _Style
) -> _Block:
    # A gap is one more level, behind all others.
    n_levels = len(series[0].cat.categories)
    codes = [
        np.where((code := part.cat.codes.to_numpy(dtype=np.intp)) < 0, n_levels, code)
        for part in series
    ]
    counts = np.bincount(np.concatenate([codes[i] for i in fit_on]), minlength=n_levels + 1)
    lookup, pooled = _number_levels(counts, style.max_levels)
    numbered = [lookup[part] for part in codes]
    is_rank = kind is Kind.ORDINAL and style.ordinal == "rank"
    if style.categories == "one_hot" and not is_rank:
        width = int(lookup.max()) + 1
        hot = [part[:, None] == np.arange(width) for part in numbered]
        return _Block(hot, [True] * width, pooled, style.one_hot_weight)
    values = [part.astype(np.float64) for part in numbered]
    if is_rank and style.scale == "sd":
        scale = _scale_of(np.concatenate([values[i] for i in fit_on]))
        values = [part / scale for part in values]
    return _Block([part[:, None] for part in values], [not is_rank], pooled)


def _number_levels(
    counts: NDArray[np.intp], max_levels: int | None
) -> tuple[NDArray[np.intp], bool]:
    """The code of each level: seen ones in order, unseen ones -1, rare ones pooled last."""
    lookup = np.full(counts.size, -1, dtype=np.intp)
    seen = np.flatnonzero(counts)
    if max_levels is None or seen.size <= max_levels:
        lookup[seen] = np.arange(seen.size)
        return lookup, False
    by_frequency = seen[np.argsort(-counts[seen], kind="stable")]
    lookup[by_frequency[max_levels:]] = max_levels
    lookup[np.sort(by_frequency[:max_levels])] = np.arange(max_levels)
    return lookup, True
