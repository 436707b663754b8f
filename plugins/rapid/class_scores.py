"""Guessed classes held against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.training import Prediction
from sdmetrics_disclosure.plugins.rapid.guesses import ClassGuesses, class_lookup
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.scores import Floats, Scores


@dataclass(frozen=True)
class ClassScores(Scores):
    """Scores of guessed classes (see `numba_kernels.scores`).

    Attributes:
        prediction: The attacker's probabilities of all classes; None where only those of the
            true ones are at hand.
        guess: (n,) the likeliest class.
        classes: (n,) the true classes; -1 for one that neither table has.
        baseline: (n,) what the score is held against.
        probability: (n,) what the attacker gives the true class.
        n_classes: How many classes there are.
        score: Name of the score.
    """

    values: Floats
    included: NDArray[np.bool_]
    threshold: float
    prediction: Prediction | None
    guess: NDArray[np.intp]
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
        self,
        thresholds: Floats,
        n_permutations: int,
        rng: np.random.Generator,
        n_jobs: int | None,
        order: NDArray[np.intp],
    ) -> Floats:
        """See `Scores.null`."""
        from sdmetrics_disclosure.numba_kernels.rapid.resampling import permutation_curve

        assert self.prediction is not None, "truths are permuted where all probabilities are known"
        return permutation_curve(
            self.prediction.values[order],
            *class_lookup(self.prediction),
            np.sort(self.classes),
            thresholds,
            self.score,
            n_permutations,
            rng,
            n_jobs,
        )

    def guessed(self) -> list[Floats]:
        """See `Scores.guessed`: the probability of each class."""
        assert self.prediction is not None, "truths are permuted where all probabilities are known"
        return list(self.prediction.values.T)

    def quality(self) -> dict[str, float]:
        """Accuracy and log-loss."""
        smallest = np.finfo(np.float64).eps
        return {
            "accuracy": float(np.mean(self.guess == self.classes)),
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


def score_classes(
    guesses: ClassGuesses,
    classes: NDArray[np.intp],
    n_classes: int,
    options: RapidOptions,
    class_baseline: Floats | None = None,
) -> ClassScores:
    """Score guessed classes.

    Args:
        guesses:
            The attacker's.
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

    probability = guesses.probability
    if class_baseline is None:
        values, baseline = categorical_scores(probability, classes, n_classes, options.score)
    else:
        baseline = np.where(classes >= 0, class_baseline[classes], 0.0)
        values = scores_against(probability, baseline, n_classes, options.score)
    return ClassScores(
        values=values,
        included=np.ones(classes.size, dtype=np.bool_),
        threshold=options.tau_used,
        prediction=guesses.prediction,
        guess=guesses.guess,
        classes=classes,
        baseline=baseline,
        probability=probability,
        n_classes=n_classes,
        score=options.score,
    )
