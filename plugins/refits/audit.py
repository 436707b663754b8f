"""The refit attack: who was in is learned from other refits of the same synthesizer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame
from sdmetrics_disclosure.adapters.sources.sequences import sequence_release
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.common.validation import check_count, check_number
from sdmetrics_disclosure.plugins.refits.encoding import Floats, encode_records
from sdmetrics_disclosure.plugins.refits.features import (
    Subsets,
    count_alike,
    distance_of,
    draw_subsets,
    observe,
)
from sdmetrics_disclosure.plugins.refits.game import (
    Coins,
    Units,
    blocks_of,
    draw_coins,
    find_units,
    owners_of,
)
from sdmetrics_disclosure.plugins.refits.groups import Claim, areas, count_right, rates
from sdmetrics_disclosure.plugins.refits.isolation import is_alone, isolation, most_isolated
from sdmetrics_disclosure.plugins.refits.learner import score_refits
from sdmetrics_disclosure.plugins.refits.result import (
    ALL,
    ALONE,
    AUC_COLUMNS,
    GROUPS,
    ISOLATED,
    People,
    RefitAudit,
)
from sdmetrics_disclosure.plugins.refits.run import Outcome, Tables, fingerprint, run_tasks
from sdmetrics_disclosure.plugins.refits.synthesis import (
    Synthesis,
    find_metadata,
    find_syntheses,
    range_notes,
    unit_column,
    widen,
)

LEAST_REFITS = 8
LEAST_UNITS = 8
_DRAW, _COINS, _SUBSETS, _TIES, _REFIT = range(5)


@dataclass(frozen=True)
class Game:
    """What all refits share.

    Attributes:
        real: The real rows, as they came.
        tables: How tables are read.
        units: Who has coins.
        coins: (N, T) who is in which refit.
        subsets: Of columns, on which matches are counted.
        seeds: Of everything random.
    """

    real: pd.DataFrame
    tables: Tables
    units: Units
    coins: Coins
    subsets: Subsets
    seeds: np.random.SeedSequence


@dataclass(frozen=True)
class Refit:
    """One refit of one synthesizer (see `run.Task`)."""

    game: Game
    synthesis: Synthesis
    number: int
    key: str

    def training_rows(self) -> pd.DataFrame:
        """The rows of the units whose coins say so."""
        return self.game.real.iloc[self.game.units.rows_of(self.game.coins[self.number])]

    def seeds(self) -> np.random.SeedSequence:
        """The same for every synthesizer."""
        return child(self.game.seeds, _REFIT, self.number)

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
    check_count("n_refits", n_refits, LEAST_REFITS)
    check_count("n_queries", n_queries, 0)
    check_count("n_isolated", n_isolated, 0)
    check_count("max_units", max_units, LEAST_UNITS)
    check_claim(n_synthetic, guess_share, claimed_epsilon, delta, confidence_level)
    check_checkpoint(checkpoint, random_state)
    seeds = seed_sequence(random_state)
    real = as_frame(REAL, real_data, table_name)
    tables = Tables(find_metadata(metadata, synthesizers, real), table_name)
    release = tables.read(real, real)
    game = _set_up(real, release, tables, n_refits, n_queries, max_units, seeds)
    n_units = len(game.units.records)
    syntheses = {
        name: widen(each, real)
        for name, each in find_syntheses(
            synthesizers,
            {column: not kind.is_number for column, kind in release.kinds.items()},
            round(n_synthetic * n_units / 2),
            unit_column(tables.metadata, table_name),
        ).items()
    }
    notes = [*game.units.notes, *range_notes(metadata, synthesizers, real, table_name)]
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    tasks = _tasks(game, syntheses)
    outcomes = run_tasks(tasks, checkpoint, n_jobs, verbose, "refits")
    by_name = {
        name: outcomes[j * n_refits : (j + 1) * n_refits] for j, name in enumerate(syntheses)
    }
    n_bounds = 2 if n_isolated else 1
    level = 1.0 - (1.0 - confidence_level) / n_bounds
    claim = Claim(claimed_epsilon, delta, guess_share, level)
    return _conclude(
        game,
        release,
        by_name,
        claim,
        settings={
            "synthesizers": list(syntheses),
            "n_refits": n_refits,
            "n_units": n_units,
            "n_synthetic": n_synthetic,
            "n_rows_sampled": round(n_synthetic * n_units / 2),
            "n_queries": n_queries,
            "guess_share": guess_share,
            "n_isolated": n_isolated,
            "claimed_epsilon": claimed_epsilon,
            "delta": delta,
            "max_units": max_units,
            "confidence_level": confidence_level,
            "random_state": random_state if isinstance(random_state, int) else None,
        },
        notes=tuple(notes),
    )


def check_claim(
    n_synthetic: float,
    guess_share: float,
    claimed_epsilon: float | None,
    delta: float,
    confidence_level: float,
) -> None:
    """Refuse options out of range that every audit by guesses has."""
    check_number("n_synthetic", n_synthetic, 0.0, open_ends=True)
    check_number("guess_share", guess_share, 0.0, 1.0, open_ends=True)
    check_number("delta", delta, 0.0, 1.0)
    check_number("confidence_level", confidence_level, 0.0, 1.0, open_ends=True)
    if claimed_epsilon is not None:
        check_number("claimed_epsilon", claimed_epsilon, 0.0)


def check_checkpoint(checkpoint: Any, random_state: Any) -> None:
    """Refuse a checkpoint that no later run could find again."""
    if checkpoint is not None and not isinstance(random_state, (int, np.integer)):
        raise ValueError(
            "`checkpoint` needs a whole number as `random_state`: with other coins a run cannot go "
            "on where one stopped."
        )


def _set_up(
    real: pd.DataFrame,
    release: Release,
    tables: Tables,
    n_refits: int,
    n_queries: int,
    max_units: int,
    seeds: np.random.SeedSequence,
) -> Game:
    one = release if release.unit is None else sequence_release(release)
    units = find_units(one.real, owners_of(release), max_units, generator(seeds, _DRAW))
    n_units = len(units.records)
    if n_units < LEAST_UNITS:
        raise ValueError(
            f"`real_data` has {n_units} different rows (or sequences); an attack by refits needs "
            f"at least {LEAST_UNITS}."
        )
    coins = draw_coins(n_refits, n_units, generator(seeds, _COINS))
    subsets = draw_subsets(len(one.kinds), n_queries, generator(seeds, _SUBSETS))
    return Game(real, tables, units, coins, subsets, seeds)


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
    release: Release,
    outcomes: Mapping[str, Sequence[Outcome]],
    claim: Claim,
    settings: dict[str, Any],
    notes: tuple[str, ...],
) -> RefitAudit:
    records = encode_records(release)
    alike = count_alike(records, game.units.records, game.subsets)
    isolations = isolation(records, game.units.records)
    groups = {
        ALL: np.ones(isolations.size, dtype=np.bool_),
        ISOLATED: most_isolated(isolations, settings["n_isolated"]),
        ALONE: is_alone(alike, game.subsets),
    }
    ties = generator(game.seeds, _TIES).permutation(isolations.size)
    scores, rows, summary = {}, [], []
    for name, found in outcomes.items():
        observed, has_run = _stack(found, game)
        scores[name] = score_refits(observed, game.coins, has_run, alike, game.subsets)
        plain = np.where(np.isnan(scores[name]), np.nan, -distance_of(observed))
        rows += _rows(name, found, game, scores[name], plain, groups)
        run = _effort(found)
        for group in GROUPS:
            members = groups[group]
            level = settings["confidence_level"]
            row = {"Synthesizer": name, "Group": group, "People": int(members.sum())}
            row |= rates(scores[name], game.coins, members, level)
            beside = rates(plain, game.coins, members, level)
            row |= {f"Distance {key}": value for key, value in beside.items()}
            if group != ALONE and members.any():
                guesses = count_right(scores[name], game.coins, members, claim.guess_share, ties)
                row |= claim.judge(*guesses, len(game.coins) * int(members.sum()))
            summary.append(row | run)
    one = release if release.unit is None else sequence_release(release)
    labels = one.real.index[game.units.records]
    return RefitAudit(
        summary=pd.DataFrame(summary),
        rows=pd.DataFrame(rows),
        settings=settings,
        warnings=notes,
        people=People(labels, isolations, groups, game.coins, scores),
    )


def _stack(outcomes: Sequence[Outcome], game: Game) -> tuple[Floats, Any]:
    has_run = np.array([outcome.values is not None for outcome in outcomes])
    shape = next((o.values.shape for o in outcomes if o.values is not None), None)
    shape = shape or (game.coins.shape[1], len(game.subsets) + 3)
    observed = np.full((len(outcomes), *shape), np.nan)
    for i, outcome in enumerate(outcomes):
        if outcome.values is not None:
            observed[i] = outcome.values
    return observed, has_run


def _rows(
    name: str,
    outcomes: Sequence[Outcome],
    game: Game,
    scores: Floats,
    plain: Floats,
    groups: Mapping[str, Any],
) -> list[dict[str, Any]]:
    aucs = {AUC_COLUMNS[group]: areas(scores, game.coins, groups[group]) for group in GROUPS}
    aucs["Distance AUC"] = areas(plain, game.coins, groups[ALL])
    block_of = {int(i): b for b, block in enumerate(blocks_of(len(outcomes)), 1) for i in block}
    return [
        {
            "Synthesizer": name,
            "Refit": i + 1,
            "Block": block_of[i],
            **{column: float(values[i]) for column, values in aucs.items()},
            "Seconds": outcome.seconds,
            "Error": outcome.error,
        }
        for i, outcome in enumerate(outcomes)
    ]


def _effort(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    seconds = [outcome.seconds for outcome in outcomes if outcome.values is not None]
    return {
        "Refits Run": len(seconds),
        "Refits Asked": len(outcomes),
        "Seconds a Fit": float(np.mean(seconds)) if seconds else np.nan,
    }
