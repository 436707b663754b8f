"""`audit`, `compare` and `assess`: exit statuses, files, silence."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdmetrics_disclosure.plugins.cli.main import main
from sdmetrics_disclosure.plugins.report.report import DisclosureReport
from tests.helpers.reports import (
    copied_report,
    noisy_copies,
    quick_metrics,
    report_on,
    small_report,
)
from tests.helpers.tables import METADATA, PATIENTS, patients, people

Capture = pytest.CaptureFixture[str]
STRICT = "[attribute]\nrisk_max = 0.0001\n"
LENIENT = "[attribute]\nrisk_max = 0.999\n"
OPEN = "[attribute]\nexcess_max = 0.05\n"


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """Without the slow metrics."""
    with quick_metrics():
        yield


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with real, synthetic and holdout rows, metadata and policies."""
    for name, seed in (("real", 0), ("synthetic", 1), ("holdout", 2)):
        people(60, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "metadata.json").write_text(json.dumps(METADATA))
    for name, text in (("strict", STRICT), ("lenient", LENIENT), ("open", OPEN)):
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


def audit(files: Path, *more: str) -> int:
    named = [str(files / name) for name in ("real.csv", "synthetic.csv")]
    roles = ["--sensitive", "income", "--known", "age,sex"]
    described = ["--metadata", str(files / "metadata.json")]
    return main(["audit", *named, *described, *roles, *more])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "status", "word"),
    [("lenient", 0, "pass"), ("strict", 1, "fail"), ("open", 2, "not decided")],
)
def test_the_exit_status_is_the_verdict(
    files: Path, capsys: Capture, policy: str, status: int, word: str
) -> None:
    holdout = ["--holdout", str(files / "holdout.csv")]
    assert audit(files, "--policy", str(files / f"{policy}.toml"), *holdout) == status
    shown, progress = capsys.readouterr()
    assert shown.startswith(f"Verdict: {word}")
    assert "\033" not in shown  # no colours where there is no screen
    assert "RAPID" in progress


def test_bad_input_is_three(files: Path, capsys: Capture) -> None:
    for words, message in (
        (["--policy", str(files / "absent.toml")], "there is no such file"),
        (["--sensitive", "incme"], "'incme'"),
        (["--attacker", "wizard"], "`attacker` is 'wizard'"),
        (["--records", str(files / "records.xlsx")], ".csv or .parquet"),
        (["--html", str(files / "absent" / "page.html")], "no folder"),
    ):
        assert audit(files, *words) == 3
        shown, complaint = capsys.readouterr()
        assert shown == ""
        assert complaint.startswith("sdmetrics-disclosure audit: ")
        assert message in complaint
    for command in (["audit"], ["audit", "a", "b", "--colour"], ["compare", "a.json"]):
        with pytest.raises(SystemExit) as stop:
            main(command)
        assert stop.value.code == 3
        assert "usage: sdmetrics-disclosure" in capsys.readouterr().err


def test_bad_input_is_three_whatever_raised_it(files: Path, capsys: Capture) -> None:
    (files / "damaged.parquet").write_bytes(b"PAR1 no table PAR1")
    (files / "latin.json").write_bytes(b"\xff\xfe{")
    broken = str(files / "damaged.parquet")
    assert main(["audit", broken, broken]) == 3
    assert main(["compare", str(files / "latin.json"), str(files / "latin.json")]) == 3
    assert main(["assess", broken, "own:shuffle"]) == 3
    complaints = capsys.readouterr().err
    assert "damaged one: copy or make it anew" in complaints
    assert "The reports could not be read (UnicodeDecodeError" in complaints
    assert "Traceback" not in complaints


