"""What every benchmark prints, and where it finds its data."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "sdmetrics")
SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def print_environment() -> None:
    """Print machine, cores, threads and versions."""
    threads = os.environ.get("OMP_NUM_THREADS", "not set")
    print(f"{_processor()}, {os.cpu_count()} cores, OMP_NUM_THREADS {threads}")
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    print(f"Python {platform.python_version()}, {versions}\n")


def golden_folder() -> Path:
    """The authors' outputs; the benchmark ends with a plain reason where they are absent."""
    return _folder("SDMETRICS_DISCLOSURE_GOLDEN", SHARED / "golden")


def data_folder() -> Path:
    """Real tables with synthetic ones made by others; as `golden_folder`."""
    return _folder("SDMETRICS_DISCLOSURE_DATA", SHARED / "data")


def _folder(variable: str, default: Path) -> Path:
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        sys.exit(f"The folder this benchmark needs is not here; set {variable}.")
    return folder


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")
