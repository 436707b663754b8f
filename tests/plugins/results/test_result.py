"""Results as JSON: exact both ways, other schemas refused; what may not be shown is not."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.findings.others import OtherFinding
from sdmetrics_disclosure.plugins.findings.suppression import (
    RARE,
    drop_revealing,
    pool_shares,
    readable_levels,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.schemas import SCHEMA_VERSION
from sdmetrics_disclosure.plugins.results.serialization import deserialize, serialize
from tests.helpers.reports import small_result


def test_json_and_back_is_the_same() -> None:
    result = small_result()
    assert DisclosureResult.from_json(result.to_json()) == result
    assert DisclosureResult.from_dict(result.to_dict()) == result
    assert result.to_dict()["schema_version"] == SCHEMA_VERSION == 2


def test_json_has_no_word_of_its_own_for_what_is_no_number() -> None:
    odd = tuple(
        OtherFinding(None, "m", None, "attribute", value, 0.1 + 0.2, {}, (), "")
        for value in (math.nan, math.inf, -math.inf)
    )
    text = replace(small_result(), others=odd).to_json()

    def refuse(word: str) -> None:
        raise AssertionError(word)

    plain = json.loads(text, parse_constant=refuse)
    assert [each["score"] for each in plain["others"]] == ["NaN", "Infinity", "-Infinity"]
    read = DisclosureResult.from_json(text)
    assert math.isnan(read.others[0].score)
    assert read.others[1:] == odd[1:]  # 0.30000000000000004 to the last bit
    assert read.to_json() == text


def test_a_report_of_the_first_schema_is_read() -> None:
    result = small_result()
    first = result.to_dict() | {"schema_version": 1, "decision": "not decided"}
    first["checks"] = [check | {"decision": "not decided"} for check in first["checks"]]
    for column in first["columns"]:
        assert column.pop("metric") == "RAPID"
        assert column.pop("values_meet")
    for other in first["others"]:
        for name in ("column", "beside", "measured", "doubt"):
            other.pop(name)
    assert first["policy"].pop("metrics") == {}
    read = DisclosureResult.from_dict(first)
    assert read.columns == result.columns
    assert read.decision == "inconclusive"
    assert {check.decision for check in read.checks} == {"inconclusive"}
    assert [other.score for other in read.others] == [other.score for other in result.others]


@pytest.mark.parametrize("version", [0, 3, "1", None])
def test_another_schema_is_refused_with_a_clear_word(version: Any) -> None:
    plain = small_result().to_dict() | {"schema_version": version}
    with pytest.raises(ValueError, match=f"`schema_version` is {version!r}.*reads 1 and 2"):
        DisclosureResult.from_dict(plain)


def test_what_is_no_report_is_refused() -> None:
    for text in ("[1]", "{}", '"report"'):
        with pytest.raises(ValueError, match="no disclosure report"):
            DisclosureResult.from_json(text)
    with pytest.raises(ValueError, match="it is no JSON"):
        DisclosureResult.from_json("\x80PICKLE")
    plain = small_result().to_dict()
    with pytest.raises(ValueError, match=r"lacks the keys \['notes'\].*Make the report"):
        DisclosureResult.from_dict({k: v for k, v in plain.items() if k != "notes"})
    with pytest.raises(ValueError, match=r"decision is 'maybe' \(str\); it should be 'pass' or"):
        DisclosureResult.from_dict(plain | {"decision": "maybe"})


def test_every_place_that_is_wrong_is_named_at_once() -> None:
    plain = small_result().to_dict()
    plain["notes"] = "none"
    plain["checks"][1]["limit"] = "x"
    plain["checks"][0]["found"]["hihg"] = 2
    plain["setting"]["versions"]["numpy"] = 3
    plain["policy"]["attribute"]["risk_max"] = 7
    del plain["policy"]["report"]["minimum_holdout"]  # has a default, which a file may not lean on
    with pytest.raises(ValueError, match="Make the report again") as caught:
        DisclosureResult.from_dict(plain)
    for said in (
        "the result.notes is 'none' (str); it should be a list",
        "the result.checks[1].limit is 'x' (str); it should be a number;",
        "the result.checks[0].found has the unknown keys ['hihg']; allowed are ['high', 'low',",
        "the result.setting.versions['numpy'] is 3 (int); it should be text;",
        "`attribute.risk_max` is 7.0; it must lie between 0 and 1",
        "the result.policy.report lacks the keys ['minimum_holdout'];",
    ):
        assert said in str(caught.value)


def test_plain_forms() -> None:
    assert deserialize(float, 1, "x") == 1.0
    for kind, wrong in ((float, True), (int, 1.0), (int, True), (str, 1), (bool, 1), (float, "x")):
        with pytest.raises(ValueError, match=r"x is .*; it should be"):
            deserialize(kind, wrong, "x")
    with pytest.raises(TypeError, match="ndarray has no plain form"):
        serialize(np.zeros(1))


def test_rare_classes_are_pooled_until_they_are_a_group() -> None:
    assert pool_shares({"a": 50, "b": 50}, 10) == {"a": 0.5, "b": 0.5}
    # 3 alone would be found as what is missing to 1: the next smallest goes with it.
    assert pool_shares({"a": 85, "b": 12, "c": 3}, 10) == {"a": 0.85, RARE: 0.15}
    assert pool_shares({"a": 88, "b": 6, "c": 6}, 10) == {"a": 0.88, RARE: 0.12}
    assert pool_shares({"a": 3, "b": 3}, 10) == {}
    assert pool_shares({"a": 20, "b": 0}, 10) == {"a": 1.0}


def groups(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["column", "level", "column_2", "level_2", "n"])


def test_no_small_group_is_left_to_subtraction() -> None:
    single = [
        ("sex", level, None, None, n) for level, n in zip("fmxy", (50, 30, 16, 4), strict=True)
    ]
    # 4 people are the rest of all records: the next smallest group hides them.
    assert list(drop_revealing(groups(*single), 10)["level"]) == ["f", "m"]
    assert len(drop_revealing(groups(*single[:3]), 10)) == 3  # nobody is hidden
    two = [*single[:2], ("sex", "x", None, None, 8), ("sex", "y", None, None, 8)]
    assert list(drop_revealing(groups(*two), 10)["level"]) == ["f", "m"]  # 16 are a group


def test_a_small_cell_of_two_columns_hides_what_it_could_be_found_by() -> None:
    margins = groups(
        ("sex", "f", None, None, 60),
        ("sex", "m", None, None, 40),
        ("town", "a", None, None, 70),
        ("town", "b", None, None, 30),
        ("sex", "f", "town", "a", 55),
        ("sex", "f", "town", "b", 5),
        ("sex", "m", "town", "a", 15),
        ("sex", "m", "town", "b", 25),
    )
    # With the margins, any one cell of a two by two table gives the three others.
    left = drop_revealing(margins, 10)
    assert left["column_2"].notna().sum() == 0
    assert len(left) == 4


def test_ranges_are_rounded_and_open() -> None:
    texts = ["(16.999, 28.123456]", "(28.123456, 41.0]", "(41.0, 987654321.0]", "missing"]
    rows = groups(*(("wage", text, "sex", "f", 20) for text in texts))
    shown = readable_levels(rows, {"wage": Kind.NUMERICAL, "sex": Kind.CATEGORICAL})
    assert list(shown["level"]) == ["28.1 or less", "above 28.1, up to 41", "above 41", "missing"]
    assert list(shown["level_2"]) == ["f"] * 4
    seconds = ["(0.0, 86400000.0]", "(86400000.0, 999999999.0]"]
    rows = groups(*(("born", text, None, None, 20) for text in seconds))
    shown = readable_levels(rows, {"born": Kind.DATETIME})
    assert list(shown["level"]) == ["1972-09 or less", "above 1972-09"]
