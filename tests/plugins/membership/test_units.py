"""Intervals count people: by hand, and in runs where nothing leaks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdmetrics_disclosure.plugins.membership.evaluation import evaluate_membership
from sdmetrics_disclosure.plugins.membership.units import (
    ScoredHalf,
    draw_units,
    one_of_each,
    sort_records,
    variance_of_mean,
    variance_of_swap,
)


def test_the_variance_of_a_mean_by_hand() -> None:
    values = np.array([0.2, 0.4, 0.9])
    assert variance_of_mean(values, None) == pytest.approx(values.var(ddof=1) / 3)
    assert variance_of_mean(values, np.array([5, 6, 7])) == pytest.approx(values.var(ddof=1) / 3)
    # units {.2, .4} and {.9}: deviations from .5 add up to -.4 and .4; 2 / 1 * .32 / 9
    assert variance_of_mean(values, np.array([5, 5, 7])) == pytest.approx(0.64 / 9)
    assert variance_of_mean(values, np.array([1, 1, 1])) == 0.25


def test_five_copies_of_every_row_have_the_interval_of_one() -> None:
    rng = np.random.default_rng(0)
    members, others = rng.normal(0.5, 1, 40), rng.normal(size=30)
    alone = evaluate_membership([ScoredHalf(members, others)], random_state=0)
    copied = evaluate_membership(
        [
            ScoredHalf(
                np.repeat(members, 5),
                np.repeat(others, 5),
                np.repeat(np.arange(40), 5),
                np.repeat(np.arange(30), 5),
            )
        ],
        random_state=0,
    )
    assert copied.auc.value == pytest.approx(alone.auc.value)
    assert copied.auc.low == pytest.approx(alone.auc.low)
    assert (copied.n_members, copied.n_member_units) == (200, 40)
    rate, expected = copied.tpr_at_fpr[0.1], alone.tpr_at_fpr[0.1]
    assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high))


def test_the_swap_adds_nothing_where_the_reference_is_not_looked_at() -> None:
    rng = np.random.default_rng(0)
    members, others = rng.normal(size=50), rng.normal(size=(2, 25))
    same = [ScoredHalf(members, others[0]), ScoredHalf(members, others[1])]
    assert variance_of_swap(same) == 0.0
    moved = [same[0], ScoredHalf(members[::-1], others[1])]
    places = stats.rankdata(members) / 50
    w = np.var(places - places[::-1], ddof=1) / 2
    assert variance_of_swap(moved) == pytest.approx(w / 50)
    assert variance_of_swap(moved[:1]) == 0.0


def test_units_are_drawn_whole() -> None:
    units = np.array([3, 3, 9, 3, 4])
    counts = draw_units(50, units, 5, np.random.default_rng(0))
    assert (counts[:, 0] == counts[:, 1]).all()
    assert (counts[:, 0] == counts[:, 3]).all()
    assert (counts[:, [0, 2, 4]].sum(axis=1) == 3).all()
    chosen = one_of_each(units, 5, np.random.default_rng(0))
    assert sorted(units[chosen]) == [3, 4, 9]


def test_records_are_sorted_together() -> None:
    first = [ScoredHalf(np.array([2.0, 1.0, 1.0]), np.array([5.0, 4.0]))]
    second = [ScoredHalf(np.array([7.0, 9.0, 8.0]), np.array([1.0, 2.0]))]
    sorted_first, sorted_second = sort_records([first, second])
    assert sorted_first[0].members.tolist() == [1.0, 1.0, 2.0]
    assert sorted_second[0].members.tolist() == [8.0, 9.0, 7.0]
    assert sorted_second[0].non_members.tolist() == [2.0, 1.0]


@pytest.mark.slow
def test_intervals_of_people_with_five_alike_rows_cover() -> None:
    """27 to 33 % of intervals by row exclude 0.5 here."""
    excluded = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores, owners = [], []
        for n in (40, 20, 20):
            scores.append((rng.normal(size=(n, 1)) + 0.2 * rng.normal(size=(n, 5))).ravel())
            owners.append(np.repeat(np.arange(n), 5))
        halves = [ScoredHalf(scores[0], scores[h], owners[0], owners[h]) for h in (1, 2)]
        auc = evaluate_membership(halves, random_state=0).auc
        excluded += not auc.low <= 0.5 <= auc.high
    # between 2.5 and 6.5 %, and chance
    assert stats.binom.ppf(0.001, 300, 0.025) <= excluded <= stats.binom.isf(0.001, 300, 0.065)


def test_people_who_all_have_the_same_rows_have_an_interval() -> None:
    scores, people = np.tile([1.0, 2.0], 5), np.repeat(np.arange(5), 2)
    found = evaluate_membership([ScoredHalf(scores, scores, people, people)], random_state=0)
    assert found.auc.value == 0.5
    assert found.auc.low < 0.5 < found.auc.high  # was a ZeroDivisionError
    assert found.auc.p_value == 1.0
