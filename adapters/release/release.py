"""The release: real, synthetic and holdout rows in one form. The one place data is checked."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import (
    Kind,
    kinds_from_metadata,
    kinds_from_values,
    sequence_key,
    single_table_metadata,
)
from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.origin import Origin, form_of
from sdmetrics_disclosure.adapters.release.schema import TableSchema, fit_schema
from sdmetrics_disclosure.adapters.release.tables import (
    HOLDOUT,
    REAL,
    SYNTHETIC,
    check_columns,
    check_metadata_columns,
    check_named,
    collect_frames,
)


@dataclass(frozen=True)
class Release:
    """A synthetic table about to be released, with the real rows behind it.

    All frames have the same columns in the same order (the metadata's, else the real
    frame's) and their callers' own indices. Numbers and datetimes (seconds since 1970 UTC)
    are float64 without infinities; every other column is categorical over one table of
    levels, sorted, that all frames share. NaN is the only missing marker.

    Attributes:
        real: The real rows, from which the synthesizer learned.
        synthetic: The synthetic rows; several frames are replicates.
        holdout: Real rows that the synthesizer never saw, or None.
        kinds: The kind of each modelled column, by name.
        unit: The column that says whose row it is (metadata's `sequence_key`), or None. It is
            the frames' last column and not in `kinds`, unless it was named as an attribute; the
            names of synthetic units are levels of their own.
        n_holdout_levels: How many of a category's levels, the last ones, only the holdout has.
        notes: What was noticed while reading, a sentence each.
        origin: How the tables came; None where they were made from others.
    """

    real: pd.DataFrame
    synthetic: tuple[pd.DataFrame, ...]
    holdout: pd.DataFrame | None
    kinds: Mapping[Hashable, Kind]
    unit: Hashable | None
    n_holdout_levels: Mapping[Hashable, int]
    notes: tuple[str, ...]
    origin: Origin | None = None

    @property
    def columns(self) -> list[Hashable]:
        """The modelled columns, in order."""
        return list(self.kinds)

    @property
    def frames(self) -> tuple[pd.DataFrame, ...]:
        """All frames: real, synthetic ones, holdout if there is one."""
        holdout = () if self.holdout is None else (self.holdout,)
        return (self.real, *self.synthetic, *holdout)

    def constant_columns(self) -> list[Hashable]:
        """The modelled columns that have one value, or only gaps, in all frames together."""
        return [column for column in self.columns if self._is_constant(column)]

    def subsample(self, num_rows: int | None, generator: np.random.Generator) -> Release:
        """At most `num_rows` rows of each frame, or one whole unit, in their order.

        Args:
            num_rows:
                The most rows a frame may have; None: all.
            generator:
                The source of the draw.
        """
        if num_rows is None or all(len(frame) <= num_rows for frame in self.frames):
            return self
        draw = partial(_draw_rows, num_rows=num_rows, unit=self.unit, generator=generator)
        return replace(
            self,
            real=draw(self.real),
            synthetic=tuple(draw(frame) for frame in self.synthetic),
            holdout=None if self.holdout is None else draw(self.holdout),
        )

    def _is_constant(self, column: Hashable) -> bool:
        found: set[Any] = set()
        for frame in self.frames:
            values = frame[column]
            found.update(values.dropna().unique()[:2])
            if values.isna().any():
                found.add(None)
            if len(found) > 1:
                return False
        return True


def _draw_rows(
    frame: pd.DataFrame, num_rows: int, unit: Hashable | None, generator: np.random.Generator
) -> pd.DataFrame:
    if len(frame) <= num_rows:
        return frame
    if unit is None:
        return frame.iloc[np.sort(generator.choice(len(frame), num_rows, replace=False))]
    codes = frame[unit].cat.codes.to_numpy()
    present, counts = np.unique(codes, return_counts=True)
    order = generator.permutation(present.size)
    n_units = max(1, int(np.searchsorted(np.cumsum(counts[order]), num_rows, side="right")))
    return frame.iloc[np.flatnonzero(np.isin(codes, present[order[:n_units]]))]


def take_columns(frame: pd.DataFrame, columns: Iterable[Hashable]) -> pd.DataFrame:
    """The named columns of a canonical frame, also where names are tuples."""
    position: dict[Hashable, int] = {column: i for i, column in enumerate(frame.columns)}
    return frame.take([position[column] for column in columns], axis=1)


def build_release(
    real_data: Any,
    synthetic_data: Any,
    metadata: Any = None,
    table_name: str | None = None,
    *,
    real_validation_data: Any = None,
    include_column_names: Collection[Hashable] = (),
) -> Release:
    """The checked tables in one form (see `fit_release`)."""
    release, _ = fit_release(
        real_data,
        synthetic_data,
        metadata,
        table_name,
        real_validation_data=real_validation_data,
        include_column_names=include_column_names,
    )
    return release


def fit_release(
    real_data: Any,
    synthetic_data: Any,
    metadata: Any = None,
    table_name: str | None = None,
    *,
    real_validation_data: Any = None,
    include_column_names: Collection[Hashable] = (),
) -> tuple[Release, TableSchema]:
    """Check the tables and bring them into one form; the caller's frames are not changed.

    Args:
        real_data:
            Frame, or dict of frames by table name.
        synthetic_data:
            The same, or a list of either: replicates.
        metadata:
            SDMetrics' metadata in any form, or None.
        table_name:
            Which table, where there are several.
        real_validation_data:
            Real rows the synthesizer never saw, or None.
        include_column_names:
            Columns that take part even where they are ids, keys or personal data.

    Returns:
        The tables, and the schema by which further rows of them come into the same form.

    Raises:
        TypeError: If an argument is no frame.
        ValueError: If the tables do not fit each other or the metadata.
    """
    table_metadata = single_table_metadata(metadata, table_name)
    frames = collect_frames(real_data, synthetic_data, real_validation_data, table_name)
    include = check_named(include_column_names, frames[REAL], table_metadata)
    notes = Notes()
    kinds = find_kinds(table_metadata, frames[REAL], include, notes)
    unit = None if table_metadata is None else sequence_key(table_metadata)
    if unit is not None and unit in kinds:
        kinds[unit] = Kind.CATEGORICAL  # names of units have no size
    columns = list(dict.fromkeys([*kinds, *([] if unit is None else [unit])]))
    check_columns(frames, columns)
    schema, canonical = fit_schema(frames, columns, kinds, table_metadata, notes)
    release = Release(
        real=canonical[REAL],
        synthetic=tuple(canonical[name] for name in frames if name.startswith(SYNTHETIC)),
        holdout=canonical.get(HOLDOUT),
        kinds=kinds,
        unit=unit,
        n_holdout_levels=schema.n_holdout_levels,
        notes=notes.sentences(),
        origin=Origin(
            kinds="values" if table_metadata is None else "metadata",
            tables={argument: form_of(frame, list(kinds)) for argument, frame in frames.items()},
        ),
    )
    return release, schema


def find_kinds(
    metadata: Mapping[str, Any] | None,
    real: pd.DataFrame,
    include: Sequence[Hashable],
    notes: Notes,
) -> dict[Hashable, Kind]:
    """The kind of each column that can be modelled.

    Args:
        metadata:
            Of one table, or None: then by the values.
        real:
            The real rows, or enough of them.
        include:
            Columns that take part whatever they are.
        notes:
            Where what was noticed is written down.

    Raises:
        ValueError: If metadata and table have not the same columns, or nothing can be modelled.
    """
    if metadata is None:
        kinds, left_out = kinds_from_values(real, include)
        for column in left_out:
            notes.add("{columns} look like identifiers and were left out.", column)
    else:
        check_metadata_columns(metadata, real)
        kinds, obeyed = kinds_from_metadata(metadata, real, include)
        for column in obeyed:
            notes.add(
                "{columns} are keys, ids or personal data in the metadata; they take part "
                "because they were named.",
                column,
            )
    if not kinds:
        raise ValueError(
            "No column can be modelled: all are ids, keys, personal data or free text. Correct "
            "the sdtypes in the metadata, or name the columns."
        )
    return kinds
