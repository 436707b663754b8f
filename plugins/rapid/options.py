"""RAPID's parameters, documented and checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import spread_of
from sdmetrics_disclosure.plugins.attackers.catalog import registered_attackers
from sdmetrics_disclosure.plugins.attackers.training import attacker_name
from sdmetrics_disclosure.plugins.base.options import CommonOptions, HoldoutOptions, RoleOptions
from sdmetrics_disclosure.plugins.common.hits import HitRule
from sdmetrics_disclosure.plugins.common.validation import (
    check_choice,
    check_count,
    check_number,
)

DEFAULT_TAU = {"normalized_gain": 0.3, "conditional": 1.25, "cross_entropy": 0.6}
ERRORS = ("symmetric", "stabilized_relative", "absolute")
DEFAULT_EPSILON = 0.1
# Of a column's robust scale.
DELTA_SHARE = 0.01


@dataclass(frozen=True)
class RapidOptions(CommonOptions, HoldoutOptions, RoleOptions):
    """Parameters of RAPID.

    Args:
        attacker:
            The name of an attacker (docs/rapid.md has those of this package, plugins add theirs),
            a scikit-learn estimator, or a list of these: then the highest risk is the score.
        lookup:
            Whether each attacker also takes the value of a row that looks like the person's own.
            False: the authors' attackers.
        score:
            How a guessed class is scored: "normalized_gain", "conditional" or "cross_entropy".
        tau:
            A record is at risk when its score is above tau. None: 0.3, 1.25 or 0.6 by score.
        error:
            How a guessed number is scored: "symmetric", "stabilized_relative" or "absolute".
        epsilon:
            A record is at risk when its error is below epsilon. None: 0.1; "absolute" needs one,
            in the column's own unit.
        delta:
            Keeps the relative errors finite at zero; above 0, in the column's unit. None: 0.01
            times the column's robust scale in the real data. The authors' figures have 0.01.
        n_bootstrap:
            Bootstrap replicates over the real records; 0: none.
        n_permutations:
            Permutations of the true column behind the null; 0: none.
    """

    attacker: Any = "boosting"
    lookup: bool = True
    score: str = "normalized_gain"
    tau: float | None = None
    error: str = "symmetric"
    epsilon: float | None = None
    delta: float | None = None
    n_bootstrap: int = 500
    n_permutations: int = 500

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        _check_attackers(self.attackers)
        check_choice("score", self.score, DEFAULT_TAU)
        check_choice("error", self.error, ERRORS)
        if self.tau is not None:
            highest = float("inf") if self.score == "conditional" else 1.0
            check_number("tau", self.tau, 0.0, highest)
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon, 0.0)
        if self.delta is not None:
            check_number("delta", self.delta, 0.0, open_ends=True)
        check_count("n_bootstrap", self.n_bootstrap, 0)
        check_count("n_permutations", self.n_permutations, 0)

    @property
    def attackers(self) -> dict[str, Any]:
        """The attackers by unique name."""
        listed = self.attacker if isinstance(self.attacker, (list, tuple)) else [self.attacker]
        named: dict[str, Any] = {}
        for attacker in listed:
            name, number = attacker_name(attacker), 1
            while name in named:
                number += 1
                name = f"{attacker_name(attacker)}_{number}"
            named[name] = attacker
        return named

    @property
    def tau_used(self) -> float:
        """The threshold for classes, its default resolved."""
        return DEFAULT_TAU[self.score] if self.tau is None else float(self.tau)

    @property
    def epsilon_used(self) -> float:
        """The threshold for numbers, its default resolved.

        Raises:
            ValueError: If the error is absolute, in the column's unit, and none is given.
        """
        if self.epsilon is not None:
            return float(self.epsilon)
        if self.error == "absolute":
            raise ValueError(
                "`epsilon` is None with error='absolute'; give the error that counts as a hit, "
                "in the unit of the sensitive column."
            )
        return DEFAULT_EPSILON

    def hit_rule(self, values: NDArray[np.float64]) -> HitRule:
        """What a hit on a number is.

        Args:
            values:
                The numbers whose scale counts where `delta` is None.
        """
        delta = self.delta
        if delta is None:
            delta = DELTA_SHARE * (spread_of(values)[0] or 1.0)
        return HitRule(self.error, self.epsilon_used, float(delta))

    def _resolve(self, shown: dict[str, Any]) -> dict[str, Any]:
        del shown["attacker"]
        return shown | {"attackers": list(self.attackers), "tau": self.tau_used}


def _check_attackers(attackers: dict[str, Any]) -> None:
    if not attackers:
        raise ValueError("`attacker` is an empty list; name at least one.")
    for attacker in attackers.values():
        if isinstance(attacker, str):
            check_choice("attacker", attacker, registered_attackers())
        elif not (hasattr(attacker, "fit") and hasattr(attacker, "predict")):
            raise TypeError(
                f"`attacker` is a {type(attacker).__name__}; pass a name, or a scikit-learn "
                "estimator with `fit` and `predict_proba` or `predict`."
            )
