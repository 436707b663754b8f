"""The command line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import sdmetrics.single_table

from sdmetrics_disclosure.plugins.cli.main import main
from tests.helpers.processes import installed_plugin, require_installed, run, succeed, without_torch

pytestmark = pytest.mark.slow

Plug = Callable[..., None]
Capture = pytest.CaptureFixture[str]


def test_metrics_lists_name_kind_and_plugin(plugged: Plug, capsys: Capture) -> None:
    plugged("doubles")
    assert main(["metrics"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["RAPID", "attribute", "sdmetrics-disclosure"]
    assert ["GenLRA", "membership", "sdmetrics-disclosure"] in lines
    assert ["Doubles", "attribute", "doubles"] in lines


def test_doctor_when_all_is_well(plugged: Plug, capsys: Capture) -> None:
    require_installed()
    plugged("doubles")
    assert main(["doctor"]) == 0
    shown, complaints = capsys.readouterr()
    for package in ("sdmetrics", "sdmetrics-disclosure", "numpy"):
        assert any(line.split() == [package, version(package)] for line in shown.splitlines())
    assert "sdmetrics.single_table.RAPID: attached" in shown
    assert "sdmetrics.reports.QualityReport: attached" in shown
    assert "Plugins: sdmetrics-disclosure, doubles" in shown
    assert "Traceback" not in shown
    assert complaints == ""


@pytest.mark.slow
def test_doctor_shows_the_real_traceback(plugged: Plug, capsys: Capture) -> None:
    plugged("raises_at_import", "raises_at_registration", "misspelt_hook", "duplicate_name")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the traceback says it all
        assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert 'raise RuntimeError("no licence found")' in shown  # the plugin's own line
    assert 'raise OSError("the list of metrics is not reachable")' in shown
    assert "unknown hook 'register_metric'" in shown
    assert "'duplicate_name' registers a metric named 'RAPID'" in shown


def test_doctor_says_when_sdmetrics_has_not_found_us(
    plugged: Plug, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(sdmetrics.single_table, "RAPID")
    assert main(["doctor"]) == 1
    shown, complaints = capsys.readouterr()
    assert "sdmetrics.single_table.RAPID: NOT attached" in shown
    assert "sdmetrics.reports.QualityReport: attached" in shown
    assert "reinstall sdmetrics-disclosure" in complaints


@pytest.mark.slow
def test_demo_shows_the_rows_and_what_next(plugged: Plug, capsys: Capture) -> None:
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    first_words = {words[0] for line in shown.splitlines() if (words := line.split())}
    assert {"gender", "salary", "placed", "GenLRA"} <= first_words
    assert "Attribute Disclosure" in shown
    assert "Membership Disclosure" in shown
    assert "What to do next" in shown
    assert "disclosure_options" in shown


def test_wrong_words_end_with_the_usage(capsys: Capture) -> None:
    for words in ([], ["no-such-command"]):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 3
        assert "usage: sdmetrics-disclosure" in capsys.readouterr().err


@pytest.mark.slow
def test_the_installed_command_finds_third_parties_and_survives_broken_ones() -> None:
    require_installed()
    script = Path(sys.executable).with_name("sdmetrics-disclosure")
    plugins = ("doubles", "raises_at_import", "misspelt_hook")
    paths = [without_torch(), *map(installed_plugin, plugins)]
    listed = run(script, "metrics", paths=paths)
    assert succeed(listed).startswith("RAPID ")
    assert "Doubles" in listed.stdout
    for broken in ("raises_at_import", "misspelt_hook"):
        assert listed.stderr.count(f"The plugin {broken!r} failed") == 1
    examined = run(script, "doctor", paths=paths)
    assert examined.returncode == 1
    assert "RuntimeError: no licence found" in examined.stdout
    assert examined.stderr == ""
