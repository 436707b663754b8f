"""What kind of column each one is: from metadata, else from the values."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from enum import Enum
from typing import Any

import pandas as pd


class Kind(str, Enum):
    """The kinds of column that can be modelled, named as SDMetrics' sdtypes."""

    NUMERICAL = "numerical"
    DATETIME = "datetime"
    CATEGORICAL = "categorical"
    BOOLEAN = "boolean"
    ORDINAL = "ordinal"

    @property
    def is_number(self) -> bool:
        """Whether values are compared by size (numerical, datetime), not only by equality."""
        return self in (Kind.NUMERICAL, Kind.DATETIME)


MODELABLE = frozenset(kind.value for kind in Kind)
# Text in which nearly every value occurs once names people or rows; it is no attribute.
IDENTIFIER_SHARE = 0.95
IDENTIFIER_ROWS = 50
_INFERRED = {
    "integer": Kind.NUMERICAL,
    "floating": Kind.NUMERICAL,
    "mixed-integer-float": Kind.NUMERICAL,
    "decimal": Kind.NUMERICAL,
    "boolean": Kind.BOOLEAN,
    "datetime64": Kind.DATETIME,
    "datetime": Kind.DATETIME,
    "date": Kind.DATETIME,
    "timedelta": Kind.NUMERICAL,
    "timedelta64": Kind.NUMERICAL,
}


def names(columns: Collection[Hashable]) -> str:
    """The column names, sorted and quoted, for a message."""
    return ", ".join(sorted(repr(column) for column in columns))


