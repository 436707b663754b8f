"""The membership attacks that everyone compares with; formulas in `attack_scores`.

All read the standardised columns (categories one-hot) and share one search for each table.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.attacks.options import (
    DensityOptions,
    DOMIASOptions,
    NeighborhoodOptions,
    PlagiarismOptions,
)
from sdmetrics_disclosure.plugins.attacks.scores import (
    closest_record,
    closest_record_difference,
    density_ratio,
    kernel_log_density,
    median_heuristic,
    plagiarism_index,
    share_of,
)
from sdmetrics_disclosure.plugins.common.parallel import in_chunks
from sdmetrics_disclosure.plugins.membership.attack_input import Scene, Side, encode_columns
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
    def attack(cls, scene: Scene, options: MembershipOptions) -> AttackScores:
        """Score the candidates: minus the distance."""
        return AttackScores(closest_record(scene.nearest_squares("synthetic", 1, options.n_jobs)))


class DCRDifference(MembershipMetric):
    """How much closer the closest synthetic record is than the closest reference record.

    Source: Chen et al., GAN-Leaks, CCS 2020, the calibrated attack.
    """

    name: ClassVar[str] = "DCRDifference"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: MembershipOptions) -> AttackScores:
        """Score the candidates: distance to the reference minus distance to the synthetic rows."""
        synthetic = scene.nearest_squares("synthetic", 1, options.n_jobs)
        reference = scene.nearest_squares("reference", 1, options.n_jobs)
        return AttackScores(closest_record_difference(synthetic, reference))


class DensityEstimate(MembershipMetric):
    """Density of the synthetic rows at a candidate.

    Source: Houssiau et al., TAPAS, 2022.
    """

    name: ClassVar[str] = "DensityEstimate"
    Options = DensityOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: DensityOptions) -> AttackScores:
        """Score the candidates: the log-density."""
        return AttackScores(_log_density(scene, "synthetic", options))


class DOMIAS(MembershipMetric):
    """Density of the synthetic rows at a candidate, relative to that of the reference.

    Source: van Breugel et al., AISTATS 2023.
    """

    name: ClassVar[str] = "DOMIAS"
    Options = DOMIASOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: DOMIASOptions) -> AttackScores:
        """Score the candidates: the difference of the log-densities."""
        synthetic, reference = (
            _log_density(scene, side, options) for side in ("synthetic", "reference")
        )
        return AttackScores(density_ratio(synthetic, reference, options.floor))


class MonteCarlo(MembershipMetric):
    """Share of the synthetic rows that are nearer than the median closest one.

    Source: Hilprecht et al., PoPETs 2019, the median heuristic.
    """

    name: ClassVar[str] = "MonteCarlo"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: MembershipOptions) -> AttackScores:
        """Score the candidates: the share."""
        limit = median_heuristic(scene.nearest_squares("synthetic", 1, options.n_jobs))
        counts = scene.count_within(limit, options.n_jobs, strict=True)
        return AttackScores(share_of(counts, len(scene.synthetic)))


class LocalNeighborhood(MembershipMetric):
    """Share of the synthetic rows within a fixed radius.

    Source: Houssiau et al., TAPAS, 2022.
    """

    name: ClassVar[str] = "LocalNeighborhood"
    Options = NeighborhoodOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: NeighborhoodOptions) -> AttackScores:
        """Score the candidates: the share."""
        counts = scene.count_within(options.radius**2, options.n_jobs)
        return AttackScores(share_of(counts, len(scene.synthetic)))


class DataPlagiarismIndex(MembershipMetric):
    """How many of the nearest rows, of synthetic and reference together, are synthetic.

    Source: Ward et al., 2024.
    """

    name: ClassVar[str] = "DataPlagiarismIndex"
    Options = PlagiarismOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, scene: Scene, options: PlagiarismOptions) -> AttackScores:
        """Score the candidates: the index."""
        k = options.n_neighbors
        synthetic = scene.nearest_squares("synthetic", k, options.n_jobs)
        reference = scene.nearest_squares("reference", k, options.n_jobs)
        n_rows = len(scene.synthetic) + len(scene.reference)
        notes = (
            ()
            if k <= n_rows
            else (
                f"`n_neighbors` is {k}, but there are only {n_rows} synthetic and reference rows: "
                "all of them count.",
            )
        )
        return AttackScores(plagiarism_index(synthetic, reference, k), notes=notes)


def _log_density(
    scene: Scene, side: Literal["synthetic", "reference"], options: DensityOptions
) -> Floats:
    targets, synthetic, reference = encode_columns(scene)
    rows = synthetic if side == "synthetic" else reference
    shape: Any = options.covariance or ("floored" if targets.is_category.any() else "full")
    _check_variation(rows.values, side)
    return scene.once(
        ("density", side, shape),
        lambda: in_chunks(
            partial(kernel_log_density, rows=rows.values, covariance=shape),
            targets.values,
            options.n_jobs,
        ),
    )


def _check_variation(rows: Floats, side: Side) -> None:
    if len(rows) < 2 or not (rows != rows[0]).any():
        raise ValueError(
            f"The {len(rows)} {side} rows are all alike: there is no density to estimate. Pass "
            "more rows, or another attack."
        )
