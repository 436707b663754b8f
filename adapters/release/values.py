"""One value of a categorical column: what it is, and what it is equal to."""

from __future__ import annotations

import datetime
import math
import unicodedata
from decimal import Decimal
from enum import Enum
from numbers import Real
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

# The classes of values that can be equal to one another across tables.
TRUTH, NUMBERS, TEXT = "truth values", "numbers", "text"
_BODIES = ("letters", "digits")
_SIGNS = {
    ",": "a comma",
    ".": "a point",
    "-": "a hyphen",
    "/": "a slash",
    ":": "a colon",
    "_": "an underscore",
    "%": "a percent sign",
}
# Of other types, equal values need not print alike, or print their place in memory.
ALLOWED = (
    str,
    int,
    float,
    pd.Timestamp,
    pd.Timedelta,
    pd.Period,
    pd.Interval,
    datetime.time,
    bytes,
    tuple,
    Enum,
    UUID,
)


def plain(cell: Any) -> Any:
    """The value itself, equal to any other that its class can write for it."""
    if isinstance(cell, (bool, np.bool_)):
        return bool(cell)
    if isinstance(cell, str):
        return str.__str__(cell)  # a text enumeration prints its name, but is its text
    if isinstance(cell, (datetime.date, np.datetime64)):
        moment = pd.Timestamp(cell)
        return moment if moment.tz is None else moment.tz_convert(None)
    if isinstance(cell, (datetime.timedelta, np.timedelta64)):
        return pd.Timedelta(cell)
    return _exact(cell) if isinstance(cell, (Real, Decimal)) else cell


def class_of(value: Any) -> str:
    """The class of a plain value: values of two classes are never equal."""
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, (int, float)):
        return NUMBERS
    return TEXT if isinstance(value, str) else type(value).__name__


def _exact(number: Any) -> int | float:
    """An int where the number is whole: those have no limit."""
    if isinstance(number, np.floating):
        number = float(str(number))  # 0.1 stays 0.1 in float32
    try:
        whole = int(number)
    except (OverflowError, ValueError):  # infinite, or not a number
        return float(number)
    return whole if whole == number else float(number)


def number_in(text: str) -> int | float | None:
    """The finite number that a text spells, or None."""
    if "_" in text:  # Python takes 1_000 for a number, no one else does
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return _exact(number) if math.isfinite(number) else None


def meaning(value: Any) -> Any:
    """What a text spells: a number, a truth value, or itself."""
    if not isinstance(value, str):
        return value
    if value.strip().casefold() in ("true", "false"):
        return value.strip().casefold() == "true"
    number = number_in(value)
    return value if number is None else number


def meaning_as_text(value: Any) -> str:
    """The one text for all spellings of a value."""
    return str(meaning(value))


def meaning_as_number(value: Any) -> int | float:
    """The number that a number, a truth value or a text spells."""
    return _exact(meaning(value))


def text_order(text: str) -> tuple[bool, int | float, str]:
    """Sort key: text that spells numbers by their size, then all other text."""
    number = number_in(text)
    return (True, 0, text) if number is None else (False, number, text)


def key_of(cell: Any) -> Any:
    """What a cell is as the key of a row: 1, 1.0 and the text "1" are one, "01" is itself."""
    value = plain(cell)
    if not isinstance(value, str):
        return value
    text = unicodedata.normalize("NFC", value).strip()
    number = number_in(text)
    return number if number is not None and text in (str(number), f"{number}.0") else text


def form_in_words(value: Any) -> str:
    """What a level looks like, such as "digits with a comma": no more of it may be said aloud."""
    if not isinstance(value, str):
        return class_of(value)
    kinds = {_kind_of(letter) for letter in value}
    bodies = [kind for kind in _BODIES if kind in kinds]
    signs = sorted(kinds - set(_BODIES))
    body = " and ".join(bodies) or "no letters or digits"
    return f"{body} with {' and '.join(signs)}" if signs else body


def _kind_of(letter: str) -> str:
    if letter.isdigit():
        return "digits"
    if letter.isalpha():
        return "letters"
    return _SIGNS.get(letter, "a blank" if letter.isspace() else "other signs")
