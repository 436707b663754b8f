"""Typed objects to plain JSON and back, exactly, by cattrs.

JSON has no word for NaN and infinity: they are the texts "NaN", "Infinity" and "-Infinity" where a
number is expected, and None is null. A float is written with as many digits as bring it back.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
CURE = "Make the report again, or read it with the version that wrote it."
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_EXPECTED = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}


def serialize(value: Any) -> Any:
    """Dataclasses as dicts, tuples as lists, down to what JSON has."""
    return _converter().unstructure(value)


def deserialize(kind: type[T], value: Any, where: str = "the result") -> T:
    """A typed object from its plain form.

    Args:
        kind:
            A dataclass, or what its fields may be.
        value:
            The plain form.
        where:
            What is being read, for messages.

    Raises:
        ValueError: If it is not the plain form of such an object; every place that is wrong is
            named.
    """
    from cattrs import transform_error

    try:
        return _converter().structure(value, kind)
    except Exception as error:
        found = transform_error(error, where, lambda cause, _: str(cause))
        wrong = [line.rpartition(" @ ") for line in found]
        said = "; ".join(f"{place} {message}" for message, _, place in wrong)
        raise ValueError(f"{said}. {CURE}") from error


def to_text(plain: Any) -> str:
    """JSON of a plain object."""
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False)


@functools.cache
def _converter() -> Converter:
    """Strict both ways: nothing is taken for what it is not, and no key is guessed or dropped."""
    from cattrs import Converter

    made = Converter(
        unstruct_collection_overrides={tuple: list},
        unstructure_fallback_factory=lambda _: _refuse,
    )
    made.register_unstructure_hook(str, str)
    for kind in (int, bool, type(None)):
        made.register_unstructure_hook(kind, _same)
    made.register_unstructure_hook(float, _write_float)
    is_literal = functools.partial(_is_of, Literal)
    made.register_unstructure_hook_func(is_literal, _same)
    for kind in _EXPECTED:
        made.register_structure_hook(kind, _read_scalar)
    made.register_structure_hook_func(is_literal, _read_literal)
    for origin in (tuple, Mapping):
        made.register_structure_hook_factory(
            functools.partial(_is_of, origin), functools.partial(_collection_reader, made)
        )
    made.register_structure_hook_factory(is_dataclass, lambda kind: _dataclass_reader(made, kind))
    return made


def _is_of(origin: Any, kind: Any) -> bool:
    return get_origin(kind) is origin


def _same(value: T) -> T:
    return value


def _write_float(value: float) -> float | str:
    if math.isfinite(value):
        return float(value) if isinstance(value, float) else value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _refuse(value: Any) -> Any:
    raise TypeError(f"A {type(value).__name__} has no plain form.")


def _collection_reader(made: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    origin, parts = get_origin(kind), get_args(kind)
    is_tuple = origin is tuple
    plain: Any = list[parts[0]] if is_tuple else dict[parts[0], parts[1]]  # type: ignore[valid-type]
    read = made.get_structure_hook(plain)

    def reader(value: Any, _: Any) -> Any:
        fits = isinstance(value, list if is_tuple else dict)
        _check(fits, value, "a list" if is_tuple else "an object")
        return tuple(read(value, plain)) if is_tuple else read(value, plain)

    return reader


def _dataclass_reader(made: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    from cattrs.gen import make_dict_structure_fn

    read = make_dict_structure_fn(kind, made)
    names = {each.name for each in fields(kind)}

    def reader(value: Any, _: Any) -> Any:
        _check(isinstance(value, dict), value, "an object")
        missing, unknown = sorted(names - set(value)), sorted(set(value) - names)
        wrong = f"lacks the keys {missing}" if missing else ""
        wrong += " and " if missing and unknown else ""
        wrong += f"has the unknown keys {unknown}; allowed are {sorted(names)}" if unknown else ""
        if wrong:
            raise ValueError(wrong)
        return read(value, kind)

    return reader


def _read_literal(value: Any, kind: Any) -> Any:
    _check(value in get_args(kind), value, " or ".join(map(repr, get_args(kind))))
    return value


def _read_scalar(value: Any, kind: type) -> Any:
    if kind is float and isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    allowed = (int, float) if kind is float else kind
    is_number_for_bool = isinstance(value, bool) and kind is not bool
    _check(isinstance(value, allowed) and not is_number_for_bool, value, _EXPECTED[kind])
    return float(value) if kind is float else value


def _check(fits: bool, value: Any, expected: str) -> None:
    if not fits:
        raise ValueError(f"is {shortened(value)} ({type(value).__name__}); it should be {expected}")
