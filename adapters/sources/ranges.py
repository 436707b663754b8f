"""The ranges and levels that SDV 2 writes into metadata: widened, and compared with the rows.

`Metadata.detect_from_dataframes` writes the least and largest number and every level of the rows it
sees, and `fit` refuses rows outside.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

LEVELS = "range_values"
LOW, HIGH = "range_min", "range_max"
NULLABLE = "range_is_nullable"


def widen_synthesizer(synthesizer: Any, rows: pd.DataFrame) -> Any:
    """A copy of an SDV synthesizer whose metadata allow every one of the rows.

    Args:
        synthesizer:
            It stays as it is.
        rows:
            All rows it may have to fit.
    """
    widened = copy.deepcopy(synthesizer)
    holders = [widened, *(part for part in vars(widened).values() if hasattr(part, "metadata"))]
    described = [value for holder in holders for value in vars(holder).values()]
    for metadata in described:
        tables = getattr(metadata, "tables", None)
        for table in tables.values() if isinstance(tables, Mapping) else [metadata]:
            columns = getattr(table, "columns", None)
            if isinstance(columns, dict) and all(isinstance(x, dict) for x in columns.values()):
                _widen(columns, rows)
    return widened


def columns_with_own_ranges(columns: Mapping[Hashable, Any], rows: pd.DataFrame) -> list[Hashable]:
    """The columns whose ranges or levels in the metadata are exactly those of the rows.

    Such metadata give away the extremes and the rare levels by themselves, whatever the
    synthesizer does.

    Args:
        columns:
            One table's `columns`.
        rows:
            The rows that a synthesizer learns from.
    """
    return [
        column
        for column, details in columns.items()
        if column in rows.columns and _has_own_range(details, rows[column].dropna())
    ]


def _widen(columns: dict[Hashable, Any], rows: pd.DataFrame) -> None:
    for column, details in columns.items():
        if column not in rows.columns:
            continue
        values = rows[column]
        if values.isna().any() and details.get(NULLABLE) is False:
            details[NULLABLE] = True
        present = values.dropna()
        if not present.size:
            continue
        if LEVELS in details:
            known = set(details[LEVELS])
            details[LEVELS] = [
                *details[LEVELS],
                *(level for level in present.unique().tolist() if level not in known),
            ]
        for key, pick in ((LOW, min), (HIGH, max)):
            if key in details:
                details[key] = _further(details, key, present, pick)


def _further(details: Mapping[str, Any], key: str, present: pd.Series[Any], pick: Any) -> Any:
    if details["sdtype"] != "datetime":
        return pick(details[key], present.agg(pick.__name__))
    own, dates = _dates(details, key, present)
    found = dates.agg(pick.__name__)
    if pick(own, found) == own:
        return details[key]
    form = details.get("datetime_format")
    return found.strftime(form) if form else str(found)


def _dates(details: Mapping[str, Any], key: str, present: pd.Series[Any]) -> Any:
    form = details.get("datetime_format")
    return pd.to_datetime(details[key], format=form), pd.to_datetime(present, format=form)


def _has_own_range(details: Mapping[str, Any], present: pd.Series[Any]) -> bool:
    if not present.size:
        return False
    if LEVELS in details:
        return set(details[LEVELS]) == set(present.unique().tolist())
    if LOW not in details or HIGH not in details:
        return False
    if details["sdtype"] != "datetime":
        return bool(details[LOW] == present.min() and details[HIGH] == present.max())
    (low, dates), (high, _) = (_dates(details, key, present) for key in (LOW, HIGH))
    return bool(low == dates.min() and high == dates.max())
