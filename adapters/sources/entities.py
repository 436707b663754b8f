"""Several tables: a release for each, and one in which a person is one row with all they have."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import (
    Kind,
    kinds_from_metadata,
    names,
    single_table_metadata,
)
from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.release.schema import fit_units
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL, assemble, collect_frames
from sdmetrics_disclosure.adapters.release.values import key_of
from sdmetrics_disclosure.adapters.sources.relations import (
    Relation,
    find_paths,
    find_relations,
    name_of_role,
)
from sdmetrics_disclosure.adapters.sources.summaries import summarize, summary_kinds, summary_name


@dataclass(frozen=True)
class _Table:
    """One table, as it came and canonical, by argument (real, synthetic, holdout)."""

    raw: Mapping[str, pd.DataFrame]
    canonical: Mapping[str, pd.DataFrame]
    kinds: Mapping[Hashable, Kind]
    n_holdout_levels: Mapping[Hashable, int]
    release: Release | None  # None: only keys and ids


def from_tables(
    real_data: Mapping[str, Any],
    synthetic_data: Any,
    metadata: Any,
    *,
    real_validation_data: Mapping[str, Any] | None = None,
) -> dict[str, Release]:
    """A release for every table, and one for every table that others point to.

    Rows of a table that points to another are their owner's: the unit of their release is the
    row that the first way up from them ends at. The releases of tables pointed to are named
    "PARENT with CHILDREN" and have a row a parent: its own columns, and the number, means and most
    frequent levels of the rows of every table below it. So what is measured is what is given away
    about a person, not about one of their rows. Tables of keys and ids alone have no release of
    their own.

    Args:
        real_data:
            Frames by table name.
        synthetic_data:
            The same, or a list of them: replicates.
        metadata:
            With `tables` and `relationships`, a dict or SDV's `Metadata`.
        real_validation_data:
            Frames by table name, of people the synthesizer never saw.

    Returns:
        A `Release` by name.

    Raises:
        TypeError: If the metadata is none.
        ValueError: If the tables do not fit the metadata, or a parent's key is not unique.
    """
    described = metadata if isinstance(metadata, Mapping) else metadata.to_dict()
    relations = find_relations(described)
    below = {relation.child for relation in relations}
    tables = {
        name: _read(name, real_data, synthetic_data, described, real_validation_data, name in below)
        for name in described["tables"]
    }
    releases = {
        name: _by_owner(name, table.release, tables, relations)
        for name, table in tables.items()
        if table.release is not None
    }
    for parent in dict.fromkeys(relation.parent for relation in relations):
        children = dict.fromkeys(name_of_role(r) for r in relations if r.parent == parent)
        if all(len(frame) for frame in tables[parent].raw.values()):
            releases[f"{parent} with {', '.join(children)}"] = _entity(parent, tables, relations)
    return releases


def _read(
    name: str,
    real: Any,
    synthetic: Any,
    metadata: Mapping[str, Any],
    holdout: Any,
    may_be_empty: bool,
) -> _Table:
    raw = collect_frames(real, synthetic, holdout, name, may_be_empty=may_be_empty)
    described = single_table_metadata(metadata, name)
    assert described is not None, "there is metadata"
    is_empty = any(not len(frame) for frame in raw.values())
    if is_empty or not kinds_from_metadata(described, raw[REAL], ())[0]:
        empty = {argument: frame.iloc[:, :0] for argument, frame in raw.items()}
        return _Table(raw, empty, {}, {}, None)
    release = build_release(real, synthetic, metadata, name, real_validation_data=holdout)
    canonical = dict(zip(raw, release.frames, strict=True))
    return _Table(raw, canonical, release.kinds, release.n_holdout_levels, release)


def _by_owner(
    name: str, release: Release, tables: Mapping[str, _Table], relations: Sequence[Relation]
) -> Release:
    """The release with the row at the top as its rows' unit, where they have one."""
    tops = dict.fromkeys(relation.parent for relation in relations)
    children = {relation.child for relation in relations if relation.child != relation.parent}
    ways = (way for top in tops if top not in children for way in find_paths(top, relations))
    way = next((way for way in ways if way[-1].child == name != way[0].parent), None)
    if way is None or release.unit is not None:
        return release
    unit = ", ".join(str(column) for column in way[0].parent_key)
    unit = f"{way[0].parent}: {unit}" if unit in release.kinds else unit
    owned = {argument: _owner_names(way, tables, argument) for argument in tables[name].raw}
    reader, values = fit_units(owned, unit, Notes())
    columns = [*release.kinds, unit]
    frames = [
        assemble([*(frame[c].array for c in release.kinds), values[argument]], columns, frame.index)
        for argument, frame in zip(owned, release.frames, strict=True)
    ]
    n_synthetic = len(release.synthetic)
    return replace(
        release,
        real=frames[0],
        synthetic=tuple(frames[1 : 1 + n_synthetic]),
        holdout=None if release.holdout is None else frames[-1],
        unit=unit,
        n_holdout_levels={**release.n_holdout_levels, unit: reader.n_last},
    )


