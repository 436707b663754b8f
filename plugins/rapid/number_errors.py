"""Guessed numbers held against the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.common.hits import HitRule, beats
from sdmetrics_disclosure.plugins.rapid.constant_guess import ConstantGuess
from sdmetrics_disclosure.plugins.rapid.scores import Floats, Scores


@dataclass(frozen=True)
class NumberErrors(Scores):
    """Errors of guessed numbers (see `numba_kernels.scores`).

    Attributes:
        truth: (n_scored,) the true numbers.
        prediction: (n_scored,) the guessed ones.
        error: Name of the error.
        delta: Its stabiliser.
        constant: The best constant guess.
    """

    values: Floats
    included: NDArray[np.bool_]
    threshold: float
    truth: Floats
    prediction: Floats
    error: str
    delta: float
    constant: ConstantGuess

    @property
    def at_risk(self) -> NDArray[np.bool_]:
        """Strictly below the threshold."""
        return self.values < self.threshold

    @property
    def highest_threshold(self) -> float:
        """1; for the absolute error its largest value."""
        return float(self.values.max()) if self.error == "absolute" else 1.0

    @property
    def beats_constant(self) -> bool:
        """Whether more records are hit than by the best constant, by two standard errors."""
        rule = HitRule(self.error, self.threshold, self.delta)
        by_constant = rule.hits(self.truth, np.full(self.truth.size, self.constant.value))
        return beats(self.at_risk, by_constant, 2.0)

    def curve(self, thresholds: Floats) -> Floats:
        """The share below each threshold."""
        from sdmetrics_disclosure.numba_kernels.rapid.scores import share_below

        return share_below(self.values, thresholds)

    def bootstrap(
        self, thresholds: Floats, n_bootstrap: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """See `Scores.bootstrap`; there is no baseline in an error."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import bootstrap_error_curve

        return bootstrap_error_curve(self.values, thresholds, n_bootstrap, rng)

    def null(
        self,
        thresholds: Floats,
        n_permutations: int,
        rng: np.random.Generator,
        n_jobs: int | None,
        order: NDArray[np.intp],
    ) -> Floats:
        """See `Scores.null`."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import permutation_error_curve

        return permutation_error_curve(
            self.prediction[order],
            np.sort(self.truth),
            thresholds,
            self.error,
            self.delta,
            n_permutations,
            rng,
            n_jobs,
        )

    def guessed(self) -> list[Floats]:
        """See `Scores.guessed`: the number."""
        return [self.prediction]

    def quality(self) -> dict[str, float]:
        """Mean absolute and root mean squared error, plain and relative."""
        distance = np.abs(self.truth - self.prediction)
        size = float(np.mean(np.abs(self.truth)))
        with np.errstate(over="ignore", invalid="ignore"):  # squares of large numbers
            mae, rmse = float(distance.mean()), float(np.sqrt(np.mean(distance**2)))
            spread = float(np.std(self.truth, ddof=1)) if self.n > 1 else 0.0
        return {
            "mae": mae,
            "rmse": rmse,
            "relative_mae": mae / size if size else float("nan"),
            "relative_rmse": rmse / spread if spread else float("nan"),
        }

    def taken(self, positions: NDArray[np.intp]) -> NumberErrors:
        """The same of some of the scored records."""
        return replace(
            self,
            values=self.values[positions],
            included=np.ones(positions.size, dtype=np.bool_),
            truth=self.truth[positions],
            prediction=self.prediction[positions],
        )

    def records(self) -> pd.DataFrame:
        """Prediction, error, at risk."""
        return pd.DataFrame(
            {
                "prediction": self._spread(self.prediction),
                "error": self._spread(self.values),
                "at_risk": self._at_risk_column(),
            }
        )


def score_numbers(guesses: Floats, truth: Floats, rule: HitRule, constant: float) -> NumberErrors:
    """Score guessed numbers; records without a truth or a guess are left out.

    Args:
        guesses:
            (n,) the attacker's.
        truth:
            (n,) the true numbers, NaN where there is none.
        rule:
            Error, epsilon and delta.
        constant:
            The best constant guess.
    """
    from sdmetrics_disclosure.numba_kernels.rapid.scores import errors

    included = ~(np.isnan(truth) | np.isnan(guesses))
    truth, guess = truth[included], guesses[included]
    if not included.any():
        raise ValueError(
            "No record has both a true value and a prediction of one: the sensitive column has no "
            "value in `real_data` or in `real_validation_data`. Leave that table or column out."
        )
    hits = rule.hits(truth, np.full(truth.size, constant))
    return NumberErrors(
        values=errors(truth, guess, rule.error, rule.delta),
        included=included,
        threshold=rule.epsilon,
        truth=truth,
        prediction=guess,
        error=rule.error,
        delta=rule.delta,
        constant=ConstantGuess(constant, float(hits.mean())),
    )
