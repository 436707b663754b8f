"""The work behind a disclosure report: every registered metric on every table, step by step."""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tqdm import tqdm

from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.roles import Roles, find_roles
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.findings import (
    as_text,
    column_finding,
    kinds_in_words,
    membership_finding,
)
from sdmetrics_disclosure.plugins.findings.model import (
    ColumnFinding,
    Failure,
    KnownColumn,
    MembershipFinding,
    OtherFinding,
)
from sdmetrics_disclosure.plugins.findings.suppression import PartsWithholder, Withholder
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.partitions.release import SAMPLE_ROWS, PartitionedRelease
from sdmetrics_disclosure.plugins.policy.limits import judge
from sdmetrics_disclosure.plugins.policy.verdict import overall
from sdmetrics_disclosure.plugins.quality.rows import describe_drawn, describe_subsample
from sdmetrics_disclosure.plugins.rapid.attribution import known_column_variants
from sdmetrics_disclosure.plugins.rapid.column import evaluate_column
from sdmetrics_disclosure.plugins.rapid.metric import RAPID, prepare
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.partitions import as_result, evaluate_columns
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult, RapidResult
from sdmetrics_disclosure.plugins.report.estimate import estimate_seconds, say_duration
from sdmetrics_disclosure.plugins.report.request import Request, plain_options
from sdmetrics_disclosure.plugins.report.tables import AuditTable, load_tables, raw_frames
from sdmetrics_disclosure.plugins.results.result import (
    DisclosureResult,
    Setting,
    Step,
    TableSetting,
)

PACKAGES = ("sdmetrics-disclosure", "sdmetrics", "numpy", "pandas", "scikit-learn", "numba")
# Work longer than this is announced.
LONG_SECONDS = 20.0
# Preparations shorter than this are no step of their own.
SHOWN_SECONDS = 0.1


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
    tables = load_tables(
        real_data,
        synthetic_data,
        metadata,
        real_validation_data,
        *roles,
        num_rows_subsample=request.num_rows_subsample,
        random_state=request.seed,
    )
    return Audit(request, _withholder(tables, (real_data, real_validation_data), request)).run(
        tables
    )


def _withholder(
    tables: Sequence[AuditTable], sources: Sequence[Any], request: Request
) -> Withholder:
    floor = request.policy.report.group_size_floor
    allowed = {table.name for table in tables if table.name is not None}
    partitions = [table.partitions for table in tables if table.partitions is not None]
    if partitions:
        allowed |= {str(column) for table in tables for column in table.release.columns}
        return PartsWithholder(partitions, allowed, floor)
    frames = list(raw_frames(*sources))
    allowed |= {str(column) for frame in frames for column in frame.columns}
    return Withholder(frames, allowed, floor)


