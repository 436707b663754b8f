"""The own record: who finds a person's own row in the release takes its sensitive value.

A trained attacker learns patterns and looks nobody up: of an exact copy of a table in which nothing
predicts the sensitive column it learns nothing. So every attacker also compares the distances d1
and d2 from a person to the nearest and the second nearest synthetic row. Where d1 / d2 is smaller
than it is for all but a twentieth of the synthetic rows among themselves, the nearest row is taken
for the person's own. Nothing but the release is used.

The distance is that of Gen-LRA's power law, in the known columns: differences of numbers in
standard deviations, and one for each category that differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import Encoder, learn_encoder
from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.task import (
    FittedAttacker,
    Matrix,
    Predictor,
    TrainingTask,
)
from sdmetrics_disclosure.plugins.common.hits import HitRule

# The share of synthetic rows that look as found among the others by chance.
LEVEL = 0.05
# With fewer rows not even the smallest of all ratios is rarer than the level.
MIN_ROWS = 20
# Far beyond any distance that counts, and its sums are finite.
LARGEST = 1e100
# Synthetic rows among whose values the best window is sought.
N_NEAREST = 20


@dataclass(frozen=True)
class Distances:
    """From rows to the synthetic rows, in the known columns.

    Attributes:
        encoder: Learned on the synthetic rows.
        is_category: (d,) which encoded columns hold codes.
        rows: (m, d) the synthetic rows.
    """

    encoder: Encoder
    is_category: NDArray[np.bool_]
    rows: Matrix

    def nearest(self, table: pd.DataFrame, k: int, n_jobs: int) -> tuple[NDArray[np.intp], Matrix]:
        """The k nearest synthetic rows of each row of a table, (n, k), and their distances.

        Of rows at the same distance the lowest indices are taken.

        Args:
            table:
                The known columns, canonical.
            k:
                How many.
            n_jobs:
                Threads.
        """
        from sdmetrics_disclosure.numba_kernels.neighbors.grouped import nearest_by_groups

        encoded = np.clip(self.encoder(table).values, -LARGEST, LARGEST)
        return nearest_by_groups(encoded, self.rows, k, is_category=self.is_category, n_jobs=n_jobs)


def distances_to(known: pd.DataFrame, kinds: Mapping[Any, Kind]) -> Distances:
    """From rows to synthetic rows.

    Args:
        known:
            The known columns of the synthetic rows, canonical.
        kinds:
            The kind of each.
    """
    encoder = learn_encoder([known], kinds, missing="indicator", scale="sd", ordinal="category")
    encoded = encoder(known)
    return Distances(encoder, encoded.is_category, encoded.values)


@dataclass(frozen=True)
class OwnRecord(Predictor):
    """Takes the nearest row's value where it is sure of it; elsewhere a trained attacker answers.

    Attributes:
        trained: The trained attacker.
        distances: To the synthetic rows.
        ratios: (m,) d1 / d2 of each synthetic row among the others, rising.
        answers: (m,) what each synthetic row says: a class or a number.
        n_jobs: Threads.
    """

    trained: Predictor
    distances: Distances
    ratios: Matrix
    answers: NDArray[Any]
    n_jobs: int

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        predicted = self.trained(tables)
        return [self._look_up(*each) for each in zip(tables, predicted, strict=True)]

    def for_many_tables(self) -> OwnRecord:
        """See `Predictor`."""
        return replace(self, trained=self.trained.for_many_tables(), n_jobs=1)

    def _look_up(self, table: pd.DataFrame, predicted: Matrix) -> Matrix:
        if not len(table):
            return predicted
        rows, distances = self.distances.nearest(table, 2, self.n_jobs)
        sure = np.flatnonzero(_p_values(_ratios(distances), self.ratios) <= LEVEL)
        found, said = predicted.copy(), self.answers[rows[sure, 0]]
        if found.ndim == 1:
            found[sure] = said
        else:
            found[sure] = 0.0
            found[sure, said] = 1.0
        return found


@dataclass(frozen=True)
class NearestWindow(Predictor):
    """Guesses the value that hits most of those of the nearest synthetic rows.

    Attributes:
        distances: To the synthetic rows.
        values: (m,) their sensitive numbers.
        rule: What a hit is.
        n_jobs: Threads.
    """

    distances: Distances
    values: Matrix
    rule: HitRule
    n_jobs: int

    def __call__(self, tables: Sequence[pd.DataFrame]) -> list[Matrix]:
        """See `Predictor`."""
        return [self._guess(table) for table in tables]

    def for_many_tables(self) -> NearestWindow:
        """See `Predictor`."""
        return replace(self, n_jobs=1)

    def learned_on(self, rows: NDArray[np.bool_]) -> NearestWindow:
        """The same of some of the synthetic rows."""
        distances = replace(self.distances, rows=self.distances.rows[rows])
        return replace(self, distances=distances, values=self.values[rows])

    def _guess(self, table: pd.DataFrame) -> Matrix:
        k = min(N_NEAREST, len(self.values))
        rows = self.distances.nearest(table, k, self.n_jobs)[0]
        return self.rule.best_windows(self.values[rows])


def with_own_record(task: TrainingTask, fitted: FittedAttacker) -> FittedAttacker:
    """Let a trained attacker look people up.

    Args:
        task:
            What it was trained on.
        fitted:
            The attacker; it stays as it is where nobody could ever be sure: with few synthetic
            rows, or where many of them repeat others in all known columns.
    """
    if len(task.known) < MIN_ROWS:
        return fitted
    distances = distances_to(task.known, task.kinds)
    rows, itself = distances.nearest(task.known, 3, task.n_jobs)
    ratios = np.sort(_ratios(itself[:, 1:]))  # the nearest of all is the row itself, at 0
    if _p_values(np.zeros(1), ratios)[0] > LEVEL:
        return fitted
    answers = _answers(task.target.values, rows[:, 0], itself[:, 1] == 0)
    found = OwnRecord(fitted.predict, distances, ratios, answers, task.n_jobs)
    return replace(fitted, predict=found)


def _ratios(distances: Matrix) -> Matrix:
    """d1 / d2, which is 0 where the nearest row is at distance 0."""
    nearest, second = distances.T
    ratios = np.zeros(len(distances))
    np.divide(nearest, second, out=ratios, where=nearest > 0)
    return ratios


def _p_values(ratios: Matrix, reference: Matrix) -> Matrix:
    """The share of the reference (rising) below each ratio, and half the share equal to it."""
    below = np.searchsorted(reference, ratios, side="left")
    not_above = np.searchsorted(reference, ratios, side="right")
    return np.asarray((below + not_above) / (2 * len(reference)))


def _answers(
    values: NDArray[Any], first_equal: NDArray[np.intp], has_twin: NDArray[np.bool_]
) -> NDArray[Any]:
    """What each synthetic row says: its own value.

    Of rows that are equal in all known columns, each says the value that most of them have; of
    values equally frequent that of the lowest row.

    Args:
        values: (m,) the sensitive values.
        first_equal: (m,) the lowest row that is equal to the row, often itself.
        has_twin: (m,) whether another row is equal.
    """
    answers = values.copy()
    twins = np.flatnonzero(has_twin)
    if not twins.size:
        return answers
    group = np.unique(first_equal[twins], return_inverse=True)[1]
    value = np.unique(values[twins], return_inverse=True)[1]
    pairs, first, count = np.unique(
        np.column_stack([group, value]), axis=0, return_index=True, return_counts=True
    )
    best = np.lexsort((first, -count, pairs[:, 0]))  # by group, the winner first
    starts = np.unique(pairs[best, 0], return_index=True)[1]
    answers[twins] = values[twins][first[best[starts]]][group]
    return answers
