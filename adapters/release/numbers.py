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
from sdmetrics_disclosure.adapters.release.number_text import GAPS, Convention, find_convention

Numbers = NDArray[np.float64]

INFINITIES = "Infinities in {columns} count as missing."
MICROSECONDS = 1e6
# Beyond it, float64 skips whole numbers.
EXACT = 2**53
# Beyond it, sums of squares leave float64.
LARGEST = 1e100


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
        conventions: How text is written, in the tables where it is not as Python writes numbers.
    """

    column: Hashable
    conventions: Mapping[str, Convention]

    def __call__(self, series: pd.Series[Any], argument: str, notes: Notes) -> Numbers:
        """One table's values, or a ValueError if one is no number."""
        convention = self.conventions.get(argument)
        return read_numbers(series, self.column, argument, notes, convention)


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
    conventions, values = {}, {}
    for name, series in tables.items():
        try:
            values[name] = read_numbers(series, column, name, notes)
        except _NoNumbersError as error:
            texts = [text for text in map(_text, series.dropna()) if text is not None]
            convention = find_convention(texts, column, name)
            if convention is None:
                raise error
            conventions[name] = convention
            values[name] = read_numbers(series, column, name, notes, convention)
    return NumberReader(column, conventions), values


class _NoNumbersError(ValueError):
    """Values that are no numbers as Python writes them."""


def read_numbers(
    series: pd.Series[Any],
    column: Hashable,
    argument: str,
    notes: Notes,
    convention: Convention | None = None,
) -> Numbers:
    """One table's numbers (see `NumberReader`)."""
    numeric = pd.api.types.is_numeric_dtype(series.dtype) and dtype_kind(series) != "c"
    if numeric:
        with np.errstate(over="ignore"):  # a long double beyond float64 is infinite there
            values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        is_exact = dtype_kind(series) not in "iu" or _are_exact(series)
    elif convention is not None:
        values = _read_texts(series, column, argument, convention, notes)
        is_exact = True
    else:
        values, is_exact = _parse(series, column, argument)
    if not is_exact:
        raise ValueError(
            f"Column {column!r} of `{argument}` is numerical and holds whole numbers beyond 2**53, "
            "which float64 cannot tell apart. Give it the sdtype 'categorical' or 'id' in the "
            "metadata if they are codes, or divide them."
        )
    infinite = np.isinf(values)
    if infinite.any():
        notes.add(INFINITIES, column)
    values = np.where(infinite, np.nan, values)
    if (np.abs(values) > LARGEST).any():
        raise ValueError(
            f"Column {column!r} of `{argument}` holds numbers beyond {LARGEST:g}, near the end of "
            "what float64 holds. Replace them by gaps if they stand for such, or divide the column."
        )
    return values


def _are_exact(series: pd.Series[Any]) -> bool:
    """Whether every whole number is a float64."""
    present: Any = series.dropna().to_numpy(dtype="u8" if dtype_kind(series) == "u" else "i8")
    large = present[(present > EXACT) | (present < (-EXACT if present.dtype.kind == "i" else 0))]
    _, exponents = np.frexp(large.astype(np.float64))
    n_lost = np.maximum(exponents - 53, 0).astype(large.dtype)
    mask = np.left_shift(np.ones_like(large), n_lost) - np.ones_like(large)
    return not np.any(large & mask)


def _text(cell: Any) -> str | None:
    """The text of a cell that holds any, and is no gap."""
    return cell if isinstance(cell, str) and cell.strip() not in GAPS else None


def _read_texts(
    series: pd.Series[Any], column: Hashable, argument: str, convention: Convention, notes: Notes
) -> Numbers:
    values = np.full(len(series), np.nan)
    n_unread = 0
    for i, cell in enumerate(series.astype(object)):
        if isinstance(cell, str):
            text = _text(cell)
            values[i] = np.nan if text is None else convention.read(text)
            n_unread += text is not None and bool(np.isnan(values[i]))
        elif not pd.isna(cell):
            try:
                values[i] = _number(cell)
            except (OverflowError, TypeError, ValueError) as error:
                raise _no_numbers(series, column, argument) from error
    notes.add(f"Text of `{argument}` in {{columns}} was read as numbers with {convention}.", column)
    if n_unread:
        notes.add(
            f"{n_unread} values of `{argument}` in {{columns}} could not be read as numbers and "
            "count as missing.",
            column,
        )
    return values


def _is_duration(series: pd.Series[Any]) -> bool:
    if dtype_kind(series) == "O":
        return pd.api.types.infer_dtype(series.astype(object), skipna=True) == "timedelta"
    return dtype_kind(series) == "m"


def _parse(series: pd.Series[Any], column: Hashable, argument: str) -> tuple[Numbers, bool]:
    """The numbers of a column of objects, and whether the whole ones among them are exact."""
    values = np.full(len(series), np.nan)
    present = series.notna().to_numpy()
    objects = series.astype(object)[present]
    is_exact = True
    try:
        if _is_duration(series):
            durations = pd.to_timedelta(objects).to_numpy("timedelta64[us]")
            values[present] = durations.astype(np.float64) / MICROSECONDS
        else:
            values[present] = [_number(cell) for cell in objects]
            large = np.abs(values[present]) >= EXACT
            is_exact = all(map(_is_exact, objects[large & np.isfinite(values[present])]))
    except (OverflowError, TypeError, ValueError) as error:
        raise _no_numbers(series, column, argument) from error
    return values, is_exact


def _no_numbers(series: pd.Series[Any], column: Hashable, argument: str) -> _NoNumbersError:
    return _NoNumbersError(
        f"Column {column!r} of `{argument}` is numerical, but its dtype {series.dtype} holds "
        "values that are no float64 numbers. Convert the column, or give it the sdtype "
        "'categorical' in the metadata."
    )


def _is_exact(cell: Any) -> bool:
    """Whether a whole number, or text that spells one, is a float64."""
    if isinstance(cell, (float, np.floating)):
        return True
    try:
        whole = int(cell)
    except ValueError:  # text with a point or an exponent
        return True
    return whole != Decimal(cell) or int(float(whole)) == whole


def _number(cell: Any) -> float:
    # pandas' own reading of text is not always the nearest float64.
    if isinstance(cell, str):
        if cell.strip() in GAPS:
            return np.nan
        if "_" in cell:
            raise ValueError("Python takes 1_000 for a number, no one else does")
    elif not isinstance(cell, (Real, Decimal, np.bool_)) or isinstance(cell, np.timedelta64):
        raise TypeError(f"{type(cell).__name__} is no number")
    return float(cell)
