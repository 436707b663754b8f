"""Running a synthesizer for as many records as asked: where this room meets the runners."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import sequence_key, single_table_metadata
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.release.tables import SYNTHETIC, as_frame
from sdmetrics_disclosure.adapters.sources.files import read_metadata
from sdmetrics_disclosure.adapters.sources.ranges import columns_with_own_ranges, widen_synthesizer
from sdmetrics_disclosure.adapters.sources.runners import (
    CtganRunner,
    FunctionRunner,
    SdvRunner,
    SynthesizerRunner,
    name_synthesizers,
)
from sdmetrics_disclosure.adapters.sources.sdv import fit_sdv, sample_sdv
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.common.random_state import child
from sdmetrics_disclosure.plugins.hooks.registry import find_runner

NUM_ROWS = "num_rows"


@dataclass(frozen=True)
class Tables:
    """How the table, and what a synthesizer makes of it, are read.

    Attributes:
        metadata: With `columns` or `tables`, the same in all refits.
        table_name: Which of the metadata's tables.
    """

    metadata: dict[str, Any]
    table_name: str | None

    def read(self, real: pd.DataFrame, synthetic: Any) -> Release:
        """The checked tables."""
        return from_frames(real, synthetic, self.metadata, table_name=self.table_name)


@dataclass(frozen=True)
class Synthesis:
    """One synthesizer, ready to be fitted on any of the table's rows.

    Attributes:
        runner: How it is run.
        discrete_columns: The modelled columns, and whether each is discrete.
        n_records: How many rows (or sequences) to sample; the same in every refit, since a number
            that follows the coins would give their sum away.
        unit: The column that says whose row it is, or None.
    """

    runner: SynthesizerRunner
    discrete_columns: Mapping[Hashable, bool]
    n_records: int
    unit: Hashable | None = None

    def __call__(self, real: pd.DataFrame, seeds: np.random.SeedSequence) -> Any:
        """Fit on these rows and sample, all from these seeds."""
        runner = self.runner
        if isinstance(runner, SdvRunner):
            seed = integer_seed(seeds)
            with global_seed(seed):
                fitted = fit_sdv(runner.synthesizer, real)
                made = sample_sdv(fitted, real, num_rows=self.n_records, random_state=seed)
            return next(iter(made.values()))
        if isinstance(runner, CtganRunner):
            return self._run_ctgan(runner, real, seeds)
        if isinstance(runner, FunctionRunner) and takes(runner.function, NUM_ROWS):
            return self._run_function(runner, real, seeds)
        return self._run_often(real, seeds)

    def describe(self) -> str:
        """What tells this synthesizer from another of the same name, as far as can be said."""
        runner: Any = self.runner
        if isinstance(runner, SdvRunner):
            return f"{type(runner.synthesizer).__qualname__} {_plain(runner.synthesizer)}"
        if isinstance(runner, CtganRunner):
            return f"{runner.model.__qualname__} {sorted(_simple(runner.state).items())}"
        function = getattr(runner, "function", runner)
        return str(getattr(function, "__qualname__", type(function).__qualname__))

    def _run_ctgan(
        self, runner: CtganRunner, real: pd.DataFrame, seeds: np.random.SeedSequence
    ) -> Any:
        model: Any = object.__new__(runner.model)
        model.__dict__.update(copy.deepcopy(dict(runner.state)))
        discrete = [column for column, is_discrete in self.discrete_columns.items() if is_discrete]
        with global_seed(integer_seed(seeds)):
            model.fit(real[list(self.discrete_columns)].copy(), discrete)
            return model.sample(self.n_records)

    def _run_function(
        self, runner: FunctionRunner, real: pd.DataFrame, seeds: np.random.SeedSequence
    ) -> Any:
        seed = integer_seed(seeds)
        words = {"random_state": seed} if takes(runner.function, "random_state") else {}
        with global_seed(seed):
            return runner.function(real.copy(), **{NUM_ROWS: self.n_records}, **words)

    def _run_often(self, real: pd.DataFrame, seeds: np.random.SeedSequence) -> pd.DataFrame:
        """Ask again until there are enough rows: how many one run gives is its own affair."""
        if self.unit is not None:
            raise ValueError(
                f"A function that synthesizes sequences needs the argument `{NUM_ROWS}`, the "
                "number of sequences: without it their number would follow the coins."
            )
        frames: list[pd.DataFrame] = []
        while sum(map(len, frames)) < self.n_records:
            made = self.runner(real, self.discrete_columns, child(seeds, len(frames)))
            frames.append(as_frame(SYNTHETIC, made, None))
        return pd.concat(frames, ignore_index=True).iloc[: self.n_records]


def find_runners(synthesizers: Any) -> dict[str, SynthesizerRunner]:
    """The runners by name, of every library that is plugged in."""
    return {name: find_runner(each) for name, each in name_synthesizers(synthesizers).items()}


def find_syntheses(
    synthesizers: Any, discrete_columns: Mapping[Hashable, bool], n_records: int, unit: Hashable
) -> dict[str, Synthesis]:
    """The synthesizers by name (see `Synthesis`)."""
    return {
        name: Synthesis(runner, discrete_columns, n_records, unit)
        for name, runner in find_runners(synthesizers).items()
    }


def widen(synthesis: Synthesis, rows: pd.DataFrame) -> Synthesis:
    """The same with metadata that allow all the rows: else refits fail, or metadata are audited."""
    if not isinstance(synthesis.runner, SdvRunner):
        return synthesis
    wider = widen_synthesizer(synthesis.runner.synthesizer, rows)
    return replace(synthesis, runner=SdvRunner(wider))


def range_notes(
    metadata: Any, synthesizers: Any, real: pd.DataFrame, table_name: str | None
) -> list[str]:
    """A sentence if metadata that came from outside have the ranges and levels of the rows."""
    given = [metadata] if metadata is not None else []
    own = [getattr(r, "metadata", None) for r in find_runners(synthesizers).values()]
    given += [each for each in own if each is not None]
    found: dict[Hashable, None] = {}
    for each in given:
        described = single_table_metadata(read_metadata(each), table_name)
        assert described is not None, "there are metadata"
        found |= dict.fromkeys(columns_with_own_ranges(described["columns"], real))
    if not found:
        return []
    return [
        f"The metadata's ranges or levels of {', '.join(map(repr, found))} are exactly those of "
        "the real rows: whoever sees the metadata sees the extremes and the rare levels. This "
        "audit does not measure that; write ranges that are known from elsewhere."
    ]


def unit_column(metadata: Mapping[str, Any], table_name: str | None) -> Hashable | None:
    """The column that says whose row it is, or None."""
    described = single_table_metadata(metadata, table_name)
    return None if described is None else sequence_key(described)


def takes(function: Any, argument: str) -> bool:
    """Whether a function has an argument of that name."""
    try:
        return argument in inspect.signature(function).parameters
    except (TypeError, ValueError):  # built in
        return False


def _plain(synthesizer: Any) -> str:
    parameters: dict[str, Any] = getattr(synthesizer, "get_parameters", dict)()
    return str(sorted(_simple(parameters).items()))


def _simple(values: Mapping[str, Any]) -> dict[str, Any]:
    simple = (str, int, float, bool, tuple, type(None))
    return {name: value for name, value in values.items() if isinstance(value, simple)}
