"""SDMetrics' own quality score, alone: without disclosure, which would cost the most."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdmetrics_disclosure.adapters.sources.seeding import global_seed
from sdmetrics_disclosure.plugins.quality.report import UNIFIED, QualityReport

# The class that SDMetrics has by itself, of which ours is a subclass.
NATIVE: Any = next(c for c in QualityReport.__mro__ if c.__module__.startswith("sdmetrics."))


def quality_score(
    real_data: pd.DataFrame, synthetic_data: pd.DataFrame, metadata: dict[str, Any], seed: int = 0
) -> float:
    """The overall score of SDMetrics' quality report, between 0 and 1.

    Args:
        real_data:
            The real rows, with the metadata's columns.
        synthetic_data:
            The synthetic rows, likewise.
        metadata:
            With `columns`.
        seed:
            Of the draw that SDMetrics makes of long tables.
    """
    report = NATIVE()
    real_data, synthetic_data = real_data.copy(), synthetic_data.copy()  # some versions write in
    with global_seed(seed):
        if UNIFIED:
            tables = {"tables": {"table": metadata}}
            report.generate({"table": real_data}, {"table": synthetic_data}, tables, verbose=False)
        else:
            report.generate(real_data, synthetic_data, metadata, verbose=False)
    return float(report.get_score())