def _owner_names(
    way: tuple[Relation, ...], tables: Mapping[str, _Table], argument: str
) -> pd.Series[Any]:
    """The key of the row at the top to which each row belongs; missing where there is none."""
    owners = _owners(way, tables, argument)
    keys = _keys(tables[way[0].parent].raw[argument], way[0].parent_key)
    labels = np.empty(len(keys) + 1, dtype=object)
    labels[:-1] = [", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in keys]
    return pd.Series(labels[owners], dtype=object)


def _entity(parent: str, tables: Mapping[str, _Table], relations: Sequence[Relation]) -> Release:
    base = tables[parent]
    kinds = dict(base.kinds)
    n_holdout_levels = dict(base.n_holdout_levels)
    columns = {
        argument: {column: frame[column].array for column in base.kinds}
        for argument, frame in base.canonical.items()
    }
    notes = list(base.release.notes) if base.release else []
    paths = list(find_paths(parent, relations))
    for path in paths:
        child = tables[path[-1].child]
        prefix = _prefix(path, paths)
        for argument, frame in child.raw.items():
            if not len(frame):
                notes.append(
                    f"Table {path[-1].child!r} has no rows in `{argument}`: of it only the number "
                    "of rows counts."
                )
        kinds |= summary_kinds(child.kinds, prefix)
        for column, kind in child.kinds.items():
            if not kind.is_number:
                n_holdout_levels[summary_name(column, kind, prefix)] = child.n_holdout_levels[
                    column
                ]
        for argument, frame in child.canonical.items():
            owners = _owners(path, tables, argument)
            n_owners = len(base.raw[argument])
            columns[argument] |= summarize(frame, child.kinds, owners, n_owners, prefix)
            if (owners < 0).any():
                notes.append(
                    f"{(owners < 0).sum()} rows of table {path[-1].child!r} in `{argument}` belong "
                    f"to no row of {parent!r} and were left out."
                )
    frames = {
        argument: assemble(list(made.values()), list(made), base.raw[argument].index)
        for argument, made in columns.items()
    }
    return Release(
        real=frames[REAL],
        synthetic=tuple(f for argument, f in frames.items() if argument not in (REAL, HOLDOUT)),
        holdout=frames.get(HOLDOUT),
        kinds=kinds,
        unit=None,
        n_holdout_levels=n_holdout_levels,
        notes=tuple(dict.fromkeys(notes)),
    )


def _prefix(path: tuple[Relation, ...], paths: Sequence[tuple[Relation, ...]]) -> str:
    """The child's name; where several ways lead to it, with the keys on this way."""
    child = path[-1].child
    is_own = child == path[-1].parent
    if not is_own and sum(other[-1].child == child for other in paths) == 1:
        return f"{child}: "
    way = " and ".join(str(column) for relation in path for column in relation.child_key)
    return f"{child} by {way}: "


def _owners(
    path: tuple[Relation, ...], tables: Mapping[str, _Table], argument: str
) -> NDArray[np.intp]:
    """The position of the row at the top to which each row at the bottom belongs, or -1."""
    owners: NDArray[np.intp] | None = None
    for relation in path:
        parents = _keys(tables[relation.parent].raw[argument], relation.parent_key)
        position = {key: i for i, key in enumerate(parents) if key is not None}
        if len(position) < sum(key is not None for key in parents):
            raise ValueError(
                f"Table {relation.parent!r} of `{argument}` has several rows with the same "
                f"{names(relation.parent_key)}, its key; each may occur once."
            )
        children = _keys(tables[relation.child].raw[argument], relation.child_key)
        found = np.array([position.get(key, -1) for key in children], dtype=np.intp)
        owners = found if owners is None else np.where(found < 0, -1, owners[found])
    assert owners is not None, "a path has a relation"
    return owners


def _keys(frame: pd.DataFrame, columns: Sequence[Hashable]) -> list[Any]:
    """The key of each row; None where any part of it is missing: such a row is nobody's."""
    parts = [_key_parts(frame[column]) for column in columns]
    return [None if any(part is None for part in key) else key for key in zip(*parts, strict=True)]


def _key_parts(column: pd.Series[Any]) -> list[Any]:
    codes, cells = pd.factorize(column)
    keys = [*map(key_of, cells), None]
    return [keys[code] for code in codes]
