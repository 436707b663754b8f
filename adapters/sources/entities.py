"""Several tables: a release for each, and one in which a person is one row with all they have."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import (
    Kind,
    as_list,
    kinds_from_metadata,
    names,
    single_table_metadata,
)
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL, assemble, collect_frames
from sdmetrics_disclosure.adapters.sources.summaries import summarize, summary_kinds, summary_name


@dataclass(frozen=True)
class Relation:
    """Rows of one table that point to rows of another.

    Attributes:
        parent: The table pointed to.
        parent_key: Its columns that name a row.
        child: The table that points.
        child_key: Its columns that do.
    """

    parent: str
    parent_key: tuple[Hashable, ...]
    child: str
    child_key: tuple[Hashable, ...]


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

    The latter is named "PARENT with CHILDREN" and has a row a parent: its own columns, and the
    number, means and most frequent levels of the rows of every table below it. So what is
    measured is what is given away about a person, not about one of their rows. Tables of keys
    and ids alone have no release of their own.

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
    tables = {
        name: _read(name, real_data, synthetic_data, described, real_validation_data)
        for name in described["tables"]
    }
    releases = {name: table.release for name, table in tables.items() if table.release is not None}
    relations = find_relations(described)
    for parent in dict.fromkeys(relation.parent for relation in relations):
        children = dict.fromkeys(r.child for r in relations if r.parent == parent)
        releases[f"{parent} with {', '.join(children)}"] = _entity(parent, tables, relations)
    return releases


def find_relations(metadata: Mapping[str, Any]) -> list[Relation]:
    """The relations that the metadata names."""
    return [
        Relation(
            parent=relation["parent_table_name"],
            parent_key=tuple(as_list(relation["parent_primary_key"])),
            child=relation["child_table_name"],
            child_key=tuple(as_list(relation["child_foreign_key"])),
        )
        for relation in metadata.get("relationships") or ()
    ]


def _read(
    name: str, real: Any, synthetic: Any, metadata: Mapping[str, Any], holdout: Any
) -> _Table:
    raw = collect_frames(real, synthetic, holdout, name)
    described = single_table_metadata(metadata, name)
    assert described is not None, "there is metadata"
    if not kinds_from_metadata(described, raw[REAL], ())[0]:
        empty = {argument: frame.iloc[:, :0] for argument, frame in raw.items()}
        return _Table(raw, empty, {}, {}, None)
    release = build_release(real, synthetic, metadata, name, real_validation_data=holdout)
    canonical = dict(zip(raw, release.frames, strict=True))
    return _Table(raw, canonical, release.kinds, release.n_holdout_levels, release)


def _entity(parent: str, tables: Mapping[str, _Table], relations: Sequence[Relation]) -> Release:
    base = tables[parent]
    kinds = dict(base.kinds)
    n_holdout_levels = dict(base.n_holdout_levels)
    columns = {
        argument: {column: frame[column].array for column in base.kinds}
        for argument, frame in base.canonical.items()
    }
    notes = list(base.release.notes) if base.release else []
    paths = list(_paths(parent, relations))
    for path in paths:
        child = tables[path[-1].child]
        prefix = _prefix(path, paths)
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


def _paths(
    parent: str, relations: Sequence[Relation], above: tuple[Relation, ...] = ()
) -> Iterator[tuple[Relation, ...]]:
    """Every way down from a table, shorter ones first; none passes a table twice."""
    passed = {parent, *(relation.parent for relation in above)}
    for relation in relations:
        if relation.parent == parent and relation.child not in passed:
            yield (*above, relation)
            yield from _paths(relation.child, relations, (*above, relation))


def _prefix(path: tuple[Relation, ...], paths: Sequence[tuple[Relation, ...]]) -> str:
    """The child's name; where several ways lead to it, with the keys on this way."""
    child = path[-1].child
    if sum(other[-1].child == child for other in paths) == 1:
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
        if not parents.is_unique:
            raise ValueError(
                f"Table {relation.parent!r} of `{argument}` has several rows with the same "
                f"{names(relation.parent_key)}, its key; each may occur once."
            )
        children = _keys(tables[relation.child].raw[argument], relation.child_key)
        found = parents.get_indexer(children).astype(np.intp)
        owners = found if owners is None else np.where(found < 0, -1, owners[found])
    assert owners is not None, "a path has a relation"
    return owners


def _keys(frame: pd.DataFrame, columns: Sequence[Hashable]) -> Any:
    if len(columns) == 1:
        return pd.Index(frame[columns[0]])
    return pd.MultiIndex.from_frame(frame[[*columns]])
