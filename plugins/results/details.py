"""The rows of a disclosure report, with the columns that the quality report has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.plugins.findings.model import ColumnFinding, Failure, MembershipFinding
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.rapid.metric import RAPID
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

ATTRIBUTE = "Attribute Disclosure"
MEMBERSHIP = "Membership Disclosure"
QUESTIONS = {ATTRIBUTE: "attribute", MEMBERSHIP: "membership"}
SHOWN_FPR = 0.01


def detail_rows(result: DisclosureResult, property_name: str) -> pd.DataFrame:
    """The rows of a property; `Score` is the protection, NaN with an `Error` where there is none.

    Args:
        result:
            What was found.
        property_name:
            "Attribute Disclosure" or "Membership Disclosure".
    """
    question = QUESTIONS[property_name]
    rows: list[dict[str, Any]] = []
    if question == "attribute":
        rows += [_column_row(found) for found in result.columns]
    else:
        rows += [_membership_row(found) for found in result.memberships]
    failed = [each for each in result.failures if each.question == question]
    rows += [_failed_row(each) for each in failed if each.metric == RAPID.name]
    rows += [
        _row(found.table, None, found.metric, found.protection)
        for found in result.others
        if found.question == question
    ]
    rows += [_failed_row(each) for each in failed if each.metric != RAPID.name]
    return _tidy(rows)


def _row(table: str | None, column: str | None, metric: str, score: float) -> dict[str, Any]:
    return {"Table": table, "Column": column, "Metric": metric, "Score": score}


def _failed_row(failed: Failure) -> dict[str, Any]:
    return _row(failed.table, failed.column, failed.metric, np.nan) | {"Error": failed.error}


def _column_row(found: ColumnFinding) -> dict[str, Any]:
    score = RAPID.normalize(found.risk.value)
    row = _row(found.table, found.column, RAPID.name, score) | {
        "Risk": found.risk.value,
        "Low": found.risk.low,
        "High": found.risk.high,
    }
    if found.chance is not None and found.excess is not None:
        baseline = found.chance.median if found.constant_guess is None else found.constant_guess
        row |= {
            "Baseline": baseline,
            "Chance": found.chance.median,
            "Chance 95%": found.chance.percentile_95,
            "Excess": found.excess.value,
        }
    row["Records"] = found.n_records
    if found.holdout is not None and found.difference is not None:
        row |= {
            "Holdout Risk": found.holdout.value,
            "Difference": found.difference.value,
            "Difference Low": found.difference.low,
            "Difference High": found.difference.high,
        }
    return row


def _membership_row(found: MembershipFinding) -> dict[str, Any]:
    score = GenLRA.normalize(found.auc.value)
    rates = {rate.fpr: rate for rate in found.rates}
    shown = rates.get(SHOWN_FPR)
    return _row(found.table, None, found.metric, score) | {
        "AUC": found.auc.value,
        "Low": found.auc.low,
        "High": found.auc.high,
        "P-Value": found.p_value,
        "Baseline": 0.5,
        "TPR at 1% FPR": shown.tpr.value if shown and shown.measurable else np.nan,
        "Epsilon Lower Bound": found.epsilon_lower_bound,
        "Members": found.n_members,
        "Non-Members": found.n_non_members,
    }


def _tidy(rows: list[dict[str, Any]]) -> pd.DataFrame:
    first = ["Table", "Column", "Metric", "Score"]
    details = pd.DataFrame(rows, columns=None if rows else [*first, "Error"])
    if "Error" not in details:
        details["Error"] = None
    details = details[[c for c in details if c != "Error"] + ["Error"]]
    for name in ("Table", "Column", "Error"):
        details[name] = details[name].astype(object).where(details[name].notna(), None)
    absent = [name for name in ("Table", "Error") if details[name].isna().all()]
    return details.drop(columns=absent)
