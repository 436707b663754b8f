"""The pairs of `refit`: lifts over the reference, added up for every candidate and neighbour.

`Fit` and `Pairs` are what `refit` prepares; its header has the formulas. Of the three kernels,
`pair_start_kernel` and `distant_kernel` are plain loops over pairs, and `lift_kernel` is where the
time goes: panels of the reference outermost, then tiles of synthetic rows, whose weights are
computed there and then, then the pairs of each synthetic row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sdmetrics_disclosure.numba_kernels.fast_exp import flushed_exp
from sdmetrics_disclosure.numba_kernels.intrinsics import smaller, wide_vectors
from sdmetrics_disclosure.numba_kernels.jit import (
    FloatArray,
    IndexArray,
    fast_inlined,
    fast_kernel,
    kernel,
)
from sdmetrics_disclosure.numba_kernels.neighbors.tiles import (
    PANEL,
    TILE,
    Packed,
    fill_squared,
    new_tiles,
)

SMALL_LIFT = 0.3  # up to here the polynomial of `small_lift_sum` is within 3e-13
HUGE = 1e217  # e^500; a larger sum may have been cut off and is added up in logarithms


class Pairs(NamedTuple):
    """The (candidate, neighbour) pairs of a block, ordered by synthetic row.

    Attributes:
        rows: (n_rows,) intp, the synthetic rows that occur, padded to a multiple of TILE.
        packed: These rows as queries.
        first: (n_rows + 1,) intp, where the pairs of each of them begin.
        targets: (n_pairs,) intp, the candidate of each pair.
        sources: (n_pairs,) intp, the synthetic row of each pair.
        order: (n_pairs,) intp, position of each pair in the flattened (block, k) neighbours.
    """

    rows: IndexArray
    packed: Packed
    first: IndexArray
    targets: IndexArray
    sources: IndexArray
    order: IndexArray


class Fit(NamedTuple):
    """What `refit_scores` prepares once. Coordinates are whitened and multiplied by sqrt(g).

    Attributes:
        targets: (n_targets, columns).
        synthetic: (n_synthetic, columns).
        reference: (n, columns).
        packed_synthetic: The synthetic rows as queries.
        packed_reference: The reference rows in panels.
        directions: (n_targets + TILE, columns), sqrt(kappa) u; a lift is its product with a
            difference, squared.
        log_sums: (n_synthetic,), log B_s.
        log_before: (n_synthetic,), log p_R(s).
        log_scales: (n_targets,), what turns log(B_s (1 + ...)) into log p_{R + x}(s).
    """

    targets: FloatArray
    synthetic: FloatArray
    reference: FloatArray
    packed_synthetic: Packed
    packed_reference: Packed
    directions: FloatArray
    log_sums: FloatArray
    log_before: FloatArray
    log_scales: FloatArray


@fast_inlined
def dot(left: FloatArray, right: FloatArray) -> float:
    """Return the scalar product of two rows."""
    total = 0.0
    for f in range(len(left)):
        total += left[f] * right[f]
    return total


@fast_inlined
def widest(projections: FloatArray) -> tuple[float, float]:
    """Return the smallest and the largest of (PANEL,) projections."""
    least, most = np.inf, np.inf
    for j in range(PANEL):
        least = smaller(least, projections[j])
    for j in range(PANEL):
        most = smaller(most, -projections[j])
    return least, -most


@fast_inlined
def to_weights(exponents: FloatArray, log_sum: float, weights: FloatArray) -> None:
    """Turn (PANEL,) squared distances into -log W and write the weights W."""
    for j in range(PANEL):
        exponents[j] += log_sum
        weights[j] = flushed_exp(-exponents[j])


@fast_inlined
def small_lift_sum(weights: FloatArray, projections: FloatArray, center: float) -> float:
    """Return sum_j w_j expm1(t_j), t_j = (center - projection_j)^2 at most SMALL_LIFT.

    expm1(t) / t is a Chebyshev interpolation of degree 6 on [0, SMALL_LIFT]: error 2.3e-13.
    """
    total = 0.0
    for j in range(PANEL):
        difference = center - projections[j]
        t = difference * difference
        p = 0.00022639557289435102
        p = p * t + 0.0013770782772997065
        p = p * t + 0.00833577571574659
        p = p * t + 0.04166640866175294
        p = p * t + 0.16666667961130255
        p = p * t + 0.4999999997568692
        p = p * t + 1.0000000000007445
        total += weights[j] * t * p
    return total


@fast_inlined
def large_lift_sum(
    exponents: FloatArray, weights: FloatArray, projections: FloatArray, center: float
) -> float:
    """Return sum_j w_j expm1(t_j) as sum_j exp(t_j + log w_j) - w_j: a small w_j is no 0 here."""
    total = 0.0
    for j in range(PANEL):
        difference = center - projections[j]
        total += flushed_exp(difference * difference - exponents[j]) - weights[j]
    return total


@fast_inlined
def project(fit: Fit, start: int, stop: int, panel: int, projections: FloatArray) -> None:
    """Write direction . r_j for the targets start to stop and the rows of a panel."""
    nothing = np.zeros(PANEL)
    for i in range(0, stop - start, TILE):
        fill_squared(
            fit.directions[start + i : start + i + TILE],
            nothing[:TILE],
            fit.packed_reference.numbers[panel],
            nothing,
            projections[i : i + TILE],
        )


@fast_kernel
def pair_start_kernel(fit: Fit, pairs: Pairs, centers: FloatArray, own: FloatArray) -> None:
    """Write direction . s and the candidate's own kernel, log(K(s, x) / B_s), for every pair."""
    for pair in range(len(pairs.sources)):
        source, target = pairs.sources[pair], pairs.targets[pair]
        direction = fit.directions[target]
        difference = fit.synthetic[source] - fit.targets[target]
        # packed numbers are -2 s, centred as the panels are
        centers[pair] = -0.5 * dot(direction, fit.packed_synthetic.numbers[source])
        lift = dot(direction, difference) ** 2
        own[pair] = lift - dot(difference, difference) - fit.log_sums[source]


