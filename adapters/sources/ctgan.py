"""From the plain `ctgan` package's models (CTGAN, TVAE), which know no metadata, to a release.

The package is never imported.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.numbers import Notes
from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.adapters.release.tables import REAL, as_frame
from sdmetrics_disclosure.adapters.sources.seeding import global_seed, integer_seed


def is_ctgan(source: Any) -> bool:
    """Whether a source is a model of the `ctgan` package."""
    wanted = ("fit", "sample", "set_random_state", "set_device")
    return all(callable(getattr(source, name, None)) for name in wanted)


def from_ctgan(
    model: Any,
    real_data: Any,
    discrete_columns: Sequence[Hashable] | None = None,
    *,
    real_validation_data: Any = None,
    num_rows: int | None = None,
    random_state: Any = 0,
) -> Release:
    """A release from a fitted CTGAN or TVAE of the `ctgan` package; it stays as it is.

    The model's discrete columns are categories, all others numbers. What comes back in another
    dtype than the real column's is matched by value, and the release's notes say so.

    Args:
        model:
            The fitted model.
        real_data:
            The rows it was fitted on: a frame, or an array.
        discrete_columns:
            As passed to `fit`. None: the model's own list.
        real_validation_data:
            Real rows it never saw, in the same form.
        num_rows:
            How many rows to sample. None: as many as the real data has.
        random_state:
            Seed of the sample.

    Raises:
        TypeError: If it is no such model.
        ValueError: If it is not fitted, or was fitted on other columns.
    """
    if not is_ctgan(model):
        raise TypeError(
            f"`model` is a {type(model).__name__}; pass a CTGAN or TVAE of the ctgan package."
        )
    real = as_frame(REAL, _as_table(real_data), None)
    discrete = _kinds_of_columns(model, real)
    _check_discrete(discrete_columns, discrete)
    synthetic = sample_ctgan(
        model, len(real) if num_rows is None else num_rows, random_state=random_state
    )
    synthetic = _as_table(synthetic, columns=list(discrete))
    metadata = {
        "columns": {
            column: {"sdtype": "categorical" if is_discrete else "numerical"}
            for column, is_discrete in discrete.items()
        }
    }
    release = build_release(
        real[list(discrete)],
        synthetic,
        metadata,
        real_validation_data=_as_table(real_validation_data),
    )
    return replace(release, notes=(*_notes(real, synthetic), *release.notes))


def sample_ctgan(model: Any, num_rows: int, *, random_state: Any = 0) -> Any:
    """What a fitted model samples, as it gives it; it stays as it is.

    Args:
        model:
            The fitted model.
        num_rows:
            How many rows.
        random_state:
            Seed of the sample.
    """
    seed = integer_seed(random_state)
    copied = copy_model(model)
    with global_seed(seed):
        return copied.sample(num_rows)


def copy_model(model: Any) -> Any:
    """A copy that draws from the global state; an unfitted TVAE refuses `copy.deepcopy`."""
    copied = object.__new__(type(model))
    state = {name: value for name, value in vars(model).items() if name != "random_states"}
    copied.__dict__.update(copy.deepcopy(state))
    return copied


def _kinds_of_columns(model: Any, real: pd.DataFrame) -> dict[Hashable, bool]:
    """Whether each of the columns that the model was fitted on is discrete."""
    transformer = getattr(model, "_transformer", None) or getattr(model, "transformer", None)
    if transformer is None:
        raise ValueError("`model` is not fitted; call its `fit` first.")
    described = transformer._column_transform_info_list
    learned = [info.column_name for info in described]
    if not transformer.dataframe:  # fitted on an array, whose columns it numbers
        if len(learned) != real.shape[1]:
            raise ValueError(
                f"`model` was fitted on an array of {len(learned)} columns and `real_data` has "
                f"{real.shape[1]}; pass the array it was fitted on."
            )
        learned = list(real.columns)
    absent = [column for column in learned if column not in real.columns]
    if absent:
        raise ValueError(
            f"`real_data` has no column {names(absent)}, on which `model` was fitted; pass the "
            "frame it was fitted on."
        )
    kinds = [info.column_type == "discrete" for info in described]
    return dict(zip(learned, kinds, strict=True))


def _check_discrete(given: Sequence[Hashable] | None, discrete: dict[Hashable, bool]) -> None:
    if given is None:
        return
    own = {column for column, is_discrete in discrete.items() if is_discrete}
    if isinstance(given, str):
        raise TypeError("`discrete_columns` is text; pass a list of column names.")
    if set(given) != own:
        raise ValueError(
            f"`discrete_columns` is {names(given) or 'empty'}, but `model` was fitted with "
            f"{names(own) or 'none'}; pass the same list, or None."
        )


def _as_table(data: Any, columns: list[Any] | None = None) -> Any:
    return pd.DataFrame(data, columns=columns) if isinstance(data, np.ndarray) else data


def _notes(real: pd.DataFrame, synthetic: pd.DataFrame) -> tuple[str, ...]:
    notes = Notes()
    for column in real.columns:
        if column not in synthetic.columns:
            notes.add("The model was not fitted on {columns}, which were left out.", column)
            continue
        was, is_now = real[column].dtype, synthetic[column].dtype
        if was != is_now:
            notes.add(
                f"{{columns}} came back as {is_now} and are {was} in the real data: values were "
                "matched by what they say.",
                column,
            )
    return notes.sentences()
