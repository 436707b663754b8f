"""A numerical column of every table as float64; and what the readers of all kinds share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import names

Numbers = NDArray[np.float64]

INFINITIES = "Infinities in {columns} count as missing."
MICROSECONDS = 1e6
# What pandas and Python write for a gap.
_GAPS = frozenset({"", "nan", "NaN", "None", "<NA>"})


@dataclass
class Notes:
    """What was noticed on the way: one sentence a cause, however many columns it has."""

    columns: dict[str, list[Hashable]] = field(default_factory=lambda: defaultdict(list))

    def add(self, cause: str, column: Hashable) -> None:
        """Record that `column` has the problem `cause`, a sentence with a {columns} gap."""
        if column not in self.columns[cause]:
            self.columns[cause].append(column)

    def sentences(self) -> tuple[str, ...]:
        """The sentences, in the order in which their causes were met."""
        return tuple(
            cause.replace("{columns}", names(columns)) for cause, columns in self.columns.items()
        )


def refuse_mixture(
    tables: Mapping[str, pd.Series[Any]], column: Hashable, contents: Mapping[str, str]
) -> None:
    """Raise a ValueError if the `contents` of a column, by table, are not the same."""
    first = next(iter(contents), "")
    for name, content in contents.items():
        if content != contents[first]:
            raise ValueError(
                f"Column {column!r} holds {contents[first]} ({tables[first].dtype}) in `{first}` "
                f"and {content} ({tables[name].dtype}) in `{name}`: their values cannot be "
                "compared. Convert one of them."
            )


def dtype_kind(series: pd.Series[Any]) -> str:
    """NumPy's letter for what a dtype of any backend holds; "O" where there is none."""
    return str(getattr(series.dtype, "kind", "O"))


@dataclass(frozen=True)
class NumberReader:
    """Reads a numerical column as float64.

    Gaps, their text ("", "nan") and infinities become NaN; durations become seconds.

    Attributes:
        column: Its name.
    """

    column: Hashable

    def __call__(self, series: pd.Series[Any], argument: str, notes: Notes) -> Numbers:
        """One table's values, or a ValueError if one is no number."""
        return read_numbers(series, self.column, argument, notes)


def fit_numbers(
    tables: Mapping[str, pd.Series[Any]], column: Hashable, notes: Notes
) -> tuple[NumberReader, dict[str, Numbers]]:
    """The reader of a numerical column, and what it reads in these tables.

    Raises:
        ValueError: If a value is no number, or if some tables hold durations and others numbers.
    """
    filled = {name: series for name, series in tables.items() if series.notna().any()}
    durations = {name: _is_duration(series) for name, series in filled.items()}
    contents = {name: "durations" if durations[name] else "numbers" for name in filled}
    refuse_mixture(tables, column, contents)
    reader = NumberReader(column)
    return reader, {name: reader(series, name, notes) for name, series in tables.items()}


def read_numbers(series: pd.Series[Any], column: Hashable, argument: str, notes: Notes) -> Numbers:
    """One table's numbers (see `NumberReader`)."""
    numeric = pd.api.types.is_numeric_dtype(series.dtype) and dtype_kind(series) != "c"
    if numeric:
        with np.errstate(over="ignore"):  # a long double beyond float64 is infinite there
            values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = _parse(series, column, argument)
    infinite = np.isinf(values)
    if infinite.any():
        notes.add(INFINITIES, column)
    return np.where(infinite, np.nan, values)


def _is_duration(series: pd.Series[Any]) -> bool:
    if dtype_kind(series) == "O":
        return pd.api.types.infer_dtype(series.astype(object), skipna=True) == "timedelta"
    return dtype_kind(series) == "m"


def _parse(series: pd.Series[Any], column: Hashable, argument: str) -> Numbers:
    values = np.full(len(series), np.nan)
    present = series.notna().to_numpy()
    objects = series.astype(object)[present]
    try:
        if _is_duration(series):
            durations = pd.to_timedelta(objects).to_numpy("timedelta64[us]")
            values[present] = durations.astype(np.float64) / MICROSECONDS
        else:
            values[present] = [_number(cell) for cell in objects]
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            f"Column {column!r} of `{argument}` is numerical, but its dtype {series.dtype} holds "
            "values that are no float64 numbers. Convert the column, or give it the sdtype "
            "'categorical' in the metadata."
        ) from error
    return values


def _number(cell: Any) -> float:
    # pandas' own reading of text is not always the nearest float64.
    if isinstance(cell, str):
        if cell.strip() in _GAPS:
            return np.nan
        if "_" in cell:
            raise ValueError("Python takes 1_000 for a number, no one else does")
    elif not isinstance(cell, (Real, Decimal, np.bool_)) or isinstance(cell, np.timedelta64):
        raise TypeError(f"{type(cell).__name__} is no number")
    return float(cell)
