"""A datetime column of every table as seconds since 1970 UTC, whatever dtype it came in."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.numbers import (
    MICROSECONDS,
    Notes,
    Numbers,
    dtype_kind,
    read_numbers,
    refuse_mixture,
)

# As far as pandas' nanoseconds reach: some pandas versions read no more.
_FURTHEST = 2**63 / 1e9
# What pandas would read as a moment of today.
_RELATIVE = re.compile(r"\s*(\d{1,2}:[\d:.]+\s*([ap]m)?|now|today)\s*", re.IGNORECASE)
_WIDE = datetime(2000, 10, 10, 10, 10, 10, 123456)
_DAY_AND_MONTH = re.compile(r"^\s*(\d{1,2})[-/. ](\d{1,2})[-/. ]")
_NUMERIC = frozenset({"integer", "floating", "mixed-integer-float", "decimal"})


@dataclass(frozen=True)
class DatetimeReader:
    """Reads a datetime column as float64 seconds since 1970 UTC.

    Gaps, and values that are no moments between 1678 and 2261, become NaN. Numbers without a
    format stay as they are: their unit is the column's own.

    Attributes:
        column: Its name.
        datetime_format: The metadata's.
        is_numeric: Whether it holds numbers without a format.
        day_first: Whether texts without a format begin with the day.
    """

    column: Hashable
    datetime_format: str | None
    is_numeric: bool
    day_first: bool

    def __call__(self, series: pd.Series[Any], argument: str, notes: Notes) -> Numbers:
        """One table's seconds."""
        if self.is_numeric:
            return read_numbers(series, self.column, argument, notes)
        if not series.notna().any():
            return np.full(len(series), np.nan)
        return _read(series, self.column, argument, self.datetime_format, self.day_first)


def fit_datetimes(
    tables: Mapping[str, pd.Series[Any]],
    column: Hashable,
    datetime_format: str | None,
    notes: Notes,
) -> tuple[DatetimeReader, dict[str, Numbers]]:
    """The reader of a datetime column, and what it reads in these tables.

    Raises:
        TypeError: If the format is no text.
        ValueError: If there are values and none can be read; if numbers without a format meet
            dates; or if days and months cannot be told apart.
    """
    _check_format(column, datetime_format)
    filled = {name: series for name, series in tables.items() if series.notna().any()}
    is_numeric = datetime_format is None and _are_numeric(filled, tables, column)
    day_first = not is_numeric and datetime_format is None and _is_day_first(filled, column, notes)
    reader = DatetimeReader(column, datetime_format, is_numeric, day_first)
    result = {}
    for name, series in tables.items():
        result[name] = reader(series, name, notes)
        if name in filled and not is_numeric:
            _check_read(series, result[name], column, name, datetime_format, notes)
    return reader, result


def _are_numeric(
    filled: Mapping[str, pd.Series[Any]], tables: Mapping[str, pd.Series[Any]], column: Hashable
) -> bool:
    numeric = {name: _is_numeric(series) for name, series in filled.items()}
    contents = {name: "numbers" if numeric[name] else "datetimes" for name in filled}
    refuse_mixture(tables, column, contents)
    return any(numeric.values())


def _check_format(column: Hashable, datetime_format: Any) -> None:
    if not isinstance(datetime_format, (str, type(None))):
        raise TypeError(
            f"'datetime_format' of column {column!r} is a {type(datetime_format).__name__}; pass "
            "text such as '%Y-%m-%d'."
        )


def _is_numeric(series: pd.Series[Any]) -> bool:
    if dtype_kind(series) == "O":
        return pd.api.types.infer_dtype(series.astype(object), skipna=True) in _NUMERIC
    return dtype_kind(series) in "iuf"


