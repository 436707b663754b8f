"""The disclosure report: what a synthetic table gives away, held against a policy.

It has the manners of SDMetrics' own reports, and a result that is typed and saved as JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdmetrics_disclosure.plugins.base.options import OVERLAPS
from sdmetrics_disclosure.plugins.base.result import frame_html
from sdmetrics_disclosure.plugins.common.random_state import recorded_seed
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count
from sdmetrics_disclosure.plugins.figures.attribute import attribute_figure
from sdmetrics_disclosure.plugins.figures.membership import NamedCurve, membership_figure
from sdmetrics_disclosure.plugins.findings.attack import Roc
from sdmetrics_disclosure.plugins.membership.evaluation import RocCurve
from sdmetrics_disclosure.plugins.policy.policy import Policy, load_policy
from sdmetrics_disclosure.plugins.report.audit import examine
from sdmetrics_disclosure.plugins.report.request import Request
from sdmetrics_disclosure.plugins.results.details import (
    ATTRIBUTE,
    MEMBERSHIP,
    check_rows,
    detail_rows,
)
from sdmetrics_disclosure.plugins.results.result import DisclosureResult
from sdmetrics_disclosure.plugins.results.summary import summarize

PROPERTIES = (ATTRIBUTE, MEMBERSHIP)


class DisclosureReport:
    """What a release gives away about real people, with a verdict against a policy."""

    def __init__(self) -> None:
        self._result: DisclosureResult | None = None

    def generate(
        self,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        *,
        real_validation_data: Any = None,
        sensitive_column_names: Sequence[Hashable] | Mapping[str, Sequence[Hashable]] | None = None,
        known_column_names: Sequence[Hashable] | Mapping[str, Sequence[Hashable]] | None = None,
        policy: str | PathLike[str] | Policy | None = None,
        attacker: Any = "boosting",
        overlap: str = "refuse",
        metric_options: Mapping[str, Mapping[str, Any]] | None = None,
        num_rows_subsample: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = True,
    ) -> None:
        """Examine a release by every registered metric.

        Args:
            real_data:
                The real rows the synthesizer learned from: a frame, frames by table name, or a
                path. Dask frames stay in their partitions: metrics that need all rows at once
                are left out, and no groups are shown.
            synthetic_data:
                The synthetic rows: the same, or a list (replicates), or anything that a
                `load_release` hook knows, such as a fitted synthesizer.
            metadata:
                SDMetrics' metadata in any form, or the path of a JSON file. None: detected.
            real_validation_data:
                Real rows the synthesizer never saw. Without them nobody can say who was in the
                data, nor tell what leaked from what holds in the population.
            sensitive_column_names:
                The columns an attacker wants to learn; a dict of lists by table name where there
                are several tables. None: every one in turn.
            known_column_names:
                The columns an attacker knows; likewise. None: all others.
            policy:
                The path of a TOML file, a `Policy`, or None: the default policy.
            attacker:
                RAPID's attacker, or a list: the strongest counts.
            overlap:
                What membership attacks do where more than 1 % of the holdout stands in the
                training rows: "refuse", "drop" those holdout rows, or "keep" them where rows are
                alike by nature.
            metric_options:
                Further options, by metric name: {"GenLRA": {"n_neighbors": 5}}.
            num_rows_subsample:
                At most this many rows of each table. None: all. Of dask frames every real row is
                scored, and this many (None: 100,000) of the others drawn.
            random_state:
                Seed of everything random.
            n_jobs:
                Threads. None: one, -1: every core.
            verbose:
                Whether to show progress and the outcome.

        Raises:
            FileNotFoundError: If a path does not exist.
            TypeError: If an argument has the wrong type.
            ValueError: If the tables, roles, options or policy do not fit.
        """
        check_choice("overlap", overlap, OVERLAPS)
        check_count_or_none("num_rows_subsample", num_rows_subsample)
        request = Request(
            policy=load_policy(policy),
            attacker=attacker,
            overlap=overlap,
            metric_options=dict(metric_options or {}),
            num_rows_subsample=num_rows_subsample,
            seed=recorded_seed(random_state),
            n_jobs=n_jobs,
            progress=sys.stdout if verbose else None,
        )
        if verbose:
            sys.stdout.write("Generating report ...\n\n")
        self._result = examine(
            real_data,
            synthetic_data,
            metadata,
            real_validation_data,
            (sensitive_column_names, known_column_names),
            request,
        )
        if verbose:
            sys.stdout.write(f"\n{summarize(self._result)}\n")

    @classmethod
    def from_result(cls, result: DisclosureResult) -> DisclosureReport:
        """The report of a result."""
        report = cls()
        report._result = result
        return report

    @property
    def result(self) -> DisclosureResult:
        """Everything that was found, typed."""
        if self._result is None:
            raise ValueError("The report has not been generated. Please call `generate` first.")
        return self._result

    def __repr__(self) -> str:
        if self._result is None:
            return "<DisclosureReport: not generated>"
        return f"<DisclosureReport: {self._result.decision}>"

    def _repr_html_(self) -> str:
        if self._result is None:
            return frame_html(repr(self)[1:-1], pd.DataFrame())
        return frame_html(repr(self)[1:-1], self.to_frame())

    def to_frame(self) -> pd.DataFrame:
        """A row a limit of the policy and what is held against it, with the decision."""
        return check_rows(self.result)

    def get_score(self) -> float:
        """The lower of the two properties' scores: neither makes up for the other."""
        scores = self.get_properties()["Score"].dropna()
        return float(scores.min()) if len(scores) else float("nan")

    def get_properties(self) -> pd.DataFrame:
        """`Property, Score`: 1 is best; NaN where nothing could be measured."""
        scores = [self.get_details(name)["Score"].mean() for name in PROPERTIES]
        return pd.DataFrame({"Property": PROPERTIES, "Score": scores})

    def get_details(self, property_name: str, table_name: str | None = None) -> pd.DataFrame:
        """A row a sensitive column and metric, or a table and metric.

        Args:
            property_name:
                "Attribute Disclosure" or "Membership Disclosure".
            table_name:
                Only the rows of this table.
        """
        _check_property(property_name)
        rows = detail_rows(self.result, property_name)
        if table_name is not None and "Table" in rows:
            rows = rows[rows["Table"] == table_name].reset_index(drop=True)
        return rows

    def get_visualization(self, property_name: str, table_name: str | None = None) -> go.Figure:
        """The figure of a property.

        Args:
            property_name:
                See `get_details`.
            table_name:
                See `get_details`.
        """
        details = self.get_details(property_name, table_name)
        score = details["Score"].mean()
        shown = "N/A" if np.isnan(score) else f"{score:.2f}"
        title = f"{property_name} (Average Score={shown})"
        if property_name == ATTRIBUTE:
            return attribute_figure(details, title)
        curves = [
            NamedCurve(found.table, found.metric, _curve(found.roc))
            for found in self.result.memberships
            if table_name in (None, found.table)
        ]
        return membership_figure(details, curves, title)

    def get_verdict(self) -> str:
        """ "pass", "fail" or "inconclusive"."""  # noqa: D210
        return self.result.decision

    def get_info(self) -> dict[str, Any]:
        """What was examined, when, with which versions."""
        setting = self.result.setting
        return {
            "report_type": type(self).__name__,
            "generated_date": setting.generated,
            "versions": dict(setting.versions),
            "num_rows_real_data": {str(t.name): t.n_real for t in setting.tables},
            "num_rows_synthetic_data": {str(t.name): sum(t.n_synthetic) for t in setting.tables},
            "num_rows_real_validation_data": {str(t.name): t.n_holdout for t in setting.tables},
            "generation_time": setting.seconds,
        }

    def save(self, filepath: str | PathLike[str]) -> None:
        """Write the result as JSON; it has no row and no value of a single person.

        Args:
            filepath:
                Where to.
        """
        Path(filepath).write_text(self.result.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, filepath: str | PathLike[str]) -> DisclosureReport:
        """Read a report that `save` wrote.

        Args:
            filepath:
                Where from.

        Raises:
            ValueError: If it is none, or has another schema.
        """
        text = Path(filepath).read_text(encoding="utf-8")
        return cls.from_result(DisclosureResult.from_json(text))

    def to_html(self, filepath: str | PathLike[str]) -> None:
        """Write the report as one page that needs nothing else, not even a network.

        Args:
            filepath:
                Where to.
        """
        from sdmetrics_disclosure.plugins.page.page import render_page

        Path(filepath).write_text(render_page(self.result), encoding="utf-8")


def check_count_or_none(argument: str, value: Any) -> None:
    """Refuse what is neither None nor a whole number from 1."""
    if value is not None:
        check_count(argument, value, 1)


def _check_property(name: str) -> None:
    if name not in PROPERTIES:
        raise ValueError(
            f"`property_name` is {name!r}; it must be one of {', '.join(map(repr, PROPERTIES))}."
        )


def _curve(roc: Roc) -> RocCurve:
    return RocCurve(*(np.array(rates) for rates in (roc.fpr, roc.tpr, roc.low, roc.high)))
