"""Intervals and p-values for rates: knows nothing of attacks.

Rates at the edge are the rule here, not the exception: an attack that hits nobody, or everybody.
So every interval stays inside its range, contains its estimate and is never of length zero.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes:
        value: The estimate; NaN where nothing was observed.
        low: Lower limit.
        high: Upper limit.
        method: How the limits were found.
    """

    value: float
    low: float
    high: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Return the four fields as a plain dict."""
        return asdict(self)


def wilson(successes: float, n: float, confidence_level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a proportion.

    Args:
        successes: Number of successes, between 0 and `n`.
        n: Number of trials; with none the value is NaN and the interval [0, 1].
        confidence_level: Coverage, for example 0.95.
    """
    if n == 0:
        return Interval(float("nan"), 0.0, 1.0, "wilson")
    from statsmodels.stats.proportion import proportion_confint  # half a second

    low, high = proportion_confint(successes, n, alpha=1.0 - confidence_level, method="wilson")
    return _contained(successes / n, low, high, (0.0, 1.0), "wilson")


def clopper_pearson(successes: float, n: int, confidence_level: float = 0.95) -> Interval:
    """Return the exact interval of Clopper and Pearson, which never covers less than it says.

    Args:
        successes: Number of successes, between 0 and `n`. A mean of counts need not be whole: the
            beta quantiles are defined for it.
        n: Number of trials; with none the value is NaN and the interval [0, 1].
        confidence_level: Coverage, for example 0.95.
    """
    tail = (1.0 - confidence_level) / 2.0
    low = clopper_pearson_bound(successes, n, tail, "lower")
    high = clopper_pearson_bound(successes, n, tail, "upper")
    if n == 0:
        return Interval(float("nan"), low, high, "clopper_pearson")
    return _contained(successes / n, low, high, (0.0, 1.0), "clopper_pearson")


def clopper_pearson_bound(
    successes: float, n: int, alpha: float, side: Literal["lower", "upper"]
) -> float:
    """Return the one-sided exact bound of a proportion at level 1 - `alpha`.

    Args:
        successes: Number of successes, between 0 and `n`.
        n: Number of trials; with none the bound is 0 or 1.
        alpha: Probability that the bound may miss the proportion.
        side: "lower" or "upper".
    """
    return float(clopper_pearson_bounds(successes, n, alpha, side))


def clopper_pearson_bounds(
    successes: ArrayLike, n: int, alpha: float, side: Literal["lower", "upper"]
) -> NDArray[np.float64]:
    """Return `clopper_pearson_bound` for many counts of the same `n` at once."""
    hits = np.asarray(successes, dtype=np.float64)
    if side == "lower":
        # no beta distribution has a parameter of zero, as none or all of them would ask for
        quantile = stats.beta.ppf(alpha, np.where(hits > 0, hits, 1.0), n - hits + 1.0)
        return np.where(hits > 0, quantile, 0.0)
    quantile = stats.beta.isf(alpha, hits + 1.0, np.where(hits < n, n - hits, 1.0))
    return np.where(hits < n, quantile, 1.0)


def newcombe(
    successes_1: float,
    n_1: int,
    successes_2: float,
    n_2: int,
    confidence_level: float = 0.95,
) -> Interval:
    """Return the interval of a difference of two independent proportions, first minus second.

    Newcombe (1998), method 10: the hybrid of two Wilson intervals.

    Args:
        successes_1: Successes in the first sample.
        n_1: Size of the first sample.
        successes_2: Successes in the second sample.
        n_2: Size of the second sample; with either size zero the interval is [-1, 1].
        confidence_level: Coverage, for example 0.95.
    """
    if n_1 == 0 or n_2 == 0:
        return Interval(float("nan"), -1.0, 1.0, "newcombe")
    from statsmodels.stats.proportion import confint_proportions_2indep  # half a second

    low, high = confint_proportions_2indep(
        successes_1, n_1, successes_2, n_2, method="newcomb", alpha=1.0 - confidence_level
    )
    value = successes_1 / n_1 - successes_2 / n_2
    return _contained(value, low, high, (-1.0, 1.0), "newcombe")


def newcombe_paired(
    both: float,
    only_first: float,
    only_second: float,
    neither: float,
    confidence_level: float = 0.95,
) -> Interval:
    """Return the interval of a difference of two proportions of the same trials.

    The first minus the second.

    Newcombe (1998, "Improved confidence intervals for the difference between binomial proportions
    based on paired data"), method 10: two Wilson intervals and the correlation of the pairs.

    Args:
        both: Trials in which both succeeded. Counts need not be whole.
        only_first: Those in which the first alone did.
        only_second: Those in which the second alone did.
        neither: The others; with no trials at all the interval is [-1, 1].
        confidence_level: Coverage, for example 0.95.
    """
    n = both + only_first + only_second + neither
    if n <= 0:
        return Interval(float("nan"), -1.0, 1.0, "newcombe paired")
    first = wilson(both + only_first, n, confidence_level)
    second = wilson(both + only_second, n, confidence_level)
    correlation = _paired_correlation(both, only_first, only_second, neither)
    value = (only_first - only_second) / n
    below, above = first.value - first.low, second.high - second.value
    low = value - math.sqrt(below**2 - 2.0 * correlation * below * above + above**2)
    below, above = second.value - second.low, first.high - first.value
    high = value + math.sqrt(below**2 - 2.0 * correlation * below * above + above**2)
    return _contained(value, low, high, (-1.0, 1.0), "newcombe paired")


def _paired_correlation(both: float, first: float, second: float, neither: float) -> float:
    """Phi of the two-by-two table, a positive one with Newcombe's correction of continuity."""
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins <= 0:
        return 0.0
    product = both * neither - first * second
    if product > 0:
        product = max(product - (both + first + second + neither) / 2.0, 0.0)
    return product / math.sqrt(margins)


def percentile_interval(samples: ArrayLike, confidence_level: float, value: float) -> Interval:
    """Return the percentile interval of bootstrap replicates.

    Args:
        samples: The statistic in every replicate.
        confidence_level: Coverage, for example 0.95.
        value: The statistic on the data themselves; it may lie outside the interval.
    """
    tail = (1.0 - confidence_level) / 2.0
    low, high = np.quantile(np.asarray(samples, dtype=np.float64), [tail, 1.0 - tail])
    return Interval(float(value), float(low), float(high), "percentile")


def permutation_p_value(observed: float, null_samples: ArrayLike) -> float:
    """Return the one-sided p-value (1 + hits) / (B + 1), hits being replicates >= `observed`."""
    null = np.asarray(null_samples, dtype=np.float64)
    hits = np.count_nonzero(null >= observed)
    return float((1 + hits) / (null.size + 1))


def _contained(
    value: float, low: float, high: float, limits: tuple[float, float], method: str
) -> Interval:
    """Remove what rounding adds: limits outside the range or on the wrong side of the value."""
    value = float(value)
    low = float(min(max(low, limits[0]), value))
    high = float(max(min(high, limits[1]), value))
    return Interval(value, low, high, method)
