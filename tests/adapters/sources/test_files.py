"""Text files as people have them: separators, encodings, broken lines, damaged archives."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdmetrics_disclosure.adapters.sources.delimited import SEPARATORS
from sdmetrics_disclosure.adapters.sources.files import read_metadata, read_table

TABLE = pd.DataFrame({"name": ["Ann", "Jörg", "Zoë"], "age": [31, 42, 53], "rate": [0.5, 1.5, 2.5]})


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_separator_and_encoding_are_found_and_said(
    tmp_path: Path, separator: str, encoding: str, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, sep=separator, encoding=encoding, index=False)
    pd.testing.assert_frame_equal(read_table("real", path), TABLE)
    said = [str(warning.message) for warning in recwarn]
    if (separator, encoding) == (",", "utf-8"):
        assert said == []
    else:
        assert len(said) == 1
        assert f"encoding {encoding}" in said[0]
        assert "`real` was read with separator" in said[0]


def test_what_is_named_is_taken_and_not_said(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("a^b\n1^Gr\u00fc\n2^x\n".encode("latin-1"))
    read = read_table("real", path, separator="^", encoding="latin-1")
    assert read.to_dict("list") == {"a": [1, 2], "b": ["Gr\u00fc", "x"]}
    assert not recwarn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, the first line has 2"),
        ("a,b\n1,2,9\n3,4,9\n", "line 2 has 3 fields"),  # pandas: the first column is an index
        ("a,b,c\n1,2,3\n4,5\n", "line 3 has 2 fields, the first line has 3"),
        ('a,b\n"x\ny",2\n3\n', "line 4 has 1 fields"),
        ("a;b;c\n1;2;3\n4;5\n", r"line 3 has 2 fields, the first line has 3 \(separator semi"),
        ("", "an empty file"),
        ("\n\n", "an empty file"),
        ("a,a\n1,2\n", "names 'a' twice"),
        ('a,b\n1,"2\n3,4\n', "line 3 cannot be read .*quotation mark"),
        ("a,b\n1,\0\n", "zero bytes"),
    ],
)
def test_a_broken_line_is_an_error_with_its_number(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"`real`.*({message})"):
        read_table("real", path)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 99), min_size=3, max_size=3), min_size=3, max_size=8),
    data=st.data(),
)
def test_a_field_too_many_or_too_few_anywhere(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], data: st.DataObject
) -> None:
    line = data.draw(st.integers(0, len(rows) - 1))
    longer = data.draw(st.booleans())
    broken = [list(row) for row in rows]
    broken[line] = [*broken[line], 7] if longer else broken[line][:2]
    path = tmp_path_factory.mktemp("rows") / "table.csv"
    path.write_text("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in broken))
    with pytest.raises(ValueError, match=f"line {line + 2} has {4 if longer else 2} fields"):
        read_table("real", path)


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("ending", [*PACK, ".zip"])
@pytest.mark.parametrize("damage", ["none", "half", "foreign", "empty"])
def test_archives_whole_and_damaged(tmp_path: Path, ending: str, damage: str) -> None:
    path = tmp_path / f"table.csv{ending}"
    text = TABLE.to_csv(index=False).encode()
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("table.csv", text)
    else:
        path.write_bytes(PACK[ending](text))
    packed = path.read_bytes()
    if damage == "none":
        pd.testing.assert_frame_equal(read_table("real", path), TABLE)
        return
    path.write_bytes({"half": packed[: len(packed) // 2], "foreign": text, "empty": b""}[damage])
    with pytest.raises(ValueError, match=r"`real` is .*(damaged archive|an empty file)"):
        read_table("real", path)


def test_an_archive_of_two_files_and_a_parquet_that_is_none(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "two.csv.zip", "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    with pytest.raises(ValueError, match="it holds 2 files instead of one"):
        read_table("real", tmp_path / "two.csv.zip")
    (tmp_path / "no.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"(no Parquet file|needs the package pyarrow)"):
        read_table("real", tmp_path / "no.parquet")


@pytest.mark.parametrize(
    ("raw", "encoding", "message"),
    [
        (b"a\n\x81\x8d\n", None, "cannot be read as utf-8 or cp1252"),
        (b"a\n\xff\n", "ascii", "cannot be read as ascii"),
        (b"a\n1\n", "klingon", "`encoding` is 'klingon'"),
        (b"\xff\xfea", None, "cannot be read as utf-16"),
    ],
)
def test_an_encoding_that_fits_nothing(
    tmp_path: Path, raw: bytes, encoding: str | None, message: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        read_table("real", path, encoding=encoding)


def test_metadata_that_are_no_object(tmp_path: Path) -> None:
    path = tmp_path / "metadata.json"
    for text, message in (("[1]", "is a list"), ("3", "is a int"), ("{", "no JSON")):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_metadata(path)
    path.write_text('\ufeff{"columns": {}}', encoding="utf-8")
    assert read_metadata(path) == {"columns": {}}
