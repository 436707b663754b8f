"""What a membership attack proves about differential privacy: a lower bound on epsilon.

A mechanism that is epsilon-private (delta = 0) allows no attack with TPR > exp(epsilon) FPR or
TNR > exp(epsilon) FNR. So rates that are surely reached refute every smaller epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.common.statistics import clopper_pearson_bounds

Floats = NDArray[np.float64]
#: The bound needs four rates to be on the right side of their bounds at once.
N_BOUNDS = 4


def epsilon_lower_bound(
    members: Sequence[Floats],
    non_members: Sequence[Floats],
    confidence_level: float,
    generator: np.random.Generator,
) -> float:
    """Return a lower bound on epsilon that holds at `confidence_level`.

    Each member is counted in one half, drawn at random with the chance of a non-member to stand
    there, so both rates are means over halves with the same weights. A random half of the records
    selects the threshold and the other half is what the bound is taken on. Scores of different
    halves are on different scales: they are replaced by their place among the selecting records of
    their half, which is fixed once those are.

    Args:
        members: For each half (m,) scores of the same members in the same order.
        non_members: For each half (n_h,) scores of non-members.
        confidence_level: 1 - alpha; each of the four Clopper-Pearson bounds has alpha / 4.
        generator: Draws the halves of members and the selecting records.

    Returns:
        max(0, log(TPR_low / FPR_high), log(TNR_low / FNR_high)), always finite.
    """
    alpha = (1.0 - confidence_level) / N_BOUNDS
    selecting, evaluating = _split(members, non_members, generator)
    thresholds = np.unique(np.concatenate(selecting))
    if not thresholds.size:  # one member and one non-member in each half
        return 0.0
    chosen = thresholds[np.argmax(_log_ratios(*selecting, thresholds, alpha))]
    bound = _log_ratios(*evaluating, np.atleast_1d(chosen), alpha)[0]
    return float(max(0.0, bound))


def _split(
    members: Sequence[Floats], non_members: Sequence[Floats], generator: np.random.Generator
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return (members, non-members) for selection and for evaluation, on one scale."""
    others = [generator.permutation(scores) for scores in non_members]
    cuts = [scores.size // 2 for scores in others]
    sizes = np.array([scores.size - cut for scores, cut in zip(others, cuts, strict=True)])
    half_of = generator.choice(len(members), size=members[0].size, p=sizes / sizes.sum())
    selects = np.zeros(members[0].size, dtype=np.bool_)
    selects[generator.permutation(selects.size)[: selects.size // 2]] = True

    parts: list[list[Floats]] = [[], [], [], []]
    for h, (scores, cut) in enumerate(zip(others, cuts, strict=True)):
        here = half_of == h
        groups = (
            members[h][here & selects],
            scores[:cut],
            members[h][here & ~selects],
            scores[cut:],
        )
        scale = np.sort(np.concatenate(groups[:2]))
        for part, group in zip(parts, groups, strict=True):
            part.append(np.searchsorted(scale, group, side="right") / max(scale.size, 1))
    selected_members, selected_others, kept_members, kept_others = map(np.concatenate, parts)
    return (selected_members, selected_others), (kept_members, kept_others)


def _log_ratios(members: Floats, non_members: Floats, thresholds: Floats, alpha: float) -> Floats:
    """Return the larger of the two log ratios at each threshold; minus infinity proves nothing."""
    m, n = members.size, non_members.size
    true_positives = m - np.searchsorted(np.sort(members), thresholds)
    false_positives = n - np.searchsorted(np.sort(non_members), thresholds)
    tpr_low = clopper_pearson_bounds(true_positives, m, alpha, "lower")
    fpr_high = clopper_pearson_bounds(false_positives, n, alpha, "upper")
    tnr_low = clopper_pearson_bounds(n - false_positives, n, alpha, "lower")
    fnr_high = clopper_pearson_bounds(m - true_positives, m, alpha, "upper")
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(tpr_low / fpr_high), np.log(tnr_low / fnr_high))
