"""The rows that disclosure metrics add to a report: one a sensitive column, or one a table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.roles import named_columns
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.hooks.registry import metrics, registry
from sdmetrics_disclosure.plugins.quality.settings import DisclosureSettings
from sdmetrics_disclosure.plugins.rapid.column import evaluate_column
from sdmetrics_disclosure.plugins.rapid.metric import RAPID, prepare
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult

Row = dict[str, Any]
LIGHT_ATTACKER = "boosting_light"
# Enough for a median and a 95th percentile; a p-value is not shown here.
N_PERMUTATIONS = 200


@dataclass(frozen=True)
class TableData:
    """One table of a report, as the report has it.

    Attributes:
        real: The real rows.
        synthetic: The synthetic rows.
        metadata: The table's metadata, any form.
        name: The table's name; None in a report on a single table.
        settings: Its holdout and roles.
        num_rows_subsample: At most this many rows of each frame.
    """

    real: Any
    synthetic: Any
    metadata: Any
    name: str | None
    settings: DisclosureSettings
    num_rows_subsample: int | None

    def release(self, options: Any) -> Release:
        """The checked tables."""
        return build_release(
            self.real,
            self.synthetic,
            self.metadata,
            real_validation_data=self.settings.real_validation_data,
            include_column_names=named_columns(options),
        )

    def options_for(self, metric: type[DisclosureMetric]) -> Any:
        """The metric's options: the roles and the subsample where it has them."""
        wanted = {
            "sensitive_column_names": self.settings.sensitive_column_names,
            "known_column_names": self.settings.known_column_names,
            "num_rows_subsample": self.num_rows_subsample,
        }
        has = {field.name for field in fields(metric.Options)}
        return metric.Options(**{name: value for name, value in wanted.items() if name in has})


def attribute_rows(data: TableData, on_step: Callable[[], None]) -> list[Row]:
    """RAPID for each sensitive column, then a row for every other attribute metric.

    A failure is a row with an `Error`.

    Args:
        data:
            The table.
        on_step:
            Called after each column.
    """
    rows = []
    for name, metric in metrics("attribute", in_quality_report=True).items():
        rows += rapid_rows(data, on_step) if metric is RAPID else [metric_row(data, name, metric)]
    return rows


def rapid_rows(data: TableData, on_step: Callable[[], None]) -> list[Row]:
    """A row for each sensitive column, by the light setting of the default attacker."""
    try:
        options = RapidOptions(
            sensitive_column_names=data.settings.sensitive_column_names,
            known_column_names=data.settings.known_column_names,
            attacker=LIGHT_ATTACKER,
            n_bootstrap=0,
            n_permutations=N_PERMUTATIONS,
            num_rows_subsample=data.num_rows_subsample,
        )
        whole = data.release(options)
        release, roles = prepare(whole, options)
    except Exception as error:
        return [error_row(RAPID.name, error, None)]
    for note in (*release.notes, *roles.notes):
        warnings.warn(note, UserWarning, stacklevel=2)
    drawn = describe_subsample(whole, data.num_rows_subsample)
    rows = []
    for column in roles.sensitive:
        try:
            result = evaluate_column(release, roles, column, options)
            rows.append(_rapid_row(result, drawn))
        except Exception as error:
            rows.append(error_row(RAPID.name, error, column))
        on_step()
    return rows


def metric_row(data: TableData, name: str, metric: type[DisclosureMetric]) -> Row:
    """The row of a metric that has one for the whole table."""
    try:
        options = data.options_for(metric)
        holdout = data.settings.real_validation_data
        tables = Tables(data.real, data.synthetic, data.metadata, None, holdout)
        release = metric.make_release(tables, options)
        result = metric.evaluate(release, options)
        score = float(result.protection)
    except Exception as error:
        plugin = registry().plugins.get(name)
        warnings.warn(
            f"The metric {name!r} of the plugin {plugin!r} failed ({type(error).__name__}: "
            f"{error}).",
            UserWarning,
            stacklevel=2,
        )
        return error_row(name, error, None)
    return {"Column": None, "Metric": name, "Score": score, "Error": None}


def error_row(metric: str, error: Exception, column: Hashable) -> Row:
    """A row that says why there is no score."""
    reason = f"{type(error).__name__}: {error}"
    return {"Column": column, "Metric": metric, "Score": np.nan, "Error": reason}


def describe_subsample(release: Release, num_rows: int | None) -> str | None:
    """What is drawn of which table, or None if all rows are used.

    Args:
        release:
            All rows.
        num_rows:
            The most rows of each table that are used; None: all.
    """
    sizes = {
        "real": len(release.real),
        "synthetic": len(release.synthetic[0]),
        "holdout": 0 if release.holdout is None else len(release.holdout),
    }
    return describe_drawn(sizes, num_rows)


def describe_drawn(sizes: Mapping[str, int], num_rows: int | None) -> str | None:
    """What is drawn of which table, or None if all rows are used.

    Args:
        sizes:
            The rows of each table, by what it is called.
        num_rows:
            The most rows of each that are used; None: all.
    """
    drawn = [f"{num_rows} of {n} {name}" for name, n in sizes.items() if n > (num_rows or n)]
    return f"{', '.join(drawn)} rows" if drawn else None


def _rapid_row(result: ColumnResult, subsample: str | None) -> Row:
    null = result.null
    row = {
        "Column": result.column,
        "Metric": RAPID.name,
        "Score": RAPID.normalize(result.score),
        "Risk": result.score,
        "Low": result.risk.low,
        "High": result.risk.high,
        "Baseline": result.baseline_risk,
        "Chance": np.nan if null is None else null.median,
        "Chance 95%": np.nan if null is None else null.percentile_95,
        "Excess": np.nan if null is None else result.score - null.median,
        "Records": result.worst.scores.n,
        "Subsample": subsample,
        "Error": None,
    }
    if result.holdout_risk is not None and result.difference is not None:
        row |= {
            "Holdout Risk": result.holdout_risk.value,
            "Difference": result.difference.value,
            "Difference Low": result.difference.low,
            "Difference High": result.difference.high,
        }
    return row
