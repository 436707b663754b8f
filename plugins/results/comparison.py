"""What changed between two releases, from their saved reports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.findings import TRAINING_MINUS_HOLDOUT
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.policy.limits import say_limit
from sdmetrics_disclosure.plugins.policy.verdict import (
    Check,
    Decision,
    limit_key,
    worst_of_each,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import say_subject

Key = tuple[str, str, str]
_RANK = {"pass": 0, "inconclusive": 1, "fail": 2}


@dataclass(frozen=True)
class Change:
    """One number, before and after.

    Attributes:
        subject: The column or attack, with its table.
        measure: What was measured.
        before: In the first report, or None.
        after: In the second, or None.
        direction: "lower", "higher" or "within the intervals"; of a bound, which has no interval,
            "lower", "higher" or "the same"; "new" or "gone" where one lacks it.
    """

    subject: str
    measure: str
    before: Interval | None
    after: Interval | None
    direction: str


@dataclass(frozen=True)
class Comparison:
    """What changed from one report to another.

    Attributes:
        before: The first verdict.
        after: The second verdict.
        changes: The numbers.
        settings: What was done differently, a sentence each: then numbers may differ for that.
        worsened: The limits that are kept less well, as a person reads them. Of each limit the
            worst comparison is held against the worst, as the verdict does.
    """

    before: Decision
    after: Decision
    changes: tuple[Change, ...]
    settings: tuple[str, ...]
    worsened: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether the verdict fell or, where it is the same, a limit is kept less well."""
        if self.after == self.before:
            return bool(self.worsened)
        return _RANK[self.after] > _RANK[self.before]


def compare(before: DisclosureResult, after: DisclosureResult) -> Comparison:
    """Set two reports side by side.

    Args:
        before:
            Of the earlier release.
        after:
            Of the later one.
    """
    numbers = [dict(_numbers(result)) for result in (before, after)]
    keys = dict.fromkeys([*numbers[0], *numbers[1]])
    return Comparison(
        before=before.decision,
        after=after.decision,
        changes=tuple(_change(key, numbers[0].get(key), numbers[1].get(key)) for key in keys),
        settings=tuple(_differing_settings(before, after)),
        worsened=tuple(_worsened(before, after)),
    )


def _worsened(before: DisclosureResult, after: DisclosureResult) -> Iterator[str]:
    earlier = {limit_key(check): check for check in worst_of_each(before.checks)}
    for check in worst_of_each(after.checks):
        old = earlier.get(limit_key(check))
        if old is not None and _is_worse(old, check):
            yield f"{say_subject(check)}, {say_limit(check)}"


def _is_worse(before: Check, after: Check) -> bool:
    """A decision that fell; of two alike a number that rose by more than its intervals."""
    if before.decision != after.decision:
        return _RANK[after.decision] > _RANK[before.decision]
    if before.found is None or after.found is None or _is_bound(after.found):
        return False
    return _direction(before.found, after.found) == "higher"


def _numbers(result: DisclosureResult) -> Iterator[tuple[Key, Interval]]:
    for column in result.columns:
        place = (column.table or "", column.column)
        yield (*place, f"{column.metric} risk"), column.risk
        if column.difference is not None:
            yield (*place, TRAINING_MINUS_HOLDOUT), column.difference
        elif column.excess is not None:
            yield (*place, "excess over chance"), column.excess
    for attack in result.memberships:
        place = (attack.table or "", attack.metric)
        yield (*place, "AUC"), attack.auc
        for rate in attack.rates:
            if rate.measurable:
                yield (*place, f"TPR at FPR {rate.fpr:g}"), rate.tpr
        bound = attack.epsilon_lower_bound
        yield (*place, "epsilon, at least"), Interval(bound, bound, math.inf, "lower bound")


def _change(key: Key, before: Interval | None, after: Interval | None) -> Change:
    table, name, measure = key
    subject = f"{table}, {name}" if table else name
    return Change(subject, measure, before, after, _direction(before, after))


def _direction(before: Interval | None, after: Interval | None) -> str:
    if before is None or after is None:
        return "new" if before is None else "gone"
    if _is_bound(before) and _is_bound(after):
        if after.low == before.low:
            return "the same"
        return "higher" if after.low > before.low else "lower"
    if after.low > before.high:
        return "higher"
    return "lower" if after.high < before.low else "within the intervals"


def _is_bound(found: Interval) -> bool:
    return math.isinf(found.high)


def _differing_settings(before: DisclosureResult, after: DisclosureResult) -> Iterator[str]:
    one, other = before.setting, after.setting
    if before.policy != after.policy:
        yield "the policies differ"
    if one.attackers != other.attackers:
        yield f"the attackers differ: {', '.join(one.attackers)}; {', '.join(other.attackers)}"
    for package in one.versions:
        versions = one.versions[package], other.versions.get(package)
        if versions[0] != versions[1]:
            yield f"{package} {versions[0]} became {versions[1]}"
    roles = [[(t.name, t.sensitive, t.known) for t in each.tables] for each in (one, other)]
    if roles[0] != roles[1]:
        yield "the sensitive or known columns differ"
