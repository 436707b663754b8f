"""What is asked about one sensitive column, and the attackers that are trained for it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.attackers.training import TrainedAttacker, train_attacker
from sdmetrics_disclosure.plugins.base.roles import Roles, Target, find_target
from sdmetrics_disclosure.plugins.common.random_state import child, seed_sequence
from sdmetrics_disclosure.plugins.rapid.guesses import Guesses, keep_guesses
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions

# What each seed is for: children of the column's own.
ATTACK, BOOTSTRAP, NULL, NULL_SAMPLE = range(1, 5)


@dataclass(frozen=True)
class Trained:
    """One attacker, trained on one synthetic table.

    Attributes:
        name: Its name.
        replicate: Which synthetic table.
        attacker: What it has learned.
        learned: (n,) the sensitive values it learned from.
    """

    name: str
    replicate: int
    attacker: TrainedAttacker
    learned: NDArray[Any]


@dataclass(frozen=True)
class ColumnPlan:
    """What is asked about one sensitive column.

    Attributes:
        column: Its name.
        known: What the attacker knows.
        target: Its values.
        seen: For each synthetic table the levels and classes that it shows, by column.
        options: What was asked for.
        seeds: The column's.
    """

    column: Hashable
    known: tuple[Hashable, ...]
    target: Target
    seen: tuple[Mapping[Hashable, NDArray[Any]], ...]
    options: RapidOptions
    seeds: np.random.SeedSequence

    def count_unseen(self, frame: pd.DataFrame, truth: NDArray[Any]) -> tuple[int, ...]:
        """How many records have a class or a level that each synthetic table never shows.

        Args:
            frame:
                The records, canonical.
            truth:
                Their sensitive values.
        """
        return tuple(_count_unseen(self.column, seen, frame, truth) for seen in self.seen)


def plan_column(
    release: Release, roles: Roles, column: Hashable, options: RapidOptions
) -> ColumnPlan:
    """What is asked about a column.

    Raises:
        ValueError: If the column cannot be attacked.
    """
    known, target = tuple(roles.known_for(column)), find_target(release, column)
    return ColumnPlan(
        column=column,
        known=known,
        target=target,
        seen=tuple(
            _seen(release, known, column, target, replicate)
            for replicate in range(len(release.synthetic))
        ),
        options=options,
        seeds=child(seed_sequence(options.random_state), release.columns.index(column)),
    )


def train_all(release: Release, plan: ColumnPlan) -> Iterator[Trained]:
    """Train every attacker on every synthetic table.

    Args:
        release:
            The synthetic tables.
        plan:
            What is asked.
    """
    target, options = plan.target, plan.options
    kinds = {name: release.kinds[name] for name in plan.known}
    for replicate, frame in enumerate(release.synthetic):
        values = target.synthetic[replicate]
        has_target = ~np.isnan(values) if target.labels is None else np.ones(len(frame), dtype=bool)
        learned = take_columns(frame, plan.known)[has_target]
        for i, (name, attacker) in enumerate(options.attackers.items()):
            trained = train_attacker(
                attacker,
                learned,
                values[has_target],
                kinds=kinds,
                n_classes=target.n_classes,
                random_state=child(plan.seeds, ATTACK, replicate, i),
                n_jobs=options.n_jobs,
                lookup=options.lookup,
                rule=None if target.labels is not None else options.hit_rule(values),
            )
            yield Trained(name, replicate, trained, values[has_target])


def guess(
    trained: Trained,
    plan: ColumnPlan,
    frames: Sequence[pd.DataFrame],
    truths: Sequence[NDArray[Any]],
) -> list[Guesses]:
    """An attacker's guesses of the sensitive values of some tables.

    Args:
        trained:
            The attacker.
        plan:
            What is asked.
        frames:
            The tables, canonical.
        truths:
            Their sensitive values.
    """
    known = [take_columns(frame, plan.known) for frame in frames]
    predictions = trained.attacker.predict(known, plan.options.n_jobs)
    return [keep_guesses(*each) for each in zip(predictions, truths, strict=True)]


def _seen(
    release: Release, known: Sequence[Hashable], column: Hashable, target: Target, replicate: int
) -> dict[Hashable, NDArray[Any]]:
    frame = release.synthetic[replicate]
    levels = [name for name in known if not release.kinds[name].is_number]
    seen = {name: np.unique(frame[name].cat.codes.to_numpy()) for name in levels}
    if target.labels is not None:
        seen[column] = np.unique(target.synthetic[replicate])
    return seen


def _count_unseen(
    column: Hashable,
    seen: Mapping[Hashable, NDArray[Any]],
    frame: pd.DataFrame,
    truth: NDArray[Any],
) -> int:
    unseen = np.zeros(len(frame), dtype=np.bool_)
    for name, shown in seen.items():
        codes = truth if name == column else frame[name].cat.codes.to_numpy()
        unseen |= ~np.isin(codes, shown)
    return int(unseen.sum())
