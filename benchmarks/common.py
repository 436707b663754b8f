"""What every benchmark prints, where it finds its data, and how it writes into a page."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "sdmetrics")
SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def print_environment() -> None:
    """Print machine, cores, threads and versions."""
    threads = os.environ.get("OMP_NUM_THREADS", "not set")
    print(f"{_processor()}, {os.cpu_count()} cores, OMP_NUM_THREADS {threads}")
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    print(f"Python {platform.python_version()}, {versions}\n")


def markdown_table(frame: pd.DataFrame) -> str:
    """The frame with its index as a table of a page, numbers to three digits."""
    flat = frame.reset_index()
    lines = [[str(column) for column in flat], ["---"] * flat.shape[1]]
    lines += [[_cell(value) for value in row] for row in flat.itertuples(index=False)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_results(folder: Path, name: str, results: pd.DataFrame) -> None:
    """Write one benchmark's CSV below the folder of the pages."""
    (folder / "results").mkdir(parents=True, exist_ok=True)
    results.to_csv(folder / "results" / f"{name}.csv", index=False, float_format="%.6g")


def write_block(page: Path, name: str, text: str) -> None:
    """Replace what the page has between its two marks of that name; the prose around stays.

    Raises:
        ValueError: If the page has no such marks.
    """
    marked = re.compile(f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    before = page.read_text(encoding="utf-8")
    if not marked.search(before):
        raise ValueError(f"{page.name} has no block '{name}'.")
    after = marked.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", before)
    page.write_text(after, encoding="utf-8")


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


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.3f}"
    return str(value)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")
