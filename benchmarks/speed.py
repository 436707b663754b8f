"""What kernels and metrics cost by the number of rows, beside what one would use instead.

python benchmarks/speed.py [--output docs]

All tables of a task have the same number of rows, from 1,000 to 100,000, and 20 columns (RAPID's
simulated people 6). Every contender and size runs in a process of its own, rivals right after us.
Seconds are processor time on one thread: the best of three turns up to 3,000 rows, of two up to
30,000, a single turn above. Memory is the peak above what the process had before the first turn:
imports, compiled code and the tables; it is read from /proc, so on Linux only. A contender stops
where its last size says that the next would take more than two minutes. --output writes
results/speed.csv and the tables of speed.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from attack_set import table
from authors_gen_lra import authors_scores
from common import markdown_table, print_environment, write_block, write_results
from health_simulation import SENSITIVE, simulate
from kernels import AUTHORS_TARGETS, IS_CATEGORY, D, K, random_tables
from rapid_simulation import KAPPA, TAU, risks
from scipy.stats import gaussian_kde
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density
from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import power_law_scores
from sdmetrics_disclosure.numba_kernels.gen_lra.refit import refit_scores
from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.rapid.metric import RAPID

Call = Callable[[], object]

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
MOST_SECONDS = 120.0
N_NEIGHBORS = 10
WARM_UP = 500
COLUMNS = {f"column_{i}": "categorical" if i >= D - D // 4 else "numerical" for i in range(D)}
MIXED = {"columns": {name: {"sdtype": sdtype} for name, sdtype in COLUMNS.items()}}
PEOPLE_COLUMNS = dict.fromkeys(("age", "income", "health_score"), "numerical")
PEOPLE_COLUMNS |= dict.fromkeys(("gender", "education", "disease"), "categorical")
PEOPLE = {"columns": {name: {"sdtype": sdtype} for name, sdtype in PEOPLE_COLUMNS.items()}}


def find_nearest(n: int) -> Call:
    queries, rows = random_tables(n)[0][:2]
    return lambda: nearest(queries, rows, N_NEIGHBORS)


def brute_force(n: int) -> Call:
    queries, rows = random_tables(n)[0][:2]
    brute = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute", n_jobs=1).fit(rows)
    return lambda: brute.kneighbors(queries)


def density(n: int) -> Call:
    queries, rows = random_tables(n)[0][:2]
    return lambda: log_density(queries, rows)


def scipy_density(n: int, method: str) -> Call:
    queries, rows = random_tables(n)[0][:2]
    fitted = gaussian_kde(rows.T, bw_method="silverman")
    return lambda: getattr(fitted, method)(queries.T)


def power_law(n: int) -> Call:
    mixed = random_tables(n)[1]
    return lambda: power_law_scores(*mixed, is_category=IS_CATEGORY)


def gaussian(n: int) -> Call:
    numbers = random_tables(n)[0]
    return lambda: gaussian_scores(*numbers, n_neighbors=K)


def refit(n: int) -> Call:
    numbers = random_tables(n)[0]
    return lambda: refit_scores(*numbers, n_neighbors=K)


def authors(n: int) -> Call:
    targets, *others = random_tables(n)[0]
    return lambda: authors_scores(targets[:AUTHORS_TARGETS], *others, K)


def people(n: int) -> list[pd.DataFrame]:
    """The real and the synthetic ones: two draws of the simulated population."""
    return [simulate(KAPPA, np.random.default_rng(seed), n) for seed in range(2)]


def attacker(n: int, name: str) -> Call:
    release = from_frames(*people(n), PEOPLE)
    return lambda: risks(release, name, [TAU])


def rapid(n: int) -> Call:
    frames = people(n)
    return lambda: RAPID.compute(*frames, PEOPLE, sensitive_column_names=[SENSITIVE])


def gen_lra(n: int) -> Call:
    frames = [table(n, D, seed) for seed in range(3)]
    return lambda: GenLRA.compute(*frames, MIXED)


class Contender(NamedTuple):
    """One way to do a task.

    Attributes:
        prepare: Makes the call for a number of rows.
        targets: How many of the targets it judges, where not all.
    """

    prepare: Callable[[int], Call]
    targets: int | None = None


# By task and name; the first of a task is ours, and the others are compared with it.
CONTENDERS: dict[tuple[str, str], Contender] = {
    ("10 nearest", "ours"): Contender(find_nearest),
    ("10 nearest", "scikit-learn, brute force"): Contender(brute_force),
    ("log-density", "ours"): Contender(density),
    ("log-density", "scipy logpdf"): Contender(partial(scipy_density, method="logpdf")),
    ("log-density", "scipy evaluate"): Contender(partial(scipy_density, method="evaluate")),
    ("Gen-LRA scores", "power law (default)"): Contender(power_law),
    ("Gen-LRA scores", "Gaussian, k = 200"): Contender(gaussian),
    ("Gen-LRA scores", "Gaussian, refit, k = 200"): Contender(refit),
    ("Gen-LRA scores", "authors' procedure, k = 200"): Contender(authors, AUTHORS_TARGETS),
    ("RAPID attacker", "boosting (default)"): Contender(partial(attacker, name="boosting")),
    ("RAPID attacker", "forest"): Contender(partial(attacker, name="forest")),
    ("GenLRA.compute", "all of it"): Contender(gen_lra),
    ("RAPID.compute", "all of it"): Contender(rapid),
}


def measure() -> Iterator[tuple[str, str, int, float, float]]:
    """Task, name, rows, seconds for all the work, and the peak in MB."""
    left = list(CONTENDERS)
    for n, next_size in zip(SIZES, [*SIZES[1:], np.inf], strict=True):
        for key in list(left):
            seconds, memory = in_a_process(key, n)
            targets = CONTENDERS[key].targets
            whole = seconds * n / targets if targets else seconds
            print(f"{', '.join(key)}, {n:,}: {whole:.3f} s, {memory:.0f} MB", flush=True)
            yield *key, n, whole, memory
            # With as many targets as rows the work grows with the square at most.
            growth = next_size / n if targets else (next_size / n) ** 2
            if seconds * growth > MOST_SECONDS:
                left.remove(key)


def in_a_process(key: tuple[str, str], n: int) -> tuple[float, float]:
    """Seconds and peak in MB of one contender in a fresh process."""
    words = [sys.executable, __file__, "--only", *key, str(n)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def run_one(key: tuple[str, str], n: int) -> None:
    """Print the seconds and the peak in MB of one contender in this process."""
    prepare = CONTENDERS[key].prepare
    with threadpool_limits(1):
        prepare(WARM_UP)()
        call = prepare(n)
        # The peak so far is forgotten, where the system can: what counts is from here on.
        Path("/proc/self/clear_refs").write_text("5")
        before = memory_of("VmRSS")
        best = np.inf
        for _ in range(3 if n <= 3_000 else 2 if n <= 30_000 else 1):
            start = time.process_time()
            call()
            best = min(best, time.process_time() - start)
    print(best, max(0.0, memory_of("VmHWM") - before))


def memory_of(name: str) -> float:
    """A line of this process's memory, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(dict(line.split(":", 1) for line in lines)[name].split()[0]) / 1024


