"""The work behind a disclosure report: every registered metric on every table, step by step."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from sdmetrics_disclosure.plugins.base.findings import findings_of
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.steps import Steps
from sdmetrics_disclosure.plugins.common.messages import PACKAGE, bad_input
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.findings import Source, shown_findings
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding, KnownColumn
from sdmetrics_disclosure.plugins.findings.others import AnyFinding, OtherFinding
from sdmetrics_disclosure.plugins.findings.redaction import (
    MessageRedactor,
    redact_frames,
    redact_partitions,
)
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.policy.checks import check_limits
from sdmetrics_disclosure.plugins.policy.verdict import overall
from sdmetrics_disclosure.plugins.report.estimate import estimate_seconds, say_duration
from sdmetrics_disclosure.plugins.report.log import AuditLog
from sdmetrics_disclosure.plugins.report.request import Request, is_trained
from sdmetrics_disclosure.plugins.report.setting import describe_setting
from sdmetrics_disclosure.plugins.report.tables import (
    AuditTable,
    Sources,
    load_tables,
    read_sources,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

# Work longer than this is announced.
LONG_SECONDS = 20.0
Results = dict[Hashable, Any]


def examine(
    real_data: Any,
    synthetic_data: Any,
    metadata: Any,
    real_validation_data: Any,
    roles: tuple[Any, Any],
    request: Request,
) -> DisclosureResult:
    """Examine a release (see `DisclosureReport.generate`).

    Args:
        real_data:
            The real rows.
        synthetic_data:
            The synthetic rows.
        metadata:
            In any form.
        real_validation_data:
            Real rows that the synthesizer never saw, or None.
        roles:
            The sensitive columns and the known ones.
        request:
            What is asked for.
    """
    with bad_input("The tables", "Compare them with their metadata."):
        sources = read_sources(real_data, synthetic_data, metadata, real_validation_data)
        tables = load_tables(
            sources,
            *roles,
            num_rows_subsample=request.num_rows_subsample,
            random_state=request.seed,
        )
    return Audit(request, _redactor(tables, sources, request)).run(tables)


def _redactor(tables: Sequence[AuditTable], sources: Sources, request: Request) -> MessageRedactor:
    floor = request.policy.report.group_size_floor
    allowed = {table.name for table in tables if table.name is not None}
    partitions = [table.partitions for table in tables if table.partitions is not None]
    if partitions:
        allowed |= {str(column) for table in tables for column in table.release.columns}
        return redact_partitions(partitions, allowed, floor)
    frames = list(sources.real_frames())
    allowed |= {str(column) for frame in frames for column in frame.columns}
    return redact_frames(frames, allowed, floor)


class Audit:
    """A report in the making.

    Args:
        request: What it is asked for.
        redactor: Keeps messages that quote the data out.
    """

    def __init__(self, request: Request, redactor: MessageRedactor) -> None:
        self.request = request
        self.redactor = redactor
        self.metrics = metrics()
        self.log = AuditLog()
        self.findings: list[AnyFinding] = []
        self.attacked: dict[str | None, tuple[Hashable, ...]] = {}

    def run(self, tables: Sequence[AuditTable]) -> DisclosureResult:
        """Examine all tables.

        Args:
            tables:
                The tables.
        """
        start = time.perf_counter()
        self._check_options(tables)
        self._announce(tables)
        total = sum(self._count_steps(table, metric) for table, _, metric in self._work(tables))
        stream = self.request.progress
        with tqdm(total=total, disable=stream is None, file=stream) as bar:
            for table, name, metric in self._work(tables):
                self.log.note(*table.release.notes)
                self._run_metric(table, name, metric, bar)
        return self._result(tables, start)

    def _work(
        self, tables: Sequence[AuditTable]
    ) -> list[tuple[AuditTable, str, type[DisclosureMetric]]]:
        return [(table, *named) for table in tables for named in self.metrics.items()]

    def _result(self, tables: Sequence[AuditTable], start: float) -> DisclosureResult:
        questions = {name: metric.disclosure for name, metric in self.metrics.items()}
        failures = self.log.failures(self.redactor, questions)
        checks = check_limits(self.request.policy, self.findings, failures, self.metrics)
        return DisclosureResult(
            decision=overall(checks),
            checks=checks,
            columns=tuple(f for f in self.findings if isinstance(f, ColumnFinding)),
            memberships=tuple(f for f in self.findings if isinstance(f, MembershipFinding)),
            others=tuple(f for f in self.findings if isinstance(f, OtherFinding)),
            failures=failures,
            policy=self.request.policy,
            setting=describe_setting(
                self.request,
                tables,
                self.attacked,
                self._attackers(tables[0]),
                self.log.steps,
                time.perf_counter() - start,
            ),
            notes=self.log.notes(self.redactor),
        )

    def _check_options(self, tables: Sequence[AuditTable]) -> None:
        unknown = set(self.request.metric_options) - set(self.metrics)
        if unknown:
            raise ValueError(
                f"`metric_options` names {', '.join(map(repr, sorted(unknown)))}; registered are "
                f"{', '.join(map(repr, sorted(self.metrics)))}."
            )
        for table, name, metric in self._work(tables):
            if name in self.request.metric_options or is_trained(metric):
                self.request.options_for(metric, table)

    def _announce(self, tables: Sequence[AuditTable]) -> None:
        if self.request.progress is None:
            return
        for name, metric in self.metrics.items():
            if not is_trained(metric):
                continue
            with self.log.step("time estimate"):
                seconds = sum(
                    estimate_seconds(
                        metric,
                        table.release,
                        self.request.options_for(metric, table),
                        self._count_steps(table, metric),
                    )
                    for table in tables
                    if table.partitions is None
                )
                if seconds > LONG_SECONDS:
                    self.request.progress.write(
                        f"{name} will take about {say_duration(seconds)}, then come the others.\n"
                    )

    def _run_metric(
        self, table: AuditTable, name: str, metric: type[DisclosureMetric], bar: Any
    ) -> None:
        if table.partitions is not None and not metric.reads_partitions:
            self.log.note(f"{name} needs its tables in memory and was not run on partitions.")
            bar.update()
            return
        prepared: list[Steps] = []
        with self.log.step(name, table=table.name):
            prepared.append(self._prepare(table, metric))
        if not prepared:
            bar.update(self._count_steps(table, metric))
            return
        (steps,) = prepared
        self.log.note(*steps.notes)
        if steps.sensitive:
            self.attacked[table.name] = steps.sensitive
        results = self._run_steps(table, name, steps, bar)
        self._show(table, name, steps, results, bar)
        if results and table.partitions is None:
            self._keep_records(table, name, steps.join(results))

    def _prepare(self, table: AuditTable, metric: type[DisclosureMetric]) -> Steps:
        metric.check_holdout(table.release.holdout)
        options = self.request.options_for(metric, table)
        if table.partitions is None:
            return metric.steps(table.release, options)
        return metric.partition_steps(table.partitions, options)

    def _run_steps(self, table: AuditTable, name: str, steps: Steps, bar: Any) -> Results:
        results: Results = {}
        for column, run in steps.runs.items():
            with self.log.step(name, table=table.name, column=column, bar=bar):
                for each, found in run().items():
                    if isinstance(found, Exception):
                        self.log.fail(name, table.name, each, found)
                        continue
                    results[each] = found
                    ours = type(found).__module__.partition(".")[0] == PACKAGE
                    self.log.note(*getattr(found, "warnings", ()), ours=ours)
        return results

    def _show(self, table: AuditTable, name: str, steps: Steps, results: Results, bar: Any) -> None:
        explained = list(results) if table.sensitive is not None else _most_exposed(results)
        for column, result in results.items():
            with self.log.step("attribution", name, table=table.name, column=column):
                source = Source(
                    table=table.name,
                    metric=name,
                    question=self.metrics[name].disclosure,
                    release=steps.release,
                    floor=self.request.policy.report.group_size_floor,
                    known_columns=(
                        self._known_columns(steps, column, result, bar)
                        if column in explained
                        else ()
                    ),
                )
                self.findings += shown_findings(result, source)

    def _known_columns(
        self, steps: Steps, column: Hashable, result: Any, bar: Any
    ) -> tuple[KnownColumn, ...]:
        risks: dict[Hashable, dict[str, Interval]] = {}
        for name, what, attack in steps.variants(result):
            bar.set_description(f"{column}: {name} {what.replace('_', ' ')}")
            risks.setdefault(name, {})[what] = attack()
            bar.update()
        return tuple(
            KnownColumn(str(name), found.get("alone"), found.get("left_out"))
            for name, found in risks.items()
        )

    def _keep_records(self, table: AuditTable, name: str, result: Any) -> None:
        if self.request.on_records is not None and hasattr(result, "records"):
            self.request.on_records(table.name, name, result.records())

    def _attackers(self, table: AuditTable) -> tuple[str, ...]:
        trained = (metric for metric in self.metrics.values() if is_trained(metric))
        options = (self.request.options_for(metric, table) for metric in trained)
        return tuple(dict.fromkeys(name for each in options for name in each.attackers))

    def _count_steps(self, table: AuditTable, metric: type[DisclosureMetric]) -> int:
        return _n_attacks(table) if is_trained(metric) and table.partitions is None else 1


def _n_attacks(table: AuditTable) -> int:
    """How often attackers are trained: for every sensitive column, then with each known column
    alone and out.

    Where no column is named, only the most exposed one is explained so.
    """  # noqa: D205
    columns = table.release.columns
    sensitive = table.sensitive or [c for c in columns if c not in (table.known or ())]
    n_known = len(table.known or columns) - (0 if table.known else len(table.sensitive or [1]))
    n_explained = 1 if table.sensitive is None else len(sensitive)
    return len(sensitive) + n_explained * (2 * n_known if n_known > 1 else 1)


def _most_exposed(results: Mapping[Hashable, Any]) -> list[Hashable]:
    def exposure(column: Hashable) -> float:
        return max(finding.exposure for finding in findings_of(results[column]))

    return [max(results, key=exposure)] if results else []
