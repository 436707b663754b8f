"""The options of audits by guesses of coins, each checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdmetrics_disclosure.plugins.common.random_state import seed_sequence
from sdmetrics_disclosure.plugins.common.validation import (
    check_choice,
    check_count,
    check_number,
)
from sdmetrics_disclosure.plugins.refits.epsilon import Claim

LEAST_REFITS = 8
LEAST_UNITS = 8
LEVEL, EXTREME, COMBINATION = "level", "extreme", "combination"
KINDS = (LEVEL, EXTREME, COMBINATION)


@dataclass(frozen=True)
class GuessOptions:
    """What both audits are asked; see `refit_attack` for the meaning of each."""

    n_synthetic: float
    guess_share: float
    claimed_epsilon: float | None
    delta: float
    confidence_level: float
    random_state: Any

    def check(self, checkpoint: Any) -> None:
        """Refuse options out of range, and a checkpoint that no later run could find again."""
        check_number("n_synthetic", self.n_synthetic, 0.0, open_ends=True)
        check_number("guess_share", self.guess_share, 0.0, 1.0, open_ends=True)
        check_number("delta", self.delta, 0.0, 1.0)
        check_number("confidence_level", self.confidence_level, 0.0, 1.0, open_ends=True)
        if self.claimed_epsilon is not None:
            check_number("claimed_epsilon", self.claimed_epsilon, 0.0)
        seed_sequence(self.random_state)
        if checkpoint is not None and not isinstance(self.random_state, (int, np.integer)):
            raise ValueError(
                "`checkpoint` needs a whole number as `random_state`: with other coins a run "
                "cannot go on where one stopped."
            )

    def claim(self, n_bounds: int) -> Claim:
        """The claim, of which so many bounds hold together at the level asked for."""
        level = 1.0 - (1.0 - self.confidence_level) / n_bounds
        return Claim(self.claimed_epsilon, self.delta, self.guess_share, level)


@dataclass(frozen=True)
class RefitOptions(GuessOptions):
    """The options of `refit_attack`."""

    n_refits: int
    n_queries: int
    n_isolated: int
    max_units: int

    def check(self, checkpoint: Any) -> None:
        """See `GuessOptions.check`."""
        super().check(checkpoint)
        check_count("n_refits", self.n_refits, LEAST_REFITS)
        check_count("n_queries", self.n_queries, 0)
        check_count("n_isolated", self.n_isolated, 0)
        check_count("max_units", self.max_units, LEAST_UNITS)


@dataclass(frozen=True)
class CanaryOptions(GuessOptions):
    """The options of `canary_audit`."""

    kinds: Sequence[str]
    n_canaries: int
    n_refits: int

    def check(self, checkpoint: Any) -> None:
        """See `GuessOptions.check`."""
        super().check(checkpoint)
        if isinstance(self.kinds, str):
            raise TypeError("`kinds` is text; pass a list of names.")
        for kind in self.kinds:
            check_choice("kinds", kind, KINDS)
        check_count("n_canaries", self.n_canaries, 1)
        check_count("n_refits", self.n_refits, 1)