def single_table_metadata(metadata: Any, table_name: str | None) -> dict[str, Any] | None:
    """One table's metadata, from any of the forms in use.

    Args:
        metadata:
            None, a dict with `columns`, a dict with `tables`, or an object with `to_dict`
            such as SDV's `Metadata`.
        table_name:
            Which table, where `metadata` has several.

    Returns:
        A dict with `columns`, and `foreign_keys` (the table's columns that point to others);
        None if there is no metadata.

    Raises:
        TypeError: If `metadata` is none of these.
        ValueError: If it has several tables and none, or an unknown one, is named.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        if not hasattr(metadata, "to_dict"):
            raise TypeError(
                f"`metadata` is a {type(metadata).__name__}; pass a dict or SDV's Metadata object."
            )
        metadata = metadata.to_dict()
    if "tables" not in metadata:
        if "columns" not in metadata:
            raise ValueError("`metadata` has neither 'tables' nor 'columns'; add one of them.")
        _check_columns("metadata", metadata["columns"])
        return {**metadata, "foreign_keys": ()}
    tables = metadata["tables"]
    if not isinstance(tables, Mapping):
        raise TypeError("`metadata` has 'tables' that are no dict; pass one by table name.")
    name = choose_table("metadata", tables, table_name)
    if "columns" not in tables[name]:
        raise ValueError(f"`metadata` has no 'columns' for table {name!r}; add them.")
    _check_columns(f"metadata of table {name!r}", tables[name]["columns"])
    keys: list[Hashable] = []
    for relation in metadata.get("relationships") or ():
        if relation.get("child_table_name") == name:
            keys.extend(as_list(relation.get("child_foreign_key")))
    return {**tables[name], "foreign_keys": tuple(keys)}


def sequence_key(metadata: Mapping[str, Any]) -> Hashable | None:
    """The column that says whose row it is, or None."""
    keys = as_list(metadata.get("sequence_key"))
    if len(keys) > 1:
        raise ValueError(
            f"The metadata's 'sequence_key' has several columns ({names(keys)}); join them into "
            "one column."
        )
    return keys[0] if keys else None


def choose_table(argument: str, tables: Mapping[str, Any], table_name: str | None) -> str:
    """The name of the one table meant, or a ValueError that lists the tables."""
    if not tables:
        raise ValueError(f"`{argument}` has no tables.")
    if table_name is None:
        if len(tables) > 1:
            raise ValueError(
                f"`{argument}` has several tables ({names(tables)}); say which by `table_name`."
            )
        return next(iter(tables))
    if table_name not in tables:
        raise ValueError(
            f"`table_name` is {table_name!r}, but `{argument}` has the tables {names(tables)}."
        )
    return table_name


def kinds_from_metadata(
    metadata: Mapping[str, Any], real_data: pd.DataFrame, include: Collection[Hashable]
) -> tuple[dict[Hashable, Kind], list[Hashable]]:
    """Kinds of the modelable columns, in the metadata's order.

    Keys, ids, personal data and other sdtypes are left out unless named in `include`.

    Returns:
        The kinds, and the columns that are in only because they were named.
    """
    keys = _key_columns(metadata)
    kinds: dict[Hashable, Kind] = {}
    obeyed: list[Hashable] = []
    for column, details in metadata["columns"].items():
        sdtype = details.get("sdtype", "unknown")
        if sdtype in MODELABLE and column not in keys and not details.get("pii"):
            kinds[column] = Kind(sdtype)
        elif column in include:
            kinds[column] = Kind(sdtype) if sdtype in MODELABLE else infer_kind(real_data[column])
            obeyed.append(column)
    return kinds, obeyed


def kinds_from_values(
    real_data: pd.DataFrame, include: Collection[Hashable]
) -> tuple[dict[Hashable, Kind], list[Hashable]]:
    """Kinds by the documented rules, where there is no metadata.

    Booleans, dates and numbers by their values; all else is categorical. Text is left out
    as an identifier, unless named in `include`, when over 95 % of at least 50 values are
    distinct.

    Returns:
        The kinds in the frame's order, and the columns left out.
    """
    kinds: dict[Hashable, Kind] = {}
    left_out: list[Hashable] = []
    for column in real_data.columns:
        kind = infer_kind(real_data[column])
        if column not in include and kind is Kind.CATEGORICAL and _is_identifier(real_data[column]):
            left_out.append(column)
        else:
            kinds[column] = kind
    return kinds, left_out


def infer_kind(column: pd.Series[Any]) -> Kind:
    """The kind of one column by its values, the same for every dtype that can hold them."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return Kind.CATEGORICAL
    by_dtype = {"b": Kind.BOOLEAN, "M": Kind.DATETIME, "m": Kind.NUMERICAL}
    dtype_kind = getattr(column.dtype, "kind", "O")
    if dtype_kind in by_dtype:
        return by_dtype[dtype_kind]
    if dtype_kind in "iuf":
        return Kind.NUMERICAL
    return _INFERRED.get(
        pd.api.types.infer_dtype(column.astype(object), skipna=True), Kind.CATEGORICAL
    )


def _is_identifier(column: pd.Series[Any]) -> bool:
    try:
        distinct = column.nunique()
    except (NotImplementedError, TypeError):  # unhashable values: `categories` says so, by name
        return False
    n_values = int(column.notna().sum())
    return n_values >= IDENTIFIER_ROWS and distinct > IDENTIFIER_SHARE * n_values


def _check_columns(where: str, columns: Any) -> None:
    entries = columns.values() if isinstance(columns, Mapping) else [columns]
    if not all(isinstance(e, Mapping) and isinstance(e.get("sdtype", ""), str) for e in entries):
        raise TypeError(
            f"The 'columns' of the {where} must be a dict of dicts, such as "
            "{'age': {'sdtype': 'numerical'}}."
        )


def _key_columns(metadata: Mapping[str, Any]) -> set[Hashable]:
    keys: list[Hashable] = [*metadata.get("foreign_keys", ())]
    for field in ("primary_key", "sequence_key", "alternate_keys"):
        for key in as_list(metadata.get(field)):
            keys.extend(as_list(key))
    return set(keys)


def as_list(value: Any) -> list[Any]:
    """A list of what the metadata names: nothing, one thing, or several."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]
