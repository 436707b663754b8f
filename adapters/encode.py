"""From canonical tables to matrices: the one encoder that both metrics use."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind

Matrix = NDArray[np.float64]

# The shares below and above the middle of a column, and how much larger than the spread of the
# middle that of all values is where some lie far out.
TAIL = 0.005
FAR_OUT = 3.0
FEWEST = 20


@dataclass(frozen=True)
class EncodedTable:
    """A table as numbers.

    Attributes:
        values: (n, d) float64, C-ordered, never infinite; NaN only with `missing="native"`.
        columns: The source column of each of the d encoded columns.
        is_category: (d,) whether values of the column can only be equal or not.
        pooled: Source columns whose rare levels became one.
        far_out: Source columns in which a few values lie so far out that the scale is that of the
            others.
    """

    values: Matrix
    columns: tuple[Hashable, ...]
    is_category: NDArray[np.bool_]
    pooled: tuple[Hashable, ...]
    far_out: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class _Style:
    categories: Literal["codes", "one_hot"]
    missing: Literal["native", "indicator"]
    scale: Literal["none", "sd"]
    ordinal: Literal["rank", "category"]
    one_hot_weight: float
    max_levels: int | None


@dataclass(frozen=True)
class Scale:
    """What a column is divided by.

    Attributes:
        value: Above 0.
        is_of_middle: Whether it is the spread of the values without those far out.
    """

    value: float
    is_of_middle: bool = False


UNSCALED = Scale(1.0)


@dataclass(frozen=True)
class _Number:
    """A number's encoding: itself over `scale`; with an indicator its gaps become the median."""

    scale: Scale
    median: float
    has_indicator: bool
    pooled: bool = False

    @property
    def is_category(self) -> list[bool]:
        return [False, True] if self.has_indicator else [False]

    def write(self, column: pd.Series[Any], out: Matrix) -> None:
        values = column.to_numpy(dtype=np.float64) / self.scale.value
        if self.has_indicator:
            gaps = np.isnan(values)
            values = np.where(gaps, self.median, values)
            out[:, 1] = gaps
        out[:, 0] = values


@dataclass(frozen=True)
class _Levels:
    """A category's encoding: a code for each level (the last is a gap), over `scale` as a rank."""

    lookup: NDArray[np.intp]
    is_rank: bool
    scale: Scale
    one_hot_weight: float | None  # None: codes
    pooled: bool

    @property
    def is_category(self) -> list[bool]:
        width = 1 if self.one_hot_weight is None else int(self.lookup.max()) + 1
        return [not self.is_rank] * width

    def write(self, column: pd.Series[Any], out: Matrix) -> None:
        numbered = self.lookup[_codes(column)]
        if self.one_hot_weight is None:
            out[:, 0] = numbered / self.scale.value
        else:
            hot = numbered[:, None] == np.arange(out.shape[1])
            np.multiply(hot, self.one_hot_weight, out=out)


@dataclass(frozen=True)
class Encoder:
    """How canonical tables become matrices: learned from what the attacker sees, then fixed.

    Attributes:
        parts: The encoding of each column.
    """

    parts: Mapping[Hashable, _Number | _Levels]

    def __call__(self, table: pd.DataFrame) -> EncodedTable:
        """Encode a canonical table with the columns that were learned, and perhaps others."""
        columns = tuple(c for c, part in self.parts.items() for _ in part.is_category)
        values = np.empty((len(table), len(columns)))
        start = 0
        for column, part in self.parts.items():
            stop = start + len(part.is_category)
            part.write(table[column], values[:, start:stop])
            start = stop
        flags = [flag for part in self.parts.values() for flag in part.is_category]
        pooled = tuple(column for column, part in self.parts.items() if part.pooled)
        far_out = tuple(column for column, part in self.parts.items() if part.scale.is_of_middle)
        return EncodedTable(values, columns, np.array(flags, dtype=np.bool_), pooled, far_out)


def encode(
    tables: Sequence[pd.DataFrame],
    kinds: Mapping[Any, Kind],
    *,
    fit_on: Sequence[int],
    **style: Any,
) -> list[EncodedTable]:
    """Encode canonical tables (see `Release`) alike.

    Args:
        tables:
            Canonical frames with the same columns.
        kinds:
            The kind of each column.
        fit_on:
            Positions in `tables` of those that the attacker sees.
        **style:
            See `learn_encoder`. A number has a 0/1 column for its gaps where any table has one.

    Returns:
        One `EncodedTable` a table.
    """
    gaps = {
        column
        for column, kind in kinds.items()
        if kind.is_number and any(table[column].isna().any() for table in tables)
    }
    encoder = learn_encoder([tables[i] for i in fit_on], kinds, gaps=gaps, **style)
    return [encoder(table) for table in tables]


