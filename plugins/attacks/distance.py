"""Membership attacks by the distance to the closest record, in the standardised columns."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores

Floats = NDArray[np.float64]


class DCRAttack(MembershipMetric):
    """Distance to the closest synthetic record: the closer, the more likely a member.

    Source: Chen et al., GAN-Leaks, CCS 2020. Blind to how crowded the place is.
    """

    name: ClassVar[str] = "DCRAttack"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: MembershipOptions) -> AttackScores:
        """Score the candidates: minus the distance."""
        return AttackScores(closest_record(seen.nearest_squares("synthetic", 1, options.n_jobs)))


class DCRDifference(MembershipMetric):
    """How much closer the closest synthetic record is than the closest reference record.

    Source: Chen et al., GAN-Leaks, CCS 2020, the calibrated attack.
    """

    name: ClassVar[str] = "DCRDifference"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: MembershipOptions) -> AttackScores:
        """Score the candidates: distance to the reference minus distance to the synthetic rows."""
        synthetic = seen.nearest_squares("synthetic", 1, options.n_jobs)
        reference = seen.nearest_squares("reference", 1, options.n_jobs)
        return AttackScores(closest_record_difference(synthetic, reference))


def closest_record(synthetic_squares: Floats) -> Floats:
    """Minus the distance to the closest synthetic row (Chen et al., CCS 2020).

    Args:
        synthetic_squares: (n, k) rising squared distances to synthetic rows.

    Returns:
        (n,) scores.
    """
    return -np.sqrt(synthetic_squares[:, 0])


def closest_record_difference(synthetic_squares: Floats, reference_squares: Floats) -> Floats:
    """How much closer the closest synthetic row is than the closest reference row.

    Args:
        synthetic_squares: (n, k) rising squared distances to synthetic rows.
        reference_squares: (n, k) the same to reference rows.

    Returns:
        (n,) scores.
    """
    return np.sqrt(reference_squares[:, 0]) - np.sqrt(synthetic_squares[:, 0])