def wide(results: pd.DataFrame, values: str, form: str) -> pd.DataFrame:
    """Tasks and contenders as rows, sizes as columns."""
    table = results.pivot(index=["task", "name"], columns="rows", values=values)
    shown = table.loc[list(CONTENDERS)].map(lambda x: "" if pd.isna(x) else form.format(x))
    return shown.rename(columns="{:,}".format)


def costs(results: pd.DataFrame) -> pd.DataFrame:
    """Seconds by size, and the exponent of their growth over all sizes measured."""
    table = wide(results, "seconds", "{:.3g}")
    for key, part in results.groupby(["task", "name"]):
        slope = np.polyfit(np.log(part["rows"]), np.log(part["seconds"]), 1)[0]
        table.loc[key, "growth"] = f"n^{slope:.2f}"
    return table


def ratios(results: pd.DataFrame) -> pd.DataFrame:
    """How many times as long as the first of its task each other contender takes."""
    table = results.pivot(index=["task", "name"], columns="rows", values="seconds")
    first = dict(reversed(CONTENDERS))
    rows = {
        (task, name): table.loc[(task, name)] / table.loc[(task, first[task])]
        for task, name in CONTENDERS
        if name != first[task]
    }
    found = pd.DataFrame(rows).T.rename_axis(["task", "name"])
    shown = found.map(lambda x: "" if pd.isna(x) else f"{x:,.1f}x" if x < 100 else f"{x:,.0f}x")
    return shown.rename(columns="{:,}".format)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, help="the folder of the pages")
    parser.add_argument("--only", nargs=3, metavar=("TASK", "NAME", "ROWS"), help="one, here")
    arguments = parser.parse_args()
    if arguments.only:
        task, name, n = arguments.only
        run_one((task, name), int(n))
        return
    print_environment()
    loads = [os.getloadavg()[0]]
    names = ["task", "name", "rows", "seconds", "MB"]
    results = pd.DataFrame(measure(), columns=names)
    loads.append(os.getloadavg()[0])
    load = (
        f"Load of the machine: {loads[0]:.1f} before, {loads[1]:.1f} after, {os.cpu_count()} cores."
    )
    tables = {
        "seconds": costs(results),
        "ratios": ratios(results),
        "memory": wide(results, "MB", "{:,.0f}"),
    }
    for name, shown in tables.items():
        print(f"{name}\n{shown.to_string()}\n")
    print(load)
    if arguments.output:
        write_results(arguments.output, "speed", results)
        for name, shown in tables.items():
            write_block(arguments.output / "speed.md", name, markdown_table(shown))
        write_block(arguments.output / "speed.md", "load", load)


if __name__ == "__main__":
    main()
