"""What a membership attack's numbers are called where they are reported, and which limits bind."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sdmetrics_disclosure.plugins.base.findings import Measure
from sdmetrics_disclosure.plugins.common.statistics import Interval

LIMITED = ("auc_max", "tpr_at_fpr_max", "epsilon_max")
SHOWN_FPR = 0.01
BELOW_HALF_P = 0.001
# A false positive rate, the share of members found there, and whether the holdout can tell.
Rate = tuple[float, Interval, bool]


def attack_measures(
    auc: Interval, rates: Iterable[Rate], epsilon: float, n_members: int, n_holdout: int
) -> tuple[Measure, ...]:
    """What a limit can bind: the AUC, the rates, and the lower bound of epsilon."""
    n_rows = n_members + n_holdout
    return (
        Measure("auc", "AUC", auc, n_rows, n_holdout),
        *(_rate_measure(rate, n_rows, n_holdout) for rate in rates),
        Measure(
            "epsilon",
            "epsilon",
            Interval(epsilon, epsilon, math.inf, "lower bound"),
            n_rows,
            n_holdout,
            "a lower bound",
        ),
    )


def doubt_of(metric: str, auc: float, p_value: float) -> str:
    """Why no limit may pass: an AUC whose 99.9 % interval lies below one half; else empty.

    DeLong's interval excludes one half at 1 - p exactly where the two-sided p-value is below p.
    """
    if auc < 0.5 and p_value < BELOW_HALF_P:
        return (
            f"by {metric} the release resembles the holdout more than the training rows: were the "
            "files swapped?"
        )
    return ""


def _rate_measure(rate: Rate, n_rows: int, n_holdout: int) -> Measure:
    fpr, found, measurable = rate
    return Measure(
        "tpr_at_fpr",
        f"true positive rate at a false positive rate of {fpr:g}",
        found,
        n_rows,
        n_holdout,
        "" if measurable else "the holdout is too small for this false positive rate",
        fpr,
        0 if measurable else 2 * math.ceil(1 / fpr),
    )


def attack_details(
    auc: Interval,
    p_value: float,
    rates: Iterable[Rate],
    epsilon: float,
    n_members: int,
    n_holdout: int,
) -> dict[str, float]:
    """What stands beside the score in the rows of a report."""
    shown = [rate.value for fpr, rate, measurable in rates if fpr == SHOWN_FPR and measurable]
    return {
        "AUC": auc.value,
        "Low": auc.low,
        "High": auc.high,
        "P-Value": p_value,
        "Baseline": 0.5,
        "TPR at 1% FPR": shown[0] if shown else math.nan,
        "Epsilon Lower Bound": epsilon,
        "Members": n_members,
        "Non-Members": n_holdout,
    }
