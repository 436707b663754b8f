"""Files that the command line reads and writes: both are looked at before the work."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add how CSV files are written.

    Args:
        parser:
            Of a subcommand that reads tables.
    """
    parser.add_argument(
        "--separator",
        metavar="C",
        help="between the fields of CSV files, 'tab' for a tab; without it: found",
    )
    parser.add_argument(
        "--encoding", metavar="E", help="of CSV files, such as cp1252; without it: found"
    )


def read_file(argument: str, path: str | None, words: argparse.Namespace) -> Any:
    """A table; what had to be found about its file is said on standard error.

    Args:
        argument:
            Its name in messages.
        path:
            Where it is, or None.
        words:
            As parsed.

    Raises:
        ValueError: If the separator is no single character, or the file cannot be read.
    """
    from sdmetrics_disclosure.adapters.sources.files import read_table

    separator = "\t" if words.separator in ("tab", "\\t") else words.separator
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise ValueError(
            f"`--separator` is {words.separator!r}; it must be one character, or 'tab'."
        )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UserWarning)
        table = read_table(argument, path, separator=separator, encoding=words.encoding)
    if not words.quiet:
        for warning in found:
            print(f"{words.parser.prog}: {warning.message}", file=sys.stderr)
    return table


def check_output(path: Path | None) -> None:
    """Find out that a file cannot be written before the work instead of after it.

    Args:
        path:
            Where something is to be written, or None.

    Raises:
        OSError: If it cannot be written.
    """
    if path is None:
        return
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} in."
        )
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
        was_there = path.exists()
        path.open("ab").close()
    except IsADirectoryError:
        raise
    except OSError as error:
        raise OSError(f"{str(path)!r} cannot be written ({error.strerror}).") from error
    if not was_there:
        path.unlink()


def print_what_the_screen_can() -> None:
    """Let a screen that cannot show a character show its escape instead of ending the work."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
