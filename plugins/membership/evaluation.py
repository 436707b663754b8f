"""From membership scores to statements: AUC, TPR at FPR, advantage, epsilon. Knows no attack.

Everything is computed in each half of the cross-fit and averaged over the halves. Scores of
different halves are on different scales (each has its own reference rows) and are never pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from sdmetrics_disclosure.plugins.common.statistics import clopper_pearson, clopper_pearson_bounds
from sdmetrics_disclosure.plugins.membership.epsilon import epsilon_lower_bound
from sdmetrics_disclosure.plugins.membership.roc import placements, ranks, tpr_at
from sdmetrics_disclosure.plugins.membership.units import (
    ScoredHalf,
    one_of_each,
    sort_records,
    variance_of_mean,
    variance_of_swap,
)

Floats = NDArray[np.float64]

#: False positive rates at which the curve is drawn: even steps on a linear and on a log axis.
CURVE_FPRS = np.unique(
    np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 81), np.linspace(0.0, 1.0, 101)])
)
# A variance of shares below this is rounding.
ROUNDING = 1e-15


@dataclass(frozen=True)
class AucInterval:
    """Area under the ROC.

    Attributes:
        value: In [0, 1]; 0.5 is guessing.
        low: Lower limit.
        high: Upper limit.
        p_value: Two-sided, against 0.5.
    """

    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class TprAtFpr:
    """True positive rate at a false positive rate.

    Attributes:
        value: In [0, 1].
        low: Lower limit, the threshold taken as given.
        high: Upper limit.
        measurable: Whether there are enough non-members for a false positive rate as small as this.
    """

    value: float
    low: float
    high: float
    measurable: bool


@dataclass(frozen=True)
class RocCurve:
    """The mean ROC of the halves with a pointwise band.

    Attributes:
        fpr: (181,) or so, rising from 0 to 1, the same whatever the data.
        tpr: The largest true positive rate of a threshold with at most this false positive rate.
        low: Lower limit at each point, the threshold taken as given.
        high: Upper limit.
    """

    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class MembershipEvaluation:
    """What the scores of members and non-members show.

    Attributes:
        auc: Mean of the halves' areas, with DeLong's interval.
        advantage: Largest TPR - FPR of the mean curve, in [0, 1].
        tpr_at_fpr: By target false positive rate.
        epsilon_lower_bound: See `epsilon.epsilon_lower_bound`.
        n_members: Number of members.
        n_non_members: Number of non-members, over all halves.
        n_member_units: Number of people behind the members.
        n_non_member_units: Number of people behind the non-members.
        roc: The mean curve.
        member_rank_scores: (m,) a member's place among the candidates of a half, in (0, 1) and
            higher the more it looks like a member; the mean over halves.
        non_member_rank_scores: For each half (n_h,) the same of its non-members.
    """

    auc: AucInterval
    advantage: float
    tpr_at_fpr: dict[float, TprAtFpr]
    epsilon_lower_bound: float
    n_members: int
    n_non_members: int
    n_member_units: int
    n_non_member_units: int
    roc: RocCurve
    member_rank_scores: Floats
    non_member_rank_scores: tuple[Floats, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the statements as a plain dict: no curve, and nothing of a single record."""
        return {
            "auc": asdict(self.auc),
            "advantage": self.advantage,
            "tpr_at_fpr": {f"{fpr:g}": asdict(rate) for fpr, rate in self.tpr_at_fpr.items()},
            "epsilon_lower_bound": self.epsilon_lower_bound,
            "n_members": self.n_members,
            "n_non_members": self.n_non_members,
            "n_member_units": self.n_member_units,
            "n_non_member_units": self.n_non_member_units,
        }


def evaluate_membership(
    halves: Sequence[ScoredHalf],
    *,
    target_fprs: Sequence[float] = (0.0, 0.001, 0.01, 0.1),
    confidence_level: float = 0.95,
    random_state: int | np.random.SeedSequence | np.random.Generator | None,
) -> MembershipEvaluation:
    """Turn scores into statements about membership.

    Args:
        halves: The two directions of a cross-fit, or a single set of scores.
        target_fprs: False positive rates at which the true positive rate is wanted.
        confidence_level: Coverage of the intervals and of the epsilon bound.
        random_state: Seed of the random parts behind the epsilon bound; nothing else is random.

    Raises:
        ValueError: A score is NaN, a half has no member or no non-member, or the halves have
            different numbers of members. Infinite scores are in order.
    """
    _check(halves)
    ranks = [_ranks(half) for half in halves]
    (halves,) = sort_records([halves])
    return MembershipEvaluation(
        auc=_mean_area(halves, confidence_level),
        advantage=_advantage(halves),
        tpr_at_fpr={
            float(fpr): _rate_at(halves, float(fpr), confidence_level) for fpr in target_fprs
        },
        epsilon_lower_bound=_epsilon(halves, confidence_level, np.random.default_rng(random_state)),
        n_members=halves[0].members.size,
        n_non_members=sum(half.non_members.size for half in halves),
        n_member_units=halves[0].n_member_units,
        n_non_member_units=sum(half.n_non_member_units for half in halves),
        roc=_curve(halves, confidence_level),
        member_rank_scores=np.mean([of_members for of_members, _ in ranks], axis=0),
        non_member_rank_scores=tuple(of_others for _, of_others in ranks),
    )


