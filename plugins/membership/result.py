"""What a membership attack gives: scores, and what was found out from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.base.findings import Finding
from sdmetrics_disclosure.plugins.base.result import ShownResult
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.holdout.check import Overlap
from sdmetrics_disclosure.plugins.membership.evaluation import MembershipEvaluation
from sdmetrics_disclosure.plugins.membership.findings import (
    Rate,
    attack_details,
    attack_measures,
    doubt_of,
)


@dataclass(frozen=True)
class AttackScores:
    """What an attack gives.

    Attributes:
        scores: (n_targets,) higher: more likely a member.
        covariance: Effective rank and dropped directions, where a covariance was used.
        notes: What is to be said about it.
    """

    scores: NDArray[np.float64]
    covariance: dict[str, int] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class MembershipResult(ShownResult):
    """What an attack found out about membership.

    Attributes:
        evaluations: The statements, for each replicate.
        overlap: Holdout rows that stand in the training rows.
        n_reference: Rows of the larger half of the holdout.
        n_synthetic: Rows of the synthetic table.
        covariance: Effective rank and dropped directions of the first half, or None.
        indices: The callers' own indices of training and holdout rows; None where the training
            rows are in partitions.
        halves: Positions of the holdout's halves, as they were non-members.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    evaluations: tuple[MembershipEvaluation, ...]
    overlap: Overlap
    n_reference: int
    n_synthetic: int
    covariance: dict[str, int] | None
    indices: tuple[pd.Index, pd.Index] | None
    halves: tuple[NDArray[np.intp], NDArray[np.intp]]
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def worst(self) -> MembershipEvaluation:
        """The replicate with the highest AUC."""
        return max(self.evaluations, key=lambda evaluation: evaluation.auc.value)

    @property
    def score(self) -> float:
        """The highest AUC."""
        return self.worst.auc.value

    @property
    def protection(self) -> float:
        """1 is no advantage over guessing; an AUC below 0.5 is no advantage either."""
        return protection_from_auc(self.score)

    @property
    def auc(self) -> Interval:
        """The highest AUC with its interval."""
        found = self.worst.auc
        return Interval(found.value, found.low, found.high, "delong")

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The share of members found by false positive rate, and whether the holdout can tell."""
        return tuple(
            (fpr, Interval(r.value, r.low, r.high, "clopper_pearson"), bool(r.measurable))
            for fpr, r in sorted(self.worst.tpr_at_fpr.items())
        )

    def findings(self) -> tuple[Finding, ...]:
        """The attack's numbers for reports (see `Finding`); of replicates the highest AUC's."""
        found = self.worst
        epsilon = float(found.epsilon_lower_bound)
        sizes = found.n_members, found.n_non_members
        finding = Finding(
            column=None,
            score=self.score,
            protection=self.protection,
            details=attack_details(self.auc, found.auc.p_value, self.rates, epsilon, *sizes),
            measures=attack_measures(self.auc, self.rates, epsilon, *sizes),
            exposure=self.auc.low - 0.5,
            roc=found.roc,
            doubt=doubt_of("the attack", self.score, found.auc.p_value),
        )
        return (finding,)

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain."""
        aucs = [evaluation.auc.value for evaluation in self.evaluations]
        return {
            "score": self.score,
            **self.worst.to_dict(),
            "n_reference": self.n_reference,
            "n_synthetic": self.n_synthetic,
            "overlap": self.overlap.to_dict(),
            "covariance": self.covariance,
            "mean_auc": float(np.mean(aucs)),
            "replicates": aucs,
            "settings": self.settings,
            "warnings": list(self.warnings),
        }

    def records(self) -> pd.DataFrame:
        """Score, membership and rank (1 = highest) of every training and holdout row.

        The index is (`set`, the caller's index); of several replicates, with a leading level.

        Raises:
            ValueError: If the training rows are in partitions.
        """
        frames = [self._records_of(evaluation) for evaluation in self.evaluations]
        if len(frames) == 1:
            return frames[0]
        return pd.concat(frames, keys=range(len(frames)), names=["replicate"])

    def _records_of(self, evaluation: MembershipEvaluation) -> pd.DataFrame:
        if self.indices is None:
            raise ValueError(
                "Tables in partitions have no records by the caller's index. Pass pandas frames, "
                "or a sample of the records."
            )
        training, holdout = self.indices
        outsiders = np.empty(len(holdout))
        for half, scores in zip(self.halves, evaluation.non_member_rank_scores, strict=True):
            outsiders[half] = scores
        score = np.concatenate([evaluation.member_rank_scores, outsiders])
        frame = pd.DataFrame(
            {
                "score": score,
                "member": np.repeat([True, False], [len(training), len(holdout)]),
                "rank": pd.Series(-score).rank(method="min").astype(int).to_numpy(),
            }
        )
        names = np.repeat(["training", "holdout"], [len(training), len(holdout)])
        own = training.append(holdout)
        levels = [own.get_level_values(i) for i in range(own.nlevels)]
        frame.index = pd.MultiIndex.from_arrays([names, *levels], names=["set", *own.names])
        return frame


def protection_from_auc(auc: float) -> float:
    """1 minus the advantage over guessing that an AUC means."""
    return 1.0 - max(0.0, 2.0 * min(max(auc, 0.0), 1.0) - 1.0)
