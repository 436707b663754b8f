"""What was found, in the form in which it may be shown.

Everything here is an aggregate. No row, no index value and no group of real people smaller than
the policy's floor has a place in these types.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sdmetrics_disclosure.plugins.base.findings import Measure, Question
from sdmetrics_disclosure.plugins.base.risk_findings import (
    VALUES_DO_NOT_MEET,
    column_details,
    column_measures,
    exposure_of,
    protection_beyond,
)
from sdmetrics_disclosure.plugins.common.statistics import Interval


@dataclass(frozen=True)
class Chance:
    """The risk when the true column is shuffled.

    Attributes:
        median: Of the shuffled risks.
        percentile_95: Of the shuffled risks.
        p_value: How often chance alone reaches the risk.
        suggested_threshold: The smallest threshold at which the risk is above chance, or None.
    """

    median: float
    percentile_95: float
    p_value: float
    suggested_threshold: float | None


@dataclass(frozen=True)
class AttackerFinding:
    """One attacker on one column.

    Attributes:
        name: Its name.
        risk: The share of real records at risk.
        quality: How well it predicts, by measure.
    """

    name: str
    risk: float
    quality: Mapping[str, float]


@dataclass(frozen=True)
class Group:
    """The risk of a group of real people that is no smaller than the floor.

    Attributes:
        column: A known column.
        level: Its level, or the range of its numbers.
        column_2: A second one, or None.
        level_2: Its level, or None.
        n: How many people.
        risk: The share of them at risk.
    """

    column: str
    level: str
    column_2: str | None
    level_2: str | None
    n: int
    risk: Interval


@dataclass(frozen=True)
class KnownColumn:
    """What one known column does for the attacker.

    Attributes:
        column: Its name.
        alone: The risk when the attacker knows nothing else, or None.
        left_out: The risk when the attacker knows all but this, or None.
    """

    column: str
    alone: Interval | None
    left_out: Interval | None


@dataclass(frozen=True)
class Term:
    """A term of the logistic regression of being at risk on the known columns.

    Attributes:
        term: A number (per standard deviation), or a level of a category against its first.
        coefficient: On the log-odds scale; NaN where it cannot be estimated.
        standard_error: Of the coefficient.
        p_value: Two-sided, against 0.
    """

    term: str
    coefficient: float
    standard_error: float
    p_value: float


@dataclass(frozen=True)
class ThresholdCurve:
    """The risk at every threshold.

    Attributes:
        thresholds: Of the score (classes) or the error (numbers).
        risk: Of the real records.
        holdout: Of the holdout; empty without one.
    """

    thresholds: tuple[float, ...]
    risk: tuple[float, ...]
    holdout: tuple[float, ...]


@dataclass(frozen=True)
class ColumnFinding:
    """What an attacker learns about one sensitive column.

    Attributes:
        table: The table's name, or None.
        metric: The metric's name.
        column: The sensitive column.
        kind: Its kind, such as "categorical".
        known: What the attacker knew.
        attacker: The attacker that did best, whose risk is shown.
        attackers: All of them.
        threshold_name: "tau" (a gain above it is a hit) or "epsilon" (an error below it).
        threshold: Its value.
        risk: The share of real records at risk.
        chance: What chance alone gives, or None.
        excess: The risk minus the median of chance, which is taken as known; or None.
        constant_guess: For numbers, the risk that the best constant guess reaches; else None.
        holdout: The share of holdout records at risk, or None.
        difference: Training minus holdout, or None.
        class_shares: The share of each class, rare ones pooled; empty for numbers.
        curve: The risk at every threshold.
        n_records: Real records with a truth.
        n_holdout: Holdout records, or persons, with a truth.
        groups: Those no smaller than the floor, the most exposed first.
        known_columns: What each known column does; empty where it was not asked for.
        regression: Of being at risk on the known columns.
        values_meet: Whether the synthetic table shows the values of most real records.
    """

    table: str | None
    metric: str
    column: str
    kind: str
    known: tuple[str, ...]
    attacker: str
    attackers: tuple[AttackerFinding, ...]
    threshold_name: Literal["tau", "epsilon"]
    threshold: float
    risk: Interval
    chance: Chance | None
    excess: Interval | None
    constant_guess: float | None
    holdout: Interval | None
    difference: Interval | None
    class_shares: Mapping[str, float]
    curve: ThresholdCurve
    n_records: int
    n_holdout: int
    groups: tuple[Group, ...]
    known_columns: tuple[KnownColumn, ...]
    regression: tuple[Term, ...]
    values_meet: bool

    @property
    def question(self) -> Question:
        """What can be inferred about people."""
        return "attribute"

    @property
    def protection(self) -> float:
        """1 where nothing is learned beyond chance."""
        chance = None if self.chance is None else self.chance.median
        return protection_beyond(self.risk, self.excess, chance)

    @property
    def exposure(self) -> float:
        """The lower bound of what is beyond chance, or beyond the holdout where there is one."""
        return exposure_of(self.risk, self.excess, self.difference)

    @property
    def doubt(self) -> str:
        """Why no limit may pass, or empty."""
        return "" if self.values_meet else VALUES_DO_NOT_MEET

    def measures(self) -> tuple[Measure, ...]:
        """What limits can bind."""
        found = self.risk, self.excess, self.difference
        return column_measures(*found, self.n_records, self.n_holdout)

    def details(self) -> dict[str, float]:
        """What stands beside the score in the rows of a report."""
        baseline, chance = math.nan, None
        if self.chance is not None:
            median = self.chance.median
            chance = (median, self.chance.percentile_95)
            baseline = median if self.constant_guess is None else self.constant_guess
        found = self.risk, self.excess, self.difference
        return column_details(*found, baseline, chance, self.holdout, self.n_records)
