"""What must be known of all partitions before one of them can be read by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.numbers import Numbers, dtype_kind
from sdmetrics_disclosure.adapters.release.schema_sample import read_column, schema_sample, stack
from sdmetrics_disclosure.plugins.partitions.map_partitions import reduce_partitions


@dataclass(frozen=True)
class Summary:
    """What is known of some partitions.

    Attributes:
        sample: Rows that stand for theirs.
        sizes: How many rows each has.
        unreadable: How many values of which datetime column could not be read.
        texts: The datetime columns without a format in which text stands.
    """

    sample: pd.DataFrame
    sizes: tuple[int, ...]
    unreadable: Mapping[Hashable, int]
    texts: frozenset[Hashable]


def summarise(argument: str, parts: Sequence[Any], metadata: Mapping[str, Any]) -> Summary:
    """One pass over a table's partitions.

    Args:
        argument:
            Which table.
        parts:
            Its partitions, not yet read.
        metadata:
            Of the modelled columns.

    Raises:
        ValueError: If there are no rows, or the partitions are unlike each other.
    """
    join = partial(_join, argument, metadata)
    try:
        found: Summary = reduce_partitions(_summary, parts, argument, metadata, combine=join)
    except KeyError as error:
        raise ValueError(
            f"A partition of `{argument}` has other columns than the dask frame says, its `meta` "
            f"({error}): make all partitions alike."
        ) from error
    if not sum(found.sizes):
        raise ValueError(f"`{argument}` has 0 rows; it needs at least one.")
    return found


def _summary(part: pd.DataFrame, argument: str, metadata: Mapping[str, Any]) -> Summary:
    if part.empty:
        return Summary(part, (0,), {}, frozenset())
    numbers = _read_numbers(part, argument, metadata)
    unreadable: dict[Hashable, int] = {}
    texts = set()
    for column, described in metadata["columns"].items():
        if described["sdtype"] == Kind.DATETIME.value:
            n = int((np.isnan(numbers[column]) & part[column].notna().to_numpy()).sum())
            unreadable |= {column: n} if n else {}
            if "datetime_format" not in described and _has_text(part[column]):
                texts.add(column)
    rows = schema_sample(part, list(metadata["columns"]), numbers)
    return Summary(rows, (len(part),), unreadable, frozenset(texts))


def _has_text(column: pd.Series[Any]) -> bool:
    if dtype_kind(column) != "O":
        return False
    return any(isinstance(cell, str) for cell in column.dropna().unique())


def _join(argument: str, metadata: Mapping[str, Any], found: list[Summary]) -> Summary:
    rows = stack([each.sample for each in found])
    unreadable: Counter[Hashable] = Counter()
    for each in found:
        unreadable.update(each.unreadable)
    return Summary(
        sample_of(rows, argument, metadata) if len(rows) else rows,
        tuple(size for each in found for size in each.sizes),
        dict(unreadable),
        frozenset().union(*(each.texts for each in found)),
    )


def sample_of(frame: pd.DataFrame, argument: str, metadata: Mapping[str, Any]) -> pd.DataFrame:
    """A few rows that stand for these (see `adapters.release.schema_sample`)."""
    numbers = _read_numbers(frame, argument, metadata)
    return schema_sample(frame, list(metadata["columns"]), numbers)


def _read_numbers(
    frame: pd.DataFrame, argument: str, metadata: Mapping[str, Any]
) -> dict[Hashable, Numbers]:
    """What the numerical and datetime columns hold."""
    kinds = {column: Kind(each["sdtype"]) for column, each in metadata["columns"].items()}
    return {
        column: read_column(
            frame[column],
            column,
            argument,
            kind,
            metadata["columns"][column].get("datetime_format"),
        )
        for column, kind in kinds.items()
        if kind.is_number
    }
