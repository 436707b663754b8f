"""Gaussian kernel densities: covariance, bandwidth, and the logarithm of the density.

`whiten` turns a covariance and a bandwidth into coordinates in which the kernel is spherical; it
is plain NumPy linear algebra, once per table. Everything that grows with queries x rows is one
kernel, `log_sum_exp_kernel`, which works on those coordinates: exponents for a tile of queries and
a panel of rows (`tiles`), then a vectorised exponential (`fast_exp`) of the exponents relative to
the smallest in a panel. No density is ever formed, only its logarithm: nothing under- or overflows.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from sdmetrics_disclosure.numba_kernels.fast_exp import flushed_exp
from sdmetrics_disclosure.numba_kernels.intrinsics import smaller, wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    FloatArray,
    fast_inlined,
    kernel,
    run_blocks,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import (
    GROUP,
    PANEL,
    TILE,
    Packed,
    fill_squared,
    new_tiles,
    pack_squared,
)

Covariance = Literal["isotropic", "diagonal", "floored", "full"]

BLOCK = 64 * TILE  # queries in a block
SMALLEST_EIGENVALUE = 1e-9  # of the largest; directions below it are left out of a full covariance
ROUNDING_NOISE = 1e-13  # of a column's largest number; smaller deviations from its mean are none
HUGE = 1e217  # e^500
FLOOR_SHARE = 0.1  # of the mean eigenvalue; `floored` raises smaller ones to it


class Whitening(NamedTuple):
    """Coordinates in which the kernel of a table of n rows is spherical.

    Attributes:
        center: (d,), the mean of the rows.
        transform: (d, rank); (x - center) @ transform has the kernel's covariance shape as unit.
        log_determinant: Of the covariance, within the directions kept.
        bandwidth: The kernel's covariance is bandwidth^2 times the covariance.
        rank: Directions kept: d, or fewer for a singular covariance.
        dropped: d - rank, directions in which (almost) nothing varies; they are ignored.
    """

    center: FloatArray
    transform: FloatArray
    log_determinant: float
    bandwidth: float
    rank: int
    dropped: int

    def coordinates(self, values: FloatArray) -> FloatArray:
        """Return the coordinates (m, rank) of rows (m, d)."""
        return np.ascontiguousarray((values - self.center) @ self.transform)

    def log_normalization(self) -> float:
        """Return the logarithm of the kernel at its center."""
        log_2_pi = float(np.log(2.0 * np.pi))
        return -0.5 * (
            self.rank * (log_2_pi + 2.0 * float(np.log(self.bandwidth))) + self.log_determinant
        )


def silverman_factor(n: int, dimension: int) -> float:
    """Return Silverman's factor (n (D + 2) / 4)^(-1 / (D + 4))."""
    return float((n * (dimension + 2.0) / 4.0) ** (-1.0 / (dimension + 4.0)))


def whiten(
    rows: FloatArray, *, covariance: Covariance = "full", bandwidth_factor: float = 1.0
) -> Whitening:
    """Return the coordinates of a Gaussian kernel density on the rows (n, d).

    With C the sample covariance (denominator n - 1) of the rows, the kernel has the shape

    * `isotropic`: trace(C) / d on the diagonal;
    * `diagonal`: the variances of the columns; constant columns are dropped;
    * `floored`: C with eigenvalues below 0.1 of their mean raised to it;
    * `full`: C, in the eigenspace above 1e-9 of the largest eigenvalue once every column is in
      units of its own standard deviation (so that a choice of units cannot make C singular),

    times the square of `bandwidth_factor` times Silverman's factor for n rows in rank dimensions.
    Where C is singular its Cholesky factor may well "exist"; hence eigenvalues.

    Raises:
        ValueError: There are fewer than two rows, or nothing varies in them.
    """
    n, d = rows.shape
    if n < 2 or not (rows != rows[0]).any():
        raise ValueError(
            f"rows has {n} rows and no variation; a density needs at least two different rows."
        )
    center = rows.mean(axis=0)
    centered = rows - center
    # A mean is rounded: a constant column must not vary by that.
    noise = ROUNDING_NOISE * np.abs(rows).max(axis=0)
    centered[:, np.abs(centered).max(axis=0) <= noise] = 0.0
    transform, log_determinant = _TRANSFORMS[covariance](centered)
    rank = transform.shape[1]
    bandwidth = bandwidth_factor * silverman_factor(n, rank)
    return Whitening(center, transform, log_determinant, bandwidth, rank, d - rank)


def _covariance(centered: FloatArray) -> FloatArray:
    return np.asarray(centered.T @ centered / (len(centered) - 1))


def _variances(centered: FloatArray) -> FloatArray:
    return np.asarray((centered * centered).sum(axis=0) / (len(centered) - 1))


def _isotropic(centered: FloatArray) -> tuple[FloatArray, float]:
    d = centered.shape[1]
    variance = float(_variances(centered).mean())
    return np.eye(d) / np.sqrt(variance), d * float(np.log(variance))


