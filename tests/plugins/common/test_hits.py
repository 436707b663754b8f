"""What a hit is, and the guesses that hit most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.plugins import RAPID
from sdmetrics_disclosure.plugins.common.hits import HitRule, beats

ERRORS = st.sampled_from(["symmetric", "stabilized_relative", "absolute"])


def test_constant_guess_by_hand() -> None:
    # epsilon 1.5 around 1, 2, 3 meet in (1.5, 2.5); 10 is far away
    assert HitRule("absolute", 1.5, 0.01).best_constant(np.array([1.0, 2.0, 3.0, 10.0])) == 2.0


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), ERRORS, st.floats(0.01, 1.9))
def test_no_constant_hits_more(values: list[float], error: str, epsilon: float) -> None:
    numbers, rule = np.array(values), HitRule(error, epsilon, 0.01)

    def hits(constant: float) -> int:
        return int(rule.hits(numbers, np.full(numbers.size, constant)).sum())

    best = hits(rule.best_constant(numbers))
    others = [hits(c) for c in np.concatenate([numbers, np.linspace(-60, 60, 121)])]
    assert best >= max(others)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 12), ERRORS, st.sampled_from([0.01, 0.1, 1.0, 2.5]))
def test_windows_are_the_best_constants_row_by_row(
    seed: int, k: int, error: str, epsilon: float
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-5, 6, size=(30, k)) * rng.choice([0.0, 1.0, 0.1])
    rule = HitRule(error, epsilon, 0.01)
    expected = [rule.best_constant(row) for row in values]
    np.testing.assert_allclose(rule.best_windows(values), expected, rtol=1e-12, atol=1e-15)


def test_beating_by_hand() -> None:
    """9 of 100 rows more: .09 with a standard error of .0286; 3 of 100: .03 with .0171."""
    none = np.zeros(100, dtype=bool)
    assert beats(np.arange(100) < 9, none, 2.0)
    assert not beats(np.arange(100) < 3, none, 2.0)
    assert not beats(none, none, 2.0)


def risk(values: Any, **words: Any) -> dict[str, Any]:
    real, synthetic = values(0), values(1)
    return dict(
        RAPID.compute_breakdown(
            real,
            synthetic,
            sensitive_column_names=["y"],
            lookup=False,
            n_bootstrap=0,
            n_permutations=0,
            **words,
        )
    )


def heavy(seed: int) -> pd.DataFrame:
    """Nine of ten are 0, whatever is known of them."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(600) < 0.9, 0.0, rng.lognormal(8, 1, 600))
    return pd.DataFrame({"x": rng.normal(size=600), "y": y})


def test_a_number_that_is_mostly_zero_is_guessed_to_be_zero() -> None:
    found = risk(heavy)
    assert found["score"] == found["baseline"]["risk"] > 0.85
    assert found["baseline"]["excess"] == 0.0
    assert not found["baseline"]["beats_constant"]


def two_values(seed: int) -> pd.DataFrame:
    """Far apart by what is known: their mean hits nobody, but neither is one constant for all."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=600)
    return pd.DataFrame({"x": x, "y": np.where(x > 0, 100.0, 1.0) + rng.normal(0, 0.001, 600)})


def test_what_is_known_beats_the_constant() -> None:
    found = risk(two_values)
    assert found["score"] > 0.95
    assert found["baseline"]["beats_constant"]
    assert found["baseline"]["risk"] < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("attacker", ["boosting", "cart"])
def test_the_unit_of_a_number_does_not_matter(attacker: str) -> None:
    """Powers of two move no bit of a mantissa."""

    def found(factor: float, **words: Any) -> dict[str, Any]:
        def scaled(seed: int) -> pd.DataFrame:
            rng = np.random.default_rng(seed)
            x = rng.normal(size=600)
            return pd.DataFrame({"x": x, "y": (x + 0.2 * rng.normal(size=600)) * factor})

        return risk(scaled, attacker=attacker, **words)

    plain, tiny, huge = (found(factor) for factor in (1.0, 2.0**-17, 2.0**17))
    assert plain["score"] > 0.1
    assert plain["score"] == tiny["score"] == huge["score"]
    assert tiny["baseline"]["delta"] == plain["baseline"]["delta"] * 2.0**-17
    given = found(2.0**-17, delta=0.01)
    assert given["baseline"]["delta"] == 0.01
    assert given["score"] > plain["score"] + 0.3  # everything near 0 is the same to it
