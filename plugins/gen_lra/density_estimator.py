"""Gen-LRA with a density estimator of the user's own, refitted for every candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from tqdm import tqdm

from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions

Floats = NDArray[np.float64]


def estimator_scores(
    targets: Floats,
    synthetic: Floats,
    reference: Floats,
    options: GenLRAOptions,
    n_neighbors: int,
) -> Floats:
    """The log-likelihood that each candidate adds to the synthetic rows nearest to it.

    I(x) = sum (or maximum) over the k nearest synthetic rows s of log p_{R+x}(s) - log p_R(s), p a
    fresh copy of the estimator fitted on the reference, with and without x. One fit a candidate.

    Args:
        targets: (n, d) the candidates.
        synthetic: (m, d) the released rows.
        reference: (r, d) the reference rows.
        options: `surrogate` is the estimator; `aggregate`, `verbose`.
        n_neighbors: k.

    Returns:
        (n,) scores.
    """
    from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

    indices, _ = nearest(targets, synthetic, n_neighbors, n_jobs=options.n_jobs)
    before = _log_density(options.surrogate, reference, synthetic)
    scores = np.empty(len(targets))
    for i in tqdm(range(len(targets)), desc="GenLRA", disable=not options.verbose):
        near = indices[i]
        joined = np.vstack([reference, targets[i]])
        gain = _log_density(options.surrogate, joined, synthetic[near]) - before[near]
        scores[i] = gain.max() if options.aggregate == "max" else gain.sum()
    return scores


def _log_density(estimator: Any, rows: Floats, at: Floats) -> Floats:
    fitted = clone(estimator, safe=False).fit(rows)
    return np.asarray(fitted.score_samples(at), dtype=np.float64)
