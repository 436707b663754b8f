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
from sdmetrics_disclosure.adapters.release.values import key_of
from sdmetrics_disclosure.adapters.sources.summaries import summarize, summary_kinds, summary_name

_SIDES = (
    ("parent_table_name", "parent_primary_key"),
    ("child_table_name", "child_foreign_key"),
)
_PARTS = tuple(part for side in _SIDES for part in side)


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
    relations = find_relations(described)
    below = {relation.child for relation in relations}
    tables = {
        name: _read(name, real_data, synthetic_data, described, real_validation_data, name in below)
        for name in described["tables"]
    }
    releases = {name: table.release for name, table in tables.items() if table.release is not None}
    for parent in dict.fromkeys(relation.parent for relation in relations):
        children = dict.fromkeys(_role(r) for r in relations if r.parent == parent)
        if all(len(frame) for frame in tables[parent].raw.values()):
            releases[f"{parent} with {', '.join(children)}"] = _entity(parent, tables, relations)
    return releases


def find_relations(metadata: Mapping[str, Any]) -> list[Relation]:
    """The relations that the metadata names.

    Raises:
        ValueError: If one is incomplete, or names a table or column that is not there.
    """
    return [_relation(each, metadata["tables"]) for each in metadata.get("relationships") or ()]


def _relation(described: Mapping[str, Any], tables: Mapping[str, Any]) -> Relation:
    absent = [part for part in _PARTS if part not in described]
    if absent:
        raise ValueError(
            f"`metadata` has a relationship without {names(absent)}; each needs {names(_PARTS)}."
        )
    sides = [(described[table], as_list(described[key])) for table, key in _SIDES]
    for table, key in sides:
        if table not in tables:
            raise ValueError(
                f"`metadata` has a relationship with the table {table!r}, which is not among its "
                f"tables ({names(tables)}). Take the relationship out, or add the table."
            )
        unknown = [column for column in key if column not in tables[table]["columns"]]
        if unknown:
            raise ValueError(
                f"`metadata` has a relationship by {names(unknown)}, which is no column of the "
                f"table {table!r}. Correct the key, or add the column."
            )
    (parent, parent_key), (child, child_key) = sides
    return Relation(parent, tuple(parent_key), child, tuple(child_key))


def _role(relation: Relation) -> str:
    """How the rows below are called: of a table related to itself by the key that relates it."""
    if relation.child != relation.parent:
        return relation.child
    return f"{relation.child} by {' and '.join(map(str, relation.child_key))}"


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


def _paths(
    parent: str, relations: Sequence[Relation], above: tuple[Relation, ...] = ()
) -> Iterator[tuple[Relation, ...]]:
    """Every way down from a table, shorter ones first.

    None passes a table twice; a table related to itself has one step, from the top.
    """
    passed = {parent, *(relation.parent for relation in above)}
    for relation in relations:
        if relation.parent != parent:
            continue
        if relation.child not in passed:
            yield (*above, relation)
            yield from _paths(relation.child, relations, (*above, relation))
        elif relation.child == parent and not above:
            yield (relation,)


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
