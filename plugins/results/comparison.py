"""What changed between two releases, from their saved reports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.policy.verdict import Decision
from sdmetrics_disclosure.plugins.results.result import DisclosureResult

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
        direction: "lower", "higher" or "within the intervals"; "new" or "gone" where one lacks it.
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
    """

    before: Decision
    after: Decision
    changes: tuple[Change, ...]
    settings: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether the verdict fell, or a risk rose by more than its intervals."""
        if _RANK[self.after] > _RANK[self.before]:
            return True
        return any(change.direction == "higher" for change in self.changes)


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
    )


def _numbers(result: DisclosureResult) -> Iterator[tuple[Key, Interval]]:
    for column in result.columns:
        place = (column.table or "", column.column)
        yield (*place, f"{column.metric} risk"), column.risk
        if column.difference is not None:
            yield (*place, "training minus holdout"), column.difference
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
    if after.low > before.high:
        return "higher"
    return "lower" if after.high < before.low else "within the intervals"


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
