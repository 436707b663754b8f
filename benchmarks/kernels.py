"""Our kernels against the named rivals, in one run.

python benchmarks/kernels.py [--quick] [--output FOLDER]

Rivals take turns with us and the best of several turns counts, in seconds of processor time on one
thread (which other processes on the machine disturb least); the gain of a second thread is in
seconds on the clock and means something only on an idle machine. --quick leaves out everything at
100,000 rows. --output writes the cost by number of rows as CSV and as a plotly page.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from authors_gen_lra import authors_scores
from common import print_environment
from scipy.stats import gaussian_kde
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density
from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import power_law_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.refit import refit_scores
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

Floats = npt.NDArray[np.float64]
Call = Callable[[], object]

D, K, N_CATEGORIES = 20, 200, 8
IS_CATEGORY = np.arange(D) >= D - N_CATEGORIES
AUTHORS_TARGETS = 24
GROWTH = (1_000, 3_000, 10_000, 30_000, 100_000)

FIRST_CALLS = """
import time
start = time.perf_counter()
import numpy as np
from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density
from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import power_law_scores
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import count_within, nearest
from sdmetrics_disclosure.numba_kernels.gen_lra.refit import refit_scores

rows = np.random.default_rng(0).normal(size=(50, 4))
nearest(rows, rows, 2)
count_within(rows, rows, 1.0)
log_density(rows, rows)
gaussian_scores(rows, rows, rows)
power_law_scores(rows, rows, rows, is_category=np.array([False, False, True, True]))
refit_scores(rows, rows, rows, n_neighbors=2)
print(time.perf_counter() - start)
"""
# The peak of the process itself: getrusage would start from what its parent had.
PEAK = """
import sys
from pathlib import Path
import numpy as np
from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import power_law_scores

generator = np.random.default_rng(0)
tables = [generator.normal(size=(int(sys.argv[2]), 20)) for _ in range(3)]
if sys.argv[1] == "power law":
    power_law_scores(*tables, is_category=np.arange(20) >= 20, n_jobs=-1)
else:
    gaussian_scores(*tables, n_neighbors=200, n_jobs=-1)
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 1024)
"""


class Row(NamedTuple):
    """One line of the table: what was measured, on both sides, and what it must be."""

    workload: str
    ours: str
    rival: str
    figure: str
    floor: str
    reached: bool


def best_of(calls: list[Call], turns: int, clock: Callable[[], float]) -> list[float]:
    """Return the best time of each call; they take turns, after one turn that does not count."""
    best = [np.inf] * len(calls)
    for turn in range(turns + 1):
        for i, call in enumerate(calls):
            start = clock()
            call()
            if turn:
                best[i] = min(best[i], clock() - start)
    return best


def compare(
    workload: str, ours: Call, rival: Call, floor: float, *, turns: int, share: float
) -> Row:
    """Compare two calls; the rival does only a `share` of the work."""
    mine, other = best_of([ours, rival], turns, time.process_time)
    other /= share
    ratio = other / mine
    reached = ratio >= floor
    return Row(
        workload, f"{mine:.3f} s", f"{other:.3f} s", f"{ratio:,.1f}x", f"{floor:,.1f}x", reached
    )


def random_tables(n: int) -> tuple[list[Floats], list[Floats]]:
    """Return targets, synthetic and reference rows: numeric, and with the last columns as codes."""
    generator = np.random.default_rng(0)
    numbers = [generator.normal(size=(n, D)) for _ in range(3)]
    codes = [generator.integers(0, 6, size=(n, D)) for _ in range(3)]
    return numbers, [np.where(IS_CATEGORY, c, x) for x, c in zip(numbers, codes, strict=True)]


def compare_neighbours(n: int, turns: int) -> list[Row]:
    queries, rows = random_tables(n)[0][:2]
    found = []
    for k, floor in ((1, 1.5), (10, 1.5), (200, 2.5)):
        brute = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=1).fit(rows)
        assert (brute.kneighbors(queries[:100])[1] == nearest(queries[:100], rows, k)[0]).all()
        found.append(
            compare(
                f"{k} nearest, n = {n:,}, scikit-learn brute force",
                lambda k=k: nearest(queries, rows, k),
                lambda brute=brute: brute.kneighbors(queries),
                floor,
                turns=turns,
                share=1.0,
            )
        )
    return found


def compare_density(n: int, turns: int) -> list[Row]:
    queries, rows = random_tables(n)[0][:2]
    density = gaussian_kde(rows.T, bw_method="silverman")
    few = queries[: n // 10].T
    np.testing.assert_allclose(log_density(few.T, rows), density.logpdf(few), rtol=1e-10)
    return [
        compare(
            f"log-density, n = {n:,}, scipy {name}",
            lambda: log_density(queries, rows),
            lambda method=method: method(few),
            floor,
            turns=turns,
            share=0.1,
        )
        for name, method, floor in (
            ("logpdf", density.logpdf, 20.0),
            ("evaluate", density.evaluate, 8.0),
        )
    ]


def compare_gen_lra(n: int, turns: int) -> list[Row]:
    numbers, mixed = random_tables(n)
    some = numbers[0][:AUTHORS_TARGETS]
    authors = authors_scores(some, *numbers[1:], K)
    ours = refit_scores(some, *numbers[1:], n_neighbors=K, floor=1e-20)
    difference = float((np.abs(ours - authors) / np.maximum(1, np.abs(authors))).max())
    print(f"refit against the authors' code: largest difference {difference:.1e} max(1, |score|)")
    assert difference < 1e-9
    calls: list[tuple[str, Call, float]] = [
        ("closed form, k = 200", lambda: gaussian_scores(*numbers, n_neighbors=K), 1_000.0),
        ("refit, k = 200", lambda: refit_scores(*numbers, n_neighbors=K), 60.0),
        ("power law, mixed", lambda: power_law_scores(*mixed, is_category=IS_CATEGORY), 1_000.0),
    ]
    return [
        compare(
            f"Gen-LRA {name}, n = {n:,}, authors' code",
            call,
            lambda: authors_scores(some, *numbers[1:], K),
            floor,
            turns=turns,
            share=AUTHORS_TARGETS / n,
        )
        for name, call, floor in calls
    ]


def compare_threads(n: int, turns: int) -> list[Row]:
    numbers, mixed = random_tables(n)
    calls: dict[str, Callable[[int], object]] = {
        "10 nearest": lambda j: nearest(*numbers[:2], 10, n_jobs=j),
        "log-density": lambda j: log_density(*numbers[:2], n_jobs=j),
        "closed form, k = 200": lambda j: gaussian_scores(*numbers, n_neighbors=K, n_jobs=j),
        "power law": lambda j: power_law_scores(*mixed, is_category=IS_CATEGORY, n_jobs=j),
    }
    found = []
    for name, call in calls.items():
        one, two = best_of([lambda: call(1), lambda: call(2)], turns, time.perf_counter)  # noqa: B023
        ratio = one / two
        found.append(
            Row(
                f"2 threads over 1: {name}, n = {n:,}",
                f"{two:.3f} s",
                f"{one:.3f} s",
                f"{ratio:.2f}x",
                "1.7x",
                ratio >= 1.7,
            )
        )
    return found


def run_child(code: str, *words: str, cache: str | None = None) -> float:
    """Run a program in a fresh process and return the number it prints."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def measure_first_calls() -> list[Row]:
    with tempfile.TemporaryDirectory() as cache:
        cold = run_child(FIRST_CALLS, cache=cache)
        warm = min(run_child(FIRST_CALLS, cache=cache) for _ in range(3))
    return [
        Row("import and first calls, nothing compiled", f"{cold:.1f} s", "", "", "", True),
        Row("import and first calls, cache warm", f"{warm:.2f} s", "", "", "2 s", warm <= 2.0),
    ]