@dataclass
class Audit:
    """A report in the making.

    Attributes:
        request: What it is asked for.
        withholder: Keeps messages that quote the data out.
    """

    request: Request
    withholder: Withholder
    columns: list[ColumnFinding] = field(default_factory=list)
    memberships: list[MembershipFinding] = field(default_factory=list)
    others: list[OtherFinding] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    attacked: dict[str | None, tuple[Hashable, ...]] = field(default_factory=dict)

    def run(self, tables: Sequence[AuditTable]) -> DisclosureResult:
        """Examine all tables.

        Args:
            tables:
                The tables.
        """
        start = time.perf_counter()
        self._check_options(tables)
        self._announce(tables)
        total = sum(_count_steps(table) for table in tables)
        stream = self.request.progress
        with tqdm(total=total, disable=stream is None, file=stream) as bar:
            for table in tables:
                self._note(*table.release.notes)
                for name, metric in metrics().items():
                    self._run_metric(table, name, metric, bar)
        limited = [f for f in self.failures if _is_limited(f.metric)]
        checks = judge(self.request.policy, self.columns, self.memberships, limited)
        return DisclosureResult(
            decision=overall(checks),
            checks=checks,
            columns=tuple(self.columns),
            memberships=tuple(self.memberships),
            others=tuple(self.others),
            failures=tuple(self.failures),
            policy=self.request.policy,
            setting=self._setting(tables, time.perf_counter() - start),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _check_options(self, tables: Sequence[AuditTable]) -> None:
        unknown = set(self.request.metric_options) - set(metrics())
        if unknown:
            raise ValueError(
                f"`metric_options` names {', '.join(map(repr, sorted(unknown)))}; registered are "
                f"{', '.join(map(repr, sorted(metrics())))}."
            )
        for name, metric in metrics().items():
            if name in self.request.metric_options or metric is RAPID:
                for table in tables:
                    self.request.options_for(metric, table)

    def _announce(self, tables: Sequence[AuditTable]) -> None:
        if self.request.progress is None:
            return
        with self._quietly("time estimate", None):
            seconds = sum(
                estimate_seconds(table.release, self._rapid_options(table), _n_attacks(table))
                for table in tables
                if table.partitions is None
            )
            if seconds > LONG_SECONDS:
                self.request.progress.write(
                    f"{RAPID.name} will take about {say_duration(seconds)}, then come the others.\n"
                )

    def _run_metric(
        self, table: AuditTable, name: str, metric: type[DisclosureMetric], bar: Any
    ) -> None:
        if table.partitions is not None and not metric.reads_partitions:
            self._note(f"{name} needs its tables in memory and was not run on partitions.")
            bar.update()
            return
        if metric is RAPID:
            if table.partitions is not None:
                self._run_rapid_on_partitions(table, table.partitions, bar)
            else:
                self._run_rapid(table, bar)
            return
        with self._quietly(name, table, bar):
            metric.check_holdout(table.release.holdout)
            options = self.request.options_for(metric, table)
            result: Any = (
                metric.evaluate(table.release, options)
                if table.partitions is None
                else metric.evaluate_partitions(table.partitions, options)
            )
            self._note(*getattr(result, "warnings", ()))
            if issubclass(metric, MembershipMetric):
                self.memberships.append(membership_finding(table.name, name, result))
                self._keep_records(table, name, result)
            else:
                scores = float(result.score), float(result.protection)
                self.others.append(OtherFinding(table.name, name, metric.disclosure, *scores))

    def _rapid_options(self, table: AuditTable) -> RapidOptions:
        options: RapidOptions = self.request.options_for(RAPID, table)
        return options

    def _run_rapid(self, table: AuditTable, bar: Any) -> None:
        options = self._rapid_options(table)
        prepared: list[tuple[Any, Roles]] = []
        with self._quietly(RAPID.name, table):
            prepared.append(prepare(table.release, options))
        if not prepared:
            bar.update(_n_attacks(table))
            return
        release, roles = prepared[0]
        self._note(*roles.notes)
        self.attacked[table.name] = roles.sensitive
        results: dict[Hashable, ColumnResult] = {}
        for column in roles.sensitive:
            with self._quietly(RAPID.name, table, bar, column):
                results[column] = evaluate_column(release, roles, column, options)
                self._note(*results[column].notes)
        explained = list(results) if table.sensitive is not None else _most_exposed(results)
        for column, result in results.items():
            with self._quietly("attribution", table, None, column):
                known: tuple[KnownColumn, ...] = ()
                if column in explained:
                    known = self._known_columns(release, options, result, bar)
                floor = self.request.policy.report.group_size_floor
                self.columns.append(column_finding(table.name, release, result, floor, known))
        whole = RapidResult(results, release.real.index, options.settings(), ())
        if results:
            self._keep_records(table, RAPID.name, whole)

    def _run_rapid_on_partitions(
        self, table: AuditTable, partitions: PartitionedRelease, bar: Any
    ) -> None:
        with self._quietly(RAPID.name, table, bar):
            options = self._rapid_options(table)
            roles = find_roles(partitions.release, options)
            self.attacked[table.name] = roles.sensitive
            results, failures = evaluate_columns(partitions, roles, options)
            self._note(*as_result(partitions, roles, results, options).warnings)
            for column, error in failures.items():
                self._fail(RAPID.name, table, column, error)
            floor = self.request.policy.report.group_size_floor
            self.columns += [
                column_finding(table.name, table.release, result, floor)
                for result in results.values()
            ]

    def _known_columns(
        self, release: Any, options: RapidOptions, result: ColumnResult, bar: Any
    ) -> tuple[KnownColumn, ...]:
        risks: dict[Hashable, dict[str, Interval]] = {name: {} for name in result.known}
        without_holdout = replace(release, holdout=None)
        for name, what, variant in known_column_variants(options, result):
            bar.set_description(f"{result.column}: {name} {what.replace('_', ' ')}")
            roles = find_roles(without_holdout, variant)
            attacked = evaluate_column(without_holdout, roles, result.column, variant)
            risks[name][what] = attacked.risk
            bar.update()
        return tuple(
            KnownColumn(str(name), found.get("alone"), found.get("left_out"))
            for name, found in risks.items()
        )

    @contextmanager
    def _quietly(
        self, step: str, table: AuditTable | None, bar: Any = None, column: Hashable = None
    ) -> Iterator[None]:
        """Time a step; its warnings become notes, its exception a failure."""
        subject = [str(part) for part in (table and table.name, column) if part is not None]
        name = ", ".join([step, *subject])
        if bar is not None:
            bar.set_description(name)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            except Exception as error:
                if table is not None:
                    self._fail(step, table, column, error)
        self._note(*(str(w.message) for w in caught if issubclass(w.category, UserWarning)))
        seconds = time.perf_counter() - start
        if bar is not None or seconds > SHOWN_SECONDS:
            self.steps.append(Step(name, seconds))
        if bar is not None:
            bar.update()

    def _fail(self, step: str, table: AuditTable, column: Hashable, error: Exception) -> None:
        metric = RAPID.name if step == "attribution" else step
        self.failures.append(
            Failure(
                table=table.name,
                metric=metric,
                column=None if column is None else str(column),
                question=metrics()[metric].disclosure,
                error=self.withholder.error(error),
            )
        )

    def _note(self, *messages: str) -> None:
        for message in messages:
            if message not in self.notes:
                self.notes.append(self.withholder.note(message))

    def _keep_records(self, table: AuditTable, name: str, result: Any) -> None:
        if self.request.on_records is not None and table.partitions is None:
            self.request.on_records(table.name, name, result.records())

    def _setting(self, tables: Sequence[AuditTable], seconds: float) -> Setting:
        options = self.request.metric_options
        rapid = self._rapid_options(tables[0])
        return Setting(
            generated=date.today().isoformat(),
            tables=tuple(self._table_setting(table) for table in tables),
            attackers=tuple(rapid.attackers),
            metric_options={name: plain_options(options[name]) for name in options},
            seed=self.request.seed,
            versions={"python": platform.python_version(), **{p: _version(p) for p in PACKAGES}},
            steps=tuple(self.steps),
            seconds=seconds,
        )

    def _table_setting(self, table: AuditTable) -> TableSetting:
        release = table.release
        n_real, n_synthetic, n_holdout = table.sizes
        drawn = self.request.num_rows_subsample
        if table.partitions is None:
            subsample = describe_subsample(release, drawn)
        else:
            sampled = {"synthetic": max(n_synthetic), "holdout": n_holdout}
            subsample = describe_drawn(sampled, drawn or SAMPLE_ROWS)
        return TableSetting(
            name=table.name,
            n_real=n_real,
            n_synthetic=n_synthetic,
            n_holdout=n_holdout,
            subsample=subsample,
            kinds=kinds_in_words(release.kinds),
            unit=None if release.unit is None else str(release.unit),
            sensitive=tuple(map(str, self.attacked.get(table.name, table.sensitive or ()))),
            known=as_text(table.known),
        )


def _is_limited(metric: str) -> bool:
    found = metrics()[metric]
    return found is RAPID or issubclass(found, MembershipMetric)


def _count_steps(table: AuditTable) -> int:
    return (1 if table.partitions else _n_attacks(table)) + len(metrics()) - 1


def _n_attacks(table: AuditTable) -> int:
    """How often RAPID attacks: every sensitive column, then with each known column alone and out.

    Where no column is named, only the most exposed one is explained so.
    """
    columns = table.release.columns
    sensitive = table.sensitive or [c for c in columns if c not in (table.known or ())]
    n_known = len(table.known or columns) - (0 if table.known else len(table.sensitive or [1]))
    n_explained = 1 if table.sensitive is None else len(sensitive)
    return len(sensitive) + n_explained * (2 * n_known if n_known > 1 else 1)


def _most_exposed(results: Mapping[Hashable, ColumnResult]) -> list[Hashable]:
    def excess(column: Hashable) -> float:
        found = results[column].excess
        return results[column].risk.low if found is None else found.low

    return [max(results, key=excess)] if results else []


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
