"""The verdict: what is broken fails at any size, and what forbids a pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding, Roc
from sdmetrics_disclosure.plugins.findings.others import AnyFinding, Failure
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.policy.checks import check_limits
from sdmetrics_disclosure.plugins.policy.policy import load_policy, parse_policy
from sdmetrics_disclosure.plugins.policy.verdict import Check, overall
from tests.helpers.reports import small_result


def attack(
    auc: tuple[float, float, float],
    n_holdout: int,
    epsilon: float = 0.0,
    p_value: float = 0.5,
    metric: str = "GenLRA",
) -> MembershipFinding:
    return MembershipFinding(
        table=None,
        metric=metric,
        auc=Interval(*auc, "delong"),
        p_value=p_value,
        advantage=0.0,
        rates=(),
        epsilon_lower_bound=epsilon,
        roc=Roc((), (), (), ()),
        n_members=n_holdout,
        n_non_members=n_holdout,
        n_reference=n_holdout // 2,
        overlap_share=0.0,
        settings={},
    )


def checks(*found: AnyFinding, **limits: float) -> dict[str, Check]:
    membership = limits or {"auc_max": 0.55, "epsilon_max": 1.0}
    made = check_limits(parse_policy({"membership": membership}), found, (), metrics())
    return {check.limit_name: check for check in made}


def test_a_lower_bound_above_its_limit_fails_at_any_size() -> None:
    """Was: not decided, for want of 200 holdout rows, at an AUC of 1."""
    made = checks(attack((1.0, 0.966, 1.0), 108, epsilon=2.5))
    assert {name: check.decision for name, check in made.items()} == {
        "auc_max": "fail",
        "epsilon_max": "fail",
    }
    assert overall(list(made.values())) == "fail"


def test_a_small_holdout_forbids_a_pass_of_every_limit() -> None:
    """Was: epsilon passed with any holdout."""
    for n, decision in ((108, "inconclusive"), (200, "pass")):
        made = checks(attack((0.5, 0.46, 0.54), n))
        assert {check.decision for check in made.values()} == {decision}
        for check in made.values():
            assert ("the policy asks for 200" in check.reason) == (n < 200)


def test_between_the_bounds_it_is_inconclusive_at_any_size() -> None:
    assert checks(attack((0.54, 0.5, 0.58), 108))["auc_max"].decision == "inconclusive"
    assert checks(attack((0.54, 0.5, 0.58), 5000))["auc_max"].decision == "inconclusive"


def test_an_auc_surely_below_one_half_decides_nothing_on_its_table() -> None:
    """Synthetic rows as holdout, or files swapped: AUC .116, and the verdict was pass."""
    swapped = attack((0.116, 0.09, 0.14), 1000, p_value=1e-9)
    other = attack((0.5, 0.48, 0.52), 1000, metric="DCRAttack")
    column = small_result().columns[0]
    column = replace(
        column, risk=Interval(0.1, 0.0, 0.1, "wilson"), difference=Interval(0, 0, 0, "newcombe")
    )
    policy = load_policy(
        parse_policy({"attribute": {"excess_max": 0.05}, "membership": {"auc_max": 0.55}})
    )
    made = check_limits(policy, (column, swapped, other), (), metrics())
    assert {check.decision for check in made} == {"inconclusive"}
    assert all("were the files swapped?" in check.reason for check in made)
    assert made[1].found == swapped.auc  # the score is not flipped
    elsewhere = replace(other, table="visits")
    (check,) = check_limits(policy, (elsewhere,), (), metrics())
    assert check.decision == "pass"


@pytest.mark.parametrize(("auc", "p_value"), [((0.45, 0.41, 0.49), 0.01), ((0.9, 0.8, 1.0), 1e-9)])
def test_a_doubt_takes_the_999_permille_interval_below_one_half(auc: Any, p_value: float) -> None:
    assert attack(auc, 1000, p_value=p_value).doubt == ""


def test_what_is_broken_is_broken_in_doubt_too() -> None:
    swapped = attack((0.1, 0.09, 0.12), 1000, p_value=1e-9)
    broken = attack((0.8, 0.7, 0.9), 1000, metric="DCRAttack")
    made = check_limits(
        parse_policy({"membership": {"auc_max": 0.55}}), (swapped, broken), (), metrics()
    )
    assert [check.decision for check in made] == ["inconclusive", "fail"]


def test_a_column_whose_values_do_not_meet_is_inconclusive() -> None:
    """Decimal commas: "pass 0.000 [0.000, 0.031]"."""
    low = Interval(0.0, 0.0, 0.031, "wilson")
    met = replace(small_result().columns[0], risk=low, excess=low, holdout=None, difference=None)
    policy = parse_policy({"attribute": {"excess_max": 0.05, "risk_max": 0.5}})
    for meets, decision in ((True, "pass"), (False, "inconclusive")):
        made = check_limits(policy, (replace(met, values_meet=meets),), (), metrics())
        assert {check.decision for check in made} == {decision}
        assert all(("values do not meet" in check.reason) != meets for check in made)


def test_what_could_not_be_measured_says_why() -> None:
    failed = Failure(None, "GenLRA", None, "membership", "ValueError: it needs a holdout")
    made = check_limits(load_policy(), (), (failed,), metrics())
    assert {check.decision for check in made} == {"inconclusive"}
    assert all(check.reason.endswith("ValueError: it needs a holdout") for check in made)


def test_a_holdout_too_small_for_a_rate_leaves_it_open() -> None:
    from sdmetrics_disclosure.plugins.findings.attack import RateAt

    rate = RateAt(0.01, Interval(0.5, 0.4, 0.6, "clopper_pearson"), measurable=False)
    found = replace(attack((0.5, 0.4, 0.6), 60), rates=(rate,))
    (check,) = check_limits(
        parse_policy({"membership": {"tpr_at_fpr_max": 0.05}}), (found,), (), metrics()
    )
    assert (check.decision, check.needed_rows) == ("inconclusive", 400)
