"""Two releases side by side: the worst of each limit against the worst."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.policy.verdict import Check
from sdmetrics_disclosure.plugins.results.comparison import Comparison, compare
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from tests.helpers.reports import small_result


def check(subject: str, found: tuple[float, float, float], decision: Any = "pass") -> Check:
    interval = Interval(*found, "delong")
    return Check("membership", None, subject, "auc_max", 0.55, interval, decision, "", 100, None)


def result(decision: Any, *checks: Check) -> DisclosureResult:
    return replace(small_result(), decision=decision, checks=checks)


def compared(before: DisclosureResult, after: DisclosureResult) -> Comparison:
    return compare(before, after)


def test_one_attack_that_rose_below_the_worst_is_not_worse() -> None:
    """Was exit 1: one attack's TPR rose from .000 to .006, though the release passes now."""
    strong = check("GenLRA", (0.7, 0.6, 0.8), "fail")
    weak = check("DCRAttack", (0.40, 0.39, 0.41))
    rose = check("DCRAttack", (0.50, 0.49, 0.51))
    assert not compared(result("fail", strong, weak), result("fail", strong, rose)).is_worse
    mended = check("GenLRA", (0.5, 0.48, 0.52))
    assert not compared(result("fail", strong, weak), result("pass", mended, rose)).is_worse


def test_the_worst_that_rose_by_more_than_its_intervals_is_worse() -> None:
    before = result("fail", check("GenLRA", (0.7, 0.68, 0.72), "fail"))
    after = result("fail", check("DCRAttack", (0.9, 0.88, 0.92), "fail"))
    found = compared(before, after)
    assert found.is_worse
    assert found.worsened == ("DCRAttack, AUC",)
    assert not compared(after, before).is_worse
    within = result("fail", check("GenLRA", (0.73, 0.71, 0.75), "fail"))
    assert not compared(before, within).is_worse


def test_a_verdict_that_fell_is_worse_and_so_is_a_limit_at_the_same_verdict() -> None:
    kept = check("GenLRA", (0.5, 0.48, 0.52))
    open_now = check("GenLRA", (0.51, 0.46, 0.56), "inconclusive")
    assert compared(result("pass", kept), result("inconclusive", open_now)).is_worse
    broken = replace(check("a", (0.9, 0.8, 1.0), "fail"), limit_name="risk_max")
    assert compared(result("fail", broken, kept), result("fail", broken, open_now)).is_worse


def test_a_bound_has_no_interval() -> None:
    """Was "within the intervals", from a bound to infinity."""
    before = small_result()
    attacks = tuple(
        replace(each, epsilon_lower_bound=each.epsilon_lower_bound + 0.5)
        for each in before.memberships
    )
    found = compared(before, replace(before, memberships=attacks))
    bounds = [each for each in found.changes if each.measure == "epsilon, at least"]
    assert bounds
    assert {each.direction for each in bounds} == {"higher"}
    assert not found.is_worse  # no limit is kept less well
    same = compared(before, before)
    assert {c.direction for c in same.changes if c.measure == "epsilon, at least"} == {"the same"}
