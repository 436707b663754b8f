"""The table of limits: which there are, what each binds, in which words, and how it is decided.

A metric names those that bind its numbers in `DisclosureMetric.limits`, or brings its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from sdmetrics_disclosure.plugins.base.findings import TRAINING_MINUS_HOLDOUT, Limit
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.policy.verdict import Check

INFINITY = float("inf")
LIMITS = {
    limit.key: limit
    for limit in (
        Limit("excess_max", "attribute", "excess", "excess over chance"),
        Limit("risk_max", "attribute", "risk", "risk"),
        Limit("auc_max", "membership", "auc", "AUC"),
        Limit("tpr_at_fpr_max", "membership", "tpr_at_fpr", "true positive rate"),
        Limit("epsilon_max", "membership", "epsilon", "epsilon", INFINITY, "lower bound"),
        Limit("copies_max", "membership", "copies", "share of synthetic rows that are copies"),
        Limit("single_out_max", "membership", "single_out", "excess rate of singling out"),
        Limit("linkability_max", "membership", "linkability", "excess rate of linking"),
    )
}
# Of a rate's limit: at which false positive rate.
_AT = " at "


def limits_of(metric: type[DisclosureMetric]) -> Iterator[Limit]:
    """The limits that can bind a metric.

    Args:
        metric:
            A metric.
    """
    for limit in metric.limits:
        yield LIMITS[limit] if isinstance(limit, str) else limit


def own_limits(metric: type[DisclosureMetric]) -> dict[str, Limit]:
    """The limits that a metric brings itself, by key.

    Args:
        metric:
            A metric.
    """
    return {limit.key: limit for limit in metric.limits if isinstance(limit, Limit)}


def name_limit(limit: Limit, at: float | None) -> str:
    """The name of a limit in a check; of a rate's, with the false positive rate.

    Args:
        limit:
            The limit.
        at:
            Where on the curve, or None.
    """
    return limit.key if at is None else f"{limit.key}{_AT}{at:g}"


def say_limit(check: Check) -> str:
    """What a limit limits, in words; one that nobody knows any more is named by its key.

    Args:
        check:
            The limit.
    """
    key, _, fpr = check.limit_name.partition(_AT)
    if fpr:
        return f"{_words(key)} at a false positive rate of {float(fpr):g}"
    if key == "excess_max" and check.reason.startswith(TRAINING_MINUS_HOLDOUT):
        return TRAINING_MINUS_HOLDOUT
    return _words(key)


def _words(key: str) -> str:
    if key in LIMITS:
        return LIMITS[key].words
    for metric in metrics().values():
        if key in own_limits(metric):
            return own_limits(metric)[key].words
    return f"what `{key}` limits"
