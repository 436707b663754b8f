"""A way to synthesize a table, in a form that can be run often, elsewhere, and seeded."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from sdmetrics_disclosure.adapters.sources.ctgan import is_ctgan
from sdmetrics_disclosure.adapters.sources.detection import detect_metadata
from sdmetrics_disclosure.adapters.sources.files import read_metadata
from sdmetrics_disclosure.adapters.sources.sdv import (
    fit_sdv,
    is_sdv,
    makes_several_tables,
    metadata_of,
    sample_sdv,
)
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed
from sdmetrics_disclosure.adapters.sources.sources import from_frames


class SynthesizerRunner(Protocol):
    """A way to synthesize a table; it can be pickled, to be run elsewhere.

    A synthesizer that has metadata of its own (in SDMetrics' form) says them in an attribute
    `metadata`: they count where the caller passes none.
    """

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """Synthetic rows, as many as there are real ones.

        Args:
            real_data:
                The real rows; they are not changed.
            discrete_columns:
                The modelled columns, and whether each is discrete.
            random_state:
                Seed of everything, as far as it can be seeded; the global state is put back.
        """


@dataclass(frozen=True)
class SdvRunner:
    """Fit an SDV synthesizer and sample it."""

    synthesizer: Any

    @property
    def metadata(self) -> dict[str, Any]:
        """See `SynthesizerRunner`."""
        return metadata_of(self.synthesizer)

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """See `SynthesizerRunner`."""
        seed = integer_seed(random_state)
        with global_seed(seed):
            fitted = fit_sdv(self.synthesizer, real_data)
            return sample_sdv(fitted, real_data, random_state=seed)


@dataclass(frozen=True)
class CtganRunner:
    """Fit a model of the `ctgan` package and sample it.

    Attributes:
        model: Its class.
        state: Its attributes: an unfitted TVAE itself cannot be sent to another process.
    """

    model: type
    state: Mapping[str, Any]

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """See `SynthesizerRunner`."""
        model: Any = object.__new__(self.model)
        model.__dict__.update(copy.deepcopy(dict(self.state)))
        discrete = [column for column, is_discrete in discrete_columns.items() if is_discrete]
        with global_seed(integer_seed(random_state)):
            model.fit(real_data[list(discrete_columns)].copy(), discrete)
            return model.sample(len(real_data))


@dataclass(frozen=True)
class FunctionRunner:
    """Call a function of the real rows; it is given `random_state` if it has that argument."""

    function: Callable[..., Any]

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """See `SynthesizerRunner`."""
        seed = integer_seed(random_state)
        words = {"random_state": seed} if _takes_random_state(self.function) else {}
        with global_seed(seed):
            return self.function(real_data.copy(), **words)


@dataclass(frozen=True)
class SynthesizerLibrary:
    """A library of synthesizers, or one synthesizer, that can be run on folds.

    Attributes:
        name: Unique.
        find_runner: Gives the runner for what a user passes; None if it is not of this library.
    """

    name: str
    find_runner: Callable[[Any], SynthesizerRunner | None]


def sdv_runner(source: Any) -> SynthesizerRunner | None:
    """The runner for an SDV synthesizer.

    Raises:
        ValueError: If it is for several tables.
    """
    if not is_sdv(source):
        return None
    if makes_several_tables(source):
        raise ValueError(
            f"{type(source).__name__} is for several tables, which cannot be split by rows. Fit it "
            "on some people's tables yourself, and pass it to `from_sdv` with the others' as "
            "`real_validation_data`."
        )
    return SdvRunner(source)


def ctgan_runner(source: Any) -> SynthesizerRunner | None:
    """The runner for a CTGAN or TVAE of the ctgan package."""
    if not is_ctgan(source):
        return None
    state = {name: value for name, value in vars(source).items() if name != "random_states"}
    return CtganRunner(type(source), state)


def function_runner(source: Any) -> SynthesizerRunner | None:
    """The runner for a function from a frame to a frame."""
    return FunctionRunner(source) if callable(source) else None


SDV = SynthesizerLibrary("sdv", sdv_runner)
CTGAN = SynthesizerLibrary("ctgan", ctgan_runner)
FUNCTION = SynthesizerLibrary("function", function_runner)


def find_metadata(
    metadata: Any, runners: Iterable[SynthesizerRunner], real: pd.DataFrame
) -> dict[str, Any]:
    """Metadata that are the same in every fit, whatever its rows.

    Args:
        metadata:
            In any form, the path of a file too; None: those of a synthesizer, else detected.
        runners:
            Of the synthesizers.
        real:
            All real rows.
    """
    given = read_metadata(metadata)
    if given is not None:
        return given if isinstance(given, dict) else dict(given.to_dict())
    for runner in runners:
        own: dict[str, Any] | None = getattr(runner, "metadata", None)
        if own is not None:
            return own
    detected = detect_metadata(real)
    if detected is not None:
        return detected
    kinds = from_frames(real, real).kinds
    sdtypes = {c: kinds[c].value if c in kinds else "unknown" for c in real.columns}
    return {"columns": {column: {"sdtype": sdtype} for column, sdtype in sdtypes.items()}}


def name_synthesizers(synthesizers: Any) -> dict[str, Any]:
    """Synthesizers by name: a dict's own names; of one, or a list, the classes' or functions'.

    Raises:
        ValueError: If there is none.
    """
    if isinstance(synthesizers, Mapping):
        named = {str(name): source for name, source in synthesizers.items()}
    else:
        several = isinstance(synthesizers, (list, tuple))
        named = _name(synthesizers if several else [synthesizers])
    if not named:
        raise ValueError("`synthesizers` is empty; pass at least one.")
    return named


def _name(sources: Sequence[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for source in sources:
        plain = getattr(source, "__name__", type(source).__name__).strip("<>")
        name, number = plain, 1
        while name in named:
            number += 1
            name = f"{plain}_{number}"
        named[name] = source
    return named


def _takes_random_state(function: Callable[..., Any]) -> bool:
    try:
        return "random_state" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # built in
        return False
