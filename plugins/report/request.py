"""What a disclosure report is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TextIO

import pandas as pd

from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.options import plain_value
from sdmetrics_disclosure.plugins.policy.policy import Policy
from sdmetrics_disclosure.plugins.report.tables import AuditTable

OnRecords = Callable[[str | None, str, pd.DataFrame], None]


@dataclass(frozen=True)
class Request:
    """What a report is asked for.

    Attributes:
        policy: The limits.
        attacker: RAPID's attacker, or several.
        overlap: What membership attacks do where the holdout stands in the training rows.
        metric_options: Further options, by metric.
        num_rows_subsample: At most this many rows of each table; None: all.
        seed: Of everything random.
        n_jobs: Threads.
        progress: Where progress is shown; None: nowhere.
        on_records: Called with every real person's own scores, where they were asked for.
    """

    policy: Policy
    attacker: Any
    overlap: str
    metric_options: Mapping[str, Mapping[str, Any]]
    num_rows_subsample: int | None
    seed: int
    n_jobs: int | None
    progress: TextIO | None
    on_records: OnRecords | None = None

    def options_for(self, metric: type[DisclosureMetric], table: AuditTable) -> Any:
        """A metric's options on a table.

        Raises:
            TypeError: If it has no such option.
            ValueError: If an option does not fit.
        """
        general = {
            "sensitive_column_names": table.sensitive,
            "known_column_names": table.known,
            "num_rows_subsample": self.num_rows_subsample,
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "confidence_level": self.policy.report.confidence_level,
            "attacker": self.attacker,
            "overlap": self.overlap,
            "target_fprs": tuple(sorted({0.0, 0.001, 0.01, 0.1, *self.policy.membership.rates})),
        }
        has = {each.name for each in fields(metric.Options)}
        own = {name: value for name, value in general.items() if name in has}
        asked = self.metric_options.get(metric.name, {})
        return metric.make_options(**own | dict(metric.report_options) | dict(asked))


def is_trained(metric: type[DisclosureMetric]) -> bool:
    """Whether a metric trains the attackers that a report is asked for, for each column anew."""
    return any(each.name == "attacker" for each in fields(metric.Options))


def serialize_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON has them; of an object its type."""
    return {name: plain_value(value) for name, value in options.items()}
