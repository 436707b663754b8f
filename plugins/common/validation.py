"""The checks that several metrics' options share."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_choice(argument: str, value: Any, allowed: Collection[str]) -> None:
    """Refuse a name that is not among those allowed."""
    if value not in allowed:
        raise ValueError(
            f"`{argument}` is {value!r}; it must be one of {', '.join(map(repr, sorted(allowed)))}."
        )


def check_number(
    argument: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_ends: bool = False,
) -> None:
    """Refuse what is no finite number between `low` and `high`."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{argument}` is a {type(value).__name__}; pass a number.")
    number = float(value)
    inside = low < number < high if open_ends else low <= number <= high
    if not (np.isfinite(number) and inside):
        limits = "strictly between" if open_ends else "between"
        raise ValueError(f"`{argument}` is {value}; it must lie {limits} {low:g} and {high:g}.")


def check_count(argument: str, value: Any, least: int) -> None:
    """Refuse what is no whole number from `least`."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{argument}` is a {type(value).__name__}; pass a whole number.")
    if value < least:
        raise ValueError(f"`{argument}` is {value}; it must be at least {least}.")


def check_confidence_level(value: Any) -> None:
    """Refuse what is no coverage of an interval."""
    check_number("confidence_level", value, 0.0, 1.0, open_ends=True)


def check_num_rows(value: Any) -> None:
    """Refuse what is no size of a sample; None is no sample."""
    if value is not None:
        check_count("num_rows_subsample", value, 1)


def check_n_jobs(value: Any) -> None:
    """Refuse what is no number of threads."""
    if value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"`n_jobs` is a {type(value).__name__}; pass a whole number or None.")
    if value == 0:
        raise ValueError("`n_jobs` is 0; pass None or 1 for one thread, -1 for every core.")
