"""What an attack's scores on real records can be asked: by record, and as rates by threshold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
N_THRESHOLDS = 101
NULL_PERCENTILE = 95


class Scores(ABC):
    """An attack's scores on real records; excluded records have no score.

    Attributes:
        values: (n_scored,) one score (or error) for each record that has one.
        included: (n,) which records those are.
        threshold: tau or epsilon.
    """

    values: Floats
    included: NDArray[np.bool_]
    threshold: float

    @property
    @abstractmethod
    def at_risk(self) -> NDArray[np.bool_]:
        """(n_scored,) which scored records are at risk."""

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
        self,
        thresholds: Floats,
        n_permutations: int,
        rng: np.random.Generator,
        n_jobs: int | None,
        order: NDArray[np.intp],
    ) -> Floats:
        """(n_permutations, m) the risk when the true column is permuted.

        Args:
            thresholds:
                (m,) rising.
            n_permutations:
                How many.
            rng:
                Draws them.
            n_jobs:
                Threads.
            order:
                (n_scored,) the order in which the records get the permuted truths.
        """

    @abstractmethod
    def guessed(self) -> list[Floats]:
        """What the attacker said of each scored record, an array (n_scored,) a number."""

    @abstractmethod
    def quality(self) -> dict[str, float]:
        """How well the attacker guesses, whatever the threshold."""

    @abstractmethod
    def records(self) -> pd.DataFrame:
        """A row for every record, in order; excluded ones have missing values."""

    @property
    def n(self) -> int:
        """How many records have a score."""
        return int(self.values.size)

    @property
    def n_records(self) -> int:
        """How many records there are, excluded ones too."""
        return int(self.included.size)

    @property
    def n_at_risk(self) -> int:
        """How many records are at risk."""
        return int(np.count_nonzero(self.at_risk))

    @property
    def risk(self) -> float:
        """The share of scored records at risk."""
        return self.n_at_risk / self.n

    def grid(self) -> Floats:
        """The thresholds of the curve."""
        return np.linspace(0.0, self.highest_threshold, N_THRESHOLDS)

    def _spread(self, values: NDArray[Any]) -> NDArray[Any]:
        spread = np.full(self.included.size, np.nan)
        spread[self.included] = values
        return spread

    def _at_risk_column(self) -> Any:
        column = pd.array([pd.NA] * self.included.size, dtype="boolean")
        column[self.included] = self.at_risk
        return column


@dataclass(frozen=True)
class Null:
    """The risk when the true column is permuted: what chance alone gives.

    Where several attackers or replicates ran, each permutation counts by the highest of them.

    Attributes:
        median: Of the permuted risks.
        percentile_95: Of the permuted risks.
        p_value: (1 + number of permuted risks that reach the observed one) / (permutations + 1).
        suggested_tau: The smallest threshold at which the observed risk exceeds the permuted
            risks' 95th percentile; None where it never does.
        risk: The observed risk of the records that were permuted.
        n_records: How many those are.
    """

    median: float
    percentile_95: float
    p_value: float
    suggested_tau: float | None
    risk: float
    n_records: int

    def to_dict(self) -> dict[str, float | None]:
        """What is shown of it."""
        return {
            "median": self.median,
            "percentile_95": self.percentile_95,
            "p_value": self.p_value,
            "suggested_tau": self.suggested_tau,
        }


@dataclass(frozen=True)
class RapidRun:
    """One attacker on one synthetic table.

    Attributes:
        attacker: Its name.
        replicate: Which synthetic table.
        scores: Its scores on the real records.
        holdout: Its scores on the holdout, or None.
        permuted: Its scores on the records whose truths are permuted: all, or of partitions a
            sample.
        notes: What the attacker has to say.
    """

    attacker: str
    replicate: int
    scores: Scores
    holdout: Scores | None
    permuted: Scores
    notes: tuple[str, ...]

    @property
    def risk(self) -> float:
        """The share of real records at risk."""
        return self.scores.risk
