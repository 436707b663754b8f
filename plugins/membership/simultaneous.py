"""Intervals for several areas under the ROC at once, by a bootstrap over records.

Whoever looks at several attacks and reports the best one must not use the interval of one attack.
The band here covers the true areas of all attacks together at the confidence level; so the largest
of the lower limits is a lower limit for the largest area, whichever attack it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sdmetrics_disclosure.plugins.common.statistics import permutation_p_value
from sdmetrics_disclosure.plugins.membership.evaluation import AucInterval
from sdmetrics_disclosure.plugins.membership.units import (
    ScoredHalf,
    draw_units,
    sort_records,
    variance_of_swap,
)

Floats = NDArray[np.float64]
# Replicates drawn at once; memory is this many times the records.
BLOCK = 128
# A smaller spread of an area is rounding.
NO_SPREAD = 1e-12


@dataclass(frozen=True)
class Band:
    """Areas with simultaneous intervals.

    Attributes:
        each: By attack.
        largest: The largest area, with the largest of the lower and of the upper limits; its
            p-value is the smallest of the attacks that are on its side of 0.5.
    """

    each: dict[str, AucInterval]
    largest: AucInterval


def simultaneous_band(
    halves: Mapping[str, Sequence[ScoredHalf]],
    alone: Mapping[str, AucInterval],
    *,
    n_bootstrap: int,
    confidence_level: float,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> Band:
    """Return intervals that hold for all attacks together.

    With a the area, a* of a replicate and s the standard deviation of a*, the band is logit(a) +-
    q s / (a (1 - a)), q the quantile over replicates of the largest |a* - a| / s of any attack.
    Records, or whole units, are drawn with replacement: the members once for both halves, each
    half's non-members by themselves; s has what the swap of the halves adds (`variance_of_swap`).

    Time O(n_bootstrap attacks records); memory O(records).

    Args:
        halves: By attack, its scores in each half of the same records in the same order.
        alone: By attack, its area with an interval that holds for all of them by Bonferroni; used
            where an area has no spread, as at 1.
        n_bootstrap: Replicates.
        confidence_level: Of the band.
        generator: Draws the records.
        n_jobs: Threads; the result does not depend on it.
    """
    areas = np.array([alone[name].value for name in halves])
    in_order = sort_records(list(halves.values()))
    replicates = bootstrap_areas(in_order, n_bootstrap, generator, n_jobs)
    spread = replicates.std(axis=0, ddof=1)
    moving = spread > NO_SPREAD
    reach = np.abs(replicates - areas)[:, moving] / spread[moving]
    largest = reach.max(axis=1, initial=0.0)
    q = float(np.quantile(largest, confidence_level, method="higher"))
    each = {}
    for area, sd, (name, interval) in zip(areas, spread, alone.items(), strict=True):
        if NO_SPREAD < area < 1.0 - NO_SPREAD and sd > NO_SPREAD:
            error = float(np.sqrt(sd**2 + variance_of_swap(halves[name])))
            each[name] = _studentised(float(area), error, q, largest)
        else:
            p_value = min(1.0, len(alone) * interval.p_value)
            each[name] = replace(interval, p_value=p_value)
    return Band(each, _largest(list(each.values())))


def _largest(band: Sequence[AucInterval]) -> AucInterval:
    value = max(interval.value for interval in band)
    same_side = [each.p_value for each in band if (each.value > 0.5) == (value > 0.5)]
    return AucInterval(
        value=value,
        low=max(interval.low for interval in band),
        high=max(interval.high for interval in band),
        p_value=min(same_side),
    )


def _studentised(area: float, sd: float, q: float, largest: Floats) -> AucInterval:
    sd_of_logit = sd / (area * (1.0 - area))
    center = float(special.logit(area))
    return AucInterval(
        value=area,
        low=float(special.expit(center - q * sd_of_logit)),
        high=float(special.expit(center + q * sd_of_logit)),
        p_value=permutation_p_value(abs(center) / sd_of_logit, largest),
    )


def bootstrap_areas(
    attacks: Sequence[Sequence[ScoredHalf]],
    n_bootstrap: int,
    generator: np.random.Generator,
    n_jobs: int | None = None,
) -> Floats:
    """Return each attack's mean area over halves in every replicate, (n_bootstrap, attacks)."""
    from sdmetrics_disclosure.numba_kernels.areas import resampled_areas

    first = attacks[0]  # the records are the same in all
    n_members, n_halves = first[0].members.size, len(first)
    areas = np.zeros((n_bootstrap, len(attacks)))
    for start in range(0, n_bootstrap, BLOCK):
        block = areas[start : start + BLOCK]
        members = draw_units(len(block), first[0].member_units, n_members, generator)
        for h, half in enumerate(first):
            size = half.non_members.size
            others = draw_units(len(block), half.non_member_units, size, generator)
            for a, halves in enumerate(attacks):
                scores = halves[h].members, halves[h].non_members
                block[:, a] += resampled_areas(*scores, members, others, n_jobs=n_jobs)
    return areas / n_halves
