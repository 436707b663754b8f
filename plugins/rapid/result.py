"""What RAPID found: typed, and as a plain dict."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.base.findings import Finding
from sdmetrics_disclosure.plugins.base.result import ShownResult
from sdmetrics_disclosure.plugins.base.risk_findings import (
    VALUES_DO_NOT_MEET,
    column_details,
    column_measures,
    exposure_of,
    protection_beyond,
)
from sdmetrics_disclosure.plugins.common.statistics import (
    Interval,
    clopper_pearson,
    newcombe,
    wilson,
)
from sdmetrics_disclosure.plugins.rapid.class_scores import ClassScores
from sdmetrics_disclosure.plugins.rapid.number_errors import NumberErrors
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.scores import Null, RapidRun


@dataclass(frozen=True, repr=False)
class ColumnResult(ShownResult):
    """RAPID of one sensitive column.

    Attributes:
        column: Its name.
        labels: Its classes; None for a number.
        known: What the attacker knew.
        runs: Every attacker on every replicate.
        worst: The run with the highest risk, whose risk is the score.
        thresholds: (101,) the curve's thresholds.
        curve: (101,) the worst run's risk at each.
        bootstrap: The percentile bootstrap, or None.
        null: The permutation null, or None.
        n_unseen: Records whose class, or a level of theirs, the worst run's synthetic data never
            shows.
        n_units: How many persons the scored records belong to: all intervals count these.
        n_holdout_units: The same for the holdout.
        options: What was asked for.
        notes: What was noticed about this column.
        values_meet: Whether most real records have values that the worst run's synthetic data show;
            where not, the risk says nothing, and a note says which.
        has_records: Whether the scores are of records at hand; not of those in partitions.
    """

    column: Hashable
    labels: tuple[str, ...] | None
    known: tuple[Hashable, ...]
    runs: tuple[RapidRun, ...]
    worst: RapidRun
    thresholds: NDArray[np.float64]
    curve: NDArray[np.float64]
    bootstrap: Interval | None
    null: Null | None
    n_unseen: int
    n_units: int
    n_holdout_units: int
    options: RapidOptions
    notes: tuple[str, ...]
    values_meet: bool = True
    has_records: bool = True

    @property
    def score(self) -> float:
        """The highest risk of all attackers and replicates."""
        return self.worst.risk

    @functools.cached_property
    def risk(self) -> Interval:
        """The risk with its Wilson interval."""
        return wilson(self.score * self.n_units, self.n_units, self.options.confidence_level)

    @functools.cached_property
    def holdout_risk(self) -> Interval | None:
        """The worst run's risk on the holdout, with its Wilson interval."""
        if self.worst.holdout is None:
            return None
        rate = self.worst.holdout.risk
        n = self.n_holdout_units
        return wilson(rate * n, n, self.options.confidence_level)

    @functools.cached_property
    def difference(self) -> Interval | None:
        """Training minus holdout, with Newcombe's interval: leakage about the members."""
        if self.holdout_risk is None:
            return None
        n = self.n_holdout_units
        return newcombe(
            self.score * self.n_units,
            self.n_units,
            self.holdout_risk.value * n,
            n,
            self.options.confidence_level,
        )

    @functools.cached_property
    def excess(self) -> Interval | None:
        """The risk minus the median of chance, both of the records that were permuted.

        Wilson's interval, moved: chance is taken as known.
        """
        if self.null is None:
            return None
        risk, median, n = self.risk, self.null.median, self.null.n_records
        if n < self.worst.scores.n:
            risk = wilson(self.null.risk * n, n, self.options.confidence_level)
        return Interval(
            risk.value - median, risk.low - median, risk.high - median, "wilson minus null median"
        )

    @property
    def protection(self) -> float:
        """1 where nothing is learned beyond chance."""
        chance = None if self.null is None else self.null.median
        return protection_beyond(self.risk, self.excess, chance)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was noticed."""
        return self.notes

    def findings(self) -> tuple[Finding, ...]:
        """The column's numbers for reports (see `Finding`)."""
        chance = None if self.null is None else (self.null.median, self.null.percentile_95)
        found = self.risk, self.excess, self.difference
        finding = Finding(
            column=self.column,
            score=self.score,
            protection=self.protection,
            details=column_details(
                *found, self.baseline_risk, chance, self.holdout_risk, self.worst.scores.n
            ),
            measures=column_measures(*found, self.n_units, self.n_holdout_units),
            exposure=exposure_of(*found),
            doubt="" if self.values_meet else VALUES_DO_NOT_MEET,
        )
        return (finding,)

    @property
    def baseline_risk(self) -> float:
        """What is reached without the person's data: the null, else the best constant guess."""
        if isinstance(self.worst.scores, NumberErrors):
            return self.worst.scores.constant.risk
        return float("nan") if self.null is None else self.null.median

    def breakdown(self) -> dict[str, Any]:
        """Everything about the column, plain."""
        n = self.n_units
        exact = clopper_pearson(self.score * n, n, self.options.confidence_level)
        scores = self.worst.scores
        return {
            "score": self.score,
            "risk": self.risk.to_dict(),
            "clopper_pearson": exact.to_dict(),
            "bootstrap": None if self.bootstrap is None else self.bootstrap.to_dict(),
            "n_records": scores.n,
            "n_at_risk": scores.n_at_risk,
            "n_excluded": scores.n_records - scores.n,
            "n_unseen": self.n_unseen,
            "values_meet": self.values_meet,
            "null": None if self.null is None else self.null.to_dict(),
            "excess": None if self.excess is None else self.excess.value,
            "baseline": self._baseline(),
            "attackers": self._attackers(),
            "mean_risk": float(np.mean([run.risk for run in self.runs])),
            "max_risk": self.score,
            "replicates": self._replicates(),
            "holdout": self._holdout(),
            "threshold_curve": {
                "thresholds": self.thresholds.tolist(),
                "risk": self.curve.tolist(),
            },
            "known_column_names": [str(column) for column in self.known],
        }

    def _baseline(self) -> dict[str, Any]:
        scores = self.worst.scores
        if isinstance(scores, ClassScores):
            assert self.labels is not None, "classes have labels"
            return dict(zip(self.labels, scores.class_shares.tolist(), strict=True))
        assert isinstance(scores, NumberErrors), "scores are of classes or of numbers"
        constant = scores.constant
        return {
            "constant": constant.value,
            "risk": constant.risk,
            "excess": self.score - constant.risk,
            "beats_constant": scores.beats_constant,
            "delta": scores.delta,
        }

    def _attackers(self) -> dict[str, dict[str, float]]:
        worst: dict[str, RapidRun] = {}
        for run in self.runs:
            if run.attacker not in worst or run.risk > worst[run.attacker].risk:
                worst[run.attacker] = run
        return {name: {"risk": run.risk, **run.scores.quality()} for name, run in worst.items()}

    def _replicates(self) -> list[float]:
        n_replicates = 1 + max(run.replicate for run in self.runs)
        return [
            max(run.risk for run in self.runs if run.replicate == i) for i in range(n_replicates)
        ]

    def _holdout(self) -> dict[str, Any] | None:
        if self.holdout_risk is None or self.difference is None:
            return None
        return {"risk": self.holdout_risk.to_dict(), "difference": self.difference.to_dict()}


