"""The attackers by name, and the one way to run any of them.

An attacker learns from the synthetic rows and predicts the sensitive column of real people from
their known columns. Each one is a function `Problem -> Learned` in a file of its own; here the
sensitive column is brought into the form they all expect, and their predictions into one form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.boosting import boosting, boosting_light
from sdmetrics_disclosure.plugins.attackers.cart import cart
from sdmetrics_disclosure.plugins.attackers.estimators import check_estimator, learn_estimator
from sdmetrics_disclosure.plugins.attackers.forest import Forest, forest
from sdmetrics_disclosure.plugins.attackers.linear import linear
from sdmetrics_disclosure.plugins.attackers.logistic import logistic
from sdmetrics_disclosure.plugins.attackers.problem import (
    Learned,
    Matrix,
    Predictor,
    Problem,
    shares_or_mean,
)
from sdmetrics_disclosure.plugins.common.parallel import in_chunks, limited_threads, shares_memory

ATTACKERS: Mapping[str, Callable[[Problem], Learned]] = {
    "boosting": boosting,
    "boosting_light": boosting_light,
    "cart": cart,
    "forest": forest,
    "linear": linear,
    "logistic": logistic,
}
ONLY_CLASSES = frozenset({"logistic"})
ONLY_NUMBERS = frozenset({"linear"})
# Trees on fewer rows than this are grown by one OpenMP thread.
ROWS_FOR_A_TEAM = 20_000
# With more sensitive classes than this the rare ones share one predicted probability.
MAX_CLASSES = 50


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
        predictor: What it has learned.
        column: See `Prediction`.
        share: See `Prediction`.
        n_threads: OpenMP threads while it predicts.
        notes: What the reader of the result should know, a sentence each.
    """

    predictor: Predictor
    column: NDArray[np.intp] | None
    share: Matrix | None
    n_threads: int
    notes: tuple[str, ...]

    def for_many_tables(self) -> TrainedAttacker:
        """The same, for who asks many times: nothing is grown anew each time."""
        if isinstance(self.predictor, Forest):
            return replace(self, predictor=self.predictor.grown())
        return self

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
            return self.predictor(tables)

    def predict_rows(self, table: pd.DataFrame, /, *, n_jobs: int | None = None) -> Matrix:
        """The values of a table's `Prediction`; the attacker has its own number of threads."""
        return self._values([table])[0]


@dataclass(frozen=True)
class _Target:
    """The sensitive column as the attackers see it: every class 0 to n_classes - 1 occurs."""

    values: NDArray[Any]
    n_classes: int | None
    column: NDArray[np.intp] | None = None
    share: Matrix | None = None
    notes: tuple[str, ...] = ()


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
) -> TrainedAttacker:
    """Train an attacker on synthetic rows. An estimator is copied, never changed.

    Args:
        attacker:
            A name in `ATTACKERS`, or a scikit-learn estimator.
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

    Raises:
        TypeError: If `attacker` is neither a name nor an estimator.
        ValueError: If the name is unknown, the attacker does not suit the sensitive column, or
            an estimator fails.
    """
    from sdmetrics_disclosure.numba_kernels.jit import effective_n_jobs  # numba: on first use

    _check(attacker, n_classes)
    sensitive = _Target(target, None) if n_classes is None else _pool_classes(target, n_classes)
    threads = effective_n_jobs(n_jobs)
    problem = Problem(
        known=known,
        target=sensitive.values,
        n_classes=sensitive.n_classes,
        kinds=kinds,
        random_state=random_state,
        n_jobs=threads,
    )
    # OpenMP teams that wait for busy cores are slower by orders of magnitude, which only a large
    # table pays back.
    team = threads if len(known) > ROWS_FOR_A_TEAM else 1
    with limited_threads(team):
        learned = _learn(attacker, problem)
    notes = (*sensitive.notes, *learned.notes)
    return TrainedAttacker(learned.predict, sensitive.column, sensitive.share, team, notes)


def _check(attacker: Any, n_classes: int | None) -> None:
    if not isinstance(attacker, str):
        check_estimator(attacker, n_classes)
        return
    if attacker not in ATTACKERS:
        raise ValueError(
            f"`attacker` is {attacker!r}; allowed are {', '.join(sorted(ATTACKERS))}, or a "
            "scikit-learn estimator."
        )
    if n_classes is None and attacker in ONLY_CLASSES:
        raise ValueError(
            f"`attacker` is {attacker!r}, which predicts classes, but the sensitive column holds "
            f"numbers; use {_others(ONLY_CLASSES)}."
        )
    if n_classes is not None and attacker in ONLY_NUMBERS:
        raise ValueError(
            f"`attacker` is {attacker!r}, which predicts numbers, but the sensitive column holds "
            f"classes; use {_others(ONLY_NUMBERS)}."
        )


def _others(unfit: frozenset[str]) -> str:
    return ", ".join(sorted(set(ATTACKERS) - unfit))


def _learn(attacker: Any, problem: Problem) -> Learned:
    if problem.known.shape[1] == 0:
        return Learned(shares_or_mean(problem), ("There is no known column to learn from.",))
    if np.all(problem.target == problem.target[0]):
        return Learned(shares_or_mean(problem))
    if isinstance(attacker, str):
        return ATTACKERS[attacker](problem)
    return learn_estimator(attacker, problem)


def _pool_classes(classes: NDArray[np.intp], n_classes: int) -> _Target:
    """Number the classes that occur; those beyond the 50 most frequent become one."""
    counts = np.bincount(classes, minlength=n_classes)
    by_frequency = np.argsort(-counts, kind="stable")
    n_seen = int(np.count_nonzero(counts))
    kept = np.sort(by_frequency[: min(n_seen, MAX_CLASSES)])
    pooled = by_frequency[len(kept) : n_seen]
    column = np.zeros(n_classes, dtype=np.intp)
    column[kept] = np.arange(len(kept))
    column[pooled] = len(kept)
    share = (counts > 0).astype(np.float64)
    share[pooled] = counts[pooled] / max(1, int(counts[pooled].sum()))
    notes = (
        (
            f"{n_seen} sensitive classes: the {MAX_CLASSES} most frequent are predicted one by "
            "one, the rest together and by their shares.",
        )
        if pooled.size
        else ()
    )
    return _Target(column[classes], len(kept) + (pooled.size > 0), column, share, notes)
