"""The pages on report, policy and reading say what the code does."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Any

import pytest

from sdmetrics_disclosure.plugins.policy.policy import (
    AttributePolicy,
    MembershipPolicy,
    ReportPolicy,
    load_policy,
    parse_policy,
)
from sdmetrics_disclosure.plugins.policy.policy import tomllib as toml
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.schemas import SCHEMA_VERSION
from tests.helpers.reports import quick_metrics
from tests.helpers.tables import PATIENTS, patients
from tests.integration.test_docs import BLOCK, DOCS

ROW = re.compile(r"^\| `([\w.]+)` \| (.+?) \|", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_key_of_the_policy_stands_in_its_page_with_its_default() -> None:
    rows = ROW.findall(page("policy.md").split("## The keys")[1].split("### Why")[0])
    default = load_policy()
    expected: dict[str, Any] = {}
    for name, kind in (
        ("attribute", AttributePolicy),
        ("membership", MembershipPolicy),
        ("report", ReportPolicy),
    ):
        for each in fields(kind):
            expected[f"{name}.{each.name}"] = getattr(getattr(default, name), each.name)
    shown = dict(rows)
    assert set(shown) == set(expected)
    assert shown.pop("attribute.risk_max") == "not set"
    assert expected.pop("attribute.risk_max") is None
    assert shown.pop("attribute.columns") == "none"
    assert expected.pop("attribute.columns") == {}
    rates = expected.pop("membership.tpr_at_fpr_max")
    assert rates == {"0.01": float(shown.pop("membership.tpr_at_fpr_max"))}
    assert {name: float(value) for name, value in shown.items()} == expected


def test_the_example_policy_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", page("policy.md"), re.DOTALL)
    policy = parse_policy(toml.loads(text))
    assert policy.attribute.for_column(None, "diagnosis").excess_max == 0.02
    assert policy.membership.rates == {0.01: 0.05, 0.1: 0.2}
    assert policy.report == load_policy().report


def test_every_argument_of_generate_stands_in_the_page_with_its_default() -> None:
    shown = dict(ROW.findall(page("report.md").split("### Parameters")[1].split("## What")[0]))
    parameters = {
        name: parameter.default
        for name, parameter in inspect.signature(DisclosureReport.generate).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert list(shown) == list(parameters)
    for name, default in parameters.items():
        expected = f'"{default}"' if isinstance(default, str) else str(default)
        assert shown[name].strip("`") == expected, name


def test_every_key_of_the_json_stands_in_the_page() -> None:
    text = page("report.md").split("## The JSON")[1]
    assert f'"schema_version": {SCHEMA_VERSION}' in text
    assert [name for name, _ in ROW.findall(text)] == [f.name for f in fields(DisclosureResult)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.md"])
def test_the_examples_run(name: str) -> None:
    names: dict[str, Any] = {
        "real_training_data": patients(80, 0),
        "synthetic_data": patients(80, 1),
        "real_validation_data": patients(80, 2),
        "metadata": PATIENTS,
    }
    with quick_metrics():
        for block in BLOCK.findall(page(name)):
            exec(block, names)
    assert names["found"]["decision"] == "inconclusive"  # 80 rows of holdout


def test_the_worked_numbers_of_reading() -> None:
    text = page("reading.md")
    # The probability from which a guess counts: the share, and 0.3 of the way from it to 1.
    for share, needed in ((0.5, "0.65"), (0.05, "0.335")):
        assert f"{share + 0.3 * (1 - share):g}" == needed
        assert needed in text
    found_for_certain = 0.02
    assert f"{found_for_certain + (1 - found_for_certain) / 2:g}" == "0.51"
    assert "0.51" in text
