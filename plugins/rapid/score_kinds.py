"""What the scores of an attack can be asked, whether each record's is at hand or only sums are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.rapid.constant_guess import ConstantGuess

Floats = NDArray[np.float64]
N_THRESHOLDS = 101


class Scores(ABC):
    """An attack's scores on real records; excluded records have no score.

    Attributes:
        threshold: tau or epsilon.
    """

    threshold: float

    @property
    @abstractmethod
    def n(self) -> int:
        """How many records have a score."""

    @property
    @abstractmethod
    def n_records(self) -> int:
        """How many records there are, excluded ones too."""

    @property
    @abstractmethod
    def n_at_risk(self) -> int:
        """How many records are at risk."""

    @property
    @abstractmethod
    def highest_threshold(self) -> float:
        """Where the threshold curve ends."""

    @abstractmethod
    def curve(self, thresholds: Floats) -> Floats:
        """The risk at each threshold."""

    @abstractmethod
    def bootstrap(
        self, thresholds: Floats, n_bootstrap: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """(n_bootstrap, m) the risk in resampled records, baselines recomputed."""

    @abstractmethod
    def null(
        self, thresholds: Floats, n_permutations: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """(n_permutations, m) the risk when the true column is permuted."""

    @abstractmethod
    def quality(self) -> dict[str, float]:
        """How well the attacker guesses, whatever the threshold."""

    def grid(self) -> Floats:
        """The thresholds of the curve."""
        return np.linspace(0.0, self.highest_threshold, N_THRESHOLDS)


class OfClasses(ABC):
    """Scores of guessed classes."""

    @property
    @abstractmethod
    def class_shares(self) -> Floats:
        """(n_classes,) the share of each class among the records."""


class OfNumbers(ABC):
    """Errors of guessed numbers.

    Attributes:
        constant: The best constant guess.
    """

    constant: ConstantGuess


class RecordScores(Scores):
    """Scores that are at hand for each record.

    Attributes:
        values: (n_scored,) one score (or error) for each record that has one.
        included: (n,) which records those are.
    """

    values: Floats
    included: NDArray[np.bool_]

    @property
    @abstractmethod
    def at_risk(self) -> NDArray[np.bool_]:
        """(n_scored,) which scored records are at risk."""

    @abstractmethod
    def records(self) -> pd.DataFrame:
        """A row for every record, in order; excluded ones have missing values."""

    @property
    def n(self) -> int:
        """See `Scores`."""
        return int(self.values.size)

    @property
    def n_records(self) -> int:
        """See `Scores`."""
        return int(self.included.size)

    @property
    def n_at_risk(self) -> int:
        """See `Scores`."""
        return int(np.count_nonzero(self.at_risk))

    def _spread(self, values: NDArray[Any]) -> NDArray[Any]:
        spread = np.full(self.included.size, np.nan)
        spread[self.included] = values
        return spread

    def _at_risk_column(self) -> Any:
        column = pd.array([pd.NA] * self.included.size, dtype="boolean")
        column[self.included] = self.at_risk
        return column


def no_truth() -> str:
    """What to say where there is nothing to score."""
    return (
        "No record has both a true value and a prediction of one: the sensitive column has no "
        "value in `real_data` or in `real_validation_data`. Leave that table or column out."
    )
