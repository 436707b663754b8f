"""The limits in a policy file that metrics bring themselves, under `[metrics.NAME]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdmetrics_disclosure.plugins.base.findings import Limit
from sdmetrics_disclosure.plugins.common.validation import check_number
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.policy.limits import own_limits


def read_metric_limits(tables: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The limits by metric and key.

    Args:
        tables:
            Of a policy file, by metric.

    Raises:
        TypeError: If a value has the wrong type.
        ValueError: If no metric brings such a limit, or a number does not fit.
    """
    allowed = {name: own for name, metric in metrics().items() if (own := own_limits(metric))}
    read = {}
    for name, table in tables.items():
        where = f"metrics.{name}"
        if not isinstance(table, Mapping):
            raise TypeError(f"`{where}` is a {type(table).__name__}; write [{where}].")
        if name not in allowed:
            raise ValueError(
                f"[metrics] has no {name!r}; the metrics that bring limits are "
                f"{', '.join(map(repr, sorted(allowed))) or 'none'}. Is its plugin installed?"
            )
        read[name] = {key: _number(where, key, table[key], allowed[name]) for key in table}
    return read


def _number(where: str, key: str, value: Any, limits: Mapping[str, Limit]) -> float:
    if key not in limits:
        raise ValueError(
            f"[{where}] has no {key!r}; allowed are {', '.join(map(repr, sorted(limits)))}."
        )
    check_number(f"{where}.{key}", value, 0.0, limits[key].highest)
    return float(value)
