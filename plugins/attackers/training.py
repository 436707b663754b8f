"""The one way to run any attacker.

An attacker learns from the synthetic rows and predicts the sensitive column of real people from
their known columns. Each one is a function from a `TrainingTask` to a `FittedAttacker` in a file of
its own; here the sensitive column is brought into the form they all expect, and their predictions
into one form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.catalog import (
    TargetType,
    attackers_for,
    registered_attackers,
)
from sdmetrics_disclosure.plugins.attackers.estimators import check_estimator, fit_estimator
from sdmetrics_disclosure.plugins.attackers.own_record import with_own_record
from sdmetrics_disclosure.plugins.attackers.task import (
    ClassTarget,
    Constant,
    FittedAttacker,
    Matrix,
    NumberTarget,
    Predictor,
    SensitiveColumn,
    TrainingTask,
    pool_classes,
)
from sdmetrics_disclosure.plugins.common.hits import HitRule
from sdmetrics_disclosure.plugins.common.parallel import in_chunks, limited_threads, shares_memory

# Trees on fewer rows than this are grown by one OpenMP thread.
ROWS_FOR_A_TEAM = 20_000


@dataclass(frozen=True)
class Prediction:
    """What an attacker says about the rows of one table.

    The probability of row i's true class y is `values[i, column[y]] * share[y]`: classes beyond
    the 50 most frequent are predicted together and take their synthetic share of that column, so
    that memory stays linear in the rows.

    Attributes:
        values: (n, m) probabilities, or (n,) predicted numbers.
        column: (n_classes,) the column of `values` that holds the class; None for numbers.
        share: (n_classes,) the class's part of that column, 0 for a class that the synthetic
            rows never show; None for numbers.
    """

    values: Matrix
    column: NDArray[np.intp] | None
    share: Matrix | None


@dataclass(frozen=True)
class Attack:
    """An attacker's predictions.

    Attributes:
        predictions: One for each table asked for.
        notes: What the reader of the result should know, a sentence each.
    """

    predictions: tuple[Prediction, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TrainedAttacker:
    """An attacker that has learned from synthetic rows; it can be pickled.

    Attributes:
        name: See `attacker_name`.
        predictor: What it has learned.
        shape: Of a row's prediction.
        column: See `Prediction`.
        share: See `Prediction`.
        n_threads: OpenMP threads while it predicts.
        notes: What the reader of the result should know, a sentence each.
    """

    name: str
    predictor: Predictor
    shape: tuple[int, ...]
    column: NDArray[np.intp] | None
    share: Matrix | None
    n_threads: int
    notes: tuple[str, ...]

    def for_many_tables(self) -> TrainedAttacker:
        """The same, for who asks many times: nothing is grown anew each time."""
        return replace(self, predictor=self.predictor.for_many_tables())

    def predict(
        self, tables: Sequence[pd.DataFrame], n_jobs: int | None = None
    ) -> tuple[Prediction, ...]:
        """Predict the sensitive column from the known ones.

        Args:
            tables:
                The known columns, canonical.
            n_jobs:
                Chunks at a time, where joblib's backend hands them out.
        """
        if shares_memory():
            found = self._values(tables)
        else:
            ready = self.for_many_tables()
            found = [in_chunks(ready.predict_rows, table, n_jobs) for table in tables]
        return tuple(Prediction(values, self.column, self.share) for values in found)

    def _values(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        with limited_threads(self.n_threads):
            found = self.predictor(tables)
        for table, values in zip(tables, found, strict=True):
            if values.shape != (len(table), *self.shape):
                raise ValueError(
                    f"`attacker` {self.name} predicted {values.shape} values for {len(table)} "
                    f"rows; {(len(table), *self.shape)} were asked for."
                )
        return found

    def predict_rows(self, table: pd.DataFrame, /, *, n_jobs: int | None = None) -> Matrix:
        """The values of a table's `Prediction`; the attacker has its own number of threads."""
        return self._values([table])[0]


def attacker_name(attacker: Any) -> str:
    """What an attacker is called in results: its name, or its class's."""
    return attacker if isinstance(attacker, str) else type(attacker).__name__


