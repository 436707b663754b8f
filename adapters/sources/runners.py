"""A way to synthesize a table, in a form that can be run often, elsewhere, and seeded."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from sdmetrics_disclosure.adapters.sources.ctgan import is_ctgan
from sdmetrics_disclosure.adapters.sources.sdv import (
    fit_sdv,
    is_sdv,
    makes_several_tables,
    sample_sdv,
)
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed


class Recipe(Protocol):
    """A way to synthesize a table."""

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
class SdvRecipe:
    """Fit an SDV synthesizer and sample it."""

    synthesizer: Any

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """See `Recipe`."""
        seed = integer_seed(random_state)
        with global_seed(seed):
            fitted = fit_sdv(self.synthesizer, real_data)
            return sample_sdv(fitted, real_data, random_state=seed)


@dataclass(frozen=True)
class CtganRecipe:
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
        """See `Recipe`."""
        model: Any = object.__new__(self.model)
        model.__dict__.update(copy.deepcopy(dict(self.state)))
        discrete = [column for column, is_discrete in discrete_columns.items() if is_discrete]
        with global_seed(integer_seed(random_state)):
            model.fit(real_data[list(discrete_columns)].copy(), discrete)
            return model.sample(len(real_data))


@dataclass(frozen=True)
class FunctionRecipe:
    """Call a function of the real rows; it is given `random_state` if it has that argument."""

    function: Callable[..., Any]

    def __call__(
        self, real_data: pd.DataFrame, discrete_columns: Mapping[Hashable, bool], random_state: Any
    ) -> Any:
        """See `Recipe`."""
        seed = integer_seed(random_state)
        words = {"random_state": seed} if _takes_random_state(self.function) else {}
        with global_seed(seed):
            return self.function(real_data.copy(), **words)


def find_recipe(source: Any) -> Recipe:
    """The recipe for an SDV synthesizer for one table, a CTGAN or TVAE, or a function.

    Raises:
        TypeError: If it is none of these.
        ValueError: If it is a synthesizer for several tables.
    """
    if is_sdv(source):
        if makes_several_tables(source):
            raise ValueError(
                f"{type(source).__name__} is for several tables, which cannot be split by rows. "
                "Fit it on some people's tables yourself, and pass it to `from_sdv` with the "
                "others' as `real_validation_data`."
            )
        return SdvRecipe(source)
    if is_ctgan(source):
        state = {name: value for name, value in vars(source).items() if name != "random_states"}
        return CtganRecipe(type(source), state)
    if callable(source):
        return FunctionRecipe(source)
    raise TypeError(
        f"A synthesizer is a {type(source).__name__}; pass an SDV synthesizer for one table, a "
        "CTGAN or TVAE of the ctgan package, or a function from a frame to a frame."
    )


def find_recipes(synthesizers: Any) -> dict[str, Recipe]:
    """The recipes by name: a dict's own names; of one, or a list, the classes' or functions'.

    Raises:
        TypeError: If one is no way to synthesize.
        ValueError: If there is none, or one is for several tables.
    """
    if isinstance(synthesizers, Mapping):
        named = {str(name): source for name, source in synthesizers.items()}
    else:
        several = isinstance(synthesizers, (list, tuple))
        named = _name(synthesizers if several else [synthesizers])
    if not named:
        raise ValueError("`synthesizers` is empty; pass at least one.")
    return {name: find_recipe(source) for name, source in named.items()}


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
