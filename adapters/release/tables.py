"""The tables as they come: frames or something like it, with the columns that are needed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import choose_table, names

REAL = "real_data"
SYNTHETIC = "synthetic_data"
HOLDOUT = "real_validation_data"


def collect_frames(
    real_data: Any,
    synthetic_data: Any,
    real_validation_data: Any,
    table_name: str | None,
    *,
    may_be_empty: bool = False,
) -> dict[str, pd.DataFrame]:
    """All tables by argument name, in the order real, synthetic, holdout.

    Args:
        real_data:
            The real rows.
        synthetic_data:
            The synthetic rows, or a list: replicates.
        real_validation_data:
            Real rows that the synthesizer never saw, or None.
        table_name:
            Which table, where there are several.
        may_be_empty:
            Whether a table without rows is one, as a child's may be.

    Raises:
        TypeError: If an argument is no frame.
        ValueError: If a table is empty, or names a column twice.
    """
    named = by_argument(real_data, synthetic_data, real_validation_data)
    return {
        argument: as_frame(argument, data, table_name, may_be_empty=may_be_empty)
        for argument, data in named.items()
    }


def by_argument(real_data: Any, synthetic_data: Any, real_validation_data: Any) -> dict[str, Any]:
    """All tables as they came, by argument name, in the order real, synthetic, holdout.

    Raises:
        ValueError: If there are no replicates.
    """
    named = {REAL: real_data}
    if isinstance(synthetic_data, (list, tuple)):
        if not synthetic_data:
            raise ValueError(f"`{SYNTHETIC}` is an empty list; pass at least one frame.")
        named |= {f"{SYNTHETIC}[{i}]": each for i, each in enumerate(synthetic_data)}
    else:
        named[SYNTHETIC] = synthetic_data
    if real_validation_data is not None:
        named[HOLDOUT] = real_validation_data
    return named


def is_frame(data: Any) -> bool:
    """Whether it is a frame, or can make one of itself (polars, pyarrow)."""
    return isinstance(data, pd.DataFrame) or hasattr(data, "to_pandas")


def as_frame(
    argument: str, data: Any, table_name: str | None, *, may_be_empty: bool = False
) -> pd.DataFrame:
    """The frame that an argument means; of several tables the one named.

    Raises:
        TypeError: If it is no frame.
        ValueError: If it is empty, or names a column twice.
    """
    if isinstance(data, Mapping):
        data = data[choose_table(argument, data, table_name)]
        return as_frame(argument, data, None, may_be_empty=may_be_empty)
    if not isinstance(data, pd.DataFrame) and hasattr(data, "to_pandas"):
        data = data.to_pandas()  # polars and pyarrow tables know their own way
    if not isinstance(data, pd.DataFrame):
        raise TypeError(
            f"`{argument}` is a {_type_name(data)}; pass a pandas DataFrame, or a dict of "
            "DataFrames by table name."
        )
    if not data.shape[1] or not (len(data) or may_be_empty):
        raise ValueError(
            f"`{argument}` has {len(data)} rows and {data.shape[1]} columns; it needs at least "
            "one of each."
        )
    check_unique(argument, data.columns)
    return data


def check_unique(argument: str, columns: pd.Index[Any]) -> None:
    """Raise a ValueError if a table names a column twice."""
    if not columns.is_unique:
        repeated = columns[columns.duplicated()].unique()
        raise ValueError(f"`{argument}` has several columns named {names(repeated)}; rename them.")


def _type_name(data: Any) -> str:
    name = type(data).__name__
    return f"{type(data).__module__.partition('.')[0]} {name}" if name == "DataFrame" else name


def check_named(
    include: Collection[Hashable], real: pd.DataFrame, metadata: Mapping[str, Any] | None
) -> list[Hashable]:
    """The columns named, or a ValueError if there is one that does not exist."""
    if isinstance(include, (str, bytes)):
        raise TypeError("`include_column_names` is text; pass a list of column names.")
    available = set(real.columns) if metadata is None else set(metadata["columns"])
    unknown = [column for column in include if column not in available]
    if unknown:
        place = f"`{REAL}`" if metadata is None else "the metadata"
        raise ValueError(
            f"There is no column {names(unknown)} in {place}; the columns are {names(available)}."
        )
    return list(include)


def check_metadata_columns(metadata: Mapping[str, Any], real: pd.DataFrame) -> None:
    """Raise a ValueError unless the metadata describes exactly the real table's columns."""
    undescribed = set(real.columns) - set(metadata["columns"])
    if undescribed:
        raise ValueError(
            f"Column {names(undescribed)} of `{REAL}` is not in the metadata; add it there, or "
            "drop it from the data."
        )
    absent = set(metadata["columns"]) - set(real.columns)
    if absent:
        raise ValueError(
            f"Column {names(absent)} of the metadata is not in `{REAL}`; add it to the data, or "
            "drop it from the metadata."
        )


def check_columns(frames: Mapping[str, pd.DataFrame], columns: Sequence[Hashable]) -> None:
    """Raise a ValueError if a table lacks one of the columns that are needed."""
    for argument, frame in frames.items():
        missing = [column for column in columns if column not in frame.columns]
        if missing:
            raise ValueError(
                f"`{argument}` has no column {names(missing)}. All tables need the columns that "
                f"`{REAL}` and the metadata have."
            )


def assemble(
    arrays: Sequence[Any], columns: Sequence[Hashable], index: pd.Index[Any]
) -> pd.DataFrame:
    """A frame of these arrays, with these names, whatever they are."""
    frame = pd.DataFrame(dict(enumerate(arrays)), index=pd.RangeIndex(len(index)))
    # Tuples stay names: pandas would make a MultiIndex of them.
    labels = np.fromiter(columns, dtype=object, count=len(columns))
    frame.columns = pd.Index(labels, dtype=object, tupleize_cols=False)
    frame.index = index.copy()  # its name could be changed through ours
    return frame
