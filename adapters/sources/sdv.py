"""From a fitted SDV synthesizer to releases: for one table, for sequences, for several tables.

SDV is never imported. What is asked of a synthesizer is what SDV 1.20 to 2.0 all have; the only
private names used are those that seed it, for want of public ones.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any

from sdmetrics_disclosure.adapters.release.kinds import (
    choose_table,
    sequence_key,
    single_table_metadata,
)
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.sources.entities import from_tables
from sdmetrics_disclosure.adapters.sources.relations import find_relations
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed
from sdmetrics_disclosure.adapters.sources.sequences import sequence_release


def is_sdv(source: Any) -> bool:
    """Whether a source is an SDV synthesizer, for one table or several."""
    return all(callable(getattr(source, name, None)) for name in ("fit", "sample", "get_metadata"))


def makes_sequences(synthesizer: Any) -> bool:
    """Whether an SDV synthesizer is sampled by sequences (PAR)."""
    return hasattr(synthesizer, "sample_sequences") or "num_sequences" in _words(synthesizer)


def makes_several_tables(synthesizer: Any) -> bool:
    """Whether an SDV synthesizer is for several tables (HMA)."""
    return hasattr(synthesizer, "sample_scale") or "scale" in _words(synthesizer)


def metadata_of(synthesizer: Any) -> dict[str, Any]:
    """An SDV synthesizer's own metadata, with `tables`."""
    metadata: dict[str, Any] = synthesizer.get_metadata().to_dict()
    return metadata


def from_sdv(
    synthesizer: Any,
    real_data: Any,
    *,
    real_validation_data: Any = None,
    num_rows: int | None = None,
    random_state: Any = 0,
) -> dict[str, Release]:
    """Releases from a fitted SDV synthesizer, which is sampled and stays as it is.

    The metadata are the synthesizer's own. For one table there is one release. PAR gives the
    rows, whose unit is the sequence, and "TABLE by KEY" with a row a sequence. HMA gives what
    `from_tables` gives.

    Args:
        synthesizer:
            The fitted synthesizer.
        real_data:
            The rows it was fitted on: a frame, or frames by table name.
        real_validation_data:
            Real rows it never saw, in the same form.
        num_rows:
            How many rows to sample: sequences for PAR, rows of the first table without a parent
            for HMA. None: as many as the real data has.
        random_state:
            Seed of the sample, as far as SDV lets itself be seeded.

    Returns:
        A `Release` by name.

    Raises:
        TypeError: If it is no SDV synthesizer.
        ValueError: If it is not fitted, or the tables do not fit its metadata.
    """
    if not is_sdv(synthesizer):
        raise TypeError(
            f"`synthesizer` is a {type(synthesizer).__name__}; pass a fitted SDV synthesizer."
        )
    metadata = metadata_of(synthesizer)
    synthetic = sample_sdv(synthesizer, real_data, num_rows=num_rows, random_state=random_state)
    if makes_several_tables(synthesizer):
        return from_tables(
            real_data, synthetic, metadata, real_validation_data=real_validation_data
        )
    (name,) = synthetic
    release = build_release(
        real_data, synthetic, metadata, name, real_validation_data=real_validation_data
    )
    return with_sequences(name, release)


def with_sequences(name: str, release: Release) -> dict[str, Release]:
    """The release by its name, and where its rows have a unit the one with a row a unit."""
    if release.unit is None:
        return {name: release}
    return {name: release, f"{name} by {release.unit}": sequence_release(release)}


def sample_sdv(
    synthesizer: Any, real_data: Any, *, num_rows: int | None = None, random_state: Any = 0
) -> dict[str, Any]:
    """What a fitted SDV synthesizer samples, as it gives it, by table name; it stays as it is.

    Args:
        synthesizer:
            The fitted synthesizer.
        real_data:
            The rows it was fitted on, for their number.
        num_rows:
            See `from_sdv`.
        random_state:
            See `from_sdv`.

    Raises:
        ValueError: If it is not fitted.
    """
    if not synthesizer.get_info()["is_fit"]:
        raise ValueError("`synthesizer` is not fitted; call its `fit` first.")
    synthesizer = copy.deepcopy(synthesizer)
    seed = integer_seed(random_state)
    _set_seeds(synthesizer, seed)
    with global_seed(seed):
        if makes_several_tables(synthesizer):
            return _sample_tables(synthesizer, real_data, num_rows)
        return _sample_table(synthesizer, real_data, num_rows)


def fit_sdv(synthesizer: Any, real_data: Any) -> Any:
    """A copy of an SDV synthesizer for one table, fitted on a frame.

    Args:
        synthesizer:
            It stays as it is.
        real_data:
            The frame; it is not changed.
    """
    fitted = copy.deepcopy(synthesizer)
    frame = real_data.copy()
    (name,) = metadata_of(synthesizer)["tables"]
    fitted.fit({name: frame} if _takes_dicts(synthesizer) else frame)
    return fitted


def _sample_table(synthesizer: Any, real_data: Any, num_rows: int | None) -> dict[str, Any]:
    metadata = metadata_of(synthesizer)
    (name,) = metadata["tables"]
    if isinstance(real_data, Mapping):
        real_data = real_data[choose_table("real_data", real_data, name)]
    if not makes_sequences(synthesizer):
        sampled = synthesizer.sample(len(real_data) if num_rows is None else num_rows)
    else:
        described = single_table_metadata(metadata, name)
        assert described is not None, "a synthesizer has metadata"
        if num_rows is None:
            num_rows = len(set(real_data[sequence_key(described)]))
        sampled = getattr(synthesizer, "sample_sequences", synthesizer.sample)(num_rows)
    return dict(sampled) if isinstance(sampled, Mapping) else {name: sampled}


def _sample_tables(
    synthesizer: Any, real_data: Mapping[str, Any], num_rows: int | None
) -> dict[str, Any]:
    metadata = metadata_of(synthesizer)
    children = {relation.child for relation in find_relations(metadata)}
    top = next((name for name in metadata["tables"] if name not in children), None)
    scale = 1.0
    if num_rows is not None and top is not None:
        scale = num_rows / len(real_data[top])
    return dict(getattr(synthesizer, "sample_scale", synthesizer.sample)(scale))


def _set_seeds(synthesizer: Any, seed: int) -> None:
    """Seed a synthesizer and those within it; by itself SDV samples the same each time."""
    tables = getattr(synthesizer, "_table_synthesizers", {}).values()
    for part in (synthesizer, getattr(synthesizer, "_context_synthesizer", None), *tables):
        if hasattr(getattr(part, "_model", None), "set_random_state"):
            part._set_random_state(seed)
    if hasattr(synthesizer, "_numpy_seed"):
        synthesizer._numpy_seed = seed


def _takes_dicts(synthesizer: Any) -> bool:
    """Whether it is SDV 2, which takes and gives dicts by table name."""
    return "main_table_name" in _words(synthesizer)


def _words(synthesizer: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(synthesizer.sample).parameters
