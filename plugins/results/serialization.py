"""Typed objects to plain JSON and back, exactly.

JSON has no word for NaN and infinity: they are the texts "NaN", "Infinity" and "-Infinity" where a
number is expected, and None is null. A float is written with as many digits as bring it back.
"""

from __future__ import annotations

import functools
import json
import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def to_plain(value: Any) -> Any:
    """Dataclasses as dicts, tuples as lists, down to what JSON has."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(entry) for entry in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _word(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    raise TypeError(f"A {type(value).__name__} has no plain form.")


def from_plain(kind: type[T], value: Any, where: str = "the result") -> T:
    """A typed object from its plain form.

    Args:
        kind:
            A dataclass, or what its fields may be.
        value:
            The plain form.
        where:
            What is being read, for messages.

    Raises:
        ValueError: If it is not the plain form of such an object.
    """
    read: T = _read(kind, value, where)
    return read


def to_text(plain: Any) -> str:
    """JSON of a plain object."""
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False)


def _word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _read(kind: Any, value: Any, where: str) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if is_dataclass(kind):
        return _read_dataclass(kind, value, where)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in parts:
            return None
        (present,) = (part for part in parts if part is not type(None))
        return _read(present, value, where)
    if origin is Literal:
        if value not in parts:
            raise _misfit(where, value, " or ".join(map(repr, parts)))
        return value
    if origin is tuple:
        _check(isinstance(value, list), where, value, "a list")
        return tuple(_read(parts[0], entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        _check(isinstance(value, dict), where, value, "an object")
        return {key: _read(parts[1], entry, f"{where}.{key}") for key, entry in value.items()}
    return _read_scalar(kind, value, where)


def _read_dataclass(kind: Any, value: Any, where: str) -> Any:
    _check(isinstance(value, dict), where, value, "an object")
    hints = _hints(kind)
    if set(value) != set(hints):
        differing = sorted(set(value) ^ set(hints))
        raise ValueError(f"{where} does not have the keys it should: {', '.join(differing)}.")
    return kind(**{name: _read(hints[name], value[name], f"{where}.{name}") for name in hints})


def _read_scalar(kind: type, value: Any, where: str) -> Any:
    if kind is float:
        if isinstance(value, str) and value in _WORDS:
            return _WORDS[value]
        _check(
            isinstance(value, (int, float)) and not isinstance(value, bool),
            where,
            value,
            "a number",
        )
        return float(value)
    expected = {int: "a whole number", str: "text", bool: "true or false"}[kind]
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    _check(fits, where, value, expected)
    return value


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _check(fits: bool, where: str, value: Any, expected: str) -> None:
    if not fits:
        raise _misfit(where, value, expected)


def _misfit(where: str, value: Any, expected: str) -> ValueError:
    return ValueError(f"{where} is a {type(value).__name__}; it should be {expected}.")
