"""Where the tests find the authors' outputs and the shared real tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable, PROJECT.parent / "shared" / default))


GOLDEN = _folder("SDMETRICS_DISCLOSURE_GOLDEN", "golden")
DATA = _folder("SDMETRICS_DISCLOSURE_DATA", "data")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder with the outputs of the authors' own code."""
    if not GOLDEN.is_dir():
        pytest.skip("the authors' outputs are not here (set SDMETRICS_DISCLOSURE_GOLDEN)")
    return GOLDEN


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with real tables and synthetic ones made by others."""
    if not DATA.is_dir():
        pytest.skip("the shared real tables are not here (set SDMETRICS_DISCLOSURE_DATA)")
    return DATA


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Function that puts plugins of `plugins_for_tests`, by name, where entry points are found."""
    from sdmetrics_disclosure.plugins.hooks.registry import _new_registry
    from tests.helpers.processes import installed_plugin

    before = set(sys.modules)

    def plug(*names: str) -> None:
        for name in names:
            monkeypatch.syspath_prepend(installed_plugin(name))
        _new_registry.cache_clear()

    plug()
    yield plug
    _new_registry.cache_clear()
    for name in set(sys.modules) - before:
        if (PROJECT / "tests" / "plugins_for_tests" / name).is_dir():
            del sys.modules[name]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that need SDV are not even imported where `-m` leaves them out: torch takes seconds."""
    left_out = "not sdv" in config.getoption("markexpr")
    return True if left_out and collection_path.name == "test_sdv.py" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped for want of the shared folders."""
    reports = terminalreporter.stats.get("skipped", [])
    absent = sum("not here" in str(report.longrepr) for report in reports)
    terminalreporter.write_line(f"{absent} tests skipped because the shared folders are absent")
