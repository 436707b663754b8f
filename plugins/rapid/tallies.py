"""Counts that a partition gives away instead of its records, and scores made of their sums."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.rapid.constant_guess import ConstantGuess
from sdmetrics_disclosure.plugins.rapid.score_kinds import Floats, OfClasses, OfNumbers, Scores

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Tally:
    """What adds up over partitions.

    Attributes:
        n: Records with a score.
        n_records: Records.
        n_unseen: Records whose class, or a level of theirs, the synthetic data never shows.
        hits: (m,) records at risk at each threshold.
        null: (n_permutations, m) the same for permuted truths.
    """

    n: int
    n_records: int
    n_unseen: int
    hits: Integers
    null: Integers

    def __add__(self, other: Any) -> Any:
        """The sum, field by field."""
        pairs = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return type(self)(**pairs)


@dataclass(frozen=True)
class ClassTally(Tally):
    """Of guessed classes.

    Attributes:
        above: (n_bootstrap, n_classes) records of a class that are at risk where the baseline is
            that of a bootstrap replicate.
        n_correct: Records whose likeliest class is true.
        log_loss: Its sum.
    """

    above: Integers
    n_correct: int
    log_loss: float


@dataclass(frozen=True)
class NumberTally(Tally):
    """Of guessed numbers.

    Attributes:
        constant_hits: Records that the best constant guess hits.
        distance: Sum of the absolute errors.
        square: Sum of their squares.
        size: Sum of the absolute truths.
        moved: Sum of the truths, moved by the constant guess so that squares keep their digits.
        moved_square: Sum of the squares of the moved truths.
    """

    constant_hits: int
    distance: float
    square: float
    size: float
    moved: float
    moved_square: float


class TalliedScores(Scores):
    """Scores of which only sums are known.

    Attributes:
        tally: The sums over all partitions.
        thresholds: (m,) where they were taken.
    """

    tally: Tally
    thresholds: Floats

    @property
    def n(self) -> int:
        """See `Scores`."""
        return self.tally.n

    @property
    def n_records(self) -> int:
        """See `Scores`."""
        return self.tally.n_records

    @property
    def n_at_risk(self) -> int:
        """See `Scores`."""
        return int(self.tally.hits[self._positions(np.array([self.threshold]))[0]])

    @property
    def highest_threshold(self) -> float:
        """1: scores whose curve ends at the largest of them cannot be tallied."""
        return 1.0

    def curve(self, thresholds: Floats) -> Floats:
        """See `Scores`; at thresholds that were tallied."""
        return np.asarray(self.tally.hits[self._positions(thresholds)] / self.n)

    def null(
        self, thresholds: Floats, n_permutations: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """See `Scores`; drawn in the partitions."""
        return np.asarray(self.tally.null[:, self._positions(thresholds)] / self.n)

    def _positions(self, thresholds: Floats) -> NDArray[np.intp]:
        return np.searchsorted(self.thresholds, thresholds)


@dataclass(frozen=True)
class TalliedClasses(TalliedScores, OfClasses):
    """Tallied scores of guessed classes.

    Attributes:
        class_counts: (n_classes,) records of each class.
        resampled: (n_bootstrap, n_classes) the same in bootstrap replicates.
    """

    threshold: float
    tally: ClassTally
    thresholds: Floats
    class_counts: Integers
    resampled: Integers

    @property
    def class_shares(self) -> Floats:
        """See `OfClasses`."""
        return np.asarray(self.class_counts / self.n)

    def bootstrap(
        self, thresholds: Floats, n_bootstrap: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """(n_bootstrap, 1) the risk in resampled records, at the threshold itself.

        Of the records of a class that a replicate draws, how many are at risk is binomial: with
        the share that is at risk against the replicate's own baseline.
        """
        share = self.tally.above / np.maximum(self.class_counts, 1)
        hits = rng.binomial(self.resampled, share).sum(axis=1)
        return np.asarray(hits[:, None] / self.n)

    def quality(self) -> dict[str, float]:
        """Accuracy and log-loss."""
        return {
            "accuracy": self.tally.n_correct / self.n,
            "log_loss": self.tally.log_loss / self.n,
        }


@dataclass(frozen=True)
class TalliedNumbers(TalliedScores, OfNumbers):
    """Tallied errors of guessed numbers.

    Attributes:
        constant: The best constant guess.
    """

    threshold: float
    tally: NumberTally
    thresholds: Floats
    constant: ConstantGuess

    def bootstrap(
        self, thresholds: Floats, n_bootstrap: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Floats:
        """(n_bootstrap, 1) the risk in resampled records; there is no baseline in an error."""
        hits = rng.binomial(self.n, self.n_at_risk / self.n, size=(n_bootstrap, 1))
        return np.asarray(hits / self.n)

    def quality(self) -> dict[str, float]:
        """Mean absolute and root mean squared error, plain and relative."""
        tally, n = self.tally, self.n
        mae, rmse = tally.distance / n, float(np.sqrt(tally.square / n))
        size = tally.size / n
        with np.errstate(over="ignore", invalid="ignore"):  # squares of large numbers
            moved = np.square(np.float64(tally.moved)) / n
            variance = (tally.moved_square - moved) / max(n - 1, 1)
            spread = float(np.sqrt(np.maximum(variance, 0.0)))
        return {
            "mae": mae,
            "rmse": rmse,
            "relative_mae": mae / size if size else float("nan"),
            "relative_rmse": rmse / spread if spread else float("nan"),
        }
