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


def check_rows(result: DisclosureResult) -> pd.DataFrame:
    """A row a limit and what is held against it; `Table` only where there are several.

    Args:
        result:
            What was found.
    """
    rows = [
        {
            "Table": check.table,
            "Subject": check.subject,
            "Limit": check.limit_name,
            "Value": check.found.value if check.found else float("nan"),
            "Low": check.found.low if check.found else float("nan"),
            "High": check.found.high if check.found else float("nan"),
            "At Most": check.limit,
            "Decision": check.decision,
            "Reason": check.reason,
        }
        for check in result.checks
    ]
    limits = ["Table", "Subject", "Limit", "At Most"]
    names = [*limits, "Value", "Low", "High", "Decision", "Reason"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.drop(columns="Table") if frame["Table"].isna().all() else frame
