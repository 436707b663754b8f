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
    for found in findings:
        checks += _finding_checks(policy, found, metrics)
    for failed in failures:
        checks += _failed_checks(policy, failed, metrics)
    return (*checks, *_unmet_checks(policy, findings, failures))


def _finding_checks(policy: Policy, found: AnyFinding, metrics: Metrics) -> Iterator[Check]:
    measures = found.measures()
    subject = found.column or found.metric
    for limit in limits_of(metrics[found.metric]):
        for at, highest in _set_limits(policy, limit, found.table, subject, found.metric):
            about = (limit.question, found.table, subject, name_limit(limit, at), highest)
            measure = next((m for m in measures if (m.name, m.at) == (limit.measure, at)), None)
            if measure is None:
                yield _inconclusive(about, "the metric did not measure it")
            else:
                yield _check(policy, limit, about, measure)


def _failed_checks(policy: Policy, failed: Failure, metrics: Metrics) -> Iterator[Check]:
    subject = failed.column or failed.metric
    for limit in limits_of(metrics[failed.metric]):
        for at, highest in _set_limits(policy, limit, failed.table, subject, failed.metric):
            about = (limit.question, failed.table, subject, name_limit(limit, at), highest)
            yield _inconclusive(about, "it could not be measured")


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


def _check(policy: Policy, limit: Limit, about: About, measure: Measure) -> Check:
    highest, n_rows = about[-1], measure.n_rows
    if measure.found is None:
        return _inconclusive(about, measure.remark)
    if measure.needed_holdout:
        needed = _scaled(measure, measure.needed_holdout)
        return _made(about, measure.found, INCONCLUSIVE, measure.remark, n_rows, needed)
    if limit.decided_by == "lower bound":
        return _bound_check(about, measure.found, n_rows)
    decision, reason = decide(measure.found, highest), measure.remark
    rows = rows_needed(measure.found, highest, n_rows) if decision == INCONCLUSIVE else None
    least = policy.report.minimum_holdout
    if measure.n_holdout is not None and measure.n_holdout < least:
        reason = f"the holdout has {measure.n_holdout} rows; the policy asks for {least}"
        decision, rows = INCONCLUSIVE, max(rows or 0, _scaled(measure, least))
    return _made(about, measure.found, decision, reason, n_rows, rows)


def _bound_check(about: About, found: Interval, n_rows: int) -> Check:
    """A lower bound can break a limit, never prove that it is kept."""
    decision = decide_bound(found, about[-1])
    reason = "a lower bound" + (": no evidence is no proof" if decision == PASS else "")
    return _made(about, found, decision, reason, n_rows, None)


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
