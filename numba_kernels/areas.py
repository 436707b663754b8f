"""The area under the ROC in bootstrap replicates, from counts and without sorting again."""

from __future__ import annotations

import numpy as np

from sdmetrics_disclosure.numba_kernels.jit import FloatArray, IndexArray, kernel, run_blocks

BLOCK = 16  # replicates in a block


def resampled_areas(
    members: FloatArray,
    non_members: FloatArray,
    member_counts: IndexArray,
    non_member_counts: IndexArray,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the area under the ROC of each replicate, (B,) float64; ties count one half.

    Sums of whole numbers: exact, whatever the order of the records.

    Time O((m + n) (log(m + n) + B)); memory O(m + n).

    Args:
        members: (m,) scores.
        non_members: (n,) scores.
        member_counts: (B, m) intp, how often a replicate has each member, one at least once.
        non_member_counts: (B, n) intp, likewise.
        n_jobs: Threads (see `jit.effective_n_jobs`); the result does not depend on it.
    """
    order = np.argsort(non_members, kind="stable")
    rising = non_members[order]
    below = np.searchsorted(rising, members, side="left")
    not_above = np.searchsorted(rising, members, side="right")
    wins = np.empty(len(member_counts), dtype=np.intp)

    def count(start: int, stop: int) -> None:
        win_kernel(member_counts, non_member_counts, order, below, not_above, start, stop, wins)

    run_blocks(count, len(wins), BLOCK, n_jobs)
    n_pairs = member_counts.sum(axis=1) * non_member_counts.sum(axis=1)
    return np.asarray(wins / (2.0 * n_pairs))


@kernel
def win_kernel(
    member_counts: IndexArray,
    non_member_counts: IndexArray,
    order: IndexArray,
    below: IndexArray,
    not_above: IndexArray,
    start: int,
    stop: int,
    out: IndexArray,
) -> None:
    """Write twice the number of pairs that members win (a tie: once) in replicates start to stop.

    `order` (n,) sorts the non-members; `below` and `not_above` (m,) count those that a member is
    above, and not below.
    """
    up_to = np.zeros(len(order) + 1, dtype=np.intp)
    for b in range(start, stop):
        members, others = member_counts[b], non_member_counts[b]
        for j in range(len(order)):
            up_to[j + 1] = up_to[j] + others[order[j]]
        total = 0
        for i in range(len(below)):
            total += members[i] * (up_to[below[i]] + up_to[not_above[i]])
        out[b] = total