@dataclass(frozen=True, repr=False)
class RapidResult(ShownResult):
    """RAPID of a release.

    Attributes:
        columns: The result of each sensitive column.
        index: The real data's own index.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    columns: Mapping[Hashable, ColumnResult]
    index: pd.Index
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    @property
    def score(self) -> float:
        """The risk; of several sensitive columns the mean."""
        return float(np.mean([result.score for result in self.columns.values()]))

    @property
    def protection(self) -> float:
        """1 where nothing is learned beyond chance; of several sensitive columns the mean."""
        return float(np.mean([result.protection for result in self.columns.values()]))

    def findings(self) -> tuple[Finding, ...]:
        """Those of every column."""
        return tuple(each for result in self.columns.values() for each in result.findings())

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain: of one column flat, of several by name under `columns`."""
        rest = {"settings": self.settings, "warnings": list(self.warnings)}
        if len(self.columns) == 1:
            (result,) = self.columns.values()
            return {**result.breakdown(), **rest}
        by_name = {str(column): result.breakdown() for column, result in self.columns.items()}
        return {"score": self.score, "columns": by_name, **rest}

    def records(self) -> pd.DataFrame:
        """A row per real record on the data's own index, with a leading level for each of
        sensitive column, attacker and replicate of which there are several.
        """  # noqa: D205
        if not all(result.has_records for result in self.columns.values()):
            raise ValueError(
                "The records of tables in partitions stay there: there are no scores by record. "
                "Pass pandas frames, or a sample of the records."
            )
        runs = [(r.column, run) for r in self.columns.values() for run in r.runs]
        frames = []
        for _, run in runs:
            frame = run.scores.records()
            frame.index = self.index
            frames.append(frame)
        keys: dict[str, list[Any]] = {
            "sensitive_column": [column for column, _ in runs],
            "attacker": [run.attacker for _, run in runs],
            "replicate": [run.replicate for _, run in runs],
        }
        several = {name: values for name, values in keys.items() if len(set(values)) > 1}
        if not several:
            return frames[0]
        stacked = pd.concat(frames, keys=range(len(frames)), names=["run", *self.index.names])
        position = stacked.index.get_level_values("run")
        levels = [pd.Index([values[i] for i in position], name=n) for n, values in several.items()]
        own = [stacked.index.get_level_values(i) for i in range(1, stacked.index.nlevels)]
        stacked.index = pd.MultiIndex.from_arrays([*levels, *own])
        return stacked
