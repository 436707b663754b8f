"""What is asked about one sensitive column, and the attackers that are trained for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.release.values import form_in_words
from sdmetrics_disclosure.plugins.attackers.training import TrainedAttacker, train_attacker
from sdmetrics_disclosure.plugins.base.roles import Roles, Target, find_target
from sdmetrics_disclosure.plugins.common.random_state import (
    child,
    generator,
    named_child,
    seed_sequence,
)
from sdmetrics_disclosure.plugins.rapid.guesses import Guesses, keep_guesses
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions

# What each seed is for: children of the column's own.
ATTACK, BOOTSTRAP, NULL, NULL_SAMPLE, ORDER = range(1, 6)


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

    def count_unseen(self, frame: pd.DataFrame, truth: NDArray[Any]) -> NDArray[np.int64]:
        """How many records have a class or a level that a synthetic table never shows.

        Args:
            frame:
                The records, canonical.
            truth:
                Their sensitive values.

        Returns:
            (replicates, 1 + columns): of any column, then of each in the order of `seen`.
        """
        counts = [_count_unseen(self.column, seen, frame, truth) for seen in self.seen]
        return np.array(counts, dtype=np.int64)


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
        seeds=named_child(seed_sequence(options.random_state), column),
    )


def train_all(release: Release, plan: ColumnPlan) -> Iterator[Trained]:
    """Train every attacker on every synthetic table, whatever the order of its rows and columns.

    Args:
        release:
            The synthetic tables.
        plan:
            What is asked.
    """
    target, options = plan.target, plan.options
    known = _by_name(plan.known)
    kinds = {name: release.kinds[name] for name in known}
    for replicate, frame in enumerate(release.synthetic):
        rows = _in_order(frame, known, target.synthetic[replicate], plan.seeds)
        learned, values = take_columns(frame, known).iloc[rows], target.synthetic[replicate][rows]
        for i, (name, attacker) in enumerate(options.attackers.items()):
            trained = train_attacker(
                attacker,
                learned,
                values,
                kinds=kinds,
                n_classes=target.n_classes,
                random_state=child(plan.seeds, ATTACK, replicate, i),
                n_jobs=options.n_jobs,
                lookup=options.lookup,
                rule=None if target.labels is not None else options.hit_rule(values),
            )
            yield Trained(name, replicate, trained, values)


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
    known = _by_name(plan.known)
    tables = [take_columns(frame, known) for frame in frames]
    predictions = trained.attacker.predict(tables, plan.options.n_jobs)
    return [keep_guesses(*each) for each in zip(predictions, truths, strict=True)]


def _by_name(columns: Sequence[Hashable]) -> list[Hashable]:
    return sorted(columns, key=lambda column: (str(column), type(column).__name__))


def _in_order(
    frame: pd.DataFrame,
    known: Sequence[Hashable],
    values: NDArray[Any],
    seeds: np.random.SeedSequence,
) -> NDArray[np.intp]:
    """The rows with a sensitive value, in an order at random that their content alone decides."""
    keys = [values] + [
        frame[name].to_numpy() if frame[name].dtype.kind == "f" else frame[name].cat.codes
        for name in known
    ]
    rising = np.lexsort(keys)
    present = rising[~np.isnan(values[rising])]
    return np.asarray(present[generator(seeds, ORDER).permutation(present.size)])


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
) -> list[int]:
    unseen = [np.zeros(len(frame), dtype=np.bool_)]
    for name, shown in seen.items():
        codes = truth if name == column else frame[name].cat.codes.to_numpy()
        unseen.append(~np.isin(codes, shown))
    unseen[0] = np.any(unseen, axis=0)
    return [int(each.sum()) for each in unseen]


def note_unseen(
    release: Release, plan: ColumnPlan, counts: NDArray[np.int64], replicate: int, n_records: int
) -> str | None:
    """What to say where the values of the real and of a synthetic table do not meet.

    That is so where more than half of the real records have a class or a level that the synthetic
    table never shows. No value is said, only what they look like.

    Args:
        release:
            The tables, or what is in memory of them.
        plan:
            What was asked.
        counts:
            See `ColumnPlan.count_unseen`.
        replicate:
            Which synthetic table.
        n_records:
            How many real records there are.
    """
    any_column, *by_column = counts[replicate].tolist()
    if any_column * 2 <= n_records:
        return None
    by_name = dict(zip(plan.seen[replicate], by_column, strict=True))
    far = [name for name, n in by_name.items() if n * 2 > n_records]
    said = "; ".join(
        f"{name!r} ({_looks(release.real, name)} in `real_data`, "
        f"{_looks(release.synthetic[replicate], name)} in `synthetic_data`)"
        for name in far or [max(by_name, key=lambda name: by_name[name])]
    )
    return (
        f"Values do not meet: {any_column:,} of {n_records:,} real records have values that "
        f"`synthetic_data` never shows, in {said}. What was found of {plan.column!r} says nothing "
        "until they do: write them alike in all tables."
    )


def _looks(frame: pd.DataFrame, column: Hashable) -> str:
    """The most frequent form among the levels of a column."""
    forms = Counter(map(form_in_words, frame[column].dropna().unique()))
    return forms.most_common(1)[0][0] if forms else "nothing"
