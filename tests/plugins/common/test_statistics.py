"""Intervals against published values and other people's implementations; their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from sdmetrics_disclosure.plugins.common.statistics import (
    clopper_pearson,
    clopper_pearson_bound,
    clopper_pearson_bounds,
    newcombe,
    newcombe_paired,
    percentile_interval,
    permutation_p_value,
    wilson,
)

levels = st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999])


@st.composite
def counts(draw: st.DrawFn, whole: bool = False) -> tuple[float, int]:
    """Successes and trials, with none and all of them often."""
    n = draw(st.one_of(st.integers(1, 20), st.integers(1, 10**6)))
    parts = 1 if whole else 6  # a mean over halves of a cross-fit, or over replicates
    return draw(st.one_of(st.just(0), st.just(n * parts), st.integers(0, n * parts))) / parts, n


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17:857, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_published(successes, n, low, high):
    interval = wilson(successes, n, 0.95)
    assert interval.value == successes / n
    assert (interval.low, interval.high) == (
        pytest.approx(low, abs=5e-5),
        pytest.approx(high, abs=5e-5),
    )


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # the same table, method 5
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0000, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_clopper_pearson_published(successes, n, low, high):
    interval = clopper_pearson(successes, n, 0.95)
    assert (interval.low, interval.high) == (
        pytest.approx(low, abs=5e-5),
        pytest.approx(high, abs=5e-5),
    )


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17:873, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_newcombe_published(first, second, low, high):
    interval = newcombe(*first, *second, 0.95)
    assert (interval.low, interval.high) == (
        pytest.approx(low, abs=5e-5),
        pytest.approx(high, abs=5e-5),
    )
    swapped = newcombe(*second, *first, 0.95)
    assert (swapped.low, swapped.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


@settings(deadline=None)
@given(counts(whole=True), levels)
def test_two_sided_intervals_agree_with_scipy(count, level):
    test = binomtest(int(count[0]), count[1])
    for ours, method in [(wilson, "wilson"), (clopper_pearson, "exact")]:
        theirs = test.proportion_ci(level, method)
        interval = ours(*count, level)
        assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@settings(deadline=None)
@given(counts(), levels)
def test_proportions_stay_inside_and_contain_the_estimate(count, level):
    for method in (wilson, clopper_pearson):
        interval = method(*count, level)
        assert 0.0 <= interval.low <= interval.value <= interval.high <= 1.0
        assert interval.low < interval.high


@settings(deadline=None)
@given(counts(), counts(), levels)
def test_differences_stay_inside_and_contain_the_estimate(first, second, level):
    interval = newcombe(*first, *second, level)
    assert -1.0 <= interval.low <= interval.value <= interval.high <= 1.0
    assert interval.low < interval.high


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 1000).map(lambda share: share / 1000), levels)
def test_clopper_pearson_never_covers_too_little(n, truth, level):
    intervals = [clopper_pearson(k, n, level) for k in range(n + 1)]
    edge = 1e-9  # a limit may be the truth itself
    covering = [k for k, i in enumerate(intervals) if i.low - edge <= truth <= i.high + edge]
    assert sum(binom.pmf(k, n, truth) for k in covering) >= level - 1e-9


@settings(deadline=None)
@given(counts(whole=True), st.sampled_from([0.0125, 0.05, 0.3]))
def test_one_sided_bounds_leave_alpha_outside(count, alpha):
    successes, n = count
    low = clopper_pearson_bound(successes, n, alpha, "lower")
    high = clopper_pearson_bound(successes, n, alpha, "upper")
    if successes > 0:
        assert binom.sf(successes - 1, n, low) == pytest.approx(alpha, rel=1e-5)
    else:
        assert low == 0.0
    if successes < n:
        assert binom.cdf(successes, n, high) == pytest.approx(alpha, rel=1e-5)
    else:
        assert high == 1.0


def test_rule_of_three():
    """Nothing in n trials: 1 - alpha^(1/n), about 3 / n."""
    assert clopper_pearson_bound(0, 100, 0.05, "upper") == pytest.approx(1 - 0.05**0.01, rel=1e-12)


def test_bounds_of_many_counts_are_those_of_each():
    hits = np.array([0.0, 1.5, 7.0, 10.0])
    for side in ("lower", "upper"):
        each = [clopper_pearson_bound(hit, 10, 0.05, side) for hit in hits]
        np.testing.assert_array_equal(clopper_pearson_bounds(hits, 10, 0.05, side), each)


def test_nothing_observed_is_no_number_and_the_whole_range():
    for interval in (wilson(0, 0), clopper_pearson(0, 0)):
        assert math.isnan(interval.value)
        assert (interval.low, interval.high) == (0.0, 1.0)
    interval = newcombe(0, 0, 3, 4)
    assert math.isnan(interval.value)
    assert (interval.low, interval.high) == (-1.0, 1.0)


def test_percentile_interval_by_hand():
    interval = percentile_interval(np.arange(101), 0.9, 40.0)
    assert (interval.low, interval.high) == (pytest.approx(5.0), pytest.approx(95.0))
    assert (interval.value, interval.method) == (40.0, "percentile")


def test_permutation_p_value_by_hand():
    assert permutation_p_value(0.5, [0.1, 0.5, 0.6, 0.2]) == 3 / 5  # an equal one is a hit
    assert permutation_p_value(0.9, np.zeros(99)) == 1 / 100  # never zero
    assert permutation_p_value(0.0, np.zeros(99)) == 1.0


def test_to_dict_is_plain():
    assert wilson(1, 2).to_dict().keys() == {"value", "low", "high", "method"}
    assert all(type(value) in (float, str) for value in wilson(1, 2).to_dict().values())
    assert all(type(value) in (float, str) for value in newcombe(1, 2, 1, 2).to_dict().values())


def test_paired_newcombe_of_the_papers_table() -> None:
    # Newcombe (1998, paired data), table II: 36, 12, 2, 0 by method 10
    found = newcombe_paired(36, 12, 2, 0)
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@given(cells=st.tuples(*[st.integers(0, 50)] * 4).filter(lambda cells: sum(cells) > 0))
def test_paired_newcombe_turned_round_and_with_nobody_alone(cells: tuple[int, ...]) -> None:
    both, first, second, neither = cells
    found, turned = newcombe_paired(*cells), newcombe_paired(both, second, first, neither)
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
    if first == second == 0:
        assert found.value == 0.0
