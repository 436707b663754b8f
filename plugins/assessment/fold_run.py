"""One fold of an assessment: synthesize, measure, and what comes out as rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import SYNTHETIC, as_frame
from sdmetrics_disclosure.adapters.sources.runners import SynthesizerRunner
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.common.random_state import child
from sdmetrics_disclosure.plugins.figures.assessment import QUALITY
from sdmetrics_disclosure.plugins.findings.redaction import redact_frames
from sdmetrics_disclosure.plugins.rapid.result import RapidResult

Row = dict[str, Any]
Positions = NDArray[np.intp]
SCORE = "score"
# A value that fewer people share is quoted in no message.
FLOOR = 10
TRAINING, HELD_OUT, DIFFERENCE, CHANCE = "training", "held out", "difference", "chance"
_SYNTHESIS, _MEASUREMENT = range(2)


@dataclass(frozen=True)
class Plan:
    """What all folds share.

    Attributes:
        real: The real rows, as they came.
        metadata: With `columns` or `tables`.
        table_name: Which of the metadata's tables.
        include: Columns that take part whatever they are.
        metrics: Each metric and its options, by name.
    """

    real: pd.DataFrame
    metadata: dict[str, Any]
    table_name: str | None
    include: tuple[Hashable, ...]
    metrics: Mapping[str, tuple[type[DisclosureMetric], Any]]

    def release(self, real: pd.DataFrame, synthetic: Any, holdout: Any = None) -> Release:
        """The checked tables."""
        return from_frames(
            real,
            synthetic,
            self.metadata,
            real_validation_data=holdout,
            table_name=self.table_name,
            include_column_names=self.include,
        )


@dataclass(frozen=True)
class Fold:
    """One synthesizer on one fold.

    Attributes:
        synthesizer: Its name.
        runner: How it is run.
        number: Of the fold, from 1.
        fitted: Positions of the rows to fit on.
        held_out: Positions of the rows it never sees.
        discrete_columns: The modelled columns, and whether each is discrete.
        seeds: Of the fold.
    """

    synthesizer: str
    runner: SynthesizerRunner
    number: int
    fitted: Positions
    held_out: Positions
    discrete_columns: Mapping[Hashable, bool]
    seeds: np.random.SeedSequence


def run_fold(plan: Plan, fold: Fold) -> tuple[list[Row], tuple[str, ...]]:
    """The fold's rows, and what was noticed; what fails is a row with its error."""
    real, held_out = plan.real.iloc[fold.fitted], plan.real.iloc[fold.held_out]
    about = {"Synthesizer": fold.synthesizer, "Fold": fold.number}
    try:
        synthetic = fold.runner(real, fold.discrete_columns, child(fold.seeds, _SYNTHESIS))
        if isinstance(synthetic, Mapping) and len(synthetic) == 1:  # SDV 2, by table name
            (synthetic,) = synthetic.values()
        release = plan.release(real, synthetic, held_out)
    except Exception as error:
        return [about | _failed(plan, None, error)], ()
    rows = [about | row for row in _quality_rows(plan, release, real, synthetic)]
    notes = list(release.notes)
    for i, (name, (metric, options)) in enumerate(plan.metrics.items()):
        seed = int(child(fold.seeds, _MEASUREMENT, i).generate_state(1)[0])
        try:
            result = metric.evaluate(release, _seeded(options, seed))
            rows += [about | row for row in _result_rows(name, result)]
            notes += getattr(result, "warnings", ())
        except Exception as error:
            rows.append(about | _failed(plan, name, error))
    return rows, tuple(dict.fromkeys(notes))


def _quality_rows(
    plan: Plan, release: Release, real: pd.DataFrame, synthetic: Any
) -> Iterator[Row]:
    # SDMetrics' reports must not be loaded while SDMetrics itself still is.
    from sdmetrics_disclosure.plugins.quality.score import quality_score

    tables = plan.metadata.get("tables", {})
    described = tables[plan.table_name or next(iter(tables))] if tables else plan.metadata
    metadata = {"columns": {column: described["columns"][column] for column in release.kinds}}
    listed = synthetic if isinstance(synthetic, (list, tuple)) else [synthetic]
    columns = list(release.kinds)
    try:
        frames = [as_frame(SYNTHETIC, frame, None)[columns] for frame in listed]
        scores = [quality_score(real[columns], frame, metadata) for frame in frames]
        yield _row(QUALITY, SCORE, float(np.mean(scores)))
    except Exception as error:
        yield _failed(plan, QUALITY, error)


def _result_rows(name: str, result: Any) -> Iterator[Row]:
    """A metric's rows; RAPID has several measures, for the mean and for each sensitive column."""
    if not isinstance(result, RapidResult):
        yield _row(name, SCORE, float(result.score))
        return
    by_column: dict[str, dict[Hashable, float]] = {}
    for column, found in result.columns.items():
        assert found.holdout_risk is not None, "a fold has held-out rows"
        assert found.difference is not None, "a fold has held-out rows"
        by_column.setdefault(TRAINING, {})[column] = found.score
        by_column.setdefault(HELD_OUT, {})[column] = found.holdout_risk.value
        by_column.setdefault(DIFFERENCE, {})[column] = found.difference.value
        if found.null is not None:
            by_column.setdefault(CHANCE, {})[column] = found.null.median
    for measure, values in by_column.items():
        yield _row(name, measure, float(np.mean(list(values.values()))))
    for measure, values in by_column.items() if len(result.columns) > 1 else ():
        yield from (_row(name, measure, value, column) for column, value in values.items())


def _seeded(options: Any, seed: int) -> Any:
    has_seed = any(field.name == "random_state" for field in fields(options))
    return replace(options, random_state=seed) if has_seed else options


def _row(metric: str | None, measure: str, value: float, column: Hashable = None) -> Row:
    return {
        "Metric": metric,
        "Measure": measure,
        "Column": column,
        "Value": value,
        "Error": None,
    }


def _failed(plan: Plan, metric: str | None, error: Exception) -> Row:
    redactor = redact_frames([plan.real], plan.real.columns, FLOOR)
    (reason,) = redactor.errors([error])
    return {"Metric": metric, "Measure": None, "Column": None, "Value": np.nan, "Error": reason}
