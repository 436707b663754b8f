"""Gen-LRA scores in closed form: what the power law and the Gaussian surrogate share.

Both are, over the k synthetic rows s nearest to a candidate x,

    log(1 + K(s, x) / sum_{r in R} K(s, r)),

and differ in the kernel K. The sum does not depend on the candidate: it is computed once for each
synthetic row (`power_law.power_sum_kernel`, `density.log_kernel_sums`). Candidates are then handled
block by block: their neighbours (`nearest.nearest_kernel`), K at those, and the sum or the maximum;
nothing of the size candidates x synthetic rows is kept. Everything stays in logarithms up to the
last step, log(1 + e^v), so that a candidate far from everything keeps its own score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import FloatArray, IndexArray, run_blocks
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest_kernel
from sdmetrics_disclosure.numba_kernels.neighbors.search import BLOCK, Search

Aggregate = Literal["max", "sum"]


def scores_of_neighbors(
    search: Search,
    k: int,
    log_kernel: Callable[[int, IndexArray, FloatArray], FloatArray],
    log_sums: FloatArray,
    aggregate: Aggregate,
    n_jobs: int | None,
) -> FloatArray:
    """Return the aggregate of log(1 + exp(log_kernel - log_sums)) over the k nearest rows.

    `log_kernel(start, indices, distances)` gets the (block, k) neighbours of the targets from
    `start` on and may overwrite their distances.
    """
    if not 1 <= k <= len(search.rows):
        raise ValueError(
            f"n_neighbors is {k}; it must be between 1 and the {len(search.rows)} synthetic rows."
        )
    scores = np.empty(len(search.queries))

    def score(start: int, stop: int) -> None:
        indices = np.empty((stop - start, k), dtype=np.intp)
        distances = np.empty((stop - start, k))
        nearest_kernel(search, start, stop, False, indices, distances)
        terms = np.logaddexp(0.0, log_kernel(start, indices, distances) - log_sums[indices])
        scores[start:stop] = terms.max(axis=1) if aggregate == "max" else terms.sum(axis=1)

    run_blocks(score, len(scores), BLOCK, n_jobs)
    return scores
