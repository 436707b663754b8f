"""Three synthesizers side by side, the figure of the page on assessment, and its intervals.

python benchmarks/assess.py [--figure docs/figures/assess.png] [--overfit] [--coverage]

On 1,000 rows of Adult: a Gaussian copula, CTGAN after 10 epochs, and a bootstrap of the training
rows. The bootstrap must be worst on membership, its interval clear of the others'. With --overfit:
Gen-LRA on noisy copies of 300 patients, on other patients, and on what TVAE gives after 20 and
1,000 epochs on the 300. With --coverage: how often the interval over five folds covers what other
samples of 400 rows would give (150 samples).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import data_folder, print_environment
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from sdmetrics_disclosure.adapters.sources.seeding import global_seed
from sdmetrics_disclosure.adapters.sources.sources import from_frames
from sdmetrics_disclosure.plugins.assessment.assess import Assessment, assess
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.rapid.metric import RAPID

METRICS = (RAPID, GenLRA)
CANCER = {
    "columns": {
        **{f"mean {m}": {"sdtype": "numerical"} for m in ("radius", "texture")},
        **{f"mean {m}": {"sdtype": "numerical"} for m in ("smoothness", "symmetry")},
        "target": {"sdtype": "categorical"},
    }
}
KNOWN = ["age", "education_num", "marital", "occupation", "sex", "race", "hr_per_week"]


def adult() -> pd.DataFrame:
    frame = pd.read_csv(data_folder() / "adults" / "control.csv.gz")
    return frame[[*KNOWN, "capital_gain", "country", "income"]]


def bootstrap(real_data: pd.DataFrame, random_state: int) -> pd.DataFrame:
    return real_data.sample(frac=1.0, replace=True, random_state=random_state)


def compare(figure: Path | None) -> None:
    from sdv.metadata import Metadata
    from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer

    real = adult().sample(1000, random_state=0).reset_index(drop=True)
    metadata = Metadata.detect_from_dataframes({"adult": real})
    found = assess(
        {
            "Gaussian copula": GaussianCopulaSynthesizer(metadata),
            "CTGAN, 10 epochs": CTGANSynthesizer(metadata, epochs=10),
            "bootstrap": bootstrap,
        },
        real,
        metrics=METRICS,
        sensitive_column_names=["income"],
        known_column_names=KNOWN,
    )
    print(f"{found}\n")
    _rank(found)
    if figure is not None:
        figure.parent.mkdir(parents=True, exist_ok=True)
        print(f"{figure}: {save_png(found.figure(), figure)}\n")


def _rank(found: Assessment) -> None:
    rows = found.summary[found.summary["Metric"] == GenLRA.name].set_index("Synthesizer")
    worst = rows.loc["bootstrap"]
    others = rows.drop(index="bootstrap")["High"].max()
    clear = "clear of" if worst["Low"] > others else "not clear of"
    print(
        f"membership: bootstrap from {worst['Low']:.3f}, {clear} the others, up to {others:.3f}\n"
    )


def overfit(n_cuts: int = 10) -> None:
    cancer = load_breast_cancer(as_frame=True).frame
    cancer = cancer[["mean radius", "mean texture", "mean smoothness", "mean symmetry", "target"]]
    found: dict[str, list[Any]] = {}
    for i in range(n_cuts):
        rows = cancer.sample(frac=1.0, random_state=i)
        train, holdout, other = rows.iloc[:300], rows.iloc[300:434], rows.iloc[434:]
        sources = {"other patients": other, "noisy copies": noisy_copies(train, i)}
        if i == 0:
            sources |= {f"TVAE, {epochs} epochs": tvae(train, epochs) for epochs in (20, 1000)}
        for name, synthetic in sources.items():
            release = from_frames(train, synthetic, CANCER, real_validation_data=holdout)
            auc = GenLRA.evaluate(release, GenLRA.make_options(overlap="keep")).worst.auc
            found.setdefault(name, []).append(auc)
    print(f"{'source':20}{'cuts':>6}{'AUC':>8}{'least':>8}{'most':>8}{'interval above 0.5':>20}")
    for name, aucs in found.items():
        values = [auc.value for auc in aucs]
        rates = f"{np.mean(values):8.3f}{min(values):8.3f}{max(values):8.3f}"
        print(f"{name:20}{len(aucs):6}{rates}{sum(auc.low > 0.5 for auc in aucs):20}")
    print()


def noisy_copies(train: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    noisy = train.copy()
    for column in train.columns[:-1]:
        noisy[column] += rng.normal(0, 0.1 * train[column].std(), len(train))
    return noisy


def tvae(train: pd.DataFrame, epochs: int) -> pd.DataFrame:
    from ctgan import TVAE

    model = TVAE(epochs=epochs, batch_size=50, l2scale=0.0)
    with global_seed(0):
        model.fit(train, ["target"])
        sampled: pd.DataFrame = model.sample(len(train))
    return sampled


def coverage(n_samples: int = 150, n_rows: int = 400, n_splits: int = 5) -> None:
    population = adult()[["age", "education_num", "marital", "sex", "hr_per_week", "income"]]
    metadata = {
        "columns": {
            c: {"sdtype": "numerical" if population[c].dtype != object else "categorical"}
            for c in population
        }
    }
    options = {
        RAPID: RAPID.make_options(
            sensitive_column_names=["income"],
            attacker="logistic",
            n_bootstrap=0,
            n_permutations=0,
        ),
        GenLRA: GenLRA.make_options(overlap="keep"),
    }
    rng = np.random.default_rng(0)
    values = np.empty((n_samples, n_splits, 4))
    for i in range(n_samples):
        sample = population.sample(n_rows, random_state=rng.integers(2**31)).reset_index(drop=True)
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=i)
        for j, (fitted, held_out) in enumerate(folds.split(sample, sample["income"])):
            real = sample.iloc[fitted]
            synthetic = _noisy(real, rng)
            holdout = sample.iloc[held_out]
            release = from_frames(real, synthetic, metadata, real_validation_data=holdout)
            found = RAPID.evaluate(release, options[RAPID]).columns["income"]
            values[i, j] = (
                found.score,
                found.holdout_risk.value,
                found.difference.value,
                GenLRA.evaluate(release, options[GenLRA]).score,
            )
    means, variances = values.mean(axis=1), values.var(axis=1, ddof=1)
    quantile = stats.t.ppf(0.975, n_splits - 1)
    print(f"{'':12}{'training':>10}{'held out':>10}{'difference':>12}{'GenLRA':>8}")
    for name, factor in (
        ("corrected", 1 / n_splits + 1 / (n_splits - 1)),
        ("plain t", 1 / n_splits),
    ):
        half = quantile * np.sqrt(variances * factor)
        covered = (np.abs(means - means.mean(axis=0)) <= half).mean(axis=0)
        print("{:12}{:10.2f}{:10.2f}{:12.2f}{:8.2f}".format(name, *covered))
    print()


def _noisy(real: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    made = real.sample(frac=1.0, replace=True, random_state=rng.integers(2**31))
    for column in ("age", "education_num", "hr_per_week"):
        made[column] = made[column] + rng.normal(0, 0.3 * real[column].std(), len(made))
    return made


def save_png(figure: Any, path: Path, width: int = 1800, height: int = 640) -> str:
    """Draw a figure by plotly's own way, else by a headless Chromium; say which."""
    try:
        figure.write_image(path, width=width, height=height)
        return "by plotly"
    except Exception:
        browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return "not drawn, for want of kaleido or Chromium"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "figure.html"
        size = {"default_width": f"{width}px", "default_height": f"{height}px"}
        figure.write_html(page, config={"displayModeBar": False}, **size)
        subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--virtual-time-budget=10000", f"--window-size={width + 16},{height + 16}"),
                *(f"--screenshot={path.resolve()}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
    return "by Chromium"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--figure", type=Path, help="where to write the figure, a PNG")
    parser.add_argument("--overfit", action="store_true", help="the overfitter instead")
    parser.add_argument("--coverage", action="store_true", help="the intervals' coverage instead")
    arguments = parser.parse_args()
    print_environment()
    warnings.simplefilter("ignore")
    if arguments.overfit:
        overfit()
    if arguments.coverage:
        coverage()
    if not (arguments.overfit or arguments.coverage):
        compare(arguments.figure)
