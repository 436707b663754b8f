"""From scores to statements about membership: definitions by hand, slow twins, other tools."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from sdmetrics_disclosure.plugins.membership.epsilon import epsilon_lower_bound
from sdmetrics_disclosure.plugins.membership.evaluation import evaluate_membership
from sdmetrics_disclosure.plugins.membership.roc import area, interpolated_tpr, placements, tpr_at
from sdmetrics_disclosure.plugins.membership.units import ScoredHalf

scores = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-10, 10), st.sampled_from([-math.inf, math.inf])
)
some_scores = st.lists(scores, min_size=1, max_size=12).map(np.array)
whole_scores = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12).map(np.array)


@st.composite
def cross_fits(draw: st.DrawFn) -> list[ScoredHalf]:
    m = draw(st.integers(1, 10))
    members = st.lists(scores, min_size=m, max_size=m).map(np.array)
    return [ScoredHalf(draw(members), draw(some_scores)) for _ in range(draw(st.integers(1, 2)))]


def _evaluate(members, *non_members, **options):
    halves = [
        ScoredHalf(np.array(members, dtype=float), np.array(others, dtype=float))
        for others in non_members
    ]
    return evaluate_membership(halves, **{"random_state": 0, **options})


def _slow_placement(member: float, other: float) -> float:
    return 1.0 if member > other else 0.5 if member == other else 0.0


# The ROC of one half


@given(some_scores, some_scores)
def test_placements_equal_the_slow_twin(members, non_members):
    pairs = np.array([[_slow_placement(a, b) for b in non_members] for a in members])
    of_members, of_others = placements(members, non_members)
    np.testing.assert_allclose(of_members, pairs.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(of_others, pairs.mean(axis=0), atol=1e-12)
    assert area(members, non_members) == pytest.approx(pairs.mean())


@given(some_scores, some_scores, st.floats(0, 1))
def test_tpr_is_the_best_of_the_real_thresholds(members, non_members, fpr):
    rates = [(0.0, 0.0)]
    for threshold in np.concatenate([members, non_members]):
        rates.append((np.mean(members >= threshold), np.mean(non_members >= threshold)))
    for target in (fpr, 0.0, 1.0, rates[-1][1]):
        expected = max(tpr for tpr, reached in rates if reached <= target)
        assert tpr_at(members, non_members, target) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", range(1, 400))
def test_a_false_positive_rate_that_occurs_is_reached(n):
    """k / n as a double is a target that k false positives meet."""
    non_members = np.arange(n, dtype=float)
    members = np.arange(n) + 0.5
    rates = tpr_at(members, non_members, np.arange(n + 1) / n)
    np.testing.assert_array_equal(rates[:-1], np.arange(1, n + 1) / n)
    assert rates[-1] == 1.0


def test_interpolation_by_hand():
    """Points (0, 0), (0, .5), (.5, .5), (1, 1): the last two share a threshold."""
    members, non_members = [3.0, 1.0], [2.0, 1.0]
    assert interpolated_tpr(members, non_members, 0.0) == 0.5
    assert interpolated_tpr(members, non_members, 0.75) == 0.75
    assert tpr_at(np.array(members), np.array(non_members), 0.75) == 0.5


def test_ties_are_interpolated_above_any_threshold():
    tied = np.zeros(10)
    assert interpolated_tpr(tied, tied, 0.1) == pytest.approx(0.1)
    assert tpr_at(tied, tied, 0.1) == 0.0


@pytest.mark.parametrize("case", ["housing_raw", "housing_std", "insurance_num", "gauss12"])
def test_the_authors_metrics_from_the_authors_scores(golden, case):
    folder = golden / "attacks"
    published = json.loads((folder / "metrics.json").read_text())[case]
    table = pd.read_csv(folder / f"{case}__scores.csv.gz")
    n_members = len(pd.read_csv(folder / f"{case}__members.csv.gz", header=None))
    for attack, expected in published.items():
        members = table[attack].to_numpy()[:n_members]
        non_members = table[attack].to_numpy()[n_members:]
        assert area(members, non_members) == pytest.approx(expected["auc_roc"], abs=1e-6)
        for fpr in ("0", "0.001", "0.01", "0.1"):
            tpr = interpolated_tpr(members, non_members, float(fpr))
            assert tpr == pytest.approx(expected[f"tpr_at_fpr_{fpr}"], abs=1e-6), attack
            assert tpr_at(members, non_members, float(fpr)) <= tpr + 1e-12


# The area and its interval


def test_delong_by_hand():
    """Members 3, 1 and non-members 2, 0: placements 1, .5 and .5, 1, each with variance 1/8."""
    auc = _evaluate([3, 1], [2, 0]).auc
    error = math.sqrt(0.125 / 2 + 0.125 / 2)
    assert auc.value == 0.75
    assert auc.low == pytest.approx(0.75 - norm.isf(0.025) * error)
    assert auc.high == 1.0
    assert auc.p_value == pytest.approx(2 * norm.sf(0.25 / error))


def test_delong_of_two_halves_by_hand():
    """A member counts once with its mean placement; the halves' non-members count apart.

    They are each other's reference too, which adds what that moves the members' places.
    """
    members = [np.array([3.0, 1.0, 5.0]), np.array([1.0, 3.0, 5.0])]
    others = [np.array([2.0, 0.0]), np.array([2.0, 4.0, 6.0])]
    halves = [ScoredHalf(*pair) for pair in zip(members, others, strict=True)]
    auc = evaluate_membership(halves, random_state=0).auc
    of_members = np.array([(1 + 0) / 2, (1 / 2 + 1 / 3) / 2, (1 + 2 / 3) / 2])
    of_others = [np.array([2 / 3, 1.0]), np.array([2 / 3, 1 / 3, 0.0])]
    variance = of_members.var(ddof=1) / 3
    variance += (of_others[0].var(ddof=1) / 2 + of_others[1].var(ddof=1) / 3) / 4
    # places among the members: 2, 1, 3 and 1, 2, 3 of 3; their differences have variance 1 / 9
    variance += (1 / 9) / 2 / 5
    assert auc.value == pytest.approx((5 / 6 + 1 / 3) / 2)
    assert auc.p_value == pytest.approx(2 * norm.sf((auc.value - 0.5) / math.sqrt(variance)))


def test_scores_of_halves_are_never_pooled():
    """Half two is half one shifted far up: pooled scores would tell nothing."""
    rng = np.random.default_rng(0)
    members, others = rng.normal(1, 1, 50), rng.normal(0, 1, 40)
    shifted = [ScoredHalf(members, others), ScoredHalf(members + 1e6, others + 1e6)]
    twice = [ScoredHalf(members, others)] * 2
    assert evaluate_membership(shifted, random_state=0).to_dict() == (
        evaluate_membership(twice, random_state=0).to_dict()
    )


@pytest.mark.parametrize(("members", "value"), [(2.0, 1.0), (0.0, 0.0)])
def test_separated_scores_have_a_valid_interval(members, value):
    """20 pairs that all come out alike: Clopper-Pearson's 1 - .025^(1/20) from the edge."""
    auc = _evaluate([members] * 30, [1.0] * 20).auc
    edge = 1 - 0.025 ** (1 / 20)
    assert auc.value == value
    assert (auc.low, auc.high) == pytest.approx((1 - edge, 1) if value else (0, edge))
    assert auc.p_value == pytest.approx(2 * 0.5**20)


