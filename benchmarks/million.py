"""An audit of a million real and a million synthetic rows, read one partition at a time.

python benchmarks/million.py FOLDER [--rows 1000000] [--sample 100000] [--output FOLDER]

Writes three tables of 20 columns to FOLDER as Parquet, a partition of 25,000 rows at a time: real
rows, as many synthetic ones, of which every tenth is a noisy copy of a real one, and a holdout of
a tenth. Then a process of its own audits a tenth, three tenths and all of the real rows (RAPID on
one category and one number, Gen-LRA, the report's page), on dask's threads: seconds, peak memory,
and by a straight line through both what 100 million rows would take. --output docs writes the CSV
and the table of the page on large tables.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from common import markdown_table, print_environment, write_block, write_results

PART = 25_000
N_NUMBERS, N_CATEGORIES = 12, 8
SENSITIVE = ["category_2", "number_0"]
SHARES = (0.1, 0.3, 1.0)
MANY = 100_000_000
MEGABYTE = 2**20


def people(n_rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of the population: two common causes, numbers of several scales, six levels each."""
    causes = rng.normal(size=(n_rows, 2))
    weights = np.linspace(-1, 1, N_NUMBERS)
    numbers = np.outer(causes[:, 0], weights) + rng.normal(size=(n_rows, N_NUMBERS))
    frame = pd.DataFrame({f"number_{i}": 50 + 10 * numbers[:, i] for i in range(N_NUMBERS)})
    for i in range(N_CATEGORIES):
        leaning = causes[:, 1] * (i % 3) + rng.normal(size=n_rows)
        level = np.clip(np.rint(leaning + 2.5), 0, 5).astype(int)
        frame[f"category_{i}"] = pd.Series(np.array(list("abcdef"))[level], dtype="str")
    return frame


def noisy(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Copies whose numbers are moved by a tenth of their spread."""
    moved = frame.copy()
    for i in range(N_NUMBERS):
        moved[f"number_{i}"] += rng.normal(0, 1, len(frame))
    return moved


def make(folder: Path, n_rows: int) -> dict[str, dict[str, dict[str, str]]]:
    """Write the tables; one partition is in memory at a time."""
    for name in ("real", "synthetic", "holdout"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for part, start in enumerate(range(0, n_rows, PART)):
        size = min(PART, n_rows - start)
        rng = np.random.default_rng([part, 0])
        real, fresh = people(size, rng), people(size, rng)
        copied = noisy(real.iloc[::10], rng)
        synthetic = pd.concat([fresh.iloc[len(copied) :], copied], ignore_index=True)
        tables = {"real": real, "synthetic": synthetic, "holdout": people(size // 10, rng)}
        for name, table in tables.items():
            table.to_parquet(folder / name / f"part-{part:05}.parquet", index=False)
    sdtypes = {f"number_{i}": "numerical" for i in range(N_NUMBERS)}
    sdtypes |= {f"category_{i}": "categorical" for i in range(N_CATEGORIES)}
    return {"columns": {column: {"sdtype": sdtype} for column, sdtype in sdtypes.items()}}


def audit(folder: Path, share: float, sample: int) -> None:
    """Audit a share of the partitions and print what it took, as JSON."""
    import dask.dataframe as dd

    from sdmetrics_disclosure.plugins import DisclosureReport

    metadata = json.loads((folder / "metadata.json").read_text())
    files = sorted((folder / "real").glob("*.parquet"))
    kept = [str(path) for path in files[: max(1, round(share * len(files)))]]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    report = DisclosureReport()
    report.generate(
        dd.read_parquet(kept),
        dd.read_parquet(str(folder / "synthetic")),
        metadata,
        real_validation_data=dd.read_parquet(str(folder / "holdout")),
        sensitive_column_names=SENSITIVE,
        num_rows_subsample=sample,
        verbose=False,
    )
    report.to_html(folder / "report.html")
    result = report.result
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {
        "real rows": result.setting.tables[0].n_real,
        "seconds": time.perf_counter() - start,
        "processor seconds": time.process_time() - cpu,
        "peak MB": peak * 1024 / MEGABYTE,
        "MB before": before * 1024 / MEGABYTE,
        **{f"{step.name} s": step.seconds for step in result.setting.steps},
        **{f"risk of {c.column}": c.risk.value for c in result.columns},
        "Gen-LRA AUC": result.memberships[0].auc.value,
        "verdict": result.decision,
    }
    print(json.dumps(found))


def measure(folder: Path, sample: int) -> pd.DataFrame:
    """A row for each share of the real rows, each audited in a fresh process."""
    rows = []
    for share in SHARES:
        command = [sys.executable, __file__, str(folder), "--share", str(share)]
        done = subprocess.run(
            [*command, "--sample", str(sample)], check=True, capture_output=True, text=True
        )
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(pd.Series(rows[-1]).to_string(), "\n", flush=True)
    return pd.DataFrame(rows)


def extrapolate(found: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Of seconds and peak: the slope a million rows, and what 100 million would take."""
    by_rows = {}
    for what in ("seconds", "peak MB"):
        slope, constant = np.polyfit(found["real rows"], found[what], 1)
        by_rows[what] = (slope * 1e6, constant + slope * MANY)
    return by_rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=100_000)
    parser.add_argument("--share", type=float)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.share is not None:
        audit(arguments.folder, arguments.share, arguments.sample)
        sys.exit()
    print_environment()
    metadata = make(arguments.folder, arguments.rows)
    (arguments.folder / "metadata.json").write_text(json.dumps(metadata))
    found = measure(arguments.folder, arguments.sample)
    for what, (slope, many) in extrapolate(found).items():
        print(f"{what}: {slope:,.0f} a million rows more, {many:,.0f} at {MANY:,} rows")
    if arguments.output is not None:
        write_results(arguments.output, "million", found)
        shown = found[["real rows", "seconds", "processor seconds", "peak MB", "MB before"]]
        table = markdown_table(shown.round().astype(int).set_index("real rows"))
        write_block(arguments.output / "large.md", "million", table)