def _check(halves: Sequence[ScoredHalf]) -> None:
    if not halves:
        raise ValueError("halves is empty; pass one set of scores or the two of a cross-fit.")
    for h, half in enumerate(halves):
        for name in ("members", "non_members"):
            scores = getattr(half, name)
            if scores.size == 0:
                raise ValueError(f"halves[{h}].{name} is empty; an AUC needs both groups.")
            missing = int(np.count_nonzero(np.isnan(scores)))
            if missing:
                raise ValueError(
                    f"halves[{h}].{name} has {missing} NaN among {scores.size} scores; "
                    "a score must be a number or infinite."
                )
    sizes = sorted({half.members.size for half in halves})
    if len(sizes) > 1:
        raise ValueError(
            f"halves have {sizes} members; score the same members in the same order in each."
        )


def _mean_area(halves: Sequence[ScoredHalf], confidence_level: float) -> AucInterval:
    """Return the mean area with DeLong's interval.

    The members are the same in every half, so a member is one draw whose placement is the mean over
    halves. The non-members are others in each half, so their variances add; and so does what they
    have to do with each other as each other's reference.
    """
    placed = [placements(half.members, half.non_members) for half in halves]
    of_members = np.mean([of_members for of_members, _ in placed], axis=0)
    of_others = [of_others for _, of_others in placed]
    value = float(of_members.mean())
    n_pairs = min(halves[0].n_member_units, sum(half.n_non_member_units for half in halves))
    if all(np.ptp(each) == 0.0 for each in [of_members, *of_others]):
        return _area_of_pairs(value, n_pairs, confidence_level)
    variance = variance_of_mean(of_members, halves[0].member_units)
    of_halves = [
        variance_of_mean(each, half.non_member_units)
        for each, half in zip(of_others, halves, strict=True)
    ]
    variance += sum(of_halves) / len(halves) ** 2 + variance_of_swap(halves)
    if variance <= ROUNDING:  # people whose rows differ from each other's in nothing
        return _area_of_pairs(value, n_pairs, confidence_level)
    error = float(np.sqrt(variance))
    reach = float(stats.norm.isf((1.0 - confidence_level) / 2.0)) * error
    return AucInterval(
        value,
        max(0.0, value - reach),
        min(1.0, value + reach),
        float(2.0 * stats.norm.sf(abs(value - 0.5) / error)),
    )


def _area_of_pairs(value: float, n_pairs: int, confidence_level: float) -> AucInterval:
    """Return an exact interval where DeLong's variance is zero, as at an AUC of 0 or 1.

    Members and non-members can be put in `n_pairs` pairs without a record in common. Whether the
    member is ahead in its pair is an independent trial whose success has the AUC as probability,
    and all pairs came out alike: the interval is Clopper and Pearson's, the p-value that of the
    binomial test. It is wide, because only these pairs are used.
    """
    interval = clopper_pearson(value * n_pairs, n_pairs, confidence_level)
    ahead = max(value, 1.0 - value) * n_pairs
    tail = float(special.betainc(ahead, n_pairs - ahead + 1.0, 0.5))
    return AucInterval(value, interval.low, interval.high, min(1.0, 2.0 * tail))


def _epsilon(
    halves: Sequence[ScoredHalf], confidence_level: float, generator: np.random.Generator
) -> float:
    """Return the bound on epsilon, by one row of every person."""
    first = halves[0]
    chosen = one_of_each(first.member_units, first.members.size, generator)
    members = [half.members[chosen] for half in halves]
    non_members = [
        half.non_members[one_of_each(half.non_member_units, half.non_members.size, generator)]
        for half in halves
    ]
    return epsilon_lower_bound(members, non_members, confidence_level, generator)


def _mean_tpr(halves: Sequence[ScoredHalf], fprs: Floats) -> Floats:
    rates = [tpr_at(half.members, half.non_members, fprs) for half in halves]
    return np.asarray(np.mean(rates, axis=0))


def _advantage(halves: Sequence[ScoredHalf]) -> float:
    """Return the largest height of the mean curve above the diagonal, at rates that occur."""
    occurring = [np.arange(half.non_members.size + 1) / half.non_members.size for half in halves]
    fprs = np.unique(np.concatenate(occurring))
    return float(np.max(_mean_tpr(halves, fprs) - fprs))


def _rate_at(halves: Sequence[ScoredHalf], fpr: float, confidence_level: float) -> TprAtFpr:
    n_members = halves[0].n_member_units
    smallest = min(half.n_non_member_units for half in halves)
    tpr = float(_mean_tpr(halves, np.atleast_1d(fpr))[0])
    interval = clopper_pearson(tpr * n_members, n_members, confidence_level)
    measurable = fpr == 0.0 or 1.0 / fpr <= smallest
    return TprAtFpr(tpr, interval.low, interval.high, measurable)


def _curve(halves: Sequence[ScoredHalf], confidence_level: float) -> RocCurve:
    n_members = halves[0].n_member_units
    tpr = _mean_tpr(halves, CURVE_FPRS)
    tail = (1.0 - confidence_level) / 2.0
    return RocCurve(
        fpr=CURVE_FPRS,
        tpr=tpr,
        low=clopper_pearson_bounds(tpr * n_members, n_members, tail, "lower"),
        high=clopper_pearson_bounds(tpr * n_members, n_members, tail, "upper"),
    )


def _ranks(half: ScoredHalf) -> tuple[Floats, Floats]:
    scores = np.concatenate([half.members, half.non_members])
    places = (ranks(scores) - 0.5) / scores.size
    return places[: half.members.size], places[half.members.size :]
