"""Every quality report that SDV makes, in whatever version, is ours."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pandas as pd
import pytest
from sdmetrics.demos import load_multi_table_demo

from sdmetrics_disclosure.plugins import disclosure_options
from sdmetrics_disclosure.plugins.quality import report as quality_report
from tests.helpers.tables import METADATA, people

pytestmark = pytest.mark.sdv

sdv_metadata = pytest.importorskip("sdv.metadata")
PROPERTY = "Attribute Disclosure"
# SDV 1 has a function for one table and one for several, from 1.2x on one for both besides.
SINGLE = ("sdv.evaluation", "sdv.evaluation.single_table")
MULTI = ("sdv.evaluation", "sdv.evaluation.multi_table")


def evaluators(modules: tuple[str, ...]) -> list[Any]:
    found = []
    for name in modules:
        try:
            found.append(import_module(name).evaluate_quality)
        except (ImportError, AttributeError):  # not in this SDV
            continue
    assert found
    return found


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_one_table() -> None:
    metadata = sdv_metadata.Metadata.load_from_dict({"tables": {"people": METADATA}})
    for evaluate_quality in evaluators(SINGLE):
        with disclosure_options(sensitive_column_names=["income"], known_column_names=["age"]):
            report = evaluate_quality(people(80, 0), people(80, 1), metadata, verbose=False)
        assert type(report).__module__ == quality_report.__name__
        assert list(report.get_details(PROPERTY)["Column"]) == ["income"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_several_tables() -> None:
    real, synthetic, tables = load_multi_table_demo()
    metadata = sdv_metadata.Metadata.load_from_dict(tables)
    options = {"users": ["gender"], "sessions": ["device"], "transactions": ["approved"]}
    for evaluate_quality in evaluators(MULTI):
        with disclosure_options(sensitive_column_names=options):
            report = evaluate_quality(real, synthetic, metadata, verbose=False)
        assert type(report).__module__ == quality_report.__name__
        details = report.get_details(PROPERTY)
        rows = details[["Table", "Column"]].itertuples(index=False, name=None)
        assert set(rows) == {(table, column) for table, (column,) in options.items()}
        assert isinstance(details["Score"], pd.Series)
        assert details["Score"].notna().all()
