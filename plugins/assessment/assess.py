"""Judging a synthesizer before it releases anything: k-fold, by every metric, beside its utility.

Each fold fits the synthesizer on the other folds and samples it. What that gives away about the
rows it was fitted on is set against the rows it never saw.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import joblib
import numpy as np
import pandas as pd
import plotly.graph_objects as go
from tqdm import tqdm

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame
from sdmetrics_disclosure.adapters.sources.runners import (
    SynthesizerRunner,
    find_metadata,
    name_synthesizers,
)
from sdmetrics_disclosure.plugins.assessment.fold_run import Fold, Plan, run_fold
from sdmetrics_disclosure.plugins.assessment.fold_summary import summarize_folds
from sdmetrics_disclosure.plugins.assessment.folds import Folds, make_folds
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.result import frame_html
from sdmetrics_disclosure.plugins.base.roles import ROLES, check_column_names
from sdmetrics_disclosure.plugins.common.random_state import child, seed_sequence
from sdmetrics_disclosure.plugins.common.validation import check_count, check_number
from sdmetrics_disclosure.plugins.figures.assessment import risk_utility_figure
from sdmetrics_disclosure.plugins.hooks.registry import find_runner
from sdmetrics_disclosure.plugins.hooks.registry import metrics as registered_metrics

ROW_COLUMNS = ["Synthesizer", "Fold", "Metric", "Measure", "Column", "Value", "Error"]
_CUT, _FOLD = range(2)


@dataclass(frozen=True, repr=False)
class Assessment:
    """What a synthesizer, or several side by side, gives away when it is run.

    Attributes:
        rows: A row a fold and measure: `Synthesizer, Fold, Metric, Measure, Column, Value,
            Error`. `Column` is None for a metric as a whole. What failed has an `Error`.
        summary: A row a synthesizer and measure: `Mean, SD, Low, High` over the folds that ran,
            how many did of how many asked for, and as `Baseline` what would be found if nothing
            were given away.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    rows: pd.DataFrame
    summary: pd.DataFrame
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    def figure(self) -> go.Figure:
        """Each risk against SDMetrics' quality score, with intervals."""
        return risk_utility_figure(self.summary)

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain. Of an error only its type: its message may quote the data."""
        rows = self.rows.assign(Error=self.rows["Error"].map(_error_type))
        return {
            "rows": _records(rows),
            "summary": _records(self.summary),
            "settings": self.settings,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return str(self._overall().to_string(index=False, float_format="{:.3f}".format))

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.summary["Synthesizer"].unique()))
        return f"<Assessment of {names}: {len(self.rows)} rows>"

    def _repr_html_(self) -> str:
        return frame_html(repr(self)[1:-1], self._overall())

    def _overall(self) -> pd.DataFrame:
        return self.summary[self.summary["Column"].isna()].drop(columns="Column")


def assess(
    synthesizers: Any,
    real_data: Any,
    metadata: Any = None,
    *,
    n_splits: int = 5,
    metrics: Sequence[str | type[DisclosureMetric]] = ("RAPID", "GenLRA"),
    sensitive_column_names: Sequence[Hashable] | None = None,
    known_column_names: Sequence[Hashable] | None = None,
    metric_options: Mapping[str, Mapping[str, Any]] | None = None,
    table_name: str | None = None,
    confidence_level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Assessment:
    """Run synthesizers on folds of the real rows and measure what each run gives away.

    Args:
        synthesizers:
            One, a list, or a dict by name, of: SDV synthesizers for one table or sequences, models
            of the ctgan package, functions from a frame to a frame (given `random_state` if they
            take it), what plugins add. They need not be fitted, and stay as they are.
        real_data:
            The real rows: a frame, or a dict of frames by table name.
        metadata:
            SDMetrics' metadata in any form, or the path of a JSON file. None: those of the first
            synthesizer that has its own (SDV's do), else what SDV detects, else the kinds that the
            values give.
        n_splits:
            How many folds, cut alike in the sensitive classes; rows of one unit stay together.
        metrics:
            Names of registered metrics, third parties' too, or metric classes.
        sensitive_column_names:
            The columns an attacker wants to learn. None: every one in turn.
        known_column_names:
            The columns an attacker knows. None: all others.
        metric_options:
            Options of the metrics, by metric name.
        table_name:
            Which table, where there are several.
        confidence_level:
            Coverage of the intervals.
        random_state:
            Seed of the folds, the synthesizers (as far as they can be seeded) and the metrics.
        n_jobs:
            Folds at a time, through joblib; `joblib.parallel_config` chooses the backend.
        verbose:
            Whether to show a progress bar.

    Returns:
        The `Assessment`; a fold that failed is a row with its error.

    Raises:
        TypeError: If a synthesizer or an argument has the wrong type.
        ValueError: If a metric, a column or an option does not exist, or nothing can be held out.
    """
    check_count("n_splits", n_splits, 2)
    check_number("confidence_level", confidence_level, 0.0, 1.0, open_ends=True)
    roles = dict(zip(ROLES, (sensitive_column_names, known_column_names), strict=True))
    for argument, columns in roles.items():
        check_column_names(argument, columns)
    seeds = seed_sequence(random_state)
    named = name_synthesizers(synthesizers)
    runners = {name: find_runner(source) for name, source in named.items()}
    real = as_frame(REAL, real_data, table_name)
    plan = Plan(
        real=real,
        metadata=find_metadata(metadata, runners.values(), real),
        table_name=table_name,
        include=tuple(c for columns in roles.values() for c in columns or ()),
        metrics=_find_metrics(metrics, roles, metric_options or {}, confidence_level),
    )
    release = plan.release(real, real)
    folds = make_folds(release, n_splits, sensitive_column_names, _seed_of(child(seeds, _CUT)))
    for note in folds.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    outcomes = list(_run(plan, _tasks(runners, folds, release, seeds), n_jobs, verbose))
    rows = pd.DataFrame([row for found, _ in outcomes for row in found], columns=ROW_COLUMNS)
    notes = [*folds.notes, *(note for _, found in outcomes for note in found)]
    measured = {name: metric for name, (metric, _) in plan.metrics.items()}
    n_folds = len(folds.pairs)
    return Assessment(
        rows=rows,
        summary=summarize_folds(rows, list(runners), measured, n_folds, n_splits, confidence_level),
        settings={
            "synthesizers": list(runners),
            "metrics": list(measured),
            "n_splits": n_splits,
            "n_folds": n_folds,
            **{k: None if v is None else [str(c) for c in v] for k, v in roles.items()},
            "confidence_level": confidence_level,
            "random_state": random_state if isinstance(random_state, int) else None,
        },
        warnings=tuple(dict.fromkeys(notes)),
    )


def _tasks(
    runners: Mapping[str, SynthesizerRunner],
    folds: Folds,
    release: Release,
    seeds: np.random.SeedSequence,
) -> list[Fold]:
    discrete = {column: not kind.is_number for column, kind in release.kinds.items()}
    return [
        Fold(name, runner, i + 1, *pair, discrete, child(seeds, _FOLD, i, j))
        for j, (name, runner) in enumerate(runners.items())
        for i, pair in enumerate(folds.pairs)
    ]


def _find_metrics(
    wanted: Sequence[str | type[DisclosureMetric]],
    roles: Mapping[str, Any],
    given: Mapping[str, Mapping[str, Any]],
    confidence_level: float,
) -> dict[str, tuple[type[DisclosureMetric], Any]]:
    if isinstance(wanted, str):
        raise TypeError("`metrics` is text; pass a list of names.")
    known = registered_metrics()
    found: dict[str, tuple[type[DisclosureMetric], Any]] = {}
    for entry in wanted:
        metric = known.get(entry) if isinstance(entry, str) else entry
        if metric is None:
            raise ValueError(f"There is no metric {entry!r}; registered are {names(known)}.")
        # Rows of two folds are never the same person: equal ones are alike by nature.
        defaults = {**roles, "confidence_level": confidence_level, "overlap": "keep"}
        defaults["n_bootstrap"] = 0  # the folds are what the intervals come from
        has = {field.name for field in fields(metric.Options)}
        own = {name: value for name, value in defaults.items() if name in has}
        found[metric.name] = (metric, metric.make_options(**own | dict(given.get(metric.name, {}))))
    unknown = set(given) - set(found)
    if unknown:
        raise ValueError(
            f"`metric_options` names {names(unknown)}; the metrics asked for are {names(found)}."
        )
    return found


def _seed_of(seeds: np.random.SeedSequence) -> int:
    return int(seeds.generate_state(1)[0])


def _run(
    plan: Plan, tasks: Sequence[Fold], n_jobs: int | None, verbose: bool
) -> Iterable[tuple[list[dict[str, Any]], tuple[str, ...]]]:
    # Not every backend can hand out results one by one, and only the bar needs them so.
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator" if verbose else "list")
    outcomes = parallel(joblib.delayed(run_fold)(plan, task) for task in tasks)
    return tqdm(outcomes, total=len(tasks), desc="assess", disable=not verbose)


def _error_type(error: Any) -> str | None:
    return error.partition(":")[0] if isinstance(error, str) else None


def _records(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Rows as plain dicts; what is not there is None, a column's name is text."""
    plain = frame.astype(object).where(frame.notna(), None)
    plain["Column"] = plain["Column"].map(lambda column: None if column is None else str(column))
    return plain.to_dict("records")
