"""What copies, singling out and linkability found, for breakdowns and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from sdmetrics_disclosure.plugins.base.findings import TRAINING_MINUS_HOLDOUT, Finding, Measure
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.holdout.check import Overlap
from sdmetrics_disclosure.plugins.identification.copies import Copied
from sdmetrics_disclosure.plugins.identification.nearness import Distances, Nearness


def protection_from_excess(excess: float) -> float:
    """1 where training people are no worse off than others."""
    return 1.0 - min(max(excess, 0.0), 1.0)


def replicates_interval(values: list[float], confidence_level: float) -> dict[str, Any] | None:
    """The t interval of the mean over replicates; None of a single one.

    It covers other runs of the synthesizer on the same people, not other people.
    """
    if len(values) < 2:
        return None
    mean, error = float(np.mean(values)), float(stats.sem(values))
    half = error * float(stats.t.ppf(0.5 + confidence_level / 2.0, len(values) - 1))
    return Interval(mean, mean - half, mean + half, "t").to_dict()


@dataclass(frozen=True)
class CopiesResult:
    """What was found out about real rows in the release.

    Attributes:
        copied: Equal rows, for each replicate.
        nearness: Near rows, for each replicate.
        overlap: Holdout rows that stand in the training rows; None without a holdout.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    copied: tuple[Copied, ...]
    nearness: tuple[Nearness, ...]
    overlap: Overlap | None
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def _worst(self) -> int:
        return int(np.argmax([each.difference.value for each in self.copied]))

    @property
    def score(self) -> float:
        """The largest difference of a replicate."""
        return self.copied[self._worst].difference.value

    @property
    def protection(self) -> float:
        """1 where no more rows are real than chance makes them."""
        return protection_from_excess(self.score)

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain."""
        found, near = self.copied[self._worst], self.nearness[self._worst]
        values = [each.difference.value for each in self.copied]
        return {
            "score": self.score,
            "share": found.share,
            "by_chance": found.by_chance,
            "difference": found.difference.to_dict(),
            "n_copies": found.n_copies,
            "n_synthetic": found.n_synthetic,
            "n_people": found.n_people,
            "n_people_copied": found.n_people_copied,
            "n_compared": found.n_compared,
            "training": _plain(near.training),
            "holdout": None if near.holdout is None else _plain(near.holdout),
            "overlap": None if self.overlap is None else self.overlap.to_dict(),
            "replicates": values,
            "mean": replicates_interval(values, self.settings["confidence_level"]),
            "settings": self.settings,
            "warnings": list(self.warnings),
        }

    def findings(self) -> tuple[Finding, ...]:
        """The difference, which a limit can bind, and how many rows and people it is about."""
        found, near = self.copied[self._worst], self.nearness[self._worst]
        n_holdout = found.n_outsiders or None
        measure = Measure(
            "copies",
            "share of synthetic rows that are copies",
            found.difference,
            found.n_people + found.n_outsiders,
            n_holdout,
            TRAINING_MINUS_HOLDOUT if n_holdout else "over what training rows give each other",
        )
        details = {
            "Rows Copied": found.share,
            "By Chance": found.by_chance,
            "Low": found.difference.low,
            "High": found.difference.high,
            "People Copied": found.n_people_copied,
            "Near Copies": near.training.near,
        }
        return (Finding(None, self.score, self.protection, details, (measure,)),)


@dataclass(frozen=True)
class Excess:
    """A rate on training people beside the same on holdout people.

    Attributes:
        training: The first.
        holdout: The second.
        difference: The first minus the second, with its interval.
        details: What else belongs to it, plain.
    """

    training: float
    holdout: float
    difference: Interval
    details: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain."""
        beyond = self.difference.value / (1.0 - self.holdout) if self.holdout < 1.0 else None
        return {
            "training": self.training,
            "holdout": self.holdout,
            "difference": self.difference.to_dict(),
            "risk": beyond,
            **self.details,
        }


@dataclass(frozen=True)
class ExcessResult:
    """What singling out or linkability found.

    Attributes:
        measure: The name by which a limit knows it.
        words: What it is.
        replicates: The rates, for each replicate.
        p_value: Of the largest difference of a replicate, people having changed places.
        n: Training people, and as many holdout people.
        n_outsiders: Holdout people there were.
        overlap: Holdout rows that stand in the training rows.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    measure: str
    words: str
    replicates: tuple[Excess, ...]
    p_value: float
    n: int
    n_outsiders: int
    overlap: Overlap
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def worst(self) -> Excess:
        """The replicate with the largest difference."""
        return max(self.replicates, key=lambda each: each.difference.value)

    @property
    def score(self) -> float:
        """The largest difference."""
        return self.worst.difference.value

    @property
    def protection(self) -> float:
        """1 where training people are no worse off than others."""
        return protection_from_excess(self.score)

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain."""
        values = [each.difference.value for each in self.replicates]
        return {
            "score": self.score,
            **self.worst.to_dict(),
            "p_value": self.p_value,
            "n_people": self.n,
            "overlap": self.overlap.to_dict(),
            "replicates": values,
            "mean": replicates_interval(values, self.settings["confidence_level"]),
            "settings": self.settings,
            "warnings": list(self.warnings),
        }

    def findings(self) -> tuple[Finding, ...]:
        """The difference, which a limit can bind, and both rates."""
        found = self.worst
        n_rows = self.n + self.n_outsiders
        measure = Measure(
            self.measure,
            self.words,
            found.difference,
            n_rows,
            self.n_outsiders,
            TRAINING_MINUS_HOLDOUT,
        )
        details = {
            "Training Rate": found.training,
            "Holdout Rate": found.holdout,
            "Low": found.difference.low,
            "High": found.difference.high,
            "P-Value": self.p_value,
        }
        return (Finding(None, self.score, self.protection, details, (measure,)),)


def _plain(found: Distances) -> dict[str, float | None]:
    return {"near": found.near, "dcr": found.dcr, "nndr": found.nndr}


def null_interval(value: float, null: Any, confidence_level: float, least: float) -> Interval:
    """The differences that an exchange of people would not have told from this one.

    The value minus the quantiles of what the exchange gives, as if people who are singled out more
    often varied as those do who are not. At least as wide as the smallest step.

    Args:
        value: The difference.
        null: What it was in each exchange.
        confidence_level: Of the interval.
        least: The smallest step.
    """
    tail = (1.0 - confidence_level) / 2.0
    below, above = np.quantile(null, [tail, 1.0 - tail])
    low = min(value - float(above), value - least)
    high = max(value - float(below), value + least)
    return Interval(value, max(low, -1.0), min(high, 1.0), "permutation")
