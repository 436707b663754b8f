"""What the command line reads and writes is looked at before the work."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from sdmetrics_disclosure.plugins.cli.files import check_output, print_what_the_screen_can
from sdmetrics_disclosure.plugins.cli.main import main
from tests.helpers.reports import quick_metrics
from tests.helpers.tables import METADATA, people

Capture = pytest.CaptureFixture[str]


def _audit(folder: Path, *more: str) -> int:
    (folder / "metadata.json").write_text(json.dumps(METADATA))
    (folder / "open.toml").write_text("[attribute]\nrisk_max = 0.999\n")
    tables = [str(folder / name) for name in ("real.csv", "synthetic.csv")]
    words = ["--metadata", str(folder / "metadata.json"), "--policy", str(folder / "open.toml")]
    with quick_metrics():
        return main(["audit", *tables, *words, "--sensitive", "income", *more])


@pytest.mark.slow
def test_separator_and_encoding_are_found_said_and_can_be_named(
    tmp_path: Path, capsys: Capture
) -> None:
    people(60, 0).to_csv(tmp_path / "real.csv", index=False, sep="\t")
    people(60, 1).to_csv(tmp_path / "synthetic.csv", index=False, sep="^", encoding="utf-16")
    assert _audit(tmp_path) == 3  # nobody looks for this separator
    named = ("--separator", "^", "--encoding", "utf-16")
    assert _audit(tmp_path, *named) == 3  # what is named holds for every file
    people(60, 1).to_csv(tmp_path / "synthetic.csv", index=False, sep=";")
    capsys.readouterr()
    assert _audit(tmp_path) == 0
    said = capsys.readouterr().err
    assert "`real_data` was read with separator tab, encoding utf-8" in said
    assert "`synthetic_data` was read with separator semicolon, encoding utf-8" in said
    for frame, name in ((people(60, 0), "real"), (people(60, 1), "synthetic")):
        frame.to_csv(tmp_path / f"{name}.csv", index=False, sep="\t")
    assert _audit(tmp_path, "--separator", "tab") == 0
    assert "was read with" not in capsys.readouterr().err
    assert _audit(tmp_path, "--separator", "ab") == 3


def test_an_output_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    check_output(None)
    check_output(tmp_path / "new.json")
    assert not (tmp_path / "new.json").exists()
    (tmp_path / "old.json").write_text("kept")
    check_output(tmp_path / "old.json")
    assert (tmp_path / "old.json").read_text() == "kept"
    with pytest.raises(OSError, match="is a folder"):
        check_output(tmp_path)
    with pytest.raises(OSError, match="no folder"):
        check_output(tmp_path / "absent" / "page.html")
    with pytest.raises(OSError, match="cannot be written"):
        check_output(tmp_path / ("x" * 300))


def test_a_screen_that_cannot_show_a_name_shows_its_escape(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    print_what_the_screen_can()
    print("Gr\u00f6\u00dfe")
    screen.flush()
    assert screen.buffer.getvalue() == b"Gr\\xf6\\xdfe\n"  # type: ignore[attr-defined]
