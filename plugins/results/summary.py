"""The outcome of a disclosure report in a few lines of text."""

from __future__ import annotations

import math

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.policy.verdict import (
    INCONCLUSIVE,
    Check,
    most_needed,
    say_decision,
    worst_of_each,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult


def summarize(result: DisclosureResult) -> str:
    """The verdict, then a line a limit; of several attacks the one that comes worst off.

    Args:
        result:
            What was found.
    """
    first = f"Verdict: {say_decision(result.decision)}"
    needed = most_needed(result.checks)
    if result.decision == INCONCLUSIVE and needed is not None:
        first += f", needs about {say_rows(needed)} rows"
    return "\n".join([first, *(f"  {_line(check)}" for check in worst_of_each(result.checks))])


def say_interval(found: Interval | None) -> str:
    """A value with its interval.

    Args:
        found:
            The interval; None where nothing was measured.
    """
    if found is None:
        return "not measured"
    if math.isinf(found.high):
        return f"at least {found.low:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def say_rows(n: int) -> str:
    """A number of rows to two digits, which is what it is known to.

    Args:
        n:
            The number.
    """
    if n > 10_000_000:
        return "more than 10,000,000"
    unit = 10 ** max(0, len(str(n)) - 2)
    return f"{math.ceil(n / unit) * unit:,}"


def say_subject(check: Check) -> str:
    """What a limit is about, with its table where there are several.

    Args:
        check:
            The limit.
    """
    return check.subject if check.table is None else f"{check.table}, {check.subject}"


def _line(check: Check) -> str:
    limit = f"{check.limit_name} {check.limit:g}"
    text = f"{say_decision(check.decision):12} {say_subject(check)}: {limit}, found "
    text += say_interval(check.found)
    return text + (f" ({check.reason})" if check.reason else "")
