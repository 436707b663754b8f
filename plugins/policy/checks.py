"""The policy's limits held against what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from sdmetrics_disclosure.plugins.base.findings import Limit, Measure, Question
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.others import AnyFinding, Failure
from sdmetrics_disclosure.plugins.policy.limits import LIMITS, limits_of, name_limit
from sdmetrics_disclosure.plugins.policy.policy import Policy
from sdmetrics_disclosure.plugins.policy.verdict import (
    FAIL,
    INCONCLUSIVE,
    PASS,
    Check,
    Decision,
    decide,
    decide_bound,
    rows_needed,
)

Metrics = Mapping[str, type[DisclosureMetric]]


def check_limits(
    policy: Policy,
    findings: Sequence[AnyFinding],
    failures: Sequence[Failure],
    metrics: Metrics,
) -> tuple[Check, ...]:
    """Every limit that applies.

    Args:
        policy:
            The limits.
        findings:
            What was found.
        failures:
            What could not be measured: the limits on it are inconclusive.
        metrics:
            The metrics by name, which say what limits can bind them.
    """
    checks: list[Check] = []
    doubts = _doubts_on_tables(findings)
    for found in findings:
        checks += _finding_checks(
            policy, found, metrics, found.doubt or doubts.get(found.table, "")
        )
    for failed in failures:
        checks += _failed_checks(policy, failed, metrics)
    return (*checks, *_unmet_checks(policy, findings, failures))


def _doubts_on_tables(findings: Sequence[AnyFinding]) -> dict[str | None, str]:
    """By table, why no limit on it may pass: a doubt that is not about one column is about all."""
    return {found.table: found.doubt for found in findings if found.doubt and found.column is None}


def _finding_checks(
    policy: Policy, found: AnyFinding, metrics: Metrics, doubt: str
) -> Iterator[Check]:
    measures = found.measures()
    subject = found.column or found.metric
    for limit in limits_of(metrics[found.metric]):
        for at, highest in _set_limits(policy, limit, found.table, subject, found.metric):
            about = (limit.question, found.table, subject, name_limit(limit, at), highest)
            measure = next((m for m in measures if (m.name, m.at) == (limit.measure, at)), None)
            if measure is None:
                yield _inconclusive(about, "the metric did not measure it")
            else:
                yield _check(policy, limit, about, measure, doubt)


def _failed_checks(policy: Policy, failed: Failure, metrics: Metrics) -> Iterator[Check]:
    subject = failed.column or failed.metric
    for limit in limits_of(metrics[failed.metric]):
        for at, highest in _set_limits(policy, limit, failed.table, subject, failed.metric):
            about = (limit.question, failed.table, subject, name_limit(limit, at), highest)
            yield _inconclusive(about, f"it could not be measured: {failed.error}")


def _unmet_checks(
    policy: Policy, findings: Sequence[AnyFinding], failures: Sequence[Failure]
) -> Iterator[Check]:
    """A limit on a column that was not attacked must not pass unseen."""
    met = {
        name for f in (*findings, *failures) for name in (f"{f.column}", f"{f.table}.{f.column}")
    }
    reason = "the policy limits it, but it was not attacked: name it as sensitive"
    for name in sorted(set(policy.attribute.columns) - met):
        for limit in (each for each in LIMITS.values() if each.question == "attribute"):
            for at, highest in _set_limits(policy, limit, None, name, ""):
                about = (limit.question, None, name, name_limit(limit, at), highest)
                yield _inconclusive(about, reason)


def _set_limits(
    policy: Policy, limit: Limit, table: str | None, subject: str, metric: str
) -> Iterator[tuple[float | None, float]]:
    """The numbers that the policy sets, and where on a curve."""
    highest: float | None
    if limit.key not in LIMITS:
        highest = policy.metrics.get(metric, {}).get(limit.key)
    elif limit.question == "attribute":
        highest = getattr(policy.attribute.for_column(table, subject), limit.key)
    elif limit.key == "tpr_at_fpr_max":
        yield from policy.membership.rates.items()
        return
    else:
        highest = getattr(policy.membership, limit.key)
    if highest is not None:
        yield None, highest


About = tuple[Question, str | None, str, str, float]


def _check(policy: Policy, limit: Limit, about: About, measure: Measure, doubt: str) -> Check:
    """What is broken is broken, whatever else; a pass takes a holdout of the least size."""
    highest, n_rows = about[-1], measure.n_rows
    if measure.found is None:
        return _inconclusive(about, measure.remark)
    if measure.needed_holdout:
        needed = _scaled(measure, measure.needed_holdout)
        return _made(about, measure.found, INCONCLUSIVE, measure.remark, n_rows, needed)
    is_bound = limit.decided_by == "lower bound"
    decision = decide_bound(measure.found, highest) if is_bound else decide(measure.found, highest)
    rows, reasons = None, [measure.remark]
    if is_bound and decision == PASS:
        reasons.append("no evidence is no proof")
    if decision == INCONCLUSIVE:
        rows = rows_needed(measure.found, highest, n_rows)
    least = policy.report.minimum_holdout
    if decision != FAIL and measure.n_holdout is not None and measure.n_holdout < least:
        reasons.append(f"the holdout has {measure.n_holdout} rows; the policy asks for {least}")
        decision, rows = INCONCLUSIVE, max(rows or 0, _scaled(measure, least))
    if decision != FAIL and doubt:
        reasons.append(doubt)
        decision, rows = INCONCLUSIVE, None
    reason = "; ".join(reason for reason in reasons if reason)
    return _made(about, measure.found, decision, reason, n_rows, rows)


def _scaled(measure: Measure, needed_holdout: int) -> int:
    """All rows, when the holdout grows to what is needed and the rest with it."""
    return math.ceil(measure.n_rows * needed_holdout / max(measure.n_holdout or 0, 1))


def _inconclusive(about: About, reason: str) -> Check:
    return _made(about, None, INCONCLUSIVE, reason, 0, None)


def _made(
    about: About,
    found: Interval | None,
    decision: Decision,
    reason: str,
    n_rows: int,
    needed: int | None,
) -> Check:
    question, table, subject, name, highest = about
    return Check(question, table, subject, name, highest, found, decision, reason, n_rows, needed)
