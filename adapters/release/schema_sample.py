"""A few rows that stand for many: a schema fitted on them is the schema of the whole table.

They are no rows of the table: each column's values are put in an order of their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.datetimes import fit_datetimes
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.numbers import Notes, Numbers, read_numbers
from sdmetrics_disclosure.adapters.release.tables import assemble

# A number's values that stand for all: more than one, so that it is seen to vary.
_NUMBERS = 2


def schema_sample(
    frame: pd.DataFrame, columns: Sequence[Hashable], numbers: Mapping[Hashable, Numbers]
) -> pd.DataFrame:
    """A few rows in which every level occurs, of each number two values, and a gap of each.

    Args:
        frame:
            Rows as they came, at least one.
        columns:
            The modelled columns.
        numbers:
            What `read_column` reads in those of them that are numbers or datetimes.
    """
    chosen = [
        _values_of_number(frame[column], numbers[column])
        if column in numbers
        else _levels(frame[column])
        for column in columns
    ]
    longest = max(len(values) for values in chosen)
    stretched = [
        values.iloc[np.minimum(np.arange(longest), len(values) - 1)].array for values in chosen
    ]
    return assemble(stretched, columns, pd.RangeIndex(longest))


def read_column(
    values: pd.Series[Any], column: Hashable, argument: str, kind: Kind, form: str | None
) -> Numbers:
    """The numbers, or seconds, that a column holds; NaN where there is none.

    Args:
        values:
            As they came.
        column:
            Its name.
        argument:
            Of which table.
        kind:
            Numerical or datetime.
        form:
            The format of datetimes.

    Raises:
        ValueError: If a value is no number.
    """
    if kind is Kind.NUMERICAL:
        return read_numbers(values, column, argument, Notes())
    try:
        return fit_datetimes({argument: values}, column, form, Notes())[1][argument]
    except ValueError:  # none of these can be read; perhaps some of others can
        return np.full(len(values), np.nan)


def stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other; categories keep what any of them declares.

    Args:
        frames:
            With the same columns.
    """
    filled = [frame for frame in frames if len(frame)] or list(frames)
    columns = list(filled[0].columns)
    arrays = [_stacked([frame[column] for frame in filled]).array for column in columns]
    return assemble(arrays, columns, pd.RangeIndex(sum(map(len, filled))))


def _stacked(parts: Sequence[pd.Series[Any]]) -> pd.Series[Any]:
    dtypes: list[Any] = [part.dtype for part in parts]
    declared = [dtype for dtype in dtypes if isinstance(dtype, pd.CategoricalDtype)]
    if len(declared) == len(parts) and len({dtype.categories.dtype for dtype in declared}) == 1:
        joined = pd.api.types.union_categoricals(list(parts), ignore_order=True)
        return pd.Series(joined)
    return pd.Series(pd.concat(parts, ignore_index=True))


def _levels(values: pd.Series[Any]) -> pd.Series[Any]:
    """What occurs, in the order of its text; a categorical dtype goes on declaring the rest."""
    try:
        distinct = values.drop_duplicates()
    except TypeError:  # lists and the like: `build_release` says so, by name
        return values.iloc[:1]
    order = sorted(range(len(distinct)), key=lambda i: str(distinct.iloc[i]))
    return pd.Series(distinct.iloc[order])


def _values_of_number(values: pd.Series[Any], numbers: Numbers) -> pd.Series[Any]:
    finite = np.flatnonzero(np.isfinite(numbers))
    finite = finite[np.argsort(numbers[finite], kind="stable")]
    middle = finite[finite.size // 2 :]  # no extreme value
    chosen = list(middle[:1])
    others = finite[numbers[finite] != numbers[chosen[0]]] if chosen else finite
    chosen += list(others[others.size // 2 :][: _NUMBERS - 1])
    no_number, gap = np.isnan(numbers), values.isna().to_numpy()
    infinite = no_number & ~gap
    infinite[infinite] = [_is_infinite(cell) for cell in values[infinite]]
    unreadable = no_number & ~gap & ~infinite
    for special in (gap, infinite, unreadable if not finite.size else no_number[:0]):
        chosen += list(np.flatnonzero(special)[:1])
    found = values.iloc[chosen]
    if finite.size and unreadable.any() and not gap.any():  # such as "": a gap to all who read it
        found = pd.concat([found, pd.Series([None], dtype=values.dtype)])
    return pd.Series(found)


def _is_infinite(cell: Any) -> bool:
    try:
        return bool(np.isinf(float(cell)))
    except (TypeError, ValueError):  # "", or a date that cannot be read
        return False