def _is_day_first(tables: Mapping[str, pd.Series[Any]], column: Hashable, notes: Notes) -> bool:
    """Whether 01/02/2020 is in February: decided once, from the days beyond 12 in all tables."""
    parts: set[tuple[str, ...]] = set()
    for series in tables.values():
        if dtype_kind(series) == "O":
            texts = (value for value in series.astype(object) if isinstance(value, str))
            parts.update(match.groups() for match in map(_DAY_AND_MONTH.match, texts) if match)
    day_first = any(int(first) > 12 for first, _ in parts)
    month_first = any(int(second) > 12 for _, second in parts)
    if day_first and month_first:
        raise ValueError(
            f"Some dates of column {column!r} begin with the day and others with the month. Give "
            "the column a 'datetime_format' in the metadata, and dates of one form."
        )
    if parts and not day_first and not month_first:
        notes.add(
            "Dates in {columns} were taken to begin with the month; give 'datetime_format' in the "
            "metadata if they do not.",
            column,
        )
    return day_first


def _read(
    series: pd.Series[Any],
    column: Hashable,
    argument: str,
    datetime_format: str | None,
    day_first: bool,
) -> Numbers:
    if dtype_kind(series) == "M" and isinstance(series.dtype, (np.dtype, pd.DatetimeTZDtype)):
        moments = series.to_numpy("datetime64[us]")  # in UTC, where there is a time zone
    else:
        width = None if datetime_format is None else len(_WIDE.strftime(datetime_format))
        values = [_readable(value, width, day_first) for value in series.astype(object)]
        try:
            moments = _parse(values, datetime_format)
        except (FutureWarning, OverflowError, TypeError, ValueError) as error:
            raise _refusal(series, column, argument, datetime_format) from error
    seconds = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / MICROSECONDS)
    return np.where(np.abs(seconds) < _FURTHEST, seconds, np.nan)


def _readable(value: Any, width: int | None, day_first: bool) -> Any:
    """The value in a form that pandas reads as meant; None where it would guess.

    Args:
        value: A cell.
        width: How many characters the column's format makes; None: there is no format.
        day_first: Whether texts without a format begin with the day.
    """
    if isinstance(value, str) and width is None:
        if _RELATIVE.fullmatch(value):
            return None
        return _DAY_AND_MONTH.sub(r"\2/\1/", value) if day_first else value
    if isinstance(value, (Real, Decimal)):
        return None if width is None else _digits(value, width)
    return value


def _digits(value: Any, width: int) -> str | None:
    try:
        whole = int(value)
    except (OverflowError, ValueError):  # infinite, or a gap
        return None
    # 01022020 is 1022020 in a column of numbers: they have no leading zeros.
    return str(whole).zfill(width) if whole == value else None


def _parse(values: list[Any], datetime_format: str | None) -> Any:
    objects = np.fromiter(values, dtype=object, count=len(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # pandas would drop such a zone, and be some hours off.
        warnings.filterwarnings("error", message=".*un-recognized timezone")
        moments = pd.to_datetime(
            objects, format=datetime_format or "mixed", errors="coerce", utc=True
        )
    return moments.tz_convert(None).to_numpy("datetime64[us]")


def _check_read(
    series: pd.Series[Any],
    seconds: Numbers,
    column: Hashable,
    argument: str,
    datetime_format: str | None,
    notes: Notes,
) -> None:
    n_present = int(series.notna().sum())
    n_unreadable = n_present - int(np.isfinite(seconds).sum())
    if n_unreadable == n_present:
        raise _refusal(series, column, argument, datetime_format)
    if n_unreadable:
        notes.add(unreadable_datetimes(n_unreadable, argument), column)


def unreadable_datetimes(n: int, argument: str) -> str:
    """What to say of values that are no moments, with a {columns} gap."""
    return (
        f"{n} values of `{argument}` in {{columns}} could not be read as datetimes of the years "
        "1678 to 2261 and count as missing."
    )


def _refusal(
    series: pd.Series[Any], column: Hashable, argument: str, datetime_format: str | None
) -> ValueError:
    how = f"by the format {datetime_format!r}" if datetime_format else "without a format"
    return ValueError(
        f"Column {column!r} of `{argument}` (dtype {series.dtype}) cannot be read as datetimes "
        f"{how}. Convert the column, or correct 'datetime_format' in the metadata."
    )