def run_attacker(
    attacker: Any,
    known: pd.DataFrame,
    target: NDArray[Any],
    tables: Sequence[pd.DataFrame],
    *,
    kinds: Mapping[Any, Kind],
    n_classes: int | None,
    random_state: np.random.SeedSequence,
    n_jobs: int | None,
) -> Attack:
    """Train an attacker on synthetic rows and let it predict other rows.

    The predictions for a table are the same bits on any number of threads and whatever other
    tables are asked for.

    Args:
        attacker:
            See `train_attacker`.
        known:
            See `train_attacker`.
        target:
            See `train_attacker`.
        tables:
            The known columns of the rows to predict.
        kinds:
            See `train_attacker`.
        n_classes:
            See `train_attacker`.
        random_state:
            See `train_attacker`.
        n_jobs:
            See `train_attacker`.
    """
    trained = train_attacker(
        attacker,
        known,
        target,
        kinds=kinds,
        n_classes=n_classes,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return Attack(trained.predict(tables, n_jobs), trained.notes)


def train_attacker(
    attacker: Any,
    known: pd.DataFrame,
    target: NDArray[Any],
    *,
    kinds: Mapping[Any, Kind],
    n_classes: int | None,
    random_state: np.random.SeedSequence,
    n_jobs: int | None,
    lookup: bool = False,
    rule: HitRule | None = None,
) -> TrainedAttacker:
    """Train an attacker on synthetic rows. An estimator is copied, never changed.

    Args:
        attacker:
            The name of a registered attacker, or a scikit-learn estimator.
        known:
            The synthetic rows' known columns, canonical (see `Release`).
        target:
            Their sensitive column: class codes 0 to `n_classes` - 1, or numbers without gaps.
        kinds:
            The kind of each known column.
        n_classes:
            Number of classes, shown by the synthetic rows or not; None for numbers.
        random_state:
            Where the attacker's randomness comes from.
        n_jobs:
            Number of threads; None is one, -1 all cores.
        lookup:
            Whether it also looks people up (see `own_record`).
        rule:
            When a guessed number is a hit; None: whatever lies near.

    Raises:
        TypeError: If `attacker` is neither a name nor an estimator.
        ValueError: If the name is unknown, the attacker does not suit the sensitive column, or
            an estimator fails.
    """
    from sdmetrics_disclosure.numba_kernels.jit import effective_n_jobs  # numba: on first use

    _check(attacker, NumberTarget if n_classes is None else ClassTarget)
    sensitive = (
        SensitiveColumn(NumberTarget(target, rule))
        if n_classes is None
        else pool_classes(target, n_classes)
    )
    threads = effective_n_jobs(n_jobs)
    task = TrainingTask(known, sensitive.target, kinds, random_state, threads)
    # OpenMP teams that wait for busy cores are slower by orders of magnitude, which only a large
    # table pays back.
    team = threads if len(known) > ROWS_FOR_A_TEAM else 1
    with limited_threads(team):
        fitted = _fit(attacker, task)
        if lookup and task.known.shape[1]:
            fitted = with_own_record(task, fitted)
    notes = (*sensitive.notes, *fitted.notes)
    return TrainedAttacker(
        name=attacker_name(attacker),
        predictor=fitted.predict,
        shape=task.target.constant.shape,
        column=sensitive.column,
        share=sensitive.share,
        n_threads=team,
        notes=notes,
    )


def _check(attacker: Any, target: TargetType) -> None:
    if not isinstance(attacker, str):
        check_estimator(attacker, target)
        return
    known = registered_attackers()
    if attacker not in known:
        raise ValueError(
            f"`attacker` is {attacker!r}; allowed are {', '.join(sorted(known))}, or a "
            "scikit-learn estimator."
        )
    if target not in known[attacker].targets:
        able = " and ".join(each.what for each in known[attacker].targets)
        raise ValueError(
            f"`attacker` is {attacker!r}, which predicts {able}, but the sensitive column holds "
            f"{target.what}; use {', '.join(attackers_for(target))}."
        )


def _fit(attacker: Any, task: TrainingTask) -> FittedAttacker:
    values = task.target.values
    if task.known.shape[1] == 0:
        note = "There is no known column to learn from."
        return FittedAttacker(Constant(task.target.constant), (note,))
    if np.all(values == values[0]):
        return FittedAttacker(Constant(task.target.constant))
    if isinstance(attacker, str):
        return registered_attackers()[attacker].fit(task)
    return fit_estimator(attacker, task)
