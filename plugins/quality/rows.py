"""The rows that disclosure metrics add to a report: one a sensitive column, or one a table."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from sdmetrics_disclosure.plugins.base.findings import Question, findings_of
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.steps import Steps
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve
from sdmetrics_disclosure.plugins.findings.rows import Row, error_row, finding_row
from sdmetrics_disclosure.plugins.hooks.registry import BUILTIN, metrics, registry
from sdmetrics_disclosure.plugins.quality.settings import DisclosureSettings
from sdmetrics_disclosure.plugins.quality.subsample import describe_subsample

NO_HOLDOUT = (
    "Pass real rows that the synthesizer never saw, as `real_validation_data` on the report or by "
    "`disclosure_options`, to learn whether training rows can be told from them."
)


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

    def options_for(self, metric: type[DisclosureMetric]) -> Any:
        """The metric's options: roles and subsample where it has them, and what is set here."""
        wanted = {
            "sensitive_column_names": self.settings.sensitive_column_names,
            "known_column_names": self.settings.known_column_names,
            "num_rows_subsample": self.num_rows_subsample,
        }
        has = {field.name for field in fields(metric.Options)}
        wanted = {name: value for name, value in wanted.items() if name in has}
        return metric.Options(**wanted | dict(metric.quality_report_options))


@dataclass
class Rows:
    """What metrics add to a report.

    Attributes:
        rows: One a sensitive column, or one a table; a failure is a row with an `Error`.
        curves: The ROC of those that have one.
    """

    rows: list[Row]
    curves: list[NamedCurve]


def metric_rows(data: TableData, question: Question, on_step: Callable[[], None]) -> Rows:
    """The rows of every metric that bears on a question.

    Args:
        data:
            The table.
        question:
            Which of the two.
        on_step:
            Called after each sensitive column.
    """
    made = Rows([], [])
    for name, metric in metrics(question, in_quality_report=True).items():
        if metric.needs_holdout and data.settings.real_validation_data is None:
            made.rows.append(_failed(data, None, name, ValueError(NO_HOLDOUT)))
            continue
        try:
            steps, subsample = _prepare(data, metric)
        except Exception as error:
            made.rows.append(_failed(data, None, name, error))
            _warn_of_plugin(name, error)
            continue
        for note in steps.notes:
            warnings.warn(note, UserWarning, stacklevel=2)
        _run(data, name, steps, subsample, made, on_step)
    return made


def _prepare(data: TableData, metric: type[DisclosureMetric]) -> tuple[Steps, str | None]:
    options = data.options_for(metric)
    holdout = data.settings.real_validation_data
    tables = Tables(data.real, data.synthetic, data.metadata, None, holdout)
    whole = metric.make_release(tables, options)
    drawn = getattr(options, "num_rows_subsample", None)
    return metric.steps(whole, options), describe_subsample(whole, drawn)


def _run(
    data: TableData,
    name: str,
    steps: Steps,
    subsample: str | None,
    made: Rows,
    on_step: Callable[[], None],
) -> None:
    for column, run in steps.runs.items():
        try:
            found = [each for result in run().values() for each in findings_of(result)]
        except Exception as error:
            made.rows.append(_failed(data, column, name, error))
            _warn_of_plugin(name, error)
        else:
            for each in found:
                beside = (each.column, name, each.protection, each.details, subsample)
                made.rows.append(finding_row(data.name, *beside))
            rocs = [each.roc for each in found if each.roc is not None]
            made.curves += [NamedCurve(data.name, name, roc) for roc in rocs]
        if column is not None:
            on_step()


def _failed(data: TableData, column: Any, name: str, error: Exception) -> Row:
    return error_row(data.name, column, name, f"{type(error).__name__}: {error}")


def _warn_of_plugin(name: str, error: Exception) -> None:
    """A third party's metric that fails is named with its plugin."""
    plugin = registry().plugins.get(name)
    if plugin != BUILTIN:
        warnings.warn(
            f"The metric {name!r} of the plugin {plugin!r} failed ({type(error).__name__}: "
            f"{error}).",
            UserWarning,
            stacklevel=2,
        )
