"""The policy's limits held against what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.model import (
    ColumnFinding,
    Failure,
    MembershipFinding,
    RateAt,
)
from sdmetrics_disclosure.plugins.policy.policy import Policy
from sdmetrics_disclosure.plugins.policy.verdict import (
    NOT_DECIDED,
    PASS,
    Check,
    Decision,
    decide,
    rows_needed,
)

Question = Literal["attribute", "membership"]


def judge(
    policy: Policy,
    columns: Sequence[ColumnFinding],
    memberships: Sequence[MembershipFinding],
    failures: Sequence[Failure],
) -> tuple[Check, ...]:
    """Every limit that applies.

    Args:
        policy:
            The limits.
        columns:
            What RAPID found.
        memberships:
            What the membership attacks found.
        failures:
            Of the metrics that the policy limits: what could not be measured is not decided.
    """
    checks: list[Check] = []
    for column in columns:
        checks += _column_checks(policy, column)
    for attack in memberships:
        checks += _attack_checks(policy, attack)
    checks += _failed_checks(policy, failures)
    attacked = {name for c in columns for name in (c.column, f"{c.table}.{c.column}")}
    attacked |= {name for f in failures for name in (f"{f.column}", f"{f.table}.{f.column}")}
    for name in sorted(set(policy.attribute.columns) - attacked):
        for key, limit in _limits(policy, None, name):
            reason = "the policy limits it, but it was not attacked: name it as sensitive"
            checks.append(_undecided("attribute", None, name, key, limit, reason))
    return tuple(checks)


def _limits(policy: Policy, table: str | None, column: str) -> Iterator[tuple[str, float]]:
    limits = policy.attribute.for_column(table, column)
    for key in ("excess_max", "risk_max"):
        limit = getattr(limits, key)
        if limit is not None:
            yield key, limit


def _column_checks(policy: Policy, found: ColumnFinding) -> Iterator[Check]:
    for key, limit in _limits(policy, found.table, found.column):
        interval: Interval | None
        n_rows, n_holdout, reason = found.n_records, None, ""
        if key == "risk_max":
            interval = found.risk
        elif found.difference is not None:
            interval, n_holdout = found.difference, found.n_holdout
            n_rows, reason = n_rows + n_holdout, "training minus holdout"
        else:
            interval, reason = found.excess, "over chance, for want of a holdout"
        subject = found.column
        if interval is None:
            reason = "what chance gives was not measured"
            yield _undecided("attribute", found.table, subject, key, limit, reason)
        else:
            yield _check(
                policy,
                ("attribute", found.table, subject, key),
                limit,
                interval,
                n_rows,
                n_holdout,
                reason,
            )


def _attack_checks(policy: Policy, found: MembershipFinding) -> Iterator[Check]:
    limits = policy.membership
    n_rows = found.n_members + found.n_non_members
    if limits.auc_max is not None:
        yield _check(
            policy,
            ("membership", found.table, found.metric, "auc_max"),
            limits.auc_max,
            found.auc,
            n_rows,
            found.n_non_members,
            "",
        )
    for fpr, limit in limits.rates.items():
        (rate,) = (each for each in found.rates if each.fpr == fpr)
        yield _rate_check(policy, found, rate, limit)
    if limits.epsilon_max is not None:
        yield _epsilon_check(found, limits.epsilon_max, n_rows)


def _rate_check(policy: Policy, found: MembershipFinding, rate: RateAt, limit: float) -> Check:
    key: tuple[Question, str | None, str, str] = (
        "membership",
        found.table,
        found.metric,
        f"tpr_at_fpr_max at {rate.fpr:g}",
    )
    n_rows = found.n_members + found.n_non_members
    if rate.measurable:
        return _check(policy, key, limit, rate.tpr, n_rows, found.n_non_members, "")
    needed = _scaled(n_rows, found.n_non_members, 2 * math.ceil(1 / rate.fpr))
    reason = "the holdout is too small for this false positive rate"
    return Check(*key, limit, rate.tpr, NOT_DECIDED, reason, n_rows, needed)


def _epsilon_check(found: MembershipFinding, limit: float, n_rows: int) -> Check:
    """A lower bound can break a limit, never prove that it is kept."""
    bound = found.epsilon_lower_bound
    decision: Decision = "fail" if bound > limit else PASS
    interval = Interval(bound, bound, math.inf, "lower bound")
    reason = "a lower bound" + (": no evidence is no proof" if decision == PASS else "")
    key: tuple[Question, str | None, str, str] = (
        "membership",
        found.table,
        found.metric,
        "epsilon_max",
    )
    return Check(*key, limit, interval, decision, reason, n_rows, None)


def _check(
    policy: Policy,
    key: tuple[Question, str | None, str, str],
    limit: float,
    found: Interval,
    n_rows: int,
    n_holdout: int | None,
    reason: str,
) -> Check:
    decision = decide(found, limit)
    needed = rows_needed(found, limit, n_rows) if decision == NOT_DECIDED else None
    least = policy.report.minimum_holdout
    if n_holdout is not None and n_holdout < least:
        reason = f"the holdout has {n_holdout} rows; the policy asks for {least}"
        decision, needed = NOT_DECIDED, max(needed or 0, _scaled(n_rows, n_holdout, least))
    return Check(*key, limit, found, decision, reason, n_rows, needed)


def _scaled(n_rows: int, n_holdout: int, needed_holdout: int) -> int:
    """All rows, when the holdout grows to what is needed and the rest with it."""
    return math.ceil(n_rows * needed_holdout / max(n_holdout, 1))


def _failed_checks(policy: Policy, failures: Sequence[Failure]) -> Iterator[Check]:
    for failed in failures:
        reason = "it could not be measured"
        if failed.question == "attribute":
            subject = failed.column or failed.metric
            for key, limit in _limits(policy, failed.table, subject):
                yield _undecided("attribute", failed.table, subject, key, limit, reason)
        else:
            limits = policy.membership
            named = {"auc_max": limits.auc_max, "epsilon_max": limits.epsilon_max}
            named |= {f"tpr_at_fpr_max at {fpr:g}": v for fpr, v in limits.rates.items()}
            for key, value in named.items():
                if value is not None:
                    yield _undecided("membership", failed.table, failed.metric, key, value, reason)


def _undecided(
    question: Question, table: str | None, subject: str, key: str, limit: float, reason: str
) -> Check:
    return Check(question, table, subject, key, limit, None, NOT_DECIDED, reason, 0, None)
