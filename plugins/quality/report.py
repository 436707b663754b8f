"""Disclosure inside SDMetrics' own quality report.

This is the only file that touches names private to SDMetrics. From 0.28.1 on one report serves one
and several tables, and SDMetrics replaces it by the subclass below through the entry point
`sdmetrics.reports:QualityReport`. SDV 1 uses the report for one table and the one for several,
deprecated since, and looks them up in their own modules: there this module puts the subclasses
itself, when SDMetrics loads it.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import sdmetrics.reports

from sdmetrics_disclosure.plugins.quality.properties import PROPERTIES, DisclosureProperty
from sdmetrics_disclosure.plugins.quality.settings import (
    FIELDS,
    DisclosureSettings,
    active_settings,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # deprecated: said when one is made
    import sdmetrics.reports.multi_table.quality_report as multi_table
    import sdmetrics.reports.single_table.quality_report as single_table

UNIFIED = hasattr(sdmetrics.reports, "QualityReport")
SWITCH = "SDMETRICS_DISCLOSURE"


class _Disclosing:
    """Adds the disclosure properties to one of SDMetrics' quality reports.

    The overall score stays what SDMetrics alone would give, to the last bit: disclosure is not
    averaged into quality.

    Attributes:
        real_validation_data: Real rows that the synthesizer never saw; a dict by table name.
        sensitive_column_names: The columns an attacker wants to learn; a list, or a dict of lists.
        known_column_names: The columns an attacker knows; a list, or a dict of lists.
    """

    _properties: dict[str, Any]
    _overall_score: float
    # On the class: a report that SDMetrics alone once saved is loaded as one of ours.
    real_validation_data: Any = None
    sensitive_column_names: Any = None
    known_column_names: Any = None

    def __init__(self) -> None:
        super().__init__()
        if os.environ.get(SWITCH, "").lower() != "off":
            self._properties.update({made.name: made() for made in PROPERTIES})

    def generate(self, *args: Any, **kwargs: Any) -> None:
        """Generate the report; see SDMetrics."""
        settings = self._disclosure_settings()
        for made in self._disclosure_properties():
            made.start(settings)
        try:
            super().generate(*args, **kwargs)  # type: ignore[misc]
        finally:
            for made in self._disclosure_properties():
                made.settings = DisclosureSettings()  # a report keeps nobody's rows

    def _disclosure_settings(self) -> DisclosureSettings:
        active = active_settings()
        own = {name: getattr(self, name) for name in FIELDS}
        return DisclosureSettings(
            **{k: getattr(active, k) if v is None else v for k, v in own.items()}
        )

    def _disclosure_properties(self) -> list[DisclosureProperty]:
        return [made for made in self._properties.values() if isinstance(made, DisclosureProperty)]

    def _get_skipped_properties(self, *args: Any, **kwargs: Any) -> set[str]:
        skipped: set[str] = super()._get_skipped_properties(*args, **kwargs)  # type: ignore[misc]
        return skipped | {made.name for made in self._disclosure_properties() if not made.applies}

    def _print_results(self, verbose: bool) -> None:
        # SDMetrics has just averaged all properties; quality is the mean of its own.
        skipped: set[str] = getattr(self, "_skipped_properties", set())
        native = [
            made._compute_average()
            for name, made in self._properties.items()
            if name not in skipped and not isinstance(made, DisclosureProperty)
        ]
        self._overall_score = np.nanmean(native)
        super()._print_results(verbose)  # type: ignore[misc]

    def __getstate__(self) -> dict[str, Any]:
        # SDMetrics pickles a report whole; real rows have no place in the file.
        return {
            **vars(self),
            "real_validation_data": None,
            "_original_datetime_columns": {},
        }


def _warn_if_deprecated(kind: str) -> None:
    if UNIFIED:
        warnings.warn(
            f"The {kind} quality report is deprecated. Please use the QualityReport from "
            "'sdmetrics.reports' instead.",
            FutureWarning,
            stacklevel=3,
        )


class SingleTableQualityReport(_Disclosing, single_table.QualityReport):  # type: ignore[misc]
    """SDMetrics' quality report of one table, with what it gives away beside it."""

    def __init__(self) -> None:
        _warn_if_deprecated("single table")
        super().__init__()


class MultiTableQualityReport(_Disclosing, multi_table.QualityReport):  # type: ignore[misc]
    """SDMetrics' quality report of several tables, with what they give away beside it."""

    def __init__(self) -> None:
        _warn_if_deprecated("multi table")
        super().__init__()


if UNIFIED:

    class QualityReport(_Disclosing, sdmetrics.reports.QualityReport):  # type: ignore[misc]
        """SDMetrics' quality report, with what the synthetic data gives away beside it."""

else:
    QualityReport = SingleTableQualityReport  # type: ignore[misc]

for made in (SingleTableQualityReport, MultiTableQualityReport):
    made.__name__ = "QualityReport"  # as SDMetrics' report_info and messages have it

single_table.QualityReport = SingleTableQualityReport
sdmetrics.reports.single_table.QualityReport = SingleTableQualityReport
sdmetrics.reports.SingleTableQualityReport = SingleTableQualityReport
multi_table.QualityReport = MultiTableQualityReport
sdmetrics.reports.multi_table.QualityReport = MultiTableQualityReport
sdmetrics.reports.MultiTableQualityReport = MultiTableQualityReport
