"""The verdict: limits held against intervals, never against points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdmetrics_disclosure.plugins.base.findings import Question
from sdmetrics_disclosure.plugins.common.statistics import Interval

Decision = Literal["pass", "fail", "inconclusive"]
PASS: Decision = "pass"
FAIL: Decision = "fail"
INCONCLUSIVE: Decision = "inconclusive"


@dataclass(frozen=True)
class Check:
    """One limit of the policy, held against what was found.

    Attributes:
        question: "attribute" or "membership".
        table: The table's name, or None.
        subject: The sensitive column, or the attack.
        limit_name: The policy's key.
        limit: The policy's number.
        found: What was measured, with its interval; None if it could not be.
        decision: "pass", "fail" or "inconclusive".
        reason: Why, where the interval alone does not say.
        n_rows: The real rows behind it, holdout included.
        needed_rows: About how many would decide it, in the same proportions; None where it is
            decided, or more rows are not what is wanting.
    """

    question: Question
    table: str | None
    subject: str
    limit_name: str
    limit: float
    found: Interval | None
    decision: Decision
    reason: str
    n_rows: int
    needed_rows: int | None


def decide(found: Interval, limit: float) -> Decision:
    """Pass where the whole interval is below the limit, fail where it is all above."""
    if found.high < limit:
        return PASS
    return FAIL if found.low > limit else INCONCLUSIVE


def decide_bound(found: Interval, limit: float) -> Decision:
    """Fail where a lower bound is above the limit; of a bound nothing more is known."""
    return FAIL if found.low > limit else PASS


def say_decision(decision: Decision) -> str:
    """A decision as people read it.

    Args:
        decision:
            Of a check, or of a report.
    """
    return "not decided" if decision == INCONCLUSIVE else decision


def rows_needed(found: Interval, limit: float, n_rows: int) -> int | None:
    """About how many rows would decide, were the value to stay what it is.

    Half an interval shrinks with the root of the rows. The half that reaches from the value over
    the limit must shrink to the distance between them: N = n (half / distance)^2.

    Args:
        found:
            The value with its interval.
        limit:
            What it is held against.
        n_rows:
            The rows behind it.

    Returns:
        The number; None where the value stands on the limit: no number of rows is known to do.
    """
    distance = abs(limit - found.value)
    half = found.high - found.value if found.value < limit else found.value - found.low
    if not distance > 0 or not math.isfinite(half):
        return None
    return max(n_rows + 1, math.ceil(n_rows * (half / distance) ** 2))


def overall(checks: Sequence[Check]) -> Decision:
    """Fail if any limit is broken; else inconclusive if any is, or none was set."""
    decisions = {check.decision for check in checks}
    if FAIL in decisions:
        return FAIL
    return PASS if decisions == {PASS} else INCONCLUSIVE


def limit_key(check: Check) -> tuple[str | None, ...]:
    """Which limit a check is of: all attacks on a table are held against the same."""
    subject = check.subject if check.question == "attribute" else None
    return check.question, check.table, subject, check.limit_name


def worst_of_each(checks: Sequence[Check]) -> list[Check]:
    """Of each limit the check that decides it: of several attacks the one that comes worst off.

    Args:
        checks:
            Of a report.
    """
    rank = {PASS: 0, INCONCLUSIVE: 1, FAIL: 2}

    def badness(check: Check) -> tuple[int, float]:
        value = check.found.value if check.found is not None else math.inf
        return rank[check.decision], value

    worst: dict[tuple[str | None, ...], Check] = {}
    for check in checks:
        key = limit_key(check)
        if key not in worst or badness(check) > badness(worst[key]):
            worst[key] = check
    return list(worst.values())


def most_needed(checks: Sequence[Check]) -> int | None:
    """The rows after which all limits would be decided; None where rows are not what is wanting."""
    return max((check.needed_rows for check in checks if check.needed_rows), default=None)
