"""What a membership attack found, in the form in which it may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.plugins.base.findings import Measure, Question
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.membership.findings import (
    Rate,
    attack_details,
    attack_measures,
    doubt_of,
)
from sdmetrics_disclosure.plugins.membership.result import protection_from_auc


@dataclass(frozen=True)
class RateAt:
    """The true positive rate at a false positive rate.

    Attributes:
        fpr: The false positive rate.
        tpr: The share of members found, the threshold taken as given.
        measurable: Whether the holdout is large enough for this rate.
    """

    fpr: float
    tpr: Interval
    measurable: bool


@dataclass(frozen=True)
class Roc:
    """An attack's ROC with its band.

    Attributes:
        fpr: False positive rates.
        tpr: The share of members found at each.
        low: Lower limit.
        high: Upper limit.
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class MembershipFinding:
    """One membership attack on one table.

    Attributes:
        table: The table's name, or None.
        metric: The attack's name.
        auc: 0.5 is guessing.
        p_value: Of the AUC against 0.5.
        advantage: The largest TPR minus FPR.
        rates: The true positive rate at low false positive rates.
        epsilon_lower_bound: What epsilon is at least, at the confidence level.
        roc: The curve.
        n_members: Training rows.
        n_non_members: Holdout rows.
        n_reference: Rows of the attacker's reference.
        overlap_share: The share of the holdout that stands in the training rows.
        settings: What the attack was asked for.
    """

    table: str | None
    metric: str
    auc: Interval
    p_value: float
    advantage: float
    rates: tuple[RateAt, ...]
    epsilon_lower_bound: float
    roc: Roc
    n_members: int
    n_non_members: int
    n_reference: int
    overlap_share: float
    settings: Mapping[str, Any]

    @property
    def question(self) -> Question:
        """Who was in the data."""
        return "membership"

    @property
    def column(self) -> None:
        """It is about the whole table."""
        return

    @property
    def protection(self) -> float:
        """1 is no advantage over guessing."""
        return protection_from_auc(self.auc.value)

    @property
    def doubt(self) -> str:
        """Why no limit may pass, or empty."""
        return doubt_of(self.metric, self.auc.value, self.p_value)

    @property
    def _rates(self) -> tuple[Rate, ...]:
        return tuple((rate.fpr, rate.tpr, rate.measurable) for rate in self.rates)

    def measures(self) -> tuple[Measure, ...]:
        """What limits can bind."""
        sizes = self.n_members, self.n_non_members
        return attack_measures(self.auc, self._rates, self.epsilon_lower_bound, *sizes)

    def details(self) -> dict[str, float]:
        """What stands beside the score in the rows of a report."""
        sizes = self.n_members, self.n_non_members
        found = self.auc, self.p_value, self._rates, self.epsilon_lower_bound
        return attack_details(*found, *sizes)
