"""Which messages may be shown: counts and names always, values never.

A message of our own is written by that rule. One of a library may quote what it was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dis import opmap
from types import TracebackType

PACKAGE = "sdmetrics_disclosure"
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d.,:e+-]*\d|\d")


def is_ours(error: BaseException) -> bool:
    """Whether a `raise` of this package raised it, so that its message is written to be shown.

    Args:
        error:
            As it was caught.
    """
    last = _last(error)
    if last is None or _module(last).partition(".")[0] != PACKAGE:
        return False
    # What compiled code raises, such as float("Smith"), has our line as its last one too.
    return last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


@contextmanager
def bad_input(what: str, cure: str) -> Iterator[None]:
    """What a library says of an input that it cannot read is about the input, whatever it raises.

    Args:
        what:
            What is read.
        cure:
            What to do about it.

    Raises:
        ValueError: If neither this package nor the operating system raised.
    """
    try:
        yield
    except Exception as error:
        if is_ours(error) or isinstance(error, OSError):
            raise
        said = f"{say_place(error)}: {mask(error)}"
        raise ValueError(f"{what} could not be read ({said}). {cure}") from error


def say_place(error: BaseException) -> str:
    """The type of an error, and the module that raised it.

    Args:
        error:
            As it was caught.
    """
    last = _last(error)
    place = "" if last is None else _module(last)
    return type(error).__name__ + (f" in {place}" if place else "")


def mask(message: object) -> str:
    """What a library said, without the numbers and quoted texts in it.

    Args:
        message:
            An exception, or its message.
    """
    return _QUOTED.sub("…", str(message))


def _last(error: BaseException) -> TracebackType | None:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _module(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__", ""))
