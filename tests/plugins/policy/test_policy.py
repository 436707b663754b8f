"""The policy file, and the verdict from intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.plugins.common.statistics import Interval, wilson
from sdmetrics_disclosure.plugins.policy.policy import (
    ColumnLimits,
    MembershipPolicy,
    Policy,
    ReportPolicy,
    load_policy,
    parse_policy,
)
from sdmetrics_disclosure.plugins.policy.verdict import (
    Check,
    decide,
    most_needed,
    overall,
    rows_needed,
)


def read(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return load_policy(path)


def test_the_default_policy() -> None:
    policy = load_policy(None)
    assert policy.attribute.excess_max == 0.05
    assert policy.attribute.risk_max is None
    assert policy.membership == MembershipPolicy(
        0.55, {"0.01": 0.05}, 1.0, copies_max=0.01, single_out_max=0.05, linkability_max=0.05
    )
    assert policy.report == ReportPolicy(0.95, 200, 10)
    # A false positive rate of 1 % needs 100 outsiders in each half of the holdout.
    assert policy.report.minimum_holdout / 2 == 1 / 0.01


def test_a_policy_limits_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    policy = read(
        tmp_path,
        "[attribute]\nexcess_max = 0.1\n[attribute.columns.income]\nrisk_max = 0.8\n"
        '[attribute.columns."people.wage"]\nexcess_max = 0\n',
    )
    assert policy.attribute.for_column(None, "age") == ColumnLimits(0.1, None)
    assert policy.attribute.for_column("people", "income") == ColumnLimits(0.1, 0.8)
    assert policy.attribute.for_column("people", "wage") == ColumnLimits(0.0, None)
    assert policy.attribute.for_column("others", "wage") == ColumnLimits(0.1, None)
    assert policy.membership == MembershipPolicy()
    assert policy.report == ReportPolicy()


def test_rates_are_a_number_at_one_percent_or_a_table(tmp_path: Path) -> None:
    assert read(tmp_path, "[membership]\ntpr_at_fpr_max = 0.1").membership.rates == {0.01: 0.1}
    table = '[membership.tpr_at_fpr_max]\n"0.001" = 0.02\n"0.1" = 0.3'
    assert read(tmp_path, table).membership.rates == {0.001: 0.02, 0.1: 0.3}


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("[atribute]\nexcess_max = 0.1", ValueError, ["'atribute'", "'attribute', 'membership'"]),
        ("[attribute]\nexces_max = 0.1", ValueError, ["[attribute]", "'exces_max'", "'risk_max'"]),
        ("[attribute.columns.a]\nauc_max = 1", ValueError, ["attribute.columns.a", "'auc_max'"]),
        (
            "[membership]\nauc = 0.6\nx = 1",
            ValueError,
            ["'auc', 'x'", "'auc_max'", "'epsilon_max'"],
        ),
        ("[report]\nfloor = 3", ValueError, ["'floor'", "'group_size_floor'"]),
        (
            "[attribute]\nexcess_max = 5",
            ValueError,
            ["attribute.excess_max", "5", "between 0 and 1"],
        ),
        ("[attribute]\nexcess_max = 'low'", TypeError, ["attribute.excess_max", "number"]),
        ("[attribute]\nexcess_max = nan", ValueError, ["attribute.excess_max"]),
        ("[attribute]\ncolumns = 3", TypeError, ["attribute.columns", "[attribute.columns.NAME]"]),
        ("[membership.tpr_at_fpr_max]\nlow = 0.1", ValueError, ["'low'", '"0.01"']),
        ("[report]\ngroup_size_floor = 1", ValueError, ["report.group_size_floor", "at least 2"]),
        ("[report]\nminimum_holdout = 1.5", TypeError, ["report.minimum_holdout"]),
        ("[report]\nconfidence_level = 1", ValueError, ["report.confidence_level"]),
        ("report = 3", TypeError, ["[report]"]),
        ("not toml at all", ValueError, ["policy.toml", "no TOML"]),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    tmp_path: Path, text: str, error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as raised:
        read(tmp_path, text)
    for word in words:
        assert word in str(raised.value)


def test_what_is_no_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        load_policy(tmp_path / "absent.toml")
    wrong: Any = 3
    with pytest.raises(TypeError, match="path of a TOML file"):
        load_policy(wrong)
    policy = parse_policy({})
    assert load_policy(policy) is policy


def interval(value: float, low: float, high: float) -> Interval:
    return Interval(value, low, high, "wilson")


def test_the_interval_decides_not_the_point() -> None:
    assert decide(interval(0.03, 0.01, 0.049), 0.05) == "pass"
    assert decide(interval(0.03, 0.01, 0.05), 0.05) == "inconclusive"
    assert decide(interval(0.07, 0.05, 0.1), 0.05) == "inconclusive"
    assert decide(interval(0.07, 0.051, 0.1), 0.05) == "fail"
    assert decide(interval(float("nan"), 0.0, 1.0), 0.05) == "inconclusive"


def test_rows_needed_by_hand() -> None:
    # The upper half is 0.04 wide and 0.02 is left: half of it, so four times the rows.
    assert rows_needed(interval(0.03, 0.0, 0.07), 0.05, 100) == 400
    # Above the limit the lower half counts: 0.06 wide, 0.02 left: nine times the rows.
    assert rows_needed(interval(0.07, 0.01, 0.2), 0.05, 100) == 900
    assert rows_needed(interval(0.05, 0.0, 0.1), 0.05, 100) is None
    assert rows_needed(interval(float("nan"), 0.0, 1.0), 0.05, 100) is None


@settings(deadline=None)
@given(share=st.floats(0.2, 0.8), limit=st.floats(0.2, 0.8), n=st.integers(100, 3000))
def test_so_many_rows_do_decide_a_rate(share: float, limit: float, n: int) -> None:
    found = wilson(share * n, n)
    if decide(found, limit) != "inconclusive" or abs(share - limit) < 0.002:
        return
    needed = rows_needed(found, limit, n)
    assert needed is not None
    # Wilson's interval is not symmetric, so "about": half as many again do, a third do not.
    more = int(1.5 * needed)
    assert decide(wilson(share * more, more), limit) != "inconclusive"
    fewer = needed // 3
    assert fewer < 1 or decide(wilson(share * fewer, fewer), limit) == "inconclusive"


def check(decision: Any, needed: int | None = None) -> Check:
    return Check("attribute", None, "a", "excess_max", 0.05, None, decision, "", 1, needed)


def test_one_broken_limit_fails_one_open_question_leaves_it_open() -> None:
    assert overall([check("pass"), check("fail"), check("inconclusive")]) == "fail"
    assert overall([check("pass"), check("inconclusive")]) == "inconclusive"
    assert overall([check("pass"), check("pass")]) == "pass"
    assert overall([]) == "inconclusive"
    assert most_needed([check("inconclusive", 100), check("inconclusive", 700)]) == 700
    assert most_needed([check("pass")]) is None
