"""Fresh Python processes, and the plugins of `plugins_for_tests` installed for them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent.parent
PLUGINS = PROJECT / "tests" / "plugins_for_tests"
SCRATCH = tempfile.TemporaryDirectory(prefix="disclosure-tests-")  # gone when the tests end
# SDMetrics' only sign of an add-on that it could not attach.
STRICT = ("-W", "error:Failed to load:UserWarning", "-W", "error:Failed to set:UserWarning")
# Every name that the installed package gives SDMetrics is there, and is the object it names.
ATTACHED = """
from importlib.metadata import distribution
from operator import attrgetter

import sdmetrics
import sdmetrics_disclosure.plugins

dist = distribution("sdmetrics-disclosure")
print(sdmetrics_disclosure.plugins.__file__)
for point in dist.entry_points:
    if point.group == "sdmetrics_modules":
        path = point.name.replace(":", ".").removeprefix("sdmetrics.")
        assert attrgetter(path)(sdmetrics) is point.load(), point
        print(point.name)
"""


def require_installed() -> None:
    """Fail plainly where there is nothing for SDMetrics to find."""
    try:
        distribution("sdmetrics-disclosure")
    except PackageNotFoundError:
        pytest.fail(
            "sdmetrics-disclosure is not installed in this environment, so SDMetrics cannot find "
            "it: run `pip install --editable .` in the project's folder."
        )


def run(
    *words: str | Path,
    python: str | Path = sys.executable,
    paths: Iterable[Path] = (),
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run Python on the words, away from the project's folder; `paths` come first on its path."""
    environment = {**os.environ, **(env or {})}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    return subprocess.run(
        [str(python), *STRICT, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=tempfile.gettempdir(),
        env=environment,
        check=False,
    )


def succeed(done: subprocess.CompletedProcess[str]) -> str:
    """What it printed; its whole story where it failed."""
    assert done.returncode == 0, f"{done.args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _folder(name: str) -> Path:
    folder = Path(SCRATCH.name, name)
    folder.mkdir(exist_ok=True)
    return folder


@functools.cache
def without_torch() -> Path:
    """A folder that makes torch look absent: SDMetrics needs none, and loads it for seconds."""
    folder = _folder("without-torch")
    (folder / "torch.py").write_text("raise ModuleNotFoundError('hidden', name='torch')\n")
    return folder


@functools.cache
def installed_plugin(name: str) -> Path:
    """The folder in which one of the plugins is installed, alone."""
    folder = _folder(name)
    shutil.copytree(PLUGINS / name, folder / "source")  # setuptools writes beside the source
    install(folder / "source", "--target", folder / "site")
    return folder / "site"


def install(source: str | Path, *options: str | Path, python: str | Path = sys.executable) -> None:
    """Install with pip, without dependencies and without looking for any."""
    into = () if python == sys.executable else ("--python", python)
    how = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    succeed(run("-m", "pip", *into, "install", *how, *options, source))
