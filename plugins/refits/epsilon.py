"""The smallest epsilon that right guesses of coins do not refute.

Steinke, Nasr and Jagielski (2023), "Privacy auditing with one (1) training run", Theorem 5.2: of m
fair coins, each deciding whether a record is in, r are guessed and W guesses are right. Under
(epsilon, delta)-differential privacy of adding or removing a record, with
q = exp(epsilon) / (1 + exp(epsilon)),

    P[W >= v] <= beta + 2 m delta alpha,   beta = P[Bin(r, q) >= v],
    alpha = max over i = 1..v of (P[Bin(r, q) >= v - i] - beta) / i.

For delta = 0 refits add up, and a guess may use the coins of earlier refits: given everything else
a coin is as guessed with probability at most q, whatever was revealed before it. So W is below
Bin(r, q), provided that r is fixed beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from sdmetrics_disclosure.plugins.refits.encoding import Flags, Floats, Positions
from sdmetrics_disclosure.plugins.refits.game import Coins

# Larger than any bound that can be reached: 10^8 right guesses of as many prove 17.3.
LARGEST = 64.0
PRECISION = 1e-9
# Where nothing ran: a bound of 0 would look like a finding.
NO_BOUND = {
    "Epsilon": np.nan,
    "Epsilon Level": np.nan,
    "Guesses": 0,
    "Right": 0,
    "Cap": np.nan,
    "Claimed Epsilon": None,
    "Claim": None,
}


def epsilon_bound(
    n_right: int, n_guesses: int, n_coins: int, delta: float, confidence_level: float
) -> float:
    """Return the epsilon that so many right guesses prove at least, at `confidence_level`.

    Args:
        n_right: v, guesses that were right.
        n_guesses: r, fixed beforehand.
        n_coins: m, coins whether guessed or not; matters only for delta above 0.
        delta: Of the claim.
        confidence_level: Probability with which the bound holds.

    Returns:
        At least 0, which is no evidence and not privacy.
    """
    alpha = 1.0 - confidence_level

    def is_refuted(epsilon: float) -> bool:
        return tail_bound(n_right, n_guesses, n_coins, epsilon, delta) < alpha

    if not n_right or not is_refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while is_refuted(high) and high < LARGEST:
        low, high = high, 2.0 * high
    while high - low > PRECISION:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return low


def tail_bound(n_right: int, n_guesses: int, n_coins: int, epsilon: float, delta: float) -> float:
    """Return the theorem's bound on the probability of so many right guesses or more.

    Args:
        n_right: v, guesses that were right, at least 1.
        n_guesses: r.
        n_coins: m.
        epsilon: Of the claim.
        delta: Of the claim.
    """
    q = special.expit(epsilon)
    beta = float(stats.binom.sf(n_right - 1, n_guesses, q))
    if delta == 0.0:
        return beta
    i = np.arange(1, n_right + 1)
    alpha = float(np.max((stats.binom.sf(n_right - i - 1, n_guesses, q) - beta) / i))
    return min(1.0, beta + 2.0 * n_coins * delta * alpha)


def largest_bound(n_guesses: int, n_coins: int, delta: float, confidence_level: float) -> float:
    """Return the bound if every guess is right: no attack with so many guesses can prove more."""
    return epsilon_bound(n_guesses, n_guesses, n_coins, delta, confidence_level)


def verdict(bound: float, claimed_epsilon: float | None) -> str | None:
    """Return "refuted" or "not refuted"; a claim is never confirmed. None without a claim."""
    if claimed_epsilon is None:
        return None
    return "refuted" if bound > claimed_epsilon else "not refuted"


@dataclass(frozen=True)
class Claim:
    """How epsilon is bounded, and what is claimed.

    Attributes:
        epsilon: The claim, or None.
        delta: Of the claim.
        guess_share: Share of a group that is guessed in, in each scored refit.
        confidence_level: With which each bound holds; smaller tails where there are several.
    """

    epsilon: float | None
    delta: float
    guess_share: float
    confidence_level: float

    def judge(self, n_right: int, n_guesses: int, n_coins: int) -> dict[str, Any]:
        """The bound from so many right guesses, and what it says of the claim."""
        common = (n_coins, self.delta, self.confidence_level)
        bound = epsilon_bound(n_right, n_guesses, *common)
        return {
            "Epsilon": bound,
            "Epsilon Level": self.confidence_level,
            "Guesses": n_guesses,
            "Right": n_right,
            "Cap": largest_bound(n_guesses, *common),
            "Claimed Epsilon": self.epsilon,
            "Claim": verdict(bound, self.epsilon),
        }


def guess_in(scores: Floats, n_guesses: int, tie_order: Positions) -> Positions:
    """The positions of the highest scores, ties in the order given; (g,)."""
    return np.lexsort((tie_order, -scores))[:n_guesses]


def count_right(
    scores: Floats, coins: Coins, members: Flags, guess_share: float, tie_order: Positions
) -> tuple[int, int]:
    """Right guesses and guesses in all scored refits; so many a refit, fixed beforehand.

    Args:
        scores: (N, T); NaN in refits that are not scored: they make no guesses.
        coins: (N, T).
        members: (T,) whom the guesses are about.
        guess_share: Share of them guessed in.
        tie_order: (T,) a random order, drawn once.
    """
    group = np.flatnonzero(members)
    n_guesses = round(guess_share * group.size)
    n_right = total = 0
    for i in scored_refits(scores):
        guessed = group[guess_in(scores[i, group], n_guesses, tie_order[group])]
        n_right += int(coins[i, guessed].sum())
        total += n_guesses
    return n_right, total


def scored_refits(scores: Floats) -> Positions:
    """The numbers of the refits that were scored, of (N, T) with NaN in the others."""
    return np.flatnonzero(~np.isnan(scores).any(axis=1))