def test_an_error_inside_is_four_with_its_traceback_behind_debug(
    files: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("Smith earns 987654")

    monkeypatch.setattr("sdmetrics_disclosure.plugins.report.audit.examine", broken)
    assert audit(files) == 4
    complaint = capsys.readouterr().err
    assert "an error inside (ZeroDivisionError in" in complaint
    assert "--debug shows where" in complaint
    assert "Smith" not in complaint
    assert audit(files, "--debug") == 4
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.slow
def test_quiet_says_nothing_and_files_are_written(files: Path, capfd: Any) -> None:
    page, result = files / "page.html", files / "result.json"
    words = ["--quiet", "--html", str(page), "--json", str(result)]
    assert audit(files, "--policy", str(files / "lenient.toml"), *words) == 0
    assert capfd.readouterr() == ("", "")
    report = DisclosureReport.load(result)
    assert report.get_verdict() == "pass"
    assert report.result.setting.tables[0].sensitive == ("income",)
    assert "<html" in page.read_text()
    assert sorted(path.name for path in files.iterdir() if "record" in path.name) == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_records_only_when_asked_for_and_for_the_owner_only(files: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = files / f"records.{ending}"
    path.write_text("x" * 10_000_000)
    path.chmod(0o666)
    holdout = ["--holdout", str(files / "holdout.csv"), "--overlap", "keep", "--quiet"]
    audit(files, "--records", str(path), *holdout)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    records = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    by_metric = records.groupby("metric").size()
    assert by_metric["RAPID"] == 60
    assert by_metric["GenLRA"] == 120
    rapid = records[records["metric"] == "RAPID"]
    assert rapid["normalized_gain"].notna().all()
    assert list(rapid["index"].astype(int)) == list(range(60))


@pytest.mark.slow
def test_colours_on_a_screen_only(files: Path, capsys: Capture, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    words = ["--policy", str(files / "lenient.toml")]
    audit(files, *words)
    assert capsys.readouterr().out.startswith("\033[32mVerdict: pass\033[0m")
    monkeypatch.setenv("NO_COLOR", "1")
    audit(files, *words)
    assert "\033" not in capsys.readouterr().out


@pytest.mark.slow
def test_compare_says_what_rose_and_fails_when_it_is_worse(tmp_path: Path, capsys: Capture) -> None:
    before, after = tmp_path / "a.json", tmp_path / "b.json"
    real = patients(600, 0)
    better = report_on(
        real,
        patients(600, 5),
        PATIENTS,
        real_validation_data=patients(600, 2),
        sensitive_column_names=["smoker"],
        known_column_names=["value_0", "value_1", "ward"],
    )
    better.save(before)
    copied_report().save(after)
    assert main(["compare", str(before), str(after)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("Verdict: ")
    assert "-> fail" in shown
    (auc,) = [line for line in shown.splitlines() if line.startswith("GenLRA  ") and "AUC" in line]
    assert auc.endswith("higher")
    assert main(["compare", str(after), str(before)]) == 0
    assert main(["compare", str(after), str(after), "--quiet"]) == 0
    assert "lower" in capsys.readouterr().out


@pytest.mark.slow
def test_compare_warns_where_more_than_the_release_differs(tmp_path: Path, capsys: Capture) -> None:
    small_report().save(tmp_path / "a.json")
    copied_report().save(tmp_path / "b.json")
    main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")])
    shown = capsys.readouterr().out
    assert "Note: the sensitive or known columns differ." in shown
    assert "gone" in shown
    assert "new" in shown


@pytest.mark.slow
def test_compare_refuses_what_is_no_report(tmp_path: Path, capsys: Capture) -> None:
    small_report().save(tmp_path / "a.json")
    old = small_report().result.to_dict() | {"schema_version": 0}
    (tmp_path / "b.json").write_text(json.dumps(old))
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 3
    assert "`schema_version` is 0" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "absent.json")]) == 3


def test_assess_runs_functions_and_refuses_what_is_none(
    files: Path, capsys: Capture, monkeypatch: Any
) -> None:
    (files / "own_synthesizers.py").write_text(
        "def shuffle(frame):\n    return frame.sample(frac=1)\n"
    )
    monkeypatch.chdir(files)
    monkeypatch.syspath_prepend(str(files))
    words = ["--metadata", "metadata.json", "--sensitive", "income", "--folds", "2", "--quiet"]
    written = ["--json", str(files / "assessed.json")]
    assert main(["assess", "real.csv", "own_synthesizers:shuffle", *words, *written]) == 0
    assert json.loads((files / "assessed.json").read_text())["settings"]["n_splits"] == 2
    for name in ("own_synthesizers", "own_synthesizers:absent", "no_such_module:f"):
        assert main(["assess", "real.csv", name, *words]) == 3
    assert "no MODULE:NAME" in capsys.readouterr().err


def test_noise_is_what_it_says() -> None:
    frame = patients(500, 0)
    noise = noisy_copies(frame, 0.1, 0)["value_0"] - frame["value_0"]
    assert abs(noise.std() / frame["value_0"].std() - 0.1) < 0.01