def _diagonal(centered: FloatArray) -> tuple[FloatArray, float]:
    variances = _variances(centered)
    varying = variances > 0
    transform = np.diag(1.0 / np.sqrt(np.where(varying, variances, 1.0)))[:, varying]
    return np.ascontiguousarray(transform), float(np.log(variances[varying]).sum())


def _floored(centered: FloatArray) -> tuple[FloatArray, float]:
    values, vectors = np.linalg.eigh(_covariance(centered))
    values = np.maximum(values, FLOOR_SHARE * values.mean())
    return vectors / np.sqrt(values), float(np.log(values).sum())


def _full(centered: FloatArray) -> tuple[FloatArray, float]:
    variances = _variances(centered)
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    values, vectors = np.linalg.eigh(_covariance(centered / scale))
    kept = values > SMALLEST_EIGENVALUE * values[-1]
    transform = vectors[:, kept] / np.sqrt(values[kept]) / scale[:, np.newaxis]
    log_determinant = float(np.log(values[kept]).sum() + 2.0 * np.log(scale).sum())
    return transform, log_determinant


_TRANSFORMS = {
    "isotropic": _isotropic,
    "diagonal": _diagonal,
    "floored": _floored,
    "full": _full,
}


def log_density(
    queries: FloatArray,
    rows: FloatArray,
    *,
    covariance: Covariance = "full",
    bandwidth_factor: float = 1.0,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return log( 1/m sum_r N(q; r, H) ) at each query, H as `whiten` describes it.

    The defaults are scipy's `gaussian_kde` with Silverman's factor. A query's component along a
    dropped direction is ignored. Time O(n m d); memory O((n + m) d); error about 1e-16 times the
    largest squared distance, in bandwidths, of the query or a row from the rows' mean.

    Args:
        queries: (n, d) float64.
        rows: (m, d) float64, at least two different rows.
        covariance: Shape of the kernel.
        bandwidth_factor: Times Silverman's factor.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.

    Returns:
        (n,) float64.
    """
    whitening = whiten(rows, covariance=covariance, bandwidth_factor=bandwidth_factor)
    sums = log_kernel_sums(
        whitening.coordinates(queries),
        whitening.coordinates(rows),
        whitening.bandwidth,
        n_jobs=n_jobs,
    )
    return np.asarray(sums - np.log(len(rows)) + whitening.log_normalization())


def log_kernel_sums(
    queries: FloatArray, rows: FloatArray, bandwidth: float, *, n_jobs: int | None = None
) -> FloatArray:
    """Return log sum_r exp(-|q - r|^2 / (2 bandwidth^2)) at each query, (n,) float64.

    Args:
        queries: (n, rank), whitened coordinates.
        rows: (m, rank), whitened coordinates.
        bandwidth: The kernel's standard deviation.
        n_jobs: As for `log_density`.
    """
    scale = 1.0 / (np.sqrt(2.0) * bandwidth)
    packed_queries, packed_rows = pack_squared(queries * scale, rows * scale)
    out = np.empty(len(queries))

    def evaluate(start: int, stop: int) -> None:
        log_sum_exp_kernel(packed_queries, packed_rows, start, stop, out)

    run_blocks(evaluate, len(queries), BLOCK, n_jobs)
    return out


@fast_inlined
def smallest(exponents: FloatArray) -> float:
    """Return the smallest of (PANEL,) exponents."""
    least = np.inf
    for j in range(PANEL):
        least = smaller(least, exponents[j])
    return least


@fast_inlined
def exp_sum(exponents: FloatArray, least: float) -> float:
    """Return the sum of exp(least - exponent) over (PANEL,) exponents."""
    total = 0.0
    for j in range(PANEL):
        total += flushed_exp(least - exponents[j])
    return total


@kernel
def log_sum_exp_kernel(
    queries: Packed, rows: Packed, start: int, stop: int, out: FloatArray
) -> None:
    """Write log sum_r exp(-|q - r|^2) of the queries start to stop, start a multiple of TILE.

    A sum is relative to exp(-least), least being the smallest exponent in the first panel; where
    another panel has so much smaller ones that exp(least - exponent) is huge, least is lowered.
    """
    wide_vectors()
    tile = new_tiles(TILE)
    sums, least = np.empty(GROUP), np.empty(GROUP)
    for group in range(start, stop, GROUP):
        end = min(group + GROUP, stop)
        sums[:] = 0.0
        for p in range(len(rows.starts)):
            for first in range(group, end, TILE):
                fill_squared(
                    queries.numbers[first : first + TILE],
                    queries.starts[first : first + TILE],
                    rows.numbers[p],
                    rows.starts[p],
                    tile,
                )
                for query in range(first, min(first + TILE, end)):
                    i, exponents = query - group, tile[query - first]
                    if p == 0:
                        least[i] = smallest(exponents)
                    total = exp_sum(exponents, least[i])
                    if total > HUGE:
                        nearest = smallest(exponents)
                        sums[i] *= np.exp(nearest - least[i])
                        least[i] = nearest
                        total = exp_sum(exponents, nearest)
                    sums[i] += total
        for query in range(group, end):
            out[query] = np.log(sums[query - group]) - least[query - group]
