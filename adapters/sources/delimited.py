"""Delimited text: which encoding, which separator, and whether every line has its fields.

pandas fills a line with a field too few, shifts the columns under one too many, and says nothing.
So every line is counted before it is parsed.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECOMPRESS = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
# bz2 says ValueError where the end is missing.
_DAMAGED = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
# Lines that are looked at to find the separator.
_SAMPLE_LINES = 50


@dataclass(frozen=True)
class Form:
    """How a text file is written.

    Attributes:
        separator: Between fields.
        encoding: Of its characters.
    """

    separator: str = ","
    encoding: str = "utf-8"

    def __str__(self) -> str:
        name = NAMES.get(self.separator, repr(self.separator))
        return f"separator {name}, encoding {self.encoding}"


def read_delimited(
    argument: str, path: Path, separator: str | None = None, encoding: str | None = None
) -> tuple[pd.DataFrame, Form]:
    """The table in a text file, every cell as its text says, and how the file is written.

    Args:
        argument:
            The name of the argument, for messages.
        path:
            The file, perhaps compressed.
        separator:
            Between fields; None: found among comma, semicolon, tab and bar.
        encoding:
            Of the characters; None: UTF-8 or UTF-16 by its mark, else UTF-8, else cp1252.

    Raises:
        ValueError: If the file is damaged, empty, of another encoding, or a line has a field too
            many or too few.
    """
    text, encoding = _decode(argument, path, _unpack(argument, path), encoding)
    if "\0" in text:
        raise ValueError(
            f"`{argument}` is {str(path)!r}, which holds zero bytes: it is no text, or of an "
            "encoding that is not detected. Pass the `encoding`, or save it as UTF-8."
        )
    found = Form(_find_separator(text) if separator is None else separator, encoding)
    _count_fields(argument, path, text, found.separator)
    frame = pd.read_csv(
        io.StringIO(text),
        sep=found.separator,
        index_col=False,
        keep_default_na=False,
        na_values=[""],
        float_precision="round_trip",
        low_memory=False,
    )
    return frame, found


def _unpack(argument: str, path: Path) -> bytes:
    packed = path.read_bytes()
    ending = path.suffix.lower()
    try:
        if ending == ".zip":
            return _only_member(packed)
        return _DECOMPRESS[ending](packed) if ending in _DECOMPRESS else packed
    except _DAMAGED as error:
        raise ValueError(
            f"`{argument}` is {str(path)!r}, a damaged archive ({error}): copy or make it anew."
        ) from error


def _only_member(packed: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        members = [each for each in archive.namelist() if not each.endswith("/")]
        if len(members) != 1:
            raise zipfile.BadZipFile(f"it holds {len(members)} files instead of one")
        return archive.read(members[0])


def _decode(argument: str, path: Path, raw: bytes, encoding: str | None) -> tuple[str, str]:
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    wanted = [encoding] if encoding else [marked] if marked else ["utf-8", "cp1252"]
    for name in wanted:
        try:
            return raw.decode(name), name
        except UnicodeDecodeError:
            continue
        except LookupError as error:
            raise ValueError(f"`encoding` is {name!r}, which Python does not know.") from error
    raise ValueError(
        f"`{argument}` is {str(path)!r}, which cannot be read as {' or '.join(wanted)}. Pass its "
        "`encoding`, or save it as UTF-8."
    )


def _find_separator(text: str) -> str:
    """The separator by which most lines have as many fields as the first, and most fields."""
    lines = [line for line in text[: 2**16].splitlines()[:_SAMPLE_LINES] if line.strip()]

    def agreement(separator: str) -> tuple[float, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        if not counts or counts[0] < 2:
            return 0.0, 0
        return Counter(counts)[counts[0]] / len(counts), counts[0]

    best = max(SEPARATORS, key=agreement)
    return best if agreement(best)[1] else ","


def _count_fields(argument: str, path: Path, text: str, separator: str) -> None:
    where = f"`{argument}` is {str(path)!r}"
    rows = _rows(where, text, separator)
    first = next((row for _, row in rows if row), None)
    if first is None:
        raise ValueError(f"{where}, an empty file: its first line must name the columns.")
    twice = [name for name, n in Counter(first).items() if n > 1]
    if twice:
        raise ValueError(f"{where}, whose first line names {twice[0]!r} twice; rename one.")
    for line, row in rows:
        if row and len(row) != len(first):
            raise ValueError(
                f"{where}: line {line} has {len(row)} fields, the first line has {len(first)} "
                f"(separator {NAMES.get(separator, repr(separator))}). Mend that line, put fields "
                "that hold the separator in quotes, or pass another `separator`."
            )


def _rows(where: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(
            f"{where}: line {reader.line_num} cannot be read ({error}); is a quotation mark left "
            "open there or before?"
        ) from error
