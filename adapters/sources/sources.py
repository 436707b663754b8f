"""From what people have to a `Release`."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from typing import Any

from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame, is_frame
from sdmetrics_disclosure.adapters.sources.ctgan import from_ctgan, is_ctgan
from sdmetrics_disclosure.adapters.sources.detection import detect_metadata, sdv_version
from sdmetrics_disclosure.adapters.sources.entities import from_tables
from sdmetrics_disclosure.adapters.sources.files import is_path, read_metadata, read_table
from sdmetrics_disclosure.adapters.sources.sdv import from_sdv, is_sdv, with_sequences

TABLE = "table"


def from_frames(
    real_data: Any,
    synthetic_data: Any,
    metadata: Any = None,
    *,
    real_validation_data: Any = None,
    table_name: str | None = None,
    include_column_names: Collection[Hashable] = (),
) -> Release:
    """A release from frames.

    Args:
        real_data:
            The real rows: a DataFrame, or a dict of DataFrames by table name.
        synthetic_data:
            The synthetic rows: the same, or a list of either (replicates).
        metadata:
            SDMetrics' metadata (`columns` or `tables`, a dict or SDV's `Metadata`). Without it
            SDV detects them from the real rows, where SDV is installed. Else kinds are taken from
            the values: booleans, dates and numbers by what they are, all else as categories, text
            with nearly no repetition left out.
        real_validation_data:
            Real rows that the synthesizer never saw.
        table_name:
            Which table, where there are several.
        include_column_names:
            Columns that take part though the metadata makes them ids, keys or personal data.

    Returns:
        The checked `Release`; the frames passed are not changed.

    Raises:
        TypeError: If an argument is no frame.
        ValueError: If the tables do not fit each other or the metadata.
    """
    detected = None
    if metadata is None:
        detected = detect_metadata(as_frame(REAL, real_data, table_name))
    release = build_release(
        real_data,
        synthetic_data,
        metadata if detected is None else detected,
        table_name,
        real_validation_data=real_validation_data,
        include_column_names=include_column_names,
    )
    return release if detected is None else _with_detection(release, detected)


def from_files(
    real: Any,
    synthetic: Any,
    metadata: Any = None,
    *,
    real_validation: Any = None,
    table_name: str | None = None,
    include_column_names: Collection[Hashable] = (),
) -> Release:
    """A release from files: CSV (also compressed) or Parquet, and SDV's metadata as JSON.

    Args:
        real:
            Path of the real rows.
        synthetic:
            Path of the synthetic rows; a list of paths are replicates.
        metadata:
            Path of the metadata that SDV's `save_to_json` writes, or metadata, or None.
        real_validation:
            Path of real rows that the synthesizer never saw.
        table_name:
            Which table of the metadata, where there are several.
        include_column_names:
            Columns that take part though the metadata makes them ids, keys or personal data.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a file is of no known type, or the tables do not fit.
    """
    real = read_table("real", real)
    several = isinstance(synthetic, (list, tuple))
    read = [read_table("synthetic", path) for path in (synthetic if several else [synthetic])]
    return from_frames(
        real,
        read if several else read[0],
        read_metadata(metadata),
        real_validation_data=read_table("real_validation", real_validation),
        table_name=table_name,
        include_column_names=include_column_names,
    )


def load(
    source: Any, real_data: Any, metadata: Any = None, real_validation_data: Any = None
) -> dict[str, Release] | None:
    """Releases from whatever a synthesizer left: the one adapter that knows the source is asked.

    Args:
        source:
            A fitted SDV synthesizer (whose own metadata count), a fitted model of the `ctgan`
            package, a frame, frames by table name, a path, or a list of frames, dicts or paths.
        real_data:
            The real rows, as frame, frames by table name, or path.
        metadata:
            Metadata in any form, or the path of a JSON file.
        real_validation_data:
            As `real_data`.

    Returns:
        A `Release` by name; None if no adapter knows the source.
    """
    real = read_table("real_data", real_data)
    holdout = read_table("real_validation_data", real_validation_data)
    if is_sdv(source):
        return from_sdv(source, real, real_validation_data=holdout)
    if is_ctgan(source):
        return {TABLE: from_ctgan(source, real, real_validation_data=holdout)}
    parts = source if isinstance(source, (list, tuple)) else [source]
    if not parts or not all(_is_known(part) for part in parts):
        return None
    read = [read_table("source", part) for part in parts]
    synthetic = read if isinstance(source, (list, tuple)) else read[0]
    described = read_metadata(metadata)
    if isinstance(read[0], Mapping) and isinstance(real, Mapping):
        return _load_tables(synthetic, real, described, holdout)
    release = from_frames(real, synthetic, described, real_validation_data=holdout)
    return with_sequences(TABLE, release)


def _with_detection(release: Release, metadata: Mapping[str, Any]) -> Release:
    notes = Notes()
    for column in metadata["columns"]:
        if column not in release.kinds:
            notes.add(
                "SDV takes {columns} for ids or personal data: they were left out. Pass metadata, "
                "or name them, if they are attributes.",
                column,
            )
    assert release.origin is not None, "it was built from tables"
    origin = replace(release.origin, kinds=f"SDV {sdv_version()}")
    return replace(release, origin=origin, notes=(*notes.sentences(), *release.notes))


def _is_known(part: Any) -> bool:
    if isinstance(part, Mapping):
        return bool(part) and all(is_frame(table) for table in part.values())
    return is_path(part) or is_frame(part)


def _load_tables(
    synthetic: Any, real: Mapping[str, Any], metadata: Any, holdout: Any
) -> dict[str, Release]:
    described = (
        metadata if metadata is None or isinstance(metadata, Mapping) else metadata.to_dict()
    )
    if described is not None and "tables" in described:
        return from_tables(real, synthetic, described, real_validation_data=holdout)
    return {
        name: from_frames(real, synthetic, described, real_validation_data=holdout, table_name=name)
        for name in real
    }
