"""Tables in partitions: dask frames, of which one partition at a time is in memory.

All partitions are read once for the schema: a few rows are kept in which every level of every
category occurs (see `adapters.release.schema_sample`). What is fitted on them brings each partition
into canonical form, wherever it is (`TableSchema.transform`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.release.datetimes import unreadable_datetimes
from sdmetrics_disclosure.adapters.release.kinds import (
    MODELABLE,
    Kind,
    choose_table,
    names,
    sequence_key,
    single_table_metadata,
)
from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.release import Release, find_kinds, fit_release
from sdmetrics_disclosure.adapters.release.schema import TableSchema
from sdmetrics_disclosure.adapters.release.tables import (
    HOLDOUT,
    REAL,
    SYNTHETIC,
    as_frame,
    assemble,
    by_argument,
    check_columns,
    check_named,
    check_unique,
)
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.partitions.sampling import draw_rows
from sdmetrics_disclosure.plugins.partitions.summary import summarise

# Synthetic rows (and, for membership, holdout rows) that are drawn where nothing else is asked.
SAMPLE_ROWS = 100_000
# The child of the seed that draws, beyond all that metrics number from 0.
_DRAW = 2**20


@dataclass(frozen=True)
class PartitionedRelease:
    """A release whose real rows, and perhaps holdout, stay where they are.

    Attributes:
        release: The synthetic samples; the schema samples of real and holdout rows.
        schema: Brings a partition into canonical form.
        schema_samples: A few rows as they came, by argument, that stand for all real and all
            holdout rows.
        real: Partitions of the real table, not yet read, with the modelled columns.
        holdout: Partitions of the holdout; empty without one.
        n_real: Rows in each real partition.
        n_holdout: Rows in each holdout partition.
        n_synthetic: Rows of each synthetic table, of which `release` has a sample.
    """

    release: Release
    schema: TableSchema
    schema_samples: Mapping[str, pd.DataFrame]
    real: tuple[Any, ...]
    holdout: tuple[Any, ...]
    n_real: tuple[int, ...]
    n_holdout: tuple[int, ...]
    n_synthetic: tuple[int, ...]

    def notes(self) -> tuple[str, ...]:
        """What was noticed, and that the attackers saw samples."""
        sampled = [
            f"{len(frame):,} of the {n:,} synthetic rows were drawn: attackers see no others."
            for n, frame in zip(self.n_synthetic, self.release.synthetic, strict=True)
            if len(frame) < n
        ]
        return (*self.release.notes, *sampled)


def is_partitioned(data: Any) -> bool:
    """Whether it is a dask frame, or a dict or list that holds one."""
    if isinstance(data, Mapping):
        return any(map(is_partitioned, data.values()))
    if isinstance(data, (list, tuple)):
        return any(map(is_partitioned, data))
    # Of the class: an object may claim to have anything, as dask's delayed ones do.
    return all(hasattr(type(data), each) for each in ("to_delayed", "npartitions", "assign"))


def open_partitions(
    real_data: Any,
    synthetic_data: Any,
    metadata: Any,
    table_name: str | None,
    real_validation_data: Any,
    *,
    include_column_names: Collection[Hashable],
    num_rows: int | None,
    random_state: Any,
) -> PartitionedRelease:
    """Read every partition once for the schema, and draw the synthetic sample.

    Args:
        real_data:
            A dask or pandas frame, or a dict of them by table name.
        synthetic_data:
            The same, or a list: replicates.
        metadata:
            SDMetrics' metadata in any form.
        table_name:
            Which table, where there are several.
        real_validation_data:
            Like `real_data`, or None.
        include_column_names:
            Columns that take part whatever they are.
        num_rows:
            The most synthetic rows to draw; None: `SAMPLE_ROWS`.
        random_state:
            Of the draw.

    Raises:
        TypeError: If an argument is no frame.
        ValueError: If the tables do not fit each other or the metadata, or cannot be read one
            partition at a time.
    """
    described = single_table_metadata(metadata, table_name)
    if described is None:
        raise ValueError(
            "`metadata` is None: what kind of column each one is cannot be told from one "
            "partition. Pass metadata, for example what SDV detects on a sample of the rows."
        )
    named = by_argument(real_data, synthetic_data, real_validation_data)
    frames = {argument: _one(argument, data, table_name) for argument, data in named.items()}
    empty = {argument: _without_rows(frame) for argument, frame in frames.items()}
    include = check_named(include_column_names, empty[REAL], described)
    notes = Notes()
    by_values = any(described["columns"][c].get("sdtype") not in MODELABLE for c in include)
    some = _first_rows(frames[REAL]) if by_values else empty[REAL]
    kinds = find_kinds(described, some, include, notes)
    _refuse_units(described)
    check_columns(empty, list(kinds))
    modelled = _modelled(described, kinds)
    parts = {argument: _parts(frame, list(kinds)) for argument, frame in frames.items()}
    found = {argument: summarise(argument, each, modelled) for argument, each in parts.items()}
    sizes = {argument: summary.sizes for argument, summary in found.items()}
    for argument, summary in found.items():
        _refuse_text_dates(argument, summary.texts)
        for column, n in summary.unreadable.items():
            notes.add(unreadable_datetimes(n, argument), column)
    seeds = child(seed_sequence(random_state), _DRAW)
    synthetic = [argument for argument in frames if argument.startswith(SYNTHETIC)]
    samples = [
        draw_rows(parts[argument], sizes[argument], num_rows or SAMPLE_ROWS, generator(seeds, i))
        for i, argument in enumerate(synthetic)
    ]
    schema_samples = {a: found[a].sample for a in (REAL, HOLDOUT) if a in found}
    release, schema = fit_release(
        schema_samples[REAL],
        samples[0] if len(samples) == 1 else samples,  # named in messages as the caller does
        modelled,
        real_validation_data=schema_samples.get(HOLDOUT),
    )
    return PartitionedRelease(
        release=replace(release, notes=(*notes.sentences(), *release.notes)),
        schema=schema,
        schema_samples=schema_samples,
        real=parts[REAL],
        holdout=parts.get(HOLDOUT, ()),
        n_real=sizes[REAL],
        n_holdout=sizes.get(HOLDOUT, ()),
        n_synthetic=tuple(sum(sizes[argument]) for argument in synthetic),
    )


def _one(argument: str, data: Any, table_name: str | None) -> Any:
    if isinstance(data, Mapping):
        data = data[choose_table(argument, data, table_name)]
    if not is_partitioned(data):
        return as_frame(argument, data, table_name)
    check_unique(argument, data.columns)
    return data


def _without_rows(frame: Any) -> pd.DataFrame:
    """The columns and dtypes, which a dask frame knows before it is read."""
    arrays = [pd.Series([], dtype=dtype).array for dtype in frame.dtypes]
    return assemble(arrays, list(frame.columns), pd.RangeIndex(0))


def _refuse_units(metadata: Mapping[str, Any]) -> None:
    unit = sequence_key(metadata)
    if unit is not None:
        raise ValueError(
            f"The metadata's 'sequence_key' {unit!r} says that several rows are one person's, whom "
            "partitions may cut in two. Pass pandas frames, or one row a person."
        )


def _modelled(metadata: Mapping[str, Any], kinds: Mapping[Hashable, Kind]) -> dict[str, Any]:
    """Metadata of the modelled columns alone, whatever made them so."""
    columns: dict[Hashable, dict[str, Any]] = {}
    for column, kind in kinds.items():
        columns[column] = {"sdtype": kind.value}
        form = metadata["columns"][column].get("datetime_format")
        if form is not None:
            columns[column]["datetime_format"] = form
    return {"columns": columns}


def _refuse_text_dates(argument: str, columns: Collection[Hashable]) -> None:
    if columns:
        raise ValueError(
            f"Column {names(columns)} of `{argument}` holds datetimes as text without a "
            "'datetime_format' in the metadata: whether days or months come first cannot be told "
            "from one partition. Add the format, or convert the column."
        )


def _first_rows(frame: Any) -> pd.DataFrame:
    """The rows of the first partition that has any."""
    if not is_partitioned(frame):
        return pd.DataFrame(frame)
    for i in range(frame.npartitions):
        found: pd.DataFrame = frame.partitions[i].compute()
        if len(found):
            return found
    return _without_rows(frame)


def _parts(frame: Any, columns: list[Hashable]) -> tuple[Any, ...]:
    import dask

    if is_partitioned(frame):
        return tuple(frame[columns].to_delayed())
    return (dask.delayed(frame[columns], traverse=False),)
