r"""Gen-LRA scores with the density re-estimated on the reference and the candidate ("refit").

With R of n rows, whitened by its own covariance around its mean (so C = I), u the candidate,
a = (n - 1) / n, b = 1 / (n + 1), f and f' Silverman's factors for n and n + 1 rows:

    C' = a I + b u u^T,    C'^-1 = (I - kappa u u^T) / a,    kappa = b / (a + b |u|^2)
    log det C' = D log a + log(1 + b |u|^2 / a)

so that with g = 1 / (2 a f'^2), E_sj = exp(-g |s - r_j|^2), B_s = sum_j E_sj, W_sj = E_sj / B_s
and the lift t_sj = g kappa (u . (s - r_j))^2

    sum_j exp(-g |s - r_j|^2 + t_sj) = B_s (1 + sum_j W_sj expm1(t_sj)).

W does not depend on the candidate, and a lift is small unless the candidate or the synthetic row
is far out: a polynomial does for most panels, an exponential for the others, and a pair whose sum
is huge is added up by itself, in logarithms (`distant_kernel`).

Candidates are handled in blocks (`log_ratios`). Within one, `lift_kernel` loops over panels
of the reference, then over tiles of the synthetic rows that any candidate of the block has as a
neighbour, then over the pairs (synthetic row, candidate). So W is computed once per block and
panel and never stored, and the projections u . r_j of a block on a panel are computed once and
stay in the cache.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdmetrics_disclosure.numba_kernels.gen_lra.closed_form import Aggregate
from sdmetrics_disclosure.numba_kernels.gen_lra.density import (
    log_kernel_sums,
    silverman_factor,
    whiten,
)
from sdmetrics_disclosure.numba_kernels.gen_lra.lifts import (
    HUGE,
    Fit,
    Pairs,
    distant_kernel,
    lift_kernel,
    pair_start_kernel,
)
from sdmetrics_disclosure.numba_kernels.jit import FloatArray, IndexArray, run_blocks
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest_kernel
from sdmetrics_disclosure.numba_kernels.neighbors.search import prepare
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import TILE, Packed, pack_squared

LARGEST_BLOCK = 1024  # candidates; their projections on a panel are 1.5 MB
SMALLEST_BLOCK = 16 * TILE
BLOCKS = 8  # blocks that a smaller number of candidates is divided into, for the threads


def refit_scores(
    targets: FloatArray,
    synthetic: FloatArray,
    reference: FloatArray,
    *,
    bandwidth_factor: float = 1.0,
    n_neighbors: int = 200,
    aggregate: Aggregate = "sum",
    floor: float = 0.0,
    neighbors_in: Literal["columns", "covariance"] = "columns",
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the Gaussian Gen-LRA score of each target with the density refitted, (n,) float64.

    The sum (or maximum) over the k synthetic rows s nearest to x of log p_{R + x}(s) - log p_R(s),
    covariance (full) and Silverman's factor re-estimated on R + x; with `floor=1e-20` and the other
    defaults these are the scores of the authors' code. A singular covariance is handled in its
    eigenspace (`density.whiten`).

    Time O(n_synthetic (n_targets + n_reference) d + n_targets k n_reference); memory
    O((all rows) d), and 1024 (k + 192) numbers a few times over for each thread.

    Args:
        targets: (n, d) float64, encoded.
        synthetic: (n_synthetic, d) float64.
        reference: (n_reference, d) float64, at least two different rows.
        bandwidth_factor: Times Silverman's factor, before and after.
        n_neighbors: k, 1 to n_synthetic; ties go to the lowest synthetic row.
        aggregate: "sum" or "max".
        floor: Added to both densities inside their logarithms.
        neighbors_in: Where distances to neighbours are Euclidean: in the columns as given, or in
            the coordinates whitened by the reference's covariance.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    fit = prepare_refit(targets, synthetic, reference, bandwidth_factor, n_jobs)
    if neighbors_in == "covariance":
        search = prepare(fit.targets, fit.synthetic, None)
    else:
        search = prepare(targets, synthetic, None)
    if not 1 <= n_neighbors <= len(search.rows):
        raise ValueError(
            f"n_neighbors is {n_neighbors}; it must be between 1 and the {len(search.rows)} "
            "synthetic rows."
        )
    scores = np.empty(len(search.queries))

    def score(start: int, stop: int) -> None:
        indices = np.empty((stop - start, n_neighbors), dtype=np.intp)
        nearest_kernel(search, start, stop, False, indices, np.empty(indices.shape))
        ratios = log_ratios(fit, start, stop, indices, floor)
        scores[start:stop] = ratios.max(axis=1) if aggregate == "max" else ratios.sum(axis=1)

    run_blocks(score, len(scores), block_length(len(scores)), n_jobs)
    return scores


def block_length(n: int) -> int:
    """Return the number of candidates in a block; long blocks compute the weights less often."""
    share = -(-n // (BLOCKS * TILE)) * TILE
    return min(LARGEST_BLOCK, max(SMALLEST_BLOCK, share))


def prepare_refit(
    targets: FloatArray,
    synthetic: FloatArray,
    reference: FloatArray,
    bandwidth_factor: float,
    n_jobs: int | None,
) -> Fit:
    """Whiten all rows and compute everything that does not depend on a pair."""
    n = len(reference)
    before = whiten(reference, bandwidth_factor=bandwidth_factor)
    after = before._replace(bandwidth=bandwidth_factor * silverman_factor(n + 1, before.rank))
    a, b = (n - 1) / n, 1.0 / (n + 1)
    u, s, r = (before.coordinates(rows) for rows in (targets, synthetic, reference))
    squares = (u * u).sum(axis=1)
    kappa = b / (a + b * squares)
    log_sums = log_kernel_sums(s, r, np.sqrt(a) * after.bandwidth, n_jobs=n_jobs)
    log_before = log_kernel_sums(s, r, before.bandwidth, n_jobs=n_jobs)
    log_determinant = before.rank * np.log(a) + np.log1p(b * squares / a)
    scale = 1.0 / np.sqrt(2.0 * a * after.bandwidth**2)
    packed_synthetic, packed_reference = pack_squared(s * scale, r * scale)
    columns = packed_synthetic.numbers.shape[1]
    return Fit(
        _pad(u * scale, columns),
        _pad(s * scale, columns),
        _pad(r * scale, columns),
        packed_synthetic,
        packed_reference,
        _pad(u * np.sqrt(kappa)[:, np.newaxis], columns, extra_rows=TILE),
        log_sums,
        log_before - np.log(n) + before.log_normalization(),
        after.log_normalization() - np.log(n + 1) - 0.5 * log_determinant,
    )


def log_ratios(fit: Fit, start: int, stop: int, neighbours: IndexArray, floor: float) -> FloatArray:
    """Return log p_{R + x}(s) - log p_R(s) for the neighbours (block, k) of a block of targets."""
    pairs = order_pairs(fit, start, neighbours)
    n_pairs = len(pairs.sources)
    centers, own, lifts = np.empty(n_pairs), np.empty(n_pairs), np.zeros(n_pairs)
    pair_start_kernel(fit, pairs, centers, own)
    lift_kernel(fit, start, stop, pairs, centers, lifts)
    log_lifts = np.log1p(lifts)
    distant_kernel(fit, pairs, np.flatnonzero(lifts > HUGE), log_lifts)
    ratios = np.empty(n_pairs)
    ratios[pairs.order] = np.logaddexp(log_lifts, own)
    after = ratios.reshape(neighbours.shape) + fit.log_sums[neighbours]
    after += fit.log_scales[start:stop, np.newaxis]
    before = fit.log_before[neighbours]
    if floor > 0:
        after, before = np.logaddexp(after, np.log(floor)), np.logaddexp(before, np.log(floor))
    return np.asarray(after - before)


def order_pairs(fit: Fit, start: int, neighbours: IndexArray) -> Pairs:
    """Order the pairs of the block of targets from `start` on by synthetic row."""
    flat = neighbours.ravel()
    order = np.argsort(flat, kind="stable")
    sources = flat[order]
    first = np.flatnonzero(np.diff(sources, prepend=-1))
    padding = -len(first) % TILE
    rows = np.concatenate([sources[first], np.full(padding, sources[-1])])
    packed = fit.packed_synthetic
    return Pairs(
        rows,
        Packed(packed.numbers[rows], packed.starts[rows], packed.codes[rows]),
        np.concatenate([first, np.full(padding + 1, len(flat))]),
        start + order // neighbours.shape[1],
        sources,
        order,
    )


def _pad(values: FloatArray, columns: int, extra_rows: int = 0) -> FloatArray:
    padded = np.zeros((len(values) + extra_rows, columns))
    padded[: len(values), : values.shape[1]] = values
    return padded
