"""Which rows are equal: one number a distinct row, over several tables at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind

Ids = NDArray[np.intp]
Floats = NDArray[np.float64]

# A number that needs more decimals than these has no precision but its own.
MOST_DECIMALS = 9
# Seconds in a day, an hour, a minute: the precisions that moments are written down with.
STEPS = (86_400.0, 3_600.0, 60.0, 1.0)


def row_ids(
    real: Sequence[pd.DataFrame], synthetic: Sequence[pd.DataFrame], kinds: Mapping[Any, Kind]
) -> tuple[list[Ids], list[Ids]]:
    """The same number for equal rows, whichever table they stand in; gaps are equal to gaps.

    Numbers are equal to the precision that the real column is written down with, whose tables are
    looked at together: nobody's decimals count more than another's. Rows are numbered in the order
    of their values, so the numbers do not depend on the order of rows.

    Args:
        real: Canonical frames of real rows.
        synthetic: Canonical frames of synthetic rows.
        kinds: The kind of each column that is compared.

    Returns:
        (n,) numbers from 0 for each real table, and for each synthetic one.
    """
    tables = [*real, *synthetic]
    n_rows = [len(table) for table in tables]
    columns = (
        _column_codes([table[column] for table in tables], len(real), kind)
        for column, kind in kinds.items()
    )
    parts = np.split(number_rows(columns, sum(n_rows)), np.cumsum(n_rows)[:-1])
    return parts[: len(real)], parts[len(real) :]


def number_rows(columns: Any, n_rows: int) -> Ids:
    """The same number for rows that are equal in all columns; NaN is equal to NaN.

    Args:
        columns: (n,) numbers of each column in turn.
        n_rows: The n.
    """
    ids = np.zeros(n_rows, dtype=np.intp)
    for values in columns:
        codes = np.unique(values, return_inverse=True)[1].reshape(-1)
        pairs = ids * (int(codes.max(initial=0)) + 1) + codes  # below n squared: no overflow
        ids = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.intp)
    return ids


def _column_codes(tables: Sequence[pd.Series[Any]], n_real: int, kind: Kind) -> Floats:
    if not kind.is_number:
        codes = [table.cat.codes.to_numpy(dtype=np.float64) for table in tables]
        return np.concatenate(codes)
    values = [table.to_numpy(dtype=np.float64) for table in tables]
    return to_precision(np.concatenate(values), np.concatenate(values[:n_real]), kind)


def to_precision(values: Floats, real: Floats, kind: Kind) -> Floats:
    """Numbers rounded as the real ones are.

    Args:
        values: Numbers of a column.
        real: The real ones.
        kind: A number's or a moment's.
    """
    if kind is Kind.DATETIME:
        for step in STEPS:
            if _are_whole(real / step):
                return np.asarray(np.round(values / step))
        return values
    for decimals in range(MOST_DECIMALS + 1):
        if _equals(np.round(real, decimals), real):
            return np.asarray(np.round(values, decimals) + 0.0)  # no negative zero
    return values


def _are_whole(values: Floats) -> bool:
    return _equals(np.round(values), values)


def _equals(rounded: Floats, values: Floats) -> bool:
    return bool(np.array_equal(rounded, values, equal_nan=True))