def test_scores_that_are_all_equal_say_nothing():
    evaluation = _evaluate([1.0] * 30, [1.0] * 10, [1.0] * 10)
    assert evaluation.auc.value == 0.5
    assert evaluation.auc.p_value == 1.0
    assert evaluation.auc.low < 0.5 < evaluation.auc.high
    assert evaluation.advantage == 0.0
    assert evaluation.epsilon_lower_bound == 0.0
    assert evaluation.tpr_at_fpr[0.1].value == 0.0


@settings(deadline=None)
@given(cross_fits())
def test_every_statement_is_inside_its_range(halves):
    evaluation = evaluate_membership(halves, random_state=0)
    auc = evaluation.auc
    assert 0.0 <= auc.low <= auc.value <= auc.high <= 1.0
    assert auc.low < auc.high
    assert 0.0 <= auc.p_value <= 1.0
    assert auc.value == pytest.approx(np.mean([area(h.members, h.non_members) for h in halves]))
    assert 0.0 <= evaluation.advantage <= 1.0
    assert 0.0 <= evaluation.epsilon_lower_bound < math.inf
    for rate in evaluation.tpr_at_fpr.values():
        assert 0.0 <= rate.low <= rate.value <= rate.high <= 1.0
    curve = evaluation.roc
    assert curve.fpr[0] == 0.0
    assert curve.fpr[-1] == curve.tpr[-1] == 1.0
    assert np.all(np.diff(curve.tpr) >= 0)
    assert np.all((curve.low <= curve.tpr) & (curve.tpr <= curve.high))
    assert json.loads(json.dumps(evaluation.to_dict())) == evaluation.to_dict()


