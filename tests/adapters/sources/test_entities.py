"""Shapes of several tables: empty children, a table related to itself, relations to nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.sources.entities import from_tables

RELATION = {
    "parent_table_name": "people",
    "parent_primary_key": "id",
    "child_table_name": "visits",
    "child_foreign_key": "person",
}
BOSS = {**RELATION, "child_table_name": "people", "child_foreign_key": "boss"}


def metadata(*relations: Any) -> dict[str, Any]:
    columns = {"id": "id", "age": "numerical", "boss": "id"}, {"person": "id", "cost": "numerical"}
    tables = {
        name: {"columns": {column: {"sdtype": kind} for column, kind in own.items()}}
        for name, own in zip(("people", "visits"), columns, strict=True)
    }
    tables["people"]["primary_key"] = "id"  # type: ignore[assignment]
    return {"tables": tables, "relationships": list(relations)}


def tables(n_visits: int) -> dict[str, pd.DataFrame]:
    people = pd.DataFrame({"id": [1, 2, 3], "age": [30.0, 40.0, 50.0], "boss": [3, 3, np.nan]})
    person = np.arange(n_visits) % 2 + 1
    return {
        "people": people,
        "visits": pd.DataFrame({"person": person, "cost": np.arange(n_visits, dtype=float)}),
    }


@pytest.mark.parametrize(("n_real", "n_synthetic"), [(0, 0), (4, 0), (0, 4)])
def test_of_an_empty_child_the_number_of_rows_counts(n_real: int, n_synthetic: int) -> None:
    found = from_tables(tables(n_real), tables(n_synthetic), metadata(RELATION))
    assert set(found) == {"people", "people with visits"}
    release = found["people with visits"]
    assert release.columns == ["age", "visits: rows"]
    rows = {0: [0.0, 0.0, 0.0], 4: [2.0, 2.0, 0.0]}
    assert release.real["visits: rows"].tolist() == rows[n_real]
    assert release.synthetic[0]["visits: rows"].tolist() == rows[n_synthetic]
    assert any("has no rows" in note for note in release.notes)


def test_an_empty_parent_is_still_an_error() -> None:
    empty = {**tables(4), "people": tables(4)["people"].iloc[:0]}
    with pytest.raises(ValueError, match="has 0 rows"):
        from_tables(empty, empty, metadata(RELATION))


def test_a_table_related_to_itself_has_its_role_in_the_name() -> None:
    found = from_tables(tables(4), tables(4), metadata(RELATION, BOSS))
    release = found["people with visits, people by boss"]
    # the third person is the boss of the others, who are 30 and 40
    assert release.real["people by boss: rows"].tolist() == [0.0, 0.0, 2.0]
    assert release.real["people by boss: mean age"].tolist()[2] == 35.0
    assert release.real["people by boss: mean age"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parent_table_name": "persons"}, "the table 'persons', which is not among its tables"),
        ({"child_table_name": "visit"}, "the table 'visit', which is not among its tables"),
        (
            {"child_foreign_key": "people_id"},
            "'people_id', which is no column of the table 'visits'",
        ),
        ({"parent_primary_key": "key"}, "'key', which is no column of the table 'people'"),
    ],
)
def test_a_relationship_that_leads_nowhere_names_the_cure(
    changed: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=f"`metadata` has a relationship .*{message}"):
        from_tables(tables(4), tables(4), metadata({**RELATION, **changed}))


@pytest.mark.parametrize("part", list(RELATION))
def test_a_relationship_without_a_part(part: str) -> None:
    half = {name: value for name, value in RELATION.items() if name != part}
    with pytest.raises(ValueError, match=f"a relationship without '{part}'"):
        from_tables(tables(4), tables(4), metadata(half))


@pytest.mark.parametrize("relations", [(RELATION,), (RELATION, BOSS)])
def test_the_rows_of_a_child_table_are_their_parents(relations: Any) -> None:
    holdout = {
        "people": tables(0)["people"].assign(id=[11, 12, 13]),
        "visits": tables(3)["visits"].assign(person=[11, 13, np.nan]),
    }
    found = from_tables(tables(4), tables(4), metadata(*relations), real_validation_data=holdout)
    release = found["visits"]
    assert (release.unit, release.columns) == ("id", ["cost"])
    assert release.real["id"].tolist() == ["1", "2", "1", "2"]
    assert release.holdout is not None
    assert release.holdout["id"].tolist()[:2] == ["11", "13"]
    assert release.holdout["id"].isna().tolist() == [False, False, True]
    assert found["people"].unit is None
