"""What is kept of an attacker's predictions: a number or two a record.

Whoever predicts, here or in a partition, keeps for a class the probability of the truth and the
likeliest class, for a number the guess. All classes' probabilities are kept of the records whose
truths are permuted: in memory all, of partitions a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attackers.training import Prediction

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassGuesses:
    """Guessed classes.

    Attributes:
        probability: (n,) what the attacker gives the true class.
        guess: (n,) the likeliest class.
        prediction: The probabilities of all classes, or None.
    """

    probability: Floats
    guess: NDArray[np.intp]
    prediction: Prediction | None

    def taken(self, positions: NDArray[np.intp]) -> ClassGuesses:
        """The same of some of the records."""
        assert self.prediction is not None, "of whom all probabilities are known"
        rows = replace(self.prediction, values=self.prediction.values[positions])
        return ClassGuesses(self.probability[positions], self.guess[positions], rows)

    def without_prediction(self) -> ClassGuesses:
        """The two numbers a record alone."""
        return replace(self, prediction=None)


# Guessed numbers are an array of them.
Guesses = ClassGuesses | Floats


def keep_guesses(prediction: Prediction, truth: NDArray[Any]) -> Guesses:
    """What is kept of the predictions for some records.

    Args:
        prediction:
            The attacker's.
        truth:
            (n,) true classes, -1 for one that neither table has; or numbers.
    """
    if prediction.column is None:
        return prediction.values
    column, share = class_lookup(prediction)
    known = truth >= 0
    probability = np.zeros(truth.size)
    seen = truth[known]
    probability[known] = prediction.values[np.flatnonzero(known), column[seen]] * share[seen]
    return ClassGuesses(probability, _likeliest(prediction), prediction)


def join_guesses(found: Sequence[Any]) -> Any:
    """The guesses of all partitions, of one run, in order."""
    if not isinstance(found[0], ClassGuesses):
        return np.concatenate(found)
    rows = [each.prediction for each in found]
    prediction = None
    if rows[0] is not None:
        prediction = replace(rows[0], values=np.concatenate([each.values for each in rows]))
    return ClassGuesses(
        np.concatenate([each.probability for each in found]),
        np.concatenate([each.guess for each in found]),
        prediction,
    )


def class_lookup(prediction: Prediction) -> tuple[NDArray[np.intp], Floats]:
    """Where each class stands in a prediction, and its share there."""
    assert prediction.column is not None, "a prediction of classes says where each class stands"
    assert prediction.share is not None, "a prediction of classes says where each class stands"
    return prediction.column, prediction.share


def _likeliest(prediction: Prediction) -> NDArray[np.intp]:
    column, share = class_lookup(prediction)
    best = np.zeros(prediction.values.shape[1])
    np.maximum.at(best, column, share)
    likeliest = (prediction.values * best).argmax(axis=1)
    representative = np.array(
        [np.argmax(np.where(column == j, share, -1.0)) for j in range(best.size)]
    )
    return np.asarray(representative[likeliest])
