"""Tables in partitions: dask frames, of which one partition at a time is in memory.

Partitions are brought into one form each by itself, which gives the same levels and codes
everywhere because each is read together with a stand-in for all the others: a few rows in which
every level of every category occurs (see `adapters.stand_in`).

    open_partitions   reads all partitions once for their stand-in, draws the synthetic sample
    read_part         one partition in canonical form, wherever it is
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
from sdmetrics_disclosure.adapters.release.release import (
    Release,
    assemble,
    build_release,
    find_kinds,
)
from sdmetrics_disclosure.adapters.release.stand_in import stack
from sdmetrics_disclosure.adapters.release.tables import (
    HOLDOUT,
    REAL,
    SYNTHETIC,
    as_frame,
    by_argument,
    check_columns,
    check_named,
    check_unique,
)
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.partitions.map_partitions import each_part
from sdmetrics_disclosure.plugins.partitions.summary import stand_in_of, summarise

# Synthetic rows (and, for membership, holdout rows) that are drawn where nothing else is asked.
SAMPLE_ROWS = 100_000
# The child of the seed that draws, beyond all that metrics number from 0.
_DRAW = 2**20


@dataclass(frozen=True)
class Template:
    """What makes partitions alike that are read in different places.

    Attributes:
        real: The stand-in for all real rows.
        synthetic: The stand-in for each synthetic sample.
        holdout: The stand-in for all holdout rows, or None.
        metadata: Of the modelled columns.
    """

    real: pd.DataFrame
    synthetic: tuple[pd.DataFrame, ...]
    holdout: pd.DataFrame | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class PartitionedRelease:
    """A release whose real rows, and perhaps holdout, stay where they are.

    Attributes:
        release: The synthetic samples; the stand-ins for real and holdout rows.
        template: For reading a partition.
        real: Partitions of the real table, not yet read, with the modelled columns.
        holdout: Partitions of the holdout; empty without one.
        n_real: Rows in each real partition.
        n_holdout: Rows in each holdout partition.
        n_synthetic: Rows of each synthetic table, of which `release` has a sample.
    """

    release: Release
    template: Template
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
    """Read every partition once for the levels, and draw the synthetic sample.

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
    template = Template(
        real=found[REAL].stand_in,
        synthetic=tuple(stand_in_of(sample, SYNTHETIC, modelled) for sample in samples),
        holdout=found[HOLDOUT].stand_in if HOLDOUT in parts else None,
        metadata=modelled,
    )
    release = build_release(
        template.real, _as_passed(samples), modelled, real_validation_data=template.holdout
    )
    return PartitionedRelease(
        release=replace(release, notes=(*notes.sentences(), *release.notes)),
        template=template,
        real=parts[REAL],
        holdout=parts.get(HOLDOUT, ()),
        n_real=sizes[REAL],
        n_holdout=sizes.get(HOLDOUT, ()),
        n_synthetic=tuple(sum(sizes[argument]) for argument in synthetic),
    )


@dataclass(frozen=True)
class Part:
    """A partition in canonical form.

    Attributes:
        release: Its table ends with the stand-in's rows; the others are stand-ins. So it has the
            levels, gaps and classes of the whole.
        n_rows: The partition's own rows.
        argument: Which table it is from: `REAL` or `HOLDOUT`.
    """

    release: Release
    n_rows: int
    argument: str

    @property
    def rows(self) -> pd.DataFrame:
        """The partition's own rows."""
        frame = self.release.real if self.argument == REAL else self.release.holdout
        assert frame is not None, "a partition of the holdout is read with one"
        return frame.iloc[: self.n_rows]


def read_part(part: pd.DataFrame, template: Template, argument: str = REAL) -> Part:
    """Bring one partition into canonical form.

    Args:
        part:
            Rows as they came, with the modelled columns.
        template:
            Of the whole.
        argument:
            Which table they are from: `REAL` or `HOLDOUT`.
    """
    own, other = template.real, template.holdout
    if argument == REAL:
        own = stack([part, own])
    else:
        assert other is not None, "a holdout's partition has a template of its table"
        other = stack([part, other])
    release = build_release(
        own, _as_passed(template.synthetic), template.metadata, real_validation_data=other
    )
    return Part(release, len(part), argument)


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


def _as_passed(frames: Sequence[pd.DataFrame]) -> Any:
    """One synthetic table as itself, so that messages name it as the caller does."""
    return frames[0] if len(frames) == 1 else list(frames)


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


def draw_rows(
    parts: Sequence[Any], sizes: Sequence[int], num_rows: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of a table as they came, in their order, each with the same chance.

    Args:
        parts:
            Its partitions.
        sizes:
            Rows in each.
        num_rows:
            The most rows to draw.
        rng:
            Draws them.
    """
    n_rows = sum(sizes)
    drawn = (
        np.arange(n_rows)
        if n_rows <= num_rows
        else np.sort(rng.choice(n_rows, num_rows, replace=False))
    )
    ends = np.cumsum(sizes)
    own = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
    positions = [rows - (end - n) for rows, end, n in zip(own, ends, sizes, strict=True)]
    return stack(each_part(_take, parts, each=positions))


def _take(part: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    return part.iloc[rows]
