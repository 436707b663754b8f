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
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import sdmetrics.reports

from sdmetrics_disclosure.plugins.figures.attribute import attribute_figure
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve, membership_figure
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.quality.membership_rows import NO_HOLDOUT, membership_rows
from sdmetrics_disclosure.plugins.quality.rows import Row, TableData, attribute_rows
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
DEFAULT_ROWS = 5000
# What SDMetrics itself subsamples by default: a user who leaves it has not asked for it.
SDMETRICS_DEFAULT_ROWS = 50000
COLUMNS = ["Table", "Column", "Metric", "Score"]


class DisclosureProperty:
    """What SDMetrics asks of a property, for one table and for several."""

    name: str

    def __init__(self) -> None:
        self.details = pd.DataFrame()
        self.is_computed = False
        self.num_rows_subsample: int | None = SDMETRICS_DEFAULT_ROWS
        self.settings = DisclosureSettings()

    def start(self, settings: DisclosureSettings) -> None:
        """Forget an earlier report and take the settings of the next.

        Args:
            settings:
                Holdout and roles.
        """
        self.settings = settings
        self.details = pd.DataFrame()
        self.is_computed = False

    @property
    def applies(self) -> bool:
        """Whether the property has anything to say under its settings."""
        return True

    def get_score(
        self, real_data: Any, synthetic_data: Any, metadata: Any, progress_bar: Any = None
    ) -> float:
        """Compute the rows and return the mean of their scores.

        Args:
            real_data:
                A frame, or frames by table name.
            synthetic_data:
                The same.
            metadata:
                The report's metadata.
            progress_bar:
                A tqdm bar to move, or None.
        """
        left = int(self._get_num_iterations(metadata))

        def on_step() -> None:
            nonlocal left
            if progress_bar is not None and left:
                progress_bar.update()
                left -= 1

        rows: list[Row] = []
        for data in self._tables(real_data, synthetic_data, metadata):
            rows += [{"Table": data.name, **row} for row in self._rows(data, on_step)]
        while left and progress_bar is not None:
            on_step()
        self.details = _tidy(rows)
        self.is_computed = True
        return self._compute_average()

    def get_details(self, table_name: str | None = None) -> pd.DataFrame:
        """The rows, of one table or of all."""
        if table_name is None or "Table" not in self.details:
            return self.details.copy()
        return self.details[self.details["Table"] == table_name].copy()

    def get_visualization(self, table_name: str | None = None) -> go.Figure:
        """The figure of the rows of one table, or of all."""
        raise NotImplementedError

    def _rows(self, data: TableData, on_step: Callable[[], None]) -> list[Row]:
        raise NotImplementedError

    def _title(self, details: pd.DataFrame) -> str:
        score = float(details["Score"].mean()) if "Score" in details else float("nan")
        shown = "N/A" if np.isnan(score) else f"{score:.2f}"
        return f"{self.name} (Average Score={shown})"

    def _compute_average(self) -> float:
        return float(self.details["Score"].mean()) if "Score" in self.details else float("nan")

    def _get_num_iterations(self, metadata: Mapping[str, Any]) -> int:
        tables = metadata["tables"].values() if "tables" in metadata else [metadata]
        return sum(len(table["columns"]) for table in tables)

    def _tables(
        self, real_data: Any, synthetic_data: Any, metadata: Mapping[str, Any]
    ) -> Iterator[TableData]:
        rows = self.num_rows_subsample
        rows = DEFAULT_ROWS if rows == SDMETRICS_DEFAULT_ROWS else rows
        if "tables" not in metadata:
            settings = self.settings.for_table(None)
            yield TableData(real_data, synthetic_data, metadata, None, settings, rows)
            return
        for name in metadata["tables"]:
            one = {**metadata, "tables": {name: metadata["tables"][name]}}
            one["relationships"] = [
                r for r in metadata.get("relationships", ()) if r["child_table_name"] == name
            ]
            settings = self.settings.for_table(name)
            yield TableData(real_data[name], synthetic_data[name], one, name, settings, rows)


class AttributeDisclosure(DisclosureProperty):
    """RAPID of every sensitive column, and the rows of other attribute metrics.

    `Score` is the protection, 1 minus the risk.
    """

    name = "Attribute Disclosure"

    def get_visualization(self, table_name: str | None = None) -> go.Figure:
        """Each column's risk with its interval, against the baseline."""
        details = self.get_details(table_name)
        return attribute_figure(details, self._title(details))

    def _rows(self, data: TableData, on_step: Callable[[], None]) -> list[Row]:
        return attribute_rows(data, on_step)


class MembershipDisclosure(DisclosureProperty):
    """Gen-LRA of every table that has a holdout, and the rows of other membership metrics.

    `Score` is the protection: 1 is no advantage over guessing who was in the training data.
    """

    name = "Membership Disclosure"
    _skipped_message = NO_HOLDOUT

    def __init__(self) -> None:
        super().__init__()
        self.curves: list[NamedCurve] = []

    def start(self, settings: DisclosureSettings) -> None:
        """See `DisclosureProperty`."""
        super().start(settings)
        self.curves = []

    @property
    def applies(self) -> bool:
        """Whether there is a holdout, or a metric that needs none."""
        if self.settings.real_validation_data is not None:
            return True
        shown = metrics("membership", in_quality_report=True)
        return not all(metric.needs_holdout for metric in shown.values())

    def get_visualization(self, table_name: str | None = None) -> go.Figure:
        """The ROC of each attack on logarithmic axes, with its band and the diagonal."""
        curves = [c for c in self.curves if table_name is None or c.table in (None, table_name)]
        details = self.get_details(table_name)
        return membership_figure(details, curves, self._title(details))

    def _rows(self, data: TableData, on_step: Callable[[], None]) -> list[Row]:
        rows, curves = membership_rows(data)
        self.curves += curves
        on_step()
        return rows

    def _get_num_iterations(self, metadata: Mapping[str, Any]) -> int:
        return len(metadata["tables"]) if "tables" in metadata else 1


PROPERTIES: tuple[type[DisclosureProperty], ...] = (AttributeDisclosure, MembershipDisclosure)


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


def _tidy(rows: list[Row]) -> pd.DataFrame:
    details = pd.DataFrame(rows, columns=None if rows else [*COLUMNS, "Error"])
    details = details[[c for c in details if c != "Error"] + ["Error"]]
    if details["Table"].isna().all():
        details = details.drop(columns="Table")
    for column in ("Error", "Subsample"):
        if column in details:
            details[column] = details[column].astype(object).where(details[column].notna(), None)
            if details[column].isna().all():
                details = details.drop(columns=column)
    return details


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
