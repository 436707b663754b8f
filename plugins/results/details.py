"""The rows of a disclosure report, with the columns that the quality report has."""

from __future__ import annotations

import pandas as pd

from sdmetrics_disclosure.plugins.findings.rows import (
    Row,
    as_frame_of_rows,
    error_row,
    finding_row,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

ATTRIBUTE = "Attribute Disclosure"
MEMBERSHIP = "Membership Disclosure"
QUESTIONS = {ATTRIBUTE: "attribute", MEMBERSHIP: "membership"}


def detail_rows(result: DisclosureResult, property_name: str) -> pd.DataFrame:
    """The rows of a property; `Score` is the protection, NaN with an `Error` where there is none.

    Args:
        result:
            What was found.
        property_name:
            "Attribute Disclosure" or "Membership Disclosure".
    """
    question = QUESTIONS[property_name]
    rows: list[Row] = [
        finding_row(found.table, found.column, found.metric, found.protection, found.details())
        for found in result.findings
        if found.question == question
    ]
    rows += [
        error_row(failed.table, failed.column, failed.metric, failed.error)
        for failed in result.failures
        if failed.question == question
    ]
    return as_frame_of_rows(sorted(rows, key=lambda row: row["Column"] is None))
