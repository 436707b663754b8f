"""The two disclosure properties, as SDMetrics' quality report asks for properties."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.figures.attribute import attribute_figure
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve, membership_figure
from sdmetrics_disclosure.plugins.findings.rows import Row, as_frame_of_rows
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.quality.rows import NO_HOLDOUT, TableData, metric_rows
from sdmetrics_disclosure.plugins.quality.settings import DisclosureSettings

DEFAULT_ROWS = 5000
# What SDMetrics itself subsamples by default: a user who leaves it has not asked for it.
SDMETRICS_DEFAULT_ROWS = 50000


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
            rows += self._rows(data, on_step)
        while left and progress_bar is not None:
            on_step()
        self.details = as_frame_of_rows(rows)
        self.is_computed = True
        score = self._compute_average()
        if np.isnan(score) and progress_bar is not None:  # SDMetrics is about to print "nan%"
            progress_bar.write(f"{self.name} was not measured: {self._reason()}", file=sys.stdout)
        return score

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

    def _reason(self) -> str:
        errors = list(self.details["Error"].dropna()) if "Error" in self.details else []
        return "; ".join(dict.fromkeys(map(str, errors))) or "no metric applies."

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
        return metric_rows(data, "attribute", on_step).rows


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
        made = metric_rows(data, "membership", lambda: None)
        self.curves += made.curves
        on_step()
        return made.rows

    def _get_num_iterations(self, metadata: Mapping[str, Any]) -> int:
        return len(metadata["tables"]) if "tables" in metadata else 1


PROPERTIES: tuple[type[DisclosureProperty], ...] = (AttributeDisclosure, MembershipDisclosure)