def learn_encoder(
    seen: Sequence[pd.DataFrame],
    kinds: Mapping[Any, Kind],
    *,
    gaps: Collection[Hashable] | None = None,
    categories: Literal["codes", "one_hot"] = "codes",
    missing: Literal["native", "indicator"] = "native",
    scale: Literal["none", "sd"] = "none",
    ordinal: Literal["rank", "category"] = "rank",
    one_hot_weight: float = 1.0,
    max_levels: int | None = None,
) -> Encoder:
    """Learn levels, medians and scales from what the attacker sees.

    Codes run over the levels seen there in sorted order; a missing category that occurs there
    is the last level, and what does not occur there is -1 (all zeros in one-hot).

    Args:
        seen:
            Canonical frames with the same columns.
        kinds:
            The kind of each column to encode.
        gaps:
            The numbers that may have gaps in a table to be encoded; None: all.
        categories:
            One column of codes, or one 0/1 column a level.
        missing:
            Whether a missing number stays NaN, or becomes the median with a 0/1 column beside it.
        scale:
            "sd" divides numbers and ranks by their sample standard deviation (a constant: 1), or
            by that of their middle 99 % where it is less than a third of it.
        ordinal:
            Whether ordered classes are numbers (their rank) or categories.
        one_hot_weight:
            What stands for 1 in one-hot columns.
        max_levels:
            Beyond this many levels, the most frequent are kept and the rest become one more.
    """
    style = _Style(categories, missing, scale, ordinal, one_hot_weight, max_levels)
    parts: dict[Hashable, _Number | _Levels] = {}
    for column, kind in kinds.items():
        series = [table[column] for table in seen]
        if kind.is_number:
            parts[column] = _learn_number(series, gaps is None or column in gaps, style)
        else:
            parts[column] = _learn_levels(series, kind, style)
    return Encoder(parts)


def _learn_number(series: Sequence[pd.Series[Any]], has_gaps: bool, style: _Style) -> _Number:
    seen = np.concatenate([part.to_numpy(dtype=np.float64) for part in series])
    scale = _scale_of(seen) if style.scale == "sd" else UNSCALED
    present = seen[~np.isnan(seen)] / scale.value
    median = float(np.median(present)) if present.size else 0.0
    return _Number(scale, median, style.missing == "indicator" and has_gaps)


def _scale_of(seen: Matrix) -> Scale:
    value, is_of_middle = spread_of(seen)
    return Scale(value, is_of_middle) if value > 0.0 else UNSCALED


def spread_of(values: Matrix) -> tuple[float, bool]:
    """The standard deviation; that of the middle where values far out make it over three times it.

    One cell of 1e7 would else make all other values of its column alike. The middle ends at values
    that occur, so that in a small table too the outermost one on each side is cut; a handful of
    values has no middle.

    Args:
        values:
            (n,) numbers, NaN where there is none.

    Returns:
        The spread, 0 where there is none, and whether it is the middle's.
    """
    present = values[~np.isnan(values)]
    whole = _deviation(present)
    if whole == 0.0 or present.size < FEWEST:
        return whole, False
    low = np.quantile(present, TAIL, method="higher")
    high = np.quantile(present, 1.0 - TAIL, method="lower")
    middle = _deviation(np.clip(present, low, high))
    return (middle, True) if 0.0 < FAR_OUT * middle < whole else (whole, False)


def _deviation(present: Matrix) -> float:
    """The sample standard deviation; 0 where it is rounding, as in a constant column."""
    largest = float(np.max(np.abs(present), initial=0.0))
    if present.size < 2 or largest == 0.0:
        return 0.0
    deviation = float(np.std(present / largest, ddof=1))  # squares of the values may overflow
    return deviation * largest if deviation > 1e-12 else 0.0


def _learn_levels(series: Sequence[pd.Series[Any]], kind: Kind, style: _Style) -> _Levels:
    codes = np.concatenate([_codes(part) for part in series])
    counts = np.bincount(codes, minlength=len(series[0].cat.categories) + 1)
    lookup, pooled = _number_levels(counts, style.max_levels)
    is_rank = kind is Kind.ORDINAL and style.ordinal == "rank"
    has_scale = is_rank and style.scale == "sd"
    scale = _scale_of(lookup[codes].astype(np.float64)) if has_scale else UNSCALED
    is_hot = style.categories == "one_hot" and not is_rank
    return _Levels(lookup, is_rank, scale, style.one_hot_weight if is_hot else None, pooled)


def _codes(column: pd.Series[Any]) -> NDArray[np.intp]:
    """The level of each row; a gap is one more level, behind all others."""
    codes = column.cat.codes.to_numpy(dtype=np.intp)
    return np.where(codes < 0, len(column.cat.categories), codes)


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
