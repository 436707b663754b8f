"""The refit attack: who was in is learned from other refits of the same synthesizer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame
from sdmetrics_disclosure.adapters.sources.runners import find_metadata
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.common.tasks import Outcome, fingerprint, run_tasks
from sdmetrics_disclosure.plugins.refits.encoding import (
    Flags,
    Floats,
    encode_records,
    one_row_a_record,
)
from sdmetrics_disclosure.plugins.refits.features import (
    NEIGHBORS,
    Subsets,
    count_alike,
    distance_of,
    draw_subsets,
    observe,
)
from sdmetrics_disclosure.plugins.refits.game import (
    Coins,
    Units,
    draw_coins,
    find_units,
    owners_of,
)
from sdmetrics_disclosure.plugins.refits.isolation import is_alone, isolation, most_isolated
from sdmetrics_disclosure.plugins.refits.learner import score_refits
from sdmetrics_disclosure.plugins.refits.options import LEAST_UNITS, RefitOptions
from sdmetrics_disclosure.plugins.refits.result import (
    ALL,
    ALONE,
    ISOLATED,
    People,
    RefitAudit,
    tabulate_refits,
)
from sdmetrics_disclosure.plugins.refits.synthesis import (
    Synthesis,
    Tables,
    find_runners,
    find_syntheses,
    range_notes,
    unit_column,
    widen,
)

_DRAW, _COINS, _SUBSETS, _TIES, _REFIT = range(5)


@dataclass(frozen=True)
class Game:
    """What all refits share.

    Attributes:
        real: The real rows, as they came.
        tables: How tables are read.
        release: The real rows, read.
        units: Who has coins.
        coins: (N, T) who is in which refit.
        subsets: Of columns, on which matches are counted.
        seeds: Of everything random.
    """

    real: pd.DataFrame
    tables: Tables
    release: Release
    units: Units
    coins: Coins
    subsets: Subsets
    seeds: np.random.SeedSequence


@dataclass(frozen=True)
class Refit:
    """One refit of one synthesizer (see `tasks.Task`)."""

    game: Game
    synthesis: Synthesis
    number: int
    key: str

    def prepare(self) -> Any:
        """Synthetic rows from the units whose coins say so; all synthesizers have its seeds."""
        rows = self.game.units.rows_of(self.game.coins[self.number])
        return self.synthesis(
            self.game.real.iloc[rows], child(self.game.seeds, _REFIT, self.number)
        )

    def measure(self, synthetic: Any) -> Floats:
        """The features of every unit, (T, F)."""
        records = encode_records(self.game.tables.read(self.game.real, synthetic))
        return observe(records, self.game.units.records, self.game.subsets)


def refit_attack(
    synthesizers: Any,
    real_data: Any,
    metadata: Any = None,
    *,
    n_refits: int = 24,
    n_synthetic: float = 10.0,
    n_queries: int = 40,
    guess_share: float = 0.25,
    n_isolated: int = 30,
    claimed_epsilon: float | None = None,
    delta: float = 0.0,
    max_units: int = 1000,
    confidence_level: float = 0.95,
    table_name: str | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    checkpoint: Any = None,
) -> RefitAudit:
    """Refit synthesizers on halves of the table, and guess from the rows of each who was in it.

    The attacker holds the synthesizer, the table but for the coins of one refit, and other refits:
    more than a stranger has. What is found is no ceiling either; another learner may find more.

    Args:
        synthesizers:
            As for `assess`. A function that takes `num_rows` is given the number of rows (or
            sequences) to make; another is called again until there are enough.
        real_data:
            The real rows: a frame, or a dict of frames by table name.
        metadata:
            As for `assess`; one for all refits, and widened on a copy to all rows.
        n_refits:
            How often each synthesizer is fitted, at least 8. A quarter only teaches.
        n_synthetic:
            Rows to sample in a refit, over half the number of units; the same in every refit.
        n_queries:
            Column subsets on which matches are counted, beside the single columns.
        guess_share:
            Share of the units guessed "in" in each refit, for epsilon.
        n_isolated:
            Size of the group of the most isolated people; with 0 there is none, and epsilon is
            bounded for all at the full level, else for both at half the error each.
        claimed_epsilon:
            An epsilon that is claimed: "refuted" or "not refuted", never confirmed.
        delta:
            Of the claim.
        max_units:
            The most units attacked; of more a random draw, and the others are always in.
        confidence_level:
            Coverage of the intervals, and of the bounds together.
        table_name:
            Which table, where there are several.
        random_state:
            Seed of the coins, the subsets and (as far as they can be seeded) the synthesizers.
        n_jobs:
            Refits at a time, through joblib; `joblib.parallel_config` chooses the backend.
        verbose:
            Whether to show on stderr how far it is.
        checkpoint:
            A folder in which every refit's figures are kept, never rows: a run that was stopped
            goes on from there. None: nothing is kept.

    Returns:
        The `RefitAudit`; a refit that failed makes no guesses and is a row with its error.

    Raises:
        TypeError: If a synthesizer or an argument has the wrong type.
        ValueError: If an option is out of range, or there are too few units.
    """
    options = RefitOptions(
        n_synthetic=n_synthetic,
        guess_share=guess_share,
        claimed_epsilon=claimed_epsilon,
        delta=delta,
        confidence_level=confidence_level,
        random_state=random_state,
        n_refits=n_refits,
        n_queries=n_queries,
        n_isolated=n_isolated,
        max_units=max_units,
    )
    options.check(checkpoint)
    real = as_frame(REAL, real_data, table_name)
    tables = Tables(find_metadata(metadata, find_runners(synthesizers).values(), real), table_name)
    game = _set_up(real, tables, options)
    syntheses = _find_syntheses(synthesizers, game, options)
    notes = (*game.units.notes, *range_notes(metadata, synthesizers, real, table_name))
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    outcomes = run_tasks(_tasks(game, syntheses), checkpoint, n_jobs, verbose, "refits")
    by_name = {
        name: outcomes[j * n_refits : (j + 1) * n_refits] for j, name in enumerate(syntheses)
    }
    return _conclude(game, by_name, options, notes)


def _set_up(real: pd.DataFrame, tables: Tables, options: RefitOptions) -> Game:
    seeds = seed_sequence(options.random_state)
    release = tables.read(real, real)
    one = one_row_a_record(release)
    draw = generator(seeds, _DRAW)
    units = find_units(one.real, owners_of(release), options.max_units, draw)
    if len(units.records) < LEAST_UNITS:
        raise ValueError(
            f"`real_data` has {len(units.records)} different rows (or sequences); an attack by "
            f"refits needs at least {LEAST_UNITS}."
        )
    coins = draw_coins(options.n_refits, len(units.records), generator(seeds, _COINS))
    subsets = draw_subsets(len(one.kinds), options.n_queries, generator(seeds, _SUBSETS))
    return Game(real, tables, release, units, coins, subsets, seeds)


def _find_syntheses(synthesizers: Any, game: Game, options: RefitOptions) -> dict[str, Synthesis]:
    found = find_syntheses(
        synthesizers,
        {column: not kind.is_number for column, kind in game.release.kinds.items()},
        max(1, round(options.n_synthetic * len(game.units.records) / 2)),
        unit_column(game.tables.metadata, game.tables.table_name),
    )
    return {name: widen(each, game.real) for name, each in found.items()}


def _tasks(game: Game, syntheses: Mapping[str, Synthesis]) -> list[Refit]:
    shared = fingerprint(
        game.real, game.tables.metadata, game.coins, game.subsets.tests, game.units.records
    )
    return [
        Refit(game, each, i, fingerprint(shared, name, each.describe(), each.n_records, i))
        for name, each in syntheses.items()
        for i in range(len(game.coins))
    ]


def _conclude(
    game: Game,
    outcomes: Mapping[str, Sequence[Outcome]],
    options: RefitOptions,
    notes: tuple[str, ...],
) -> RefitAudit:
    records = encode_records(game.release)
    targets, subsets = game.units.records, game.subsets
    alike = count_alike(records, targets, subsets)
    isolations = isolation(records, targets)
    groups = {
        ALL: np.ones(isolations.size, dtype=np.bool_),
        ISOLATED: most_isolated(isolations, options.n_isolated),
        ALONE: is_alone(alike, subsets),
    }
    scores, distances = {}, {}
    for name, found in outcomes.items():
        observed, has_run = _stack(found, game)
        scores[name] = score_refits(observed, game.coins, has_run, alike, subsets)
        distances[name] = np.where(np.isnan(scores[name]), np.nan, -distance_of(observed))
    labels = one_row_a_record(game.release).real.index[targets]
    people = People(labels, isolations, groups, game.coins, scores)
    ties = generator(game.seeds, _TIES).permutation(isolations.size)
    summary, rows = tabulate_refits(people, distances, outcomes, options, ties)
    settings = {"synthesizers": list(outcomes), "n_units": len(targets), **asdict(options)}
    is_whole = isinstance(options.random_state, int)
    settings["random_state"] = options.random_state if is_whole else None
    return RefitAudit(summary, rows, settings, notes, people)


def _stack(outcomes: Sequence[Outcome], game: Game) -> tuple[Floats, Flags]:
    """The features of all refits, (N, T, F) with NaN for those that failed, and who did not."""
    n_features = len(game.subsets) + len(NEIGHBORS)
    observed = np.full((*game.coins.shape, n_features), np.nan)
    for i, outcome in enumerate(outcomes):
        if outcome.values is not None:
            observed[i] = outcome.values
    return observed, np.array([outcome.values is not None for outcome in outcomes])
