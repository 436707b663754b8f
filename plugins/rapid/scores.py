"""One attack's predictions held against the truth: scores by record, rates by threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.training import Prediction
from sdmetrics_disclosure.plugins.rapid.constant_guess import ConstantGuess
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.score_kinds import (
    Floats,
    OfClasses,
    OfNumbers,
    RecordScores,
    no_truth,
)


@dataclass(frozen=True)
class ClassScores(RecordScores, OfClasses):
    """Scores of guessed classes (see `numba_kernels.scores`).

    Attributes:
        prediction: The attacker's probabilities.
        classes: (n,) the true classes; -1 for one that neither table has.
        baseline: (n,) what the score is held against.
        probability: (n,) what the attacker gives the true class.
        n_classes: How many classes there are.
        score: Name of the score.
    """

    values: Floats
    included: NDArray[np.bool_]
    threshold: float
    prediction: Prediction
    classes: NDArray[np.intp]
    baseline: Floats
    probability: Floats
    n_classes: int
    score: str

    @property
    def at_risk(self) -> NDArray[np.bool_]:
        """Strictly above the threshold."""
        return self.values > self.threshold

    @property
    def highest_threshold(self) -> float:
        """1; for the conditional score its largest value."""
        return float(max(self.values.max(), 0.0)) if self.score == "conditional" else 1.0

    @property
    def class_shares(self) -> Floats:
        """(n_classes,) the share of each class among the records."""
        return np.bincount(self.classes, minlength=self.n_classes) / self.classes.size

    @property
    def class_baseline(self) -> Floats:
        """(n_classes,) the baseline of each class; 0 for a class without records."""
        by_class = np.zeros(self.n_classes)
        by_class[self.classes] = self.baseline
        return by_class

    def curve(self, thresholds: Floats) -> Floats:
        """The share above each threshold."""
        from sdmetrics_disclosure.numba_kernels.rapid.scores import share_above

        return share_above(self.values, thresholds)

    def bootstrap(
        self, thresholds: Floats, n_bootstrap: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """See `Scores.bootstrap`."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import bootstrap_curve

        return bootstrap_curve(
            self.probability,
            self.classes,
            self.n_classes,
            thresholds,
            self.score,
            n_bootstrap,
            rng,
            n_jobs,
        )

    def null(
        self, thresholds: Floats, n_permutations: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """See `Scores.null`."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import permutation_curve

        column, share = _lookup(self.prediction)
        return permutation_curve(
            self.prediction.values,
            column,
            share,
            self.classes,
            thresholds,
            self.score,
            n_permutations,
            rng,
            n_jobs,
        )

    def quality(self) -> dict[str, float]:
        """Accuracy and log-loss."""
        column, share = _lookup(self.prediction)
        best = np.zeros(self.prediction.values.shape[1])
        np.maximum.at(best, column, share)
        likeliest = (self.prediction.values * best).argmax(axis=1)
        representative = np.array(
            [np.argmax(np.where(column == j, share, -1.0)) for j in range(best.size)]
        )
        smallest = np.finfo(np.float64).eps
        return {
            "accuracy": float(np.mean(representative[likeliest] == self.classes)),
            "log_loss": float(-np.mean(np.log(np.clip(self.probability, smallest, 1.0)))),
        }

    def records(self) -> pd.DataFrame:
        """Probability of the truth, baseline, gain, at risk."""
        return pd.DataFrame(
            {
                "true_value_probability": self.probability,
                "baseline": self.baseline,
                self.score: self.values,
                "at_risk": self._at_risk_column(),
            }
        )


@dataclass(frozen=True)
class NumberErrors(RecordScores, OfNumbers):
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
        self, thresholds: Floats, n_permutations: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """See `Scores.null`."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import permutation_error_curve

        return permutation_error_curve(
            self.prediction,
            self.truth,
            thresholds,
            self.error,
            self.delta,
            n_permutations,
            rng,
            n_jobs,
        )

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

    def records(self) -> pd.DataFrame:
        """Prediction, error, at risk."""
        return pd.DataFrame(
            {
                "prediction": self._spread(self.prediction),
                "error": self._spread(self.values),
                "at_risk": self._at_risk_column(),
            }
        )


def score_classes(
    prediction: Prediction,
    classes: NDArray[np.intp],
    n_classes: int,
    options: RapidOptions,
    class_baseline: Floats | None = None,
) -> ClassScores:
    """Score guessed classes.

    Args:
        prediction:
            The attacker's probabilities.
        classes:
            (n,) the true classes; -1 where neither table has it.
        n_classes:
            How many classes there are.
        options:
            Score and threshold.
        class_baseline:
            (n_classes,) the baselines of other records, where these are to be held against them
            (a holdout's: the real ones').
    """
    from sdmetrics_disclosure.numba_kernels.rapid.scores import categorical_scores, scores_against

    column, share = _lookup(prediction)
    known = classes >= 0
    probability = np.zeros(classes.size)
    seen = classes[known]
    probability[known] = prediction.values[np.flatnonzero(known), column[seen]] * share[seen]
    if class_baseline is None:
        values, baseline = categorical_scores(probability, classes, n_classes, options.score)
    else:
        baseline = np.where(known, class_baseline[classes], 0.0)
        values = scores_against(probability, baseline, n_classes, options.score)
    return ClassScores(
        values=values,
        included=np.ones(classes.size, dtype=np.bool_),
        threshold=options.tau_used,
        prediction=prediction,
        classes=classes,
        baseline=baseline,
        probability=probability,
        n_classes=n_classes,
        score=options.score,
    )


def score_numbers(
    prediction: Prediction, truth: Floats, options: RapidOptions, constant: float
) -> NumberErrors:
    """Score guessed numbers; records without a truth or a guess are left out.

    Args:
        prediction:
            The attacker's guesses.
        truth:
            (n,) the true numbers, NaN where there is none.
        options:
            Error, epsilon and delta.
        constant:
            The best constant guess.
    """
    from sdmetrics_disclosure.numba_kernels.rapid.scores import errors

    included = ~(np.isnan(truth) | np.isnan(prediction.values))
    truth, guess = truth[included], prediction.values[included]
    if not included.any():
        raise ValueError(no_truth())
    guesses = np.full(truth.size, constant)
    hits = errors(truth, guesses, options.error, options.delta) < options.epsilon_used
    return NumberErrors(
        values=errors(truth, guess, options.error, options.delta),
        included=included,
        threshold=options.epsilon_used,
        truth=truth,
        prediction=guess,
        error=options.error,
        delta=options.delta,
        constant=ConstantGuess(constant, float(hits.mean())),
    )


def _lookup(prediction: Prediction) -> tuple[NDArray[np.intp], Floats]:
    assert prediction.column is not None, "a prediction of classes says where each class stands"
    assert prediction.share is not None, "a prediction of classes says where each class stands"
    return prediction.column, prediction.share