@settings(deadline=None)
@given(whole_scores, whole_scores, st.sampled_from([np.exp, np.arctan, lambda x: x**3 - 7]))
def test_rising_transforms_change_nothing(members, non_members, transform):
    plain = evaluate_membership([ScoredHalf(members, non_members)], random_state=1)
    moved = evaluate_membership(
        [ScoredHalf(transform(members), transform(non_members))], random_state=1
    )
    assert plain.to_dict() == moved.to_dict()
    np.testing.assert_array_equal(plain.member_rank_scores, moved.member_rank_scores)


# Rates, advantage, records


def test_rates_by_hand():
    """Four members at 6, 5, 3, 1 and ten non-members at 4, 2, 0, ..., -14."""
    evaluation = _evaluate([6, 5, 3, 1], range(4, -16, -2))
    rates = evaluation.tpr_at_fpr
    assert [rates[fpr].value for fpr in (0.0, 0.001, 0.01, 0.1)] == [0.5, 0.5, 0.5, 0.75]
    assert [rates[fpr].measurable for fpr in (0.0, 0.001, 0.01, 0.1)] == [True, False, False, True]
    assert evaluation.advantage == pytest.approx(1 - 0.2)
    assert rates[0.0].low == pytest.approx(0.0676, abs=1e-4)  # Clopper-Pearson, 2 of 4
    assert rates[0.0].high == pytest.approx(0.9324, abs=1e-4)
    assert list(evaluation.to_dict()["tpr_at_fpr"]) == ["0", "0.001", "0.01", "0.1"]


def test_the_smallest_half_decides_what_is_measurable():
    rates = _evaluate([1.0, 2.0], np.zeros(100), np.zeros(99), target_fprs=(0.01,)).tpr_at_fpr
    assert not rates[0.01].measurable
    rates = _evaluate([1.0, 2.0], np.zeros(100), np.zeros(100), target_fprs=(0.01,)).tpr_at_fpr
    assert rates[0.01].measurable


def test_an_attack_worse_than_guessing_is_no_finding():
    rng = np.random.default_rng(0)
    evaluation = _evaluate(rng.normal(-3, 1, 500), rng.normal(3, 1, 500))
    assert evaluation.auc.value < 0.01
    assert evaluation.advantage == pytest.approx(0.0, abs=0.01)
    assert evaluation.epsilon_lower_bound == 0.0