def measure_memory(n: int) -> list[Row]:
    found: list[Row] = []
    if not Path("/proc/self/status").exists():
        print("peak memory is read from /proc, which this system does not have")
        return found
    for name in ("power law", "closed form, k = 200"):
        peak = run_child(PEAK, name, str(n))
        found.append(
            Row(
                f"peak memory of the process: {name}, n = {n:,} each",
                f"{peak:.0f} MB",
                "",
                "",
                "600 MB",
                peak <= 600,
            )
        )
    return found


def measure_growth(sizes: tuple[int, ...]) -> list[tuple[str, int, float]]:
    """Time the two closed forms with as many targets as synthetic and reference rows."""
    found = []
    for n in sizes:
        numbers, mixed = random_tables(n)
        calls: list[tuple[str, Call]] = [
            ("power law", lambda: power_law_scores(*mixed, is_category=IS_CATEGORY)),  # noqa: B023
            ("gaussian", lambda: gaussian_scores(*numbers)),  # noqa: B023
        ]
        for name, call in calls:
            start = time.process_time()
            call()
            found.append((name, n, time.process_time() - start))
    return found


def print_table(rows: list[Row]) -> None:
    widths = [max(len(str(row[i])) for row in [*rows, HEAD]) for i in range(5)]
    for row in [HEAD, *rows]:
        cells = [f"{row[i]:<{widths[i]}}" if i == 0 else f"{row[i]:>{widths[i]}}" for i in range(5)]
        print("  ".join(cells), "" if row.reached else "  BELOW THE FLOOR")


HEAD = Row("workload", "ours", "rival", "ratio", "floor", True)


def print_growth(growth: list[tuple[str, int, float]]) -> None:
    print("\ncost in seconds by number of rows n (targets, synthetic and reference), one thread")
    for name in dict.fromkeys(name for name, _, _ in growth):
        sizes, seconds = zip(*((n, s) for label, n, s in growth if label == name), strict=True)
        slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        cells = "  ".join(f"{n:,}: {s:.3f}" for n, s in zip(sizes, seconds, strict=True))
        print(f"{name:<10} {cells}  ~ n^{slope:.2f}")


def write_growth(growth: list[tuple[str, int, float]], folder: Path) -> None:
    import plotly.express as px

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "kernels_growth.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("kernel", "rows", "seconds"), *growth])
    kernels, rows, seconds = zip(*growth, strict=True)
    columns = {"kernel": kernels, "rows": rows, "seconds": seconds}
    figure = px.line(
        columns, "rows", "seconds", color="kernel", log_x=True, log_y=True, markers=True
    )
    figure.write_html(folder / "kernels_growth.html", include_plotlyjs="cdn")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="nothing at 100,000 rows")
    parser.add_argument("--output", type=Path, help="folder for the cost by number of rows")
    arguments = parser.parse_args()
    turns = 3 if arguments.quick else 7
    print_environment()
    print(f"load before the start: {os.getloadavg()[0]:.1f} processes")
    with threadpool_limits(1):
        rows = compare_neighbours(5_000, turns)
        if not arguments.quick:
            rows += compare_neighbours(20_000, 3)
        rows += compare_density(5_000, turns)
        rows += compare_gen_lra(5_000, 3)
        rows += compare_threads(10_000, turns)
        growth = measure_growth(GROWTH[:3] if arguments.quick else GROWTH)
    rows += measure_first_calls()
    rows += measure_memory(10_000 if arguments.quick else 100_000)
    print_table(rows)
    print_growth(growth)
    if arguments.output:
        write_growth(growth, arguments.output)


if __name__ == "__main__":
    main()
