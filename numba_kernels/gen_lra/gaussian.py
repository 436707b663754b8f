"""Gen-LRA by the Gaussian surrogate, in closed form (see `closed_form`)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdmetrics_disclosure.numba_kernels.gen_lra.closed_form import Aggregate, scores_of_neighbors
from sdmetrics_disclosure.numba_kernels.gen_lra.density import Covariance, log_kernel_sums, whiten
from sdmetrics_disclosure.numba_kernels.jit import FloatArray, IndexArray, fast_kernel
from sdmetrics_disclosure.numba_kernels.neighbors.search import prepare, squared_distance


def gaussian_scores(
    targets: FloatArray,
    synthetic: FloatArray,
    reference: FloatArray,
    *,
    covariance: Covariance = "isotropic",
    bandwidth_factor: float = 0.5,
    n_neighbors: int = 3,
    aggregate: Aggregate = "sum",
    floor: float = 0.0,
    neighbors_in: Literal["columns", "covariance"] = "columns",
    constant: bool = False,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the Gaussian Gen-LRA score of each target in closed form, (n,) float64.

    The sum (or maximum) over the k synthetic rows s nearest to x of
    log1p(K_H(s - x) / (n p_R(s))), with H from the reference alone (see `density.whiten`).

    Time O(n_synthetic (n_targets + n_reference) d + n_targets k d); memory O((all rows) d).

    Args:
        targets: (n, d) float64, encoded.
        synthetic: (n_synthetic, d) float64.
        reference: (n_reference, d) float64, at least two different rows.
        covariance: Shape of the kernel.
        bandwidth_factor: Times Silverman's factor.
        n_neighbors: k, 1 to n_synthetic; ties go to the lowest synthetic row.
        aggregate: "sum" or "max".
        floor: Added to both densities inside their logarithms.
        neighbors_in: Where distances to neighbours are Euclidean: in the columns as given, or in
            the coordinates whitened by the covariance.
        constant: Subtract log((n + 1) / n) for each neighbour that is added up (once for the
            maximum). It is the same for all targets and drowns the smallest scores.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    n = len(reference)
    whitening = whiten(reference, covariance=covariance, bandwidth_factor=bandwidth_factor)
    h = whitening.bandwidth
    near = whitening.coordinates(targets)
    rows = whitening.coordinates(synthetic)
    log_sums = log_kernel_sums(rows, whitening.coordinates(reference), h, n_jobs=n_jobs)
    log_floor = np.log(floor) - whitening.log_normalization() if floor > 0 else -np.inf
    totals = np.logaddexp(log_sums, np.log(n) + log_floor)
    if neighbors_in == "covariance":
        search, unit = prepare(near, rows, None), 1.0
    else:
        search, unit = prepare(targets, synthetic, None), whitening.transform[0, 0] ** 2

    def log_kernel(start: int, indices: IndexArray, squares: FloatArray) -> FloatArray:
        if neighbors_in == "covariance" or covariance == "isotropic":
            squares *= unit
        else:
            pair_kernel(near, rows, start, indices, squares)
        squares *= -0.5 / (h * h)
        return squares if floor == 0 else np.logaddexp(squares, log_floor)

    scores = scores_of_neighbors(search, n_neighbors, log_kernel, totals, aggregate, n_jobs)
    if constant:
        scores -= (n_neighbors if aggregate == "sum" else 1) * np.log1p(1.0 / n)
    return scores


@fast_kernel
def pair_kernel(
    queries: FloatArray, rows: FloatArray, start: int, indices: IndexArray, out: FloatArray
) -> None:
    """Write |q_(start + i) - r_(indices[i, j])|^2 into `out` (block, k)."""
    for i in range(len(indices)):
        for j in range(indices.shape[1]):
            out[i, j] = squared_distance(queries[start + i], rows[indices[i, j]])
