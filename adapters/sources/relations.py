"""Which table's rows point to which, and the ways down from a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.adapters.release.kinds import as_list, names

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


def name_of_role(relation: Relation) -> str:
    """How the rows below are called: of a table related to itself by the key that relates it."""
    if relation.child != relation.parent:
        return relation.child
    return f"{relation.child} by {' and '.join(map(str, relation.child_key))}"


def find_paths(
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
            yield from find_paths(relation.child, relations, (*above, relation))
        elif relation.child == parent and not above:
            yield (relation,)