def test_ranks_are_means_over_halves_and_highest_for_the_likeliest():
    halves = [
        ScoredHalf(np.array([3.0, 1.0]), np.array([2.0, 0.0])),
        ScoredHalf(np.array([9.0, 9.0]), np.array([9.0, 9.0, 9.0])),
    ]
    evaluation = evaluate_membership(halves, random_state=0)
    np.testing.assert_allclose(
        evaluation.member_rank_scores, [(3.5 / 4 + 0.5) / 2, (1.5 / 4 + 0.5) / 2]
    )
    np.testing.assert_allclose(evaluation.non_member_rank_scores[0], [2.5 / 4, 0.5 / 4])
    np.testing.assert_allclose(evaluation.non_member_rank_scores[1], [0.5, 0.5, 0.5])
    assert evaluation.n_members == 2
    assert evaluation.n_non_members == 5


# Epsilon


def test_epsilon_of_a_perfect_attack_by_hand():
    """50 of 50 evaluated members found, 0 of 50 false alarms: bounds .0125^(1/50) and its rest."""
    evaluation = _evaluate(np.arange(100) + 1000, np.arange(100))
    surely = 0.0125 ** (1 / 50)
    assert evaluation.epsilon_lower_bound == pytest.approx(math.log(surely / (1 - surely)))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_epsilon_of_randomised_response_is_not_exceeded(epsilon):
    """Scores whose rates are exactly exp(epsilon) apart; the second half is weaker."""
    above = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        halves = []
        for strength in (epsilon, epsilon / 2):
            truth = 1 / (1 + math.exp(-strength))
            halves.append(
                (
                    (rng.random(400) < truth).astype(float),
                    (rng.random(200) < 1 - truth).astype(float),
                )
            )
        members, others = zip(*halves, strict=True)
        above += epsilon_lower_bound(members, others, 0.95, rng) > epsilon
    assert above <= 10


def test_epsilon_comes_near_the_truth():
    rng = np.random.default_rng(0)
    truth = 1 / (1 + math.exp(-2.0))
    members = [(rng.random(20_000) < truth).astype(float)]
    others = [(rng.random(20_000) < 1 - truth).astype(float)]
    assert 1.8 < epsilon_lower_bound(members, others, 0.95, rng) < 2.0


def test_epsilon_is_the_same_for_the_same_seed():
    rng = np.random.default_rng(0)
    members, others = rng.normal(2, 1, 200), rng.normal(0, 1, 200)
    bounds = [_evaluate(members, others, random_state=7).epsilon_lower_bound for _ in range(2)]
    assert bounds[0] == bounds[1] > 0


def test_null_scores_prove_nothing():
    """Fresh members and non-members, the same members in both halves."""
    excluded = proven = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        members = rng.normal(size=100)
        halves = [ScoredHalf(members, rng.normal(size=50)) for _ in range(2)]
        evaluation = evaluate_membership(halves, random_state=seed)
        excluded += not evaluation.auc.low <= 0.5 <= evaluation.auc.high
        proven += evaluation.epsilon_lower_bound > 0
    assert 2 <= excluded <= 20
    assert proven <= 12


# What is refused


@pytest.mark.parametrize("name", ["members", "non_members"])
def test_nan_is_refused_by_name(name):
    half = {"members": np.zeros(3), "non_members": np.zeros(2)}
    half[name] = np.array([0.0, np.nan])
    with pytest.raises(ValueError, match=rf"halves\[0\]\.{name} has 1 NaN"):
        evaluate_membership([ScoredHalf(**half)], random_state=0)


def test_empty_groups_are_refused():
    with pytest.raises(ValueError, match=r"halves\[0\]\.non_members is empty"):
        _evaluate([1.0], [])
    with pytest.raises(ValueError, match="halves is empty"):
        evaluate_membership([], random_state=0)


def test_halves_with_other_members_are_refused():
    halves = [ScoredHalf(np.zeros(3), np.zeros(2)), ScoredHalf(np.zeros(2), np.zeros(2))]
    with pytest.raises(ValueError, match=r"halves have \[2, 3\] members"):
        evaluate_membership(halves, random_state=0)
