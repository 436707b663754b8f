"""The membership attacks' formulas, on squared distances, counts and log-densities.

Higher is more likely a member. What is near is found by `Scene` or by the caller; here nothing is
searched and nothing is random.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]

#: Keeps the plagiarism index finite where all neighbours are synthetic, as its authors do.
SMALLEST_COUNT = 1e-20


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


def density_ratio(log_synthetic: Floats, log_reference: Floats, floor: float) -> Floats:
    """DOMIAS: log( p_S(x) / (p_R(x) + floor) ) (van Breugel et al., AISTATS 2023).

    Args:
        log_synthetic: (n,) log p_S.
        log_reference: (n,) log p_R.
        floor: 0 is the ratio itself; above, it flattens those who are far from the reference.

    Returns:
        (n,) scores.
    """
    below = log_reference if floor == 0 else np.logaddexp(log_reference, np.log(floor))
    return np.asarray(log_synthetic - below)


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


def kernel_log_density(
    queries: Floats,
    /,
    *,
    rows: Floats,
    covariance: Literal["floored", "full"],
    n_jobs: int | None = None,
) -> Floats:
    """The Gaussian kernel density with the rows' own covariance and Silverman's factor, its log.

    Args:
        queries: (n, d) encoded.
        rows: (m, d) encoded.
        covariance: "full", or "floored": no eigenvalue below 0.1 of their mean.
        n_jobs: Threads.

    Returns:
        (n,) log-densities.
    """
    from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density

    return log_density(queries, rows, covariance=covariance, n_jobs=n_jobs)
