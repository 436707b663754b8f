"""A third party's metric is treated like ours: interval, limit, page row, detail columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.base.findings import Finding, findings_of
from sdmetrics_disclosure.plugins.base.result import Risk
from sdmetrics_disclosure.plugins.common.statistics import wilson
from sdmetrics_disclosure.plugins.page.page import render_page
from sdmetrics_disclosure.plugins.policy.policy import parse_policy
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from tests.helpers.reports import ROLES, report_on
from tests.helpers.tables import METADATA, people

PLUGIN = Path(__file__).parents[2] / "plugins_for_tests" / "repeats" / "repeats.py"
ATTRIBUTE = "Attribute Disclosure"


def released() -> tuple[pd.DataFrame, pd.DataFrame]:
    """15 of 60 real rows stand in the synthetic table."""
    real = people(60, 0)
    return real, pd.concat([real.iloc[:15], people(45, 1)], ignore_index=True)


def report(limit: float) -> DisclosureReport:
    policy = parse_policy({"metrics": {"Repeats": {"repeated_max": limit}}})
    return report_on(*released(), METADATA, policy=policy, **ROLES)


def test_the_plugin_is_short_and_is_the_documented_one() -> None:
    text = PLUGIN.read_text()
    assert len(text.splitlines()) < 40
    document = (Path(__file__).parents[3] / "docs" / "plugins.md").read_text()
    assert f"```python\n{text}```" in document


def test_a_result_that_says_no_more_gives_its_score() -> None:
    assert list(findings_of(Risk(0.25))) == [Finding(None, 0.25, 0.75)]


@pytest.mark.slow
def test_its_interval_is_held_against_its_own_limit(plugged: Any) -> None:
    plugged("repeats")
    share = wilson(15, 60)
    for limit, decision in ((0.05, "fail"), (0.25, "inconclusive"), (0.9, "pass")):
        result = report(limit).result
        (check,) = result.checks
        assert (check.subject, check.limit_name) == ("Repeats", "repeated_max")
        assert check.found == share
        assert check.decision == result.decision == decision


def test_its_columns_stand_in_both_reports_and_its_row_on_the_page(plugged: Any) -> None:
    plugged("repeats")
    made = report(0.05)
    share = wilson(15, 60)
    expected = {"Score": 0.75, "Low": share.low, "High": share.high, "Rows": 60}
    row = made.get_details(ATTRIBUTE).set_index("Metric").loc["Repeats"]
    assert {name: row[name] for name in expected} == expected
    page = render_page(made.result)
    assert f"share of rows repeated 0.250 [{share.low:.3f}, {share.high:.3f}]" in page
    assert "Repeats has share of rows repeated 0.250" in page
    loaded = DisclosureReport.from_result(type(made.result).from_json(made.result.to_json()))
    pd.testing.assert_frame_equal(loaded.get_details(ATTRIBUTE), made.get_details(ATTRIBUTE))


def test_its_columns_stand_in_the_quality_report(plugged: Any) -> None:
    from tests.plugins.quality.test_report import generate

    plugged("repeats")
    row = generate(*released(), METADATA).get_details(ATTRIBUTE).set_index("Metric").loc["Repeats"]
    share = wilson(15, 60)
    assert (row["Low"], row["High"], row["Rows"]) == (share.low, share.high, 60)


@pytest.mark.slow
def test_a_limit_that_nobody_knows_any_more_has_words(plugged: Any) -> None:
    plugged("repeats")
    plain = json.loads(report(0.05).result.to_json())
    plain["checks"][0]["limit_name"] = "forgotten_share_max"
    page = render_page(type(report(0.05).result).from_dict(plain))
    assert "Repeats has what `forgotten_share_max` limits 0.250" in page


@pytest.mark.parametrize(
    ("tables", "error", "words"),
    [
        ({"Repeats": {"repeated": 1}}, ValueError, r"\[metrics.Repeats\] has no 'repeated'"),
        ({"Repeats": {"repeated_max": 2}}, ValueError, "metrics.Repeats.repeated_max"),
        ({"Repeats": 0.1}, TypeError, r"write \[metrics.Repeats\]"),
        ({"Copies": {}}, ValueError, "bring limits are 'Repeats'. Is its plugin installed"),
    ],
)
def test_limits_that_do_not_fit_are_refused(
    plugged: Any, tables: Any, error: type[Exception], words: str
) -> None:
    plugged("repeats")
    with pytest.raises(error, match=words):
        parse_policy({"metrics": tables})
