"""The bound on epsilon: exact values, what must grow and shrink, and how often it is wrong."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import special

from sdmetrics_disclosure.plugins.refits.epsilon import epsilon_bound, largest_bound, verdict

CAPS = {
    5: 0.198,
    10: 1.052,
    20: 1.823,
    25: 2.061,
    50: 2.785,
    60: 2.972,
    75: 3.200,
    100: 3.493,
    250: 4.418,
    500: 5.114,
    1000: 5.809,
}


@pytest.mark.parametrize(("n_guesses", "cap"), CAPS.items())
def test_all_guesses_right(n_guesses: int, cap: float) -> None:
    found = largest_bound(n_guesses, n_guesses, 0.0, 0.95)
    assert found == pytest.approx(cap, abs=5e-4)
    assert found == pytest.approx(special.logit(0.05 ** (1 / n_guesses)), abs=1e-6)


@pytest.mark.parametrize(
    ("r", "v", "delta", "bound"),
    [
        (100, 90, 0.0, 1.6308),
        (100, 90, 1e-5, 1.6261),
        (100, 100, 1e-5, 3.4653),
        (100, 75, 0.0, 0.702),
        (20, 15, 0.0, 0.178),
        (10, 7, 0.0, 0.0),
        (25, 24, 0.0, 1.543),
        (25, 20, 0.0, 0.509),
    ],
)
def test_exact_values(r: int, v: int, delta: float, bound: float) -> None:
    assert epsilon_bound(v, r, 1000, delta, 0.95) == pytest.approx(bound, abs=5e-4)


def test_more_right_proves_more_and_more_wrong_or_delta_less() -> None:
    by_right = [epsilon_bound(v, 60, 300, 1e-4, 0.95) for v in range(61)]
    assert all(low <= high for low, high in pairwise(by_right))
    assert by_right[0] == 0.0 < by_right[-1]
    by_wrong = [epsilon_bound(40, 40 + wrong, 300, 0.0, 0.95) for wrong in range(30)]
    assert all(high >= low for high, low in pairwise(by_wrong))
    by_delta = [epsilon_bound(55, 60, 300, delta, 0.95) for delta in (0.0, 1e-6, 1e-4, 1e-2, 1.0)]
    assert all(high >= low for high, low in pairwise(by_delta))
    assert by_delta[-1] == 0.0
    assert epsilon_bound(55, 60, 300, 0.0, 0.99) < epsilon_bound(55, 60, 300, 0.0, 0.95)


def test_nothing_guessed_proves_nothing() -> None:
    assert epsilon_bound(0, 0, 100, 0.0, 0.95) == 0.0
    assert largest_bound(0, 100, 0.0, 0.95) == 0.0


def test_randomised_response_is_rarely_overstated() -> None:
    bound = cache(lambda right: epsilon_bound(right, 1000, 1000, 0.0, 0.95))
    right = np.random.default_rng(0).binomial(1000, special.expit(1.0), 1000)
    bounds = np.array([bound(int(v)) for v in right])
    assert np.mean(bounds > 1.0) <= 0.065
    assert bounds.mean() == pytest.approx(0.88, abs=0.02)


def test_a_claim_is_refuted_or_not() -> None:
    assert verdict(1.2, 1.0) == "refuted"
    assert verdict(1.0, 1.0) == "not refuted"
    assert verdict(1.2, None) is None
