"""Copies, singling out and linkability on releases of which the truth is known.

    python benchmarks/identification.py [--output docs]

Adult control rows, 10 columns: 300 training, 300 holdout and 300 synthetic rows, 10 seeds. Rates on
training and holdout rows, the excess with its t interval over seeds, and in how many seeds the
permutation test has p at most .05. Then how often the interval of copies holds 0 on 400 fresh
samples, and what the default policy says of 20 releases each. --output writes the tables into
identification.md and results/identification.csv.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from cart_synthesizer import CartSynthesizer
from common import data_folder, markdown_table, print_environment, write_block, write_results
from generators import Generator, exact_copy, fresh_sample, noisy_copy
from scipy.stats import t as student_t

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.base.findings import findings_of
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.identification.metrics import Copies, Linkability, SingleOut
from sdmetrics_disclosure.plugins.policy.limits import limits_of
from sdmetrics_disclosure.plugins.policy.policy import load_policy
from sdmetrics_disclosure.plugins.policy.verdict import decide

COLUMNS = [
    "age",
    "education_num",
    "marital",
    "occupation",
    "sex",
    "race",
    "hr_per_week",
    "capital_gain",
    "country",
    "income",
]
FEW = ["education_num", "marital", "sex", "race", "income"]
N_ROWS, N_SEEDS, N_FRESH, N_VERDICTS = 300, 10, 400, 20
MEASURES = {
    "singling out, 1 column": partial(SingleOut.compute_breakdown, n_columns=1),
    "3 columns": partial(SingleOut.compute_breakdown, n_columns=3),
    "5 columns": partial(SingleOut.compute_breakdown, n_columns=5),
    "linkability": Linkability.compute_breakdown,
}


def independent(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """Each column drawn by itself."""
    n = len(training)
    return pd.DataFrame({c: training[c].to_numpy()[rng.integers(0, n, n)] for c in training})


def cart(training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """One tree a column, as synthpop."""
    return CartSynthesizer(int(rng.integers(2**31))).fit(training).sample(len(training))


def bootstrap(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    """Training rows drawn with replacement."""
    return training.iloc[rng.integers(0, len(training), len(training))].reset_index(drop=True)


def copula(training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """SDV's Gaussian copula."""
    from sdv_generators import SDV_GENERATORS

    return SDV_GENERATORS["Gaussian copula"](training, fresh, rng)


GENERATORS: dict[str, Generator] = {
    "fresh sample": fresh_sample,
    "copula": copula,
    "independent": independent,
    "CART": cart,
    "noisy 0.3": partial(noisy_copy, scale=0.3),
    "bootstrap": bootstrap,
}
KNOWN: dict[str, Generator] = {
    "exact copy": exact_copy,
    "bootstrap": bootstrap,
    "noisy 0.1": partial(noisy_copy, scale=0.1),
    "noisy 0.3": partial(noisy_copy, scale=0.3),
    "fresh sample": fresh_sample,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="folder of the pages")
    output = parser.parse_args().output
    print_environment()
    results = pd.DataFrame(simulate(), columns=["synthesizer", "seed", *RESULT])
    tables = {
        "figures": figures(results),
        "coverage": pd.DataFrame(coverage()).set_index("table"),
        "decisions": pd.DataFrame(decisions()).set_index("release"),
    }
    for name, table in tables.items():
        text = markdown_table(table)
        print(f"{text}\n")
        if output:
            write_block(output / "identification.md", name, text)
    fresh = results[results["synthesizer"] == "fresh sample"]
    print(f"fresh samples: p <= .05 in {(fresh['p_value'] <= 0.05).sum()} of {len(fresh)}")
    if output:
        write_results(output, "identification", results)


RESULT = ("measure", "training", "holdout", "score", "p_value")


def simulate() -> Iterator[tuple[object, ...]]:
    """Synthesizer, seed, measure and what it gives."""
    for seed in range(N_SEEDS):
        training, holdout, fresh = draw(COLUMNS, (N_ROWS, N_ROWS, N_ROWS), 1_000 + seed)
        for name, generate in GENERATORS.items():
            released = generate(training, fresh, np.random.default_rng(seed))
            for measure, compute in MEASURES.items():
                found = compute(
                    training,
                    released,
                    describe(training),
                    real_validation_data=holdout,
                    random_state=seed,
                    overlap="keep",
                )
                yield (name, seed, measure, *(found[key] for key in RESULT[1:]))


def figures(results: pd.DataFrame) -> pd.DataFrame:
    """Rates, excess and how many tests see it, a row a synthesizer."""
    grouped = results.groupby(["synthesizer", "measure"], sort=False)
    cells = grouped.apply(_cell, include_groups=False)
    return cells.unstack("measure")[list(MEASURES)].reindex(list(GENERATORS))


