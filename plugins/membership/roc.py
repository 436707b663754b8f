"""The ROC of one set of scores: members against non-members, a high score means member.

Only thresholds that can be set count: a record is called a member when its score is at least t, for
a score t or none. Equal scores are never told apart. Infinite scores are in order, NaN is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]


def placements(members: Floats, non_members: Floats) -> tuple[Floats, Floats]:
    """Return each record's placement: how much of the other group it is on the right side of.

    DeLong, DeLong and Clarke-Pearson (1988). A member's is the share of non-members below it, a
    non-member's the share of members above it, an equal score counting one half. The mean of
    either is the AUC.

    Args:
        members: (m,) scores.
        non_members: (n,) scores.

    Returns:
        (m,) and (n,), in [0, 1]. Costs O((m + n) log(m + n)).
    """
    return _share_below(members, non_members), 1.0 - _share_below(non_members, members)


def area(members: Floats, non_members: Floats) -> float:
    """Return the area under the ROC, ties counting one half."""
    return float(placements(members, non_members)[0].mean())


def tpr_at(members: Floats, non_members: Floats, target_fprs: ArrayLike) -> Floats:
    """Return the largest true positive rate whose false positive rate is at most each target.

    Args:
        members: (m,) scores.
        non_members: (n,) scores.
        target_fprs: False positive rates in [0, 1].

    Returns:
        True positive rates, in the shape of `target_fprs`.
    """
    targets = np.asarray(target_fprs, dtype=np.float64)
    allowed = _largest_count(targets, non_members.size)
    falling = np.sort(non_members)[::-1]
    everyone = allowed >= non_members.size
    # with k false positives allowed, the threshold is above the non-member after the k best
    first_kept_out = falling[np.where(everyone, 0, allowed)]
    not_above = np.searchsorted(np.sort(members), first_kept_out, side="right")
    return np.where(everyone, 1.0, (members.size - not_above) / members.size)


def interpolated_tpr(members: ArrayLike, non_members: ArrayLike, fpr: float) -> float:
    """Return the true positive rate on the straight lines between the points of the ROC.

    For comparison with tools that do so: between two points there is no threshold, and on tied
    scores the line lies above anything that one reaches (`tpr_at`).

    Args:
        members: (m,) scores.
        non_members: (n,) scores.
        fpr: False positive rate in [0, 1].
    """
    rising_members = np.sort(np.asarray(members, dtype=np.float64))
    rising_others = np.sort(np.asarray(non_members, dtype=np.float64))
    thresholds = np.unique(np.concatenate([rising_members, rising_others]))[::-1]
    # counts first: 1 - 198 / 200 is not the double 0.01, and a target on a step must stand on it
    tpr = (rising_members.size - np.searchsorted(rising_members, thresholds)) / rising_members.size
    fprs = (rising_others.size - np.searchsorted(rising_others, thresholds)) / rising_others.size
    return float(np.interp(fpr, np.append(0.0, fprs), np.append(0.0, tpr)))


def _share_below(values: Floats, others: Floats) -> Floats:
    rising = np.sort(others)
    below = np.searchsorted(rising, values, side="left")
    not_above = np.searchsorted(rising, values, side="right")
    return np.asarray((below + not_above) / (2.0 * others.size))


def _largest_count(shares: Floats, n: int) -> NDArray[np.intp]:
    """Return the largest k with k / n at most each share, as doubles compare."""
    k = np.floor(shares * n).astype(np.intp)
    k = np.where(k / n > shares, k - 1, k)
    return np.where((k + 1) / n <= shares, k + 1, k)


def ranks(scores: Floats) -> Floats:
    """Return the place of each score from 1, the lowest; equal ones share the mean of theirs.

    Args:
        scores: (n,) any numbers, infinite ones too, which scipy before 1.12 makes NaN.
    """
    places = np.unique(scores, return_inverse=True)[1].reshape(-1)
    return np.asarray(rankdata(places), dtype=np.float64)
