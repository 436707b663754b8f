"""The rows of the reports: one a finding, with what its metric puts beside the score."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

Row = dict[str, Any]
FIRST = ["Table", "Column", "Metric", "Score"]
# Texts, which have None where there is nothing to say; left out where no row has any.
_TEXTS = ("Table", "Column", "Subsample", "Error")
_ALWAYS = "Column"


def finding_row(
    table: str | None,
    column: Hashable,
    metric: str,
    score: float,
    details: Mapping[str, float],
    subsample: str | None = None,
) -> Row:
    """The row of what was found.

    Args:
        table:
            The table's name, or None.
        column:
            The sensitive column, or None.
        metric:
            The metric's name.
        score:
            The protection: 1 is best.
        details:
            What stands beside the score, by the name of its column.
        subsample:
            What was drawn of which table, or None.
    """
    row = {"Table": table, "Column": column, "Metric": metric, "Score": score}
    return row | dict(details) | {"Subsample": subsample, "Error": None}


def error_row(table: str | None, column: Hashable, metric: str, error: str) -> Row:
    """The row of what could not be measured, which says why.

    Args:
        table:
            The table's name, or None.
        column:
            The sensitive column, or None.
        metric:
            The metric's name.
        error:
            Why.
    """
    return finding_row(table, column, metric, np.nan, {}) | {"Error": error}


def as_frame_of_rows(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a frame: `Error` last, and no column of texts in which no row says anything.

    Args:
        rows:
            Made by `finding_row` and `error_row`.
    """
    details = pd.DataFrame(rows, columns=None if rows else [*FIRST, "Error"])
    details = details[[name for name in details if name != "Error"] + ["Error"]]
    for name in (name for name in _TEXTS if name in details):
        details[name] = details[name].astype(object).where(details[name].notna(), None)
        if name != _ALWAYS and details[name].isna().all():
            details = details.drop(columns=name)
    return details