def _cell(part: pd.DataFrame) -> str:
    n = len(part)
    half = student_t.ppf(0.975, n - 1) * part["score"].std() / np.sqrt(n)
    rates = f"{part['training'].mean():.3f} / {part['holdout'].mean():.3f}"
    seen = int((part["p_value"] <= 0.05).sum())
    return f"{rates}, {part['score'].mean():+.3f}±{half:.3f}, {seen}"


def coverage() -> Iterator[dict[str, object]]:
    """How often the interval of copies holds 0 where nothing was copied."""
    cases: dict[str, tuple[list[str], tuple[int, int, int]]] = {
        "10 columns, 1,000 rows each": (COLUMNS, (1_000, 1_000, 1_000)),
        "10 columns, 2,500 / 2,500 / 4,000": (COLUMNS, (2_500, 2_500, 4_000)),
        "5 columns, 300 rows each": (FEW, (300, 300, 300)),
        "5 columns, 1,000 / 400 / 3,000": (FEW, (1_000, 400, 3_000)),
    }
    for name, (columns, sizes) in cases.items():
        row: dict[str, object] = {"table": name}
        for design in ("with a holdout", "without"):
            held, shares = 0, []
            for seed in range(N_FRESH):
                training, holdout, fresh = draw(columns, sizes, 10_000 + seed)
                release = release_of(training, fresh, holdout if "with " in design else None)
                (found,) = Copies.evaluate(release, _counted(seed)).copied
                held += found.difference.low <= 0 <= found.difference.high
                shares.append(found.share)
            row |= {"rows that are real": float(np.mean(shares)), design: held / N_FRESH}
        yield row


def decisions() -> Iterator[dict[str, object]]:
    """Of 20 releases, how many the default policy fails, passes and leaves open."""
    limits = load_policy().membership
    metrics = (Copies, SingleOut, Linkability, GenLRA)
    for name, generate in KNOWN.items():
        all_metrics: list[str] = []
        row: dict[str, object] = {"release": name}
        by_metric: dict[str, list[str]] = {metric.name: [] for metric in metrics}
        for seed in range(N_VERDICTS):
            training, holdout, fresh = draw(COLUMNS, (N_ROWS, N_ROWS, N_ROWS), 1_000 + seed)
            released = generate(training, fresh, np.random.default_rng(seed))
            release = release_of(training, released, holdout)
            for metric in metrics:
                options = metric.make_options(random_state=seed, overlap="keep")
                (measure, *_) = findings_of(metric.evaluate(release, options))[0].measures
                (limit, *_) = limits_of(metric)
                decision = decide(measure.found, getattr(limits, limit.key))
                by_metric[metric.name].append(decision)
            last = {found[-1] for found in by_metric.values()}
            all_metrics.append("fail" if "fail" in last else "not failed")
        row |= {key: f"{found.count('fail')} failed" for key, found in by_metric.items()}
        yield row | {"the four together": f"{all_metrics.count('fail')} failed"}


def draw(
    columns: list[str], sizes: tuple[int, int, int], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Training, holdout and fresh rows, nobody in two of them."""
    rows = pool()[columns].sample(sum(sizes), random_state=seed).reset_index(drop=True)
    ends = np.cumsum(sizes)
    first, second, third = (
        rows.iloc[end - size : end].reset_index(drop=True)
        for size, end in zip(sizes, ends, strict=True)
    )
    return first, second, third


def pool() -> pd.DataFrame:
    """Adult's control rows; "?" is a level, not a gap."""
    if not _POOL:
        path = data_folder() / "adults" / "control.csv.gz"
        _POOL.append(pd.read_csv(path, keep_default_na=False))
    return _POOL[0]


_POOL: list[pd.DataFrame] = []


def describe(frame: pd.DataFrame) -> dict[str, dict[str, dict[str, str]]]:
    """Metadata by dtype."""
    kinds = {c: "numerical" if frame[c].dtype.kind in "if" else "categorical" for c in frame}
    return {"columns": {column: {"sdtype": kind} for column, kind in kinds.items()}}


def release_of(
    training: pd.DataFrame, released: pd.DataFrame, holdout: pd.DataFrame | None
) -> Release:
    """The checked tables."""
    return from_frames(training, released, describe(training), real_validation_data=holdout)


def _counted(seed: int) -> object:
    return Copies.make_options(random_state=seed, overlap="keep", num_rows_subsample=100)


if __name__ == "__main__":
    main()
