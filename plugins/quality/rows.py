"""The rows that disclosure metrics add to a report: one a sensitive column, or one a table."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from sdmetrics_disclosure.plugins.base.findings import Question, findings_of
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.steps import Steps
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve
from sdmetrics_disclosure.plugins.findings.redaction import MessageRedactor, redact_frames
from sdmetrics_disclosure.plugins.findings.rows import Row, error_row, finding_row
from sdmetrics_disclosure.plugins.hooks.registry import BUILTIN, metrics, registry
from sdmetrics_disclosure.plugins.quality.settings import DisclosureSettings
from sdmetrics_disclosure.plugins.quality.subsample import describe_subsample

LOGGER = logging.getLogger("sdmetrics_disclosure.plugins.quality")
# A value that fewer people share is quoted in no message.
FLOOR = 10
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

    def redactor(self) -> MessageRedactor:
        """Keeps messages that quote the real rows out of the rows."""
        holdout = self.settings.real_validation_data
        frames = [frame for frame in (self.real, holdout) if isinstance(frame, pd.DataFrame)]
        allowed = {column for frame in frames for column in frame.columns}
        return redact_frames(frames, allowed, FLOOR)

    def options_for(self, metric: type[DisclosureMetric]) -> Any:
        """The metric's options: roles and subsample where it has them, and what is set here."""
        wanted = {
            "sensitive_column_names": self.settings.sensitive_column_names,
            "known_column_names": self.settings.known_column_names,
            "num_rows_subsample": self.num_rows_subsample,
        }
        has = {each.name for each in fields(metric.Options)}
        wanted = {name: value for name, value in wanted.items() if name in has}
        return metric.Options(**wanted | dict(metric.quality_report_options))


@dataclass(frozen=True)
class Failure:
    """A row of what failed.

    Attributes:
        row: The row.
        error: Why.
    """

    row: Row
    error: Exception


@dataclass
class Rows:
    """What metrics add to a report.

    Attributes:
        rows: One a sensitive column, or one a table; a failure is a row with an `Error`.
        curves: The ROC of those that have one.
        failures: The rows of what failed, with the exceptions.
    """

    rows: list[Row] = field(default_factory=list)
    curves: list[NamedCurve] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def fail(self, table: str | None, column: Hashable, metric: str, error: Exception) -> None:
        """Add a row whose reason is filled in at the end."""
        self.rows.append(error_row(table, column, metric, ""))
        self.failures.append(Failure(self.rows[-1], error))


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
    made = Rows()
    for name, metric in metrics(question, in_quality_report=True).items():
        if metric.needs_holdout and data.settings.real_validation_data is None:
            made.rows.append(error_row(data.name, None, name, f"ValueError: {NO_HOLDOUT}"))
            continue
        try:
            steps, subsample = _prepare(data, metric)
        except Exception as error:
            made.fail(data.name, None, name, error)
            continue
        for note in steps.notes:
            warnings.warn(note, UserWarning, stacklevel=2)
        _run(data, name, steps, subsample, made, on_step)
    _say_failures(data, made.failures)
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
            made.fail(data.name, column, name, error)
        else:
            for each in found:
                beside = (each.column, name, each.protection, each.details, subsample)
                made.rows.append(finding_row(data.name, *beside))
            rocs = [each.roc for each in found if each.roc is not None]
            made.curves += [NamedCurve(data.name, name, roc) for roc in rocs]
        if column is not None:
            on_step()


def _say_failures(data: TableData, failures: Sequence[Failure]) -> None:
    """Fill in why, as it may be shown; a third party's metric is named with its plugin besides."""
    reasons = data.redactor().errors([failure.error for failure in failures])
    for failure, reason in zip(failures, reasons, strict=True):
        name = failure.row["Metric"]
        failure.row["Error"] = reason
        LOGGER.debug("%s failed", name, exc_info=failure.error)
        plugin = registry().plugins.get(name)
        if plugin != BUILTIN:
            warnings.warn(
                f"The metric {name!r} of the plugin {plugin!r} failed ({reason}).",
                UserWarning,
                stacklevel=2,
            )
