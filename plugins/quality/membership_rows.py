"""The rows and curves that membership attacks add to a report: one row a table and attack."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.result import MembershipResult
from sdmetrics_disclosure.plugins.quality.rows import (
    Row,
    TableData,
    describe_subsample,
    error_row,
    metric_row,
)

SHOWN_FPR = 0.01
NO_HOLDOUT = (
    "Pass real rows that the synthesizer never saw, as `real_validation_data` on the report or by "
    "`disclosure_options`, to learn whether training rows can be told from them."
)


def membership_rows(data: TableData) -> tuple[list[Row], list[NamedCurve]]:
    """A row for every membership metric, and the ROC of those that are attacks of ours.

    A failure, or the want of a holdout, is a row with an `Error`.

    Args:
        data:
            The table.
    """
    rows: list[Row] = []
    curves: list[NamedCurve] = []
    for name, metric in metrics("membership", in_quality_report=True).items():
        if metric.needs_holdout and data.settings.real_validation_data is None:
            rows.append(error_row(name, ValueError(NO_HOLDOUT), None))
        elif not issubclass(metric, MembershipMetric):
            rows.append(metric_row(data, name, metric))
        else:
            try:
                row, curve = _attack_row(data, name, metric)
            except Exception as error:
                rows.append(error_row(name, error, None))
            else:
                rows.append(row)
                curves.append(curve)
    return rows, curves


def _attack_row(
    data: TableData, name: str, metric: type[MembershipMetric]
) -> tuple[Row, NamedCurve]:
    options = data.options_for(metric)
    whole = data.release(options)
    result = metric.evaluate(whole, options)
    return _row(name, result, whole, data), NamedCurve(data.name, name, result.worst.roc)


def _row(name: str, result: MembershipResult, whole: Release, data: TableData) -> Row:
    found = result.worst
    rate = found.tpr_at_fpr[SHOWN_FPR]
    return {
        "Column": None,
        "Metric": name,
        "Score": result.protection,
        "AUC": found.auc.value,
        "Low": found.auc.low,
        "High": found.auc.high,
        "P-Value": found.auc.p_value,
        "Baseline": 0.5,
        "TPR at 1% FPR": rate.value if rate.measurable else np.nan,
        "Epsilon Lower Bound": found.epsilon_lower_bound,
        "Members": found.n_members,
        "Non-Members": found.n_non_members,
        "Subsample": describe_subsample(whole, data.num_rows_subsample),
        "Error": None,
    }
