"""Membership attacks by how many rows are near, in the standardised columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sdmetrics_disclosure.plugins.common.validation import check_count, check_number
from sdmetrics_disclosure.plugins.membership.attack_input import SHARED_NEIGHBORS, AttackInput
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]
#: Keeps the plagiarism index finite where all neighbours are synthetic, as its authors do.
SMALLEST_COUNT = 1e-20


class MonteCarlo(MembershipMetric):
    """Share of the synthetic rows that are nearer than the median closest one.

    Source: Hilprecht et al., PoPETs 2019, the median heuristic.
    """

    name: ClassVar[str] = "MonteCarlo"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: MembershipOptions) -> AttackScores:
        """Score the candidates: the share."""
        limit = median_heuristic(seen.nearest_squares("synthetic", 1, options.n_jobs))
        counts = seen.count_within(limit, options.n_jobs, strict=True)
        return AttackScores(share_of(counts, len(seen.synthetic)))


@dataclass(frozen=True)
class NeighborhoodOptions(MembershipOptions):
    """Parameters of the local neighbourhood, beside those of every membership attack.

    Args:
        radius:
            How far a synthetic row may be, in the standardised columns.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_number("radius", self.radius, 0.0)


class LocalNeighborhood(MembershipMetric):
    """Share of the synthetic rows within a fixed radius.

    Source: Houssiau et al., TAPAS, 2022.
    """

    name: ClassVar[str] = "LocalNeighborhood"
    Options = NeighborhoodOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: NeighborhoodOptions) -> AttackScores:
        """Score the candidates: the share."""
        counts = seen.count_within(options.radius**2, options.n_jobs)
        return AttackScores(share_of(counts, len(seen.synthetic)))


@dataclass(frozen=True)
class PlagiarismOptions(MembershipOptions):
    """Parameters of the data plagiarism index, beside those of every membership attack.

    Args:
        n_neighbors:
            How many neighbours, from synthetic and reference rows together, count.
    """

    n_neighbors: int = SHARED_NEIGHBORS

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_neighbors", self.n_neighbors, 1)


class DataPlagiarismIndex(MembershipMetric):
    """How many of the nearest rows, of synthetic and reference together, are synthetic.

    Source: Ward et al., 2024.
    """

    name: ClassVar[str] = "DataPlagiarismIndex"
    Options = PlagiarismOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: PlagiarismOptions) -> AttackScores:
        """Score the candidates: the index."""
        k = options.n_neighbors
        synthetic = seen.nearest_squares("synthetic", k, options.n_jobs)
        reference = seen.nearest_squares("reference", k, options.n_jobs)
        n_rows = len(seen.synthetic) + len(seen.reference)
        notes = (
            ()
            if k <= n_rows
            else (
                f"`n_neighbors` is {k}, but there are only {n_rows} synthetic and reference rows: "
                "all of them count.",
            )
        )
        return AttackScores(plagiarism_index(synthetic, reference, k), notes=notes)


def median_heuristic(synthetic_squares: Floats) -> float:
    """The Monte Carlo attack's t: the median over targets of the smallest squared distance."""
    return float(np.median(synthetic_squares[:, 0]))


def share_of(counts: Counts, n_rows: int) -> Floats:
    """The share of the synthetic rows that are near, as Monte Carlo and neighbourhood count it."""
    return np.asarray(counts / n_rows)


def plagiarism_index(synthetic_squares: Floats, reference_squares: Floats, k: int) -> Floats:
    """logistic( a / b ), a synthetic and b reference rows among the k nearest.

    Source: Ward et al., 2024. Of rows at the same distance the reference row comes first: a tie is
    no evidence.

    Args:
        synthetic_squares: (n, >= k) rising squared distances; fewer where there are fewer rows.
        reference_squares: (n, >= k) likewise.
        k: Neighbours from both tables together.

    Returns:
        (n,) scores.
    """
    both = np.hstack([reference_squares, synthetic_squares])
    k = min(k, both.shape[1])
    furthest = np.partition(both, k - 1, axis=1)[:, k - 1 : k]
    before_ties = (synthetic_squares < furthest).sum(axis=1)
    n_reference = np.minimum((reference_squares <= furthest).sum(axis=1), k - before_ties)
    n_synthetic = k - n_reference
    return np.asarray(special.expit(n_synthetic / (n_reference + SMALLEST_COUNT)))
