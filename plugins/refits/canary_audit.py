"""The canary audit: planted rows go in by coins, and the synthetic rows say which."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame
from sdmetrics_disclosure.adapters.sources.runners import find_metadata
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.common.tasks import Outcome, fingerprint, run_tasks
from sdmetrics_disclosure.plugins.refits.canaries import (
    Canaries,
    count_right,
    make_canaries,
    score_canaries,
)
from sdmetrics_disclosure.plugins.refits.encoding import Floats
from sdmetrics_disclosure.plugins.refits.epsilon import NO_BOUND, Claim
from sdmetrics_disclosure.plugins.refits.game import Coins, draw_coins
from sdmetrics_disclosure.plugins.refits.options import KINDS, CanaryOptions
from sdmetrics_disclosure.plugins.refits.result import effort, plain_dict
from sdmetrics_disclosure.plugins.refits.synthesis import (
    Synthesis,
    Tables,
    find_runners,
    find_syntheses,
    range_notes,
    unit_column,
    widen,
)

_MAKE, _COINS, _TIES, _REFIT = range(4)


@dataclass(frozen=True)
class CanaryAudit:
    """What synthesizers give away of planted rows.

    Attributes:
        summary: A row a synthesizer and kind: guesses, right ones, `Epsilon` with its cap, refits
            that ran and seconds a fit.
        rows: A row a synthesizer, kind and refit; what failed has an `Error`.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause; kinds without a column are named here.
    """

    summary: pd.DataFrame
    rows: pd.DataFrame
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain. Of an error only its type: its message may quote the data."""
        return plain_dict(self.rows, self.summary, self.settings, self.warnings)

    def __str__(self) -> str:
        shown = ["Synthesizer", "Kind", "Guesses", "Right", "Epsilon", "Cap", "Refits Run"]
        return str(self.summary[shown].to_string(index=False, float_format="{:.3f}".format))


@dataclass(frozen=True)
class Planted:
    """One kind's rows and coins.

    Attributes:
        real: The real rows, as they came; always in.
        tables: How tables are read.
        canaries: The planted rows.
        coins: (N, n) which of them are in which refit.
        seeds: Of this kind.
    """

    real: pd.DataFrame
    tables: Tables
    canaries: Canaries
    coins: Coins
    seeds: np.random.SeedSequence

    def all_rows(self, kept: Any = slice(None)) -> pd.DataFrame:
        """The real rows and, behind them, these canaries."""
        rows: pd.DataFrame = pd.concat([self.real, self.canaries.rows[kept]], ignore_index=True)
        return rows


@dataclass(frozen=True)
class CanaryRefit:
    """One refit of one synthesizer with some of the canaries (see `tasks.Task`)."""

    planted: Planted
    synthesis: Synthesis
    number: int
    key: str

    def prepare(self) -> Any:
        """Synthetic rows from all real rows and the canaries whose coins say so."""
        rows = self.planted.all_rows(self.planted.coins[self.number])
        return self.synthesis(rows, child(self.planted.seeds, _REFIT, self.number))

    def measure(self, synthetic: Any) -> Floats:
        """The score of every canary, in or out."""
        release = self.planted.tables.read(self.planted.all_rows(), synthetic)
        return score_canaries(self.planted.canaries, len(self.planted.real), release)