@kernel
def lift_kernel(
    fit: Fit, start: int, stop: int, pairs: Pairs, centers: FloatArray, lifts: FloatArray
) -> None:
    """Add sum_j W_sj expm1(t_sj) to `lifts` for all pairs of the targets start to stop.

    `start` is a multiple of TILE; `centers` and `lifts` have one number a pair. A sum above HUGE is
    only known to be that large. Time O(pairs x reference).
    """
    wide_vectors()
    exponents, weights = new_tiles(TILE), new_tiles(TILE)
    projections = new_tiles((stop - start + TILE - 1) // TILE * TILE)
    ranges = np.empty((stop - start, 2))
    for p in range(len(fit.packed_reference.starts)):
        project(fit, start, stop, p, projections)
        for i in range(stop - start):
            ranges[i] = widest(projections[i])
        for first in range(0, len(pairs.rows), TILE):
            fill_squared(
                pairs.packed.numbers[first : first + TILE],
                pairs.packed.starts[first : first + TILE],
                fit.packed_reference.numbers[p],
                fit.packed_reference.starts[p],
                exponents,
            )
            for t in range(TILE):
                e, w = exponents[t], weights[t]
                to_weights(e, fit.log_sums[pairs.rows[first + t]], w)
                for pair in range(pairs.first[first + t], pairs.first[first + t + 1]):
                    center, slot = centers[pair], pairs.targets[pair] - start
                    furthest = max(ranges[slot, 1] - center, center - ranges[slot, 0])
                    if furthest * furthest <= SMALL_LIFT:
                        lifts[pair] += small_lift_sum(w, projections[slot], center)
                    else:
                        lifts[pair] += large_lift_sum(e, w, projections[slot], center)


@fast_kernel
def distant_kernel(fit: Fit, pairs: Pairs, distant: IndexArray, log_lifts: FloatArray) -> None:
    """Write log(sum_j exp(t_sj - g |s - r_j|^2) / B_s) of the pairs named in `distant`.

    `log_lifts` has one number a pair. Time O(distant x reference x columns).
    """
    for pair in distant:
        row, direction = fit.synthetic[pairs.sources[pair]], fit.directions[pairs.targets[pair]]
        most, total = -np.inf, 0.0
        for j in range(len(fit.reference)):
            difference = row - fit.reference[j]
            exponent = dot(direction, difference) ** 2 - dot(difference, difference)
            if exponent > most:
                total = total * np.exp(most - exponent) + 1.0
                most = exponent
            else:
                total += np.exp(exponent - most)
        log_lifts[pair] = most + np.log(total) - fit.log_sums[pairs.sources[pair]]
