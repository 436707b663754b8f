"""A wheel, an sdist and an editable install are all found by SDMetrics."""

from __future__ import annotations

import configparser
import shutil
import site
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.helpers.processes import (
    ATTACHED,
    PROJECT,
    install,
    require_installed,
    run,
    succeed,
    without_torch,
)

pytestmark = pytest.mark.packaging

PACKAGES = ("adapters", "numba_kernels", "plugins")
NAMES = {
    "sdmetrics.single_table:RAPID",
    "sdmetrics.single_table:GenLRA",
    "sdmetrics.reports:QualityReport",
    "sdmetrics.reports:DisclosureReport",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without what earlier builds left in it."""
    folder = tmp_path_factory.mktemp("source") / "project"
    leave = shutil.ignore_patterns(".*", "*.egg-info", "build", "dist", "__pycache__", "benchmarks")
    shutil.copytree(PROJECT, folder, ignore=leave, symlinks=True)
    return folder


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("--sdist", source, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build("--wheel", source, tmp_path_factory.mktemp("wheel"))


def _build(what: str, source: Path, into: Path) -> Path:
    pytest.importorskip("build")
    setuptools = pytest.importorskip("setuptools")
    # Without isolation it needs no network, where setuptools is as new as pyproject.toml asks.
    recent = int(setuptools.__version__.partition(".")[0]) >= 77
    options = ("--no-isolation",) if recent else ()
    succeed(run("-m", "build", what, *options, "--outdir", into, source))
    (built,) = into.iterdir()
    return built


def _files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _modules(source: Path) -> set[str]:
    return {
        path.relative_to(source).as_posix()
        for package in PACKAGES
        for path in (source / package).rglob("*")
        if path.suffix in (".py", ".toml", ".html", ".css", ".js") or path.name == "py.typed"
    }


@pytest.mark.slow
def test_wheel_has_every_module_of_every_room_and_nothing_else(source: Path, wheel: Path) -> None:
    files = {name for name in _files(wheel) if ".dist-info/" not in name}
    assert files == {f"sdmetrics_disclosure/{name}" for name in _modules(source)}
    assert {f"sdmetrics_disclosure/{package}/py.typed" for package in PACKAGES} <= files


def test_wheel_says_who_it_is(wheel: Path) -> None:
    info = {
        name.partition("/")[2]: text for name, text in _files(wheel).items() if "-info/" in name
    }
    assert info["licenses/LICENSE"] == (PROJECT / "LICENSE").read_bytes()
    metadata = info["METADATA"].decode()
    assert "\nLicense-Expression: MIT\n" in metadata
    assert "\nRequires-Python: >=3.10\n" in metadata
    points = configparser.ConfigParser(delimiters="=")
    points.optionxform = str  # type: ignore[assignment,method-assign]
    points.read_string(info["entry_points.txt"].decode())
    assert set(points["sdmetrics_modules"]) >= NAMES
    assert set(points["console_scripts"]) == {"sdmetrics-disclosure"}
    # The defining modules, never the package: they load in any import order.
    assert all(
        value.partition(":")[0].startswith("sdmetrics_disclosure.plugins.")
        for value in points["sdmetrics_modules"].values()
    )


@pytest.mark.slow
def test_sdist_has_what_the_wheel_needs(source: Path, sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert files >= _modules(source) | {"LICENSE", "README.md", "pyproject.toml"}


@pytest.mark.slow
def test_wheel_from_sdist_is_the_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "sdist", filter="data")
    (unpacked,) = (tmp_path / "sdist").iterdir()
    (tmp_path / "wheel").mkdir()
    assert _files(_build("--wheel", unpacked, tmp_path / "wheel")) == _files(wheel)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wheel", "sdist", "editable"])
def test_sdmetrics_finds_every_kind_of_install(
    form: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = request.getfixturevalue("source" if form == "editable" else form)
    python = _environment(tmp_path / "venv")
    install(place, *(("--editable",) if form == "editable" else ()), python=python)
    where, *attached = succeed(
        run("-c", ATTACHED, python=python, paths=[without_torch()])
    ).splitlines()
    assert set(attached) >= NAMES
    expected = place if form == "editable" else tmp_path / "venv"
    assert Path(where).is_relative_to(expected)
    script = python.with_name("sdmetrics-disclosure")
    version = distribution("sdmetrics-disclosure").version
    assert (
        succeed(run(script, "--version", python=python, paths=[without_torch()])).strip() == version
    )


def _environment(folder: Path) -> Path:
    """A virtual environment that sees the packages of this one behind its own."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    own = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    behind = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    # A path file's folders are searched, but their own path files (an editable install) are not.
    Path(own, "behind.pth").write_text("\n".join([*behind, *site.getsitepackages()]))
    return python


def test_this_environment_has_the_entry_points_of_the_source() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
    require_installed()
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["entry-points"]
    installed = {
        (point.group, point.name, point.value)
        for point in distribution("sdmetrics-disclosure").entry_points
        if point.group in declared
    }
    assert installed == {
        (group, name, value) for group, points in declared.items() for name, value in points.items()
    }, "pyproject.toml has changed since the installation: run `pip install --editable .` again."