def canary_audit(
    synthesizers: Any,
    real_data: Any,
    metadata: Any = None,
    *,
    kinds: Sequence[str] = KINDS,
    n_canaries: int = 100,
    n_refits: int = 1,
    n_synthetic: float = 10.0,
    guess_share: float = 0.25,
    claimed_epsilon: float | None = None,
    delta: float = 0.0,
    confidence_level: float = 0.95,
    table_name: str | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    checkpoint: Any = None,
) -> CanaryAudit:
    """Plant rows by coins, fit on them and all real rows, and guess the coins from what comes out.

    Args:
        synthesizers:
            As for `refit_attack`.
        real_data:
            The real rows, which are in every fit: a frame, or a dict of frames by table name.
        metadata:
            As for `refit_attack`; widened to the canaries.
        kinds:
            "level" (a category nobody has), "extreme" (a number beyond all, one a column and
            refit), "combination" (values of others, never together). Each has fits of its own.
        n_canaries:
            How many rows of a kind are planted.
        n_refits:
            Fits a kind, each with its own coins; extremes need about 20.
        n_synthetic:
            Rows to sample in a refit, over the number of real rows.
        guess_share:
            Share of the canaries guessed "in"; extremes are guessed where one was surpassed.
        claimed_epsilon:
            See `refit_attack`.
        delta:
            See `refit_attack`.
        confidence_level:
            With which the bounds of all kinds hold together.
        table_name:
            Which table, where there are several.
        random_state:
            Seed of the canaries, the coins and the synthesizers.
        n_jobs:
            Refits at a time, through joblib.
        verbose:
            Whether to show on stderr how far it is.
        checkpoint:
            See `refit_attack`.

    Returns:
        The `CanaryAudit`. A synthesizer that refuses a canary has that as its error.

    Raises:
        TypeError: If a synthesizer or an argument has the wrong type.
        ValueError: If an option is out of range, no kind has a column to work on, or the table
            has sequences.
    """
    options = CanaryOptions(
        n_synthetic=n_synthetic,
        guess_share=guess_share,
        claimed_epsilon=claimed_epsilon,
        delta=delta,
        confidence_level=confidence_level,
        random_state=random_state,
        kinds=kinds,
        n_canaries=n_canaries,
        n_refits=n_refits,
    )
    options.check(checkpoint)
    real = as_frame(REAL, real_data, table_name).reset_index(drop=True)
    tables = Tables(find_metadata(metadata, find_runners(synthesizers).values(), real), table_name)
    if unit_column(tables.metadata, table_name) is not None:
        raise ValueError(
            "`canary_audit` plants rows, and these rows belong to sequences: use `refit_attack`."
        )
    release = tables.read(real, real)
    planted, left_out = _plant(real, tables, release, options)
    notes = (*left_out, *range_notes(metadata, synthesizers, real, table_name))
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    discrete = {column: not kind.is_number for column, kind in release.kinds.items()}
    n_rows = max(1, round(n_synthetic * len(real)))
    syntheses = find_syntheses(synthesizers, discrete, n_rows, None)
    tasks = _tasks(planted, syntheses)
    outcomes = iter(run_tasks(tasks, checkpoint, n_jobs, verbose, "canaries"))
    claim = options.claim(len(planted))
    summary, rows = [], []
    for name in syntheses:
        for each in planted.values():
            found = [next(outcomes) for _ in range(n_refits)]
            line, lines = _conclude(name, each, found, claim)
            summary.append(line)
            rows += lines
    settings = {"synthesizers": list(syntheses), **asdict(options), "kinds": list(planted)}
    settings["random_state"] = random_state if isinstance(random_state, int) else None
    return CanaryAudit(pd.DataFrame(summary), pd.DataFrame(rows), settings, notes)


def _plant(
    real: pd.DataFrame,
    tables: Tables,
    release: Release,
    options: CanaryOptions,
) -> tuple[dict[str, Planted], list[str]]:
    seeds = seed_sequence(options.random_state)
    planted = {}
    for kind in dict.fromkeys(options.kinds):
        own = child(seeds, KINDS.index(kind))
        made = make_canaries(kind, real, release.kinds, options.n_canaries, generator(own, _MAKE))
        if made is not None:
            coins = draw_coins(options.n_refits, len(made.rows), generator(own, _COINS))
            planted[kind] = Planted(real, tables, made, coins, own)
    left_out = set(options.kinds) - set(planted)
    if not planted:
        raise ValueError(f"No column can be changed for canaries of the kinds {names(left_out)}.")
    notes = [f"There is no column for canaries of the kind {kind!r}." for kind in sorted(left_out)]
    return planted, notes


def _tasks(planted: Mapping[str, Planted], syntheses: Mapping[str, Synthesis]) -> list[CanaryRefit]:
    tasks = []
    for name, synthesis in syntheses.items():
        for kind, each in planted.items():
            rows = each.all_rows()
            wider = widen(synthesis, rows)
            shared = (rows, each.tables.metadata, each.coins, kind, name)
            about = (synthesis.describe(), synthesis.n_records)
            key = fingerprint(*shared, *about)
            tasks += [
                CanaryRefit(each, wider, i, fingerprint(key, i)) for i in range(len(each.coins))
            ]
    return tasks


def _conclude(
    name: str, planted: Planted, outcomes: Sequence[Outcome], claim: Claim
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    canaries, coins = planted.canaries, planted.coins
    ties = generator(planted.seeds, _TIES).permutation(len(canaries.rows))
    scores = [outcome.values for outcome in outcomes]
    counts = count_right(canaries.kind, scores, coins, claim.guess_share, ties)
    about = {"Synthesizer": name, "Kind": canaries.kind}
    rows = [
        {
            **about,
            "Refit": i + 1,
            "Guesses": n_guesses,
            "Right": n_right,
            "Seconds": outcome.seconds,
            "Error": outcome.error,
        }
        for i, (outcome, (n_right, n_guesses)) in enumerate(zip(outcomes, counts, strict=True))
    ]
    n_right, n_guesses = (sum(count[k] for count in counts) for k in range(2))
    ran = effort(outcomes)
    # Where nothing ran there is no bound; where no extreme was surpassed it is 0.
    bound = claim.judge(n_right, n_guesses, coins.size) if ran["Refits Run"] else {}
    summary = {**about, "Canaries": len(canaries.rows), **NO_BOUND, **bound, **ran}
    return summary, rows
