"""From scores and coins to the figures of a group of people in one synthesizer's refits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdmetrics_disclosure.plugins.membership.roc import area, tpr_at
from sdmetrics_disclosure.plugins.refits.encoding import Flags, Floats, Positions
from sdmetrics_disclosure.plugins.refits.epsilon import epsilon_bound, largest_bound, verdict
from sdmetrics_disclosure.plugins.refits.game import Coins
from sdmetrics_disclosure.plugins.refits.result import refit_interval

FPRS = (0.01, 0.1)


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
    for i in _scored(scores):
        guessed = group[guess_in(scores[i, group], n_guesses, tie_order[group])]
        n_right += int(coins[i, guessed].sum())
        total += n_guesses
    return n_right, total


def areas(scores: Floats, coins: Coins, members: Flags) -> Floats:
    """The AUC in each refit among these people, (N,); NaN where it has no meaning."""
    found = np.full(len(scores), np.nan)
    for i, inside, outside in _sides(scores, coins, members):
        found[i] = area(inside, outside)
    return found


def rates(scores: Floats, coins: Coins, members: Flags, confidence_level: float) -> dict[str, Any]:
    """The mean AUC over refits with its t interval, and the true positive rates of `FPRS`.

    At a rate, at most floor(FPR x outsiders of the refit) are accused wrongly.
    """
    auc = refit_interval(areas(scores, coins, members), confidence_level)
    tprs = [tpr_at(inside, out, FPRS) for _, inside, out in _sides(scores, coins, members)]
    mean = np.mean(tprs, axis=0) if tprs else np.full(len(FPRS), np.nan)
    named = {f"TPR at FPR {fpr:g}": float(rate) for fpr, rate in zip(FPRS, mean, strict=True)}
    return {"AUC": auc.value, "Low": auc.low, "High": auc.high, **named}


def _scored(scores: Floats) -> Positions:
    return np.flatnonzero(~np.isnan(scores).any(axis=1))


def _sides(
    scores: Floats, coins: Coins, members: Flags
) -> list[tuple[int, Floats, Floats]]:
    """Of each scored refit its number, and the scores of those in and out, if there are both."""
    found = []
    for i in _scored(scores):
        inside, outside = scores[i, members & coins[i]], scores[i, members & ~coins[i]]
        if inside.size and outside.size:
            found.append((int(i), inside, outside))
    return found
