"""How the tables came, before they were brought into one form: no values, only their form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class TableForm:
    """The form of one table as it came.

    Attributes:
        columns: All its columns, in its own order.
        dtypes: The dtype of each modelled column.
        missing: For each modelled column how often which missing marker stood there.
    """

    columns: tuple[Hashable, ...]
    dtypes: Mapping[Hashable, str]
    missing: Mapping[Hashable, Mapping[str, int]]


@dataclass(frozen=True)
class Origin:
    """Where a release's tables and kinds came from.

    Attributes:
        kinds: "metadata", "SDV" and its version, or "values".
        tables: The form of each table, by argument.
    """

    kinds: str
    tables: Mapping[str, TableForm]


def form_of(frame: pd.DataFrame, columns: Sequence[Hashable]) -> TableForm:
    """The form of a table.

    Args:
        frame:
            The table as it came.
        columns:
            The modelled columns.
    """
    return TableForm(
        columns=tuple(frame.columns),
        dtypes={column: str(frame[column].dtype) for column in columns},
        missing={column: _markers(frame[column]) for column in columns},
    )


def _markers(column: pd.Series[Any]) -> dict[str, int]:
    gaps = column[column.isna()]
    if gaps.empty:
        return {}
    if column.dtype != object:
        return {_name(gaps.iloc[0]): len(gaps)}
    return dict(Counter(map(_name, gaps)))


def _name(marker: Any) -> str:
    if marker is pd.NA:
        return "NA"
    if marker is pd.NaT:
        return "NaT"
    return "None" if marker is None else "NaN"
