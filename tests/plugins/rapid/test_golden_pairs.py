"""The attackers against the authors' R package, on real tables with synthetic ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.plugins.attackers.training import run_attacker

pytestmark = pytest.mark.slow

PAIRS = {
    "adults100": ("age", "income"),
    "breast_cancer": ("Status", "Survival.Months", "Tumor.Size", "X6th.Stage"),
    "insurance": ("charges", "region", "smoker"),
    "placements": ("mba_perc", "mba_spec", "placed"),
}
LINEAR = ("adults100__age", "breast_cancer__Survival.Months", "breast_cancer__Tumor.Size",
          "insurance__charges", "placements__mba_perc")  # fmt: skip
LOGISTIC = ("adults100__income", "breast_cancer__Status", "insurance__smoker",
            "placements__mba_spec", "placements__placed")  # fmt: skip
CART = tuple(f"{pair}__{column}" for pair, columns in PAIRS.items() for column in columns)
# The authors' mean is over ten seeds. The more a seed can be off, the more seeds here; all pairs
# over ten seeds are in benchmarks/forest_pairs.py.
FOREST = {
    "adults100__age": 5,
    "placements__placed": 5,
    "insurance__smoker": 1,
    "breast_cancer__Status": 1,
    "breast_cancer__Survival.Months": 1,
}
SYNTHETICS = ("syn1", "syn2")


class Task:
    """A sensitive column of a real table, with the synthetic rows to learn it from."""

    def __init__(self, real: pd.DataFrame, synthetic: pd.DataFrame, run: dict[str, Any]) -> None:
        known, sensitive = run["quasi_identifiers"], run["sensitive"]
        self.run = run
        self.kinds = {column: _kind(real[column]) for column in known}
        self.real, self.synthetic = real[known], synthetic[known]
        self.truth, self.target = real[sensitive], synthetic[sensitive]

    def predict(self, attacker: str, seed: int = 0) -> NDArray[np.float64]:
        """Each record's probability of the true class, or predicted number."""
        is_class = _kind(self.truth) is Kind.CATEGORICAL
        target = self.target.cat.codes.to_numpy(np.intp) if is_class else self.target.to_numpy()
        attack = run_attacker(
            attacker,
            self.synthetic,
            target,
            [self.real],
            kinds=self.kinds,
            n_classes=len(self.target.cat.categories) if is_class else None,
            random_state=np.random.SeedSequence(seed),
            n_jobs=1,
        )
        prediction = attack.predictions[0]
        if prediction.column is None or prediction.share is None:
            return prediction.values
        truth = self.truth.cat.codes.to_numpy(np.intp)
        rows = np.arange(len(truth))
        return prediction.values[rows, prediction.column[truth]] * prediction.share[truth]

    def rates(self, prediction: NDArray[np.float64], thresholds: list[float]) -> list[float]:
        """RAPID at the thresholds, from `predict`."""
        if _kind(self.truth) is Kind.NUMERICAL:
            truth, delta = self.truth.to_numpy(), self.run["delta"]
            total = np.abs(truth) + np.abs(prediction) + 2 * delta
            errors = 2 * np.abs(truth - prediction) / total
            return [float(np.mean(errors < epsilon)) for epsilon in thresholds]
        truth = self.truth.cat.codes.to_numpy(np.intp)
        baseline = (np.bincount(truth) / len(truth))[truth]
        gains = (prediction - baseline) / (1 - baseline)
        return [float(np.mean(gains > tau)) for tau in thresholds]

    def rate(self, prediction: NDArray[np.float64]) -> float:
        """RAPID at the run's own threshold."""
        is_class = _kind(self.truth) is Kind.CATEGORICAL
        return self.rates(prediction, [self.run["tau" if is_class else "epsilon"]])[0]


def _kind(column: pd.Series) -> Kind:
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    return Kind.CATEGORICAL if is_category else Kind.NUMERICAL


def _read(path: Path, levels: dict[str, list[str]]) -> pd.DataFrame:
    frame = pd.read_csv(path, keep_default_na=False)
    columns = {
        column: pd.Categorical(frame[column].astype(str), categories=sorted(levels[column]))
        if column in levels
        else frame[column].astype(float)
        for column in frame
    }
    return pd.DataFrame(columns)


def _pair_task(golden: Path, name: str, model: str) -> Task:
    folder, pair = golden / "rapid" / "pairs", name.split("__")[0]
    index = json.loads((folder / "index.json").read_text())[pair]
    runs = json.loads((folder / "rf.json").read_text()) if model == "rf" else index["tasks"]
    real, synthetic = (
        _read(folder / f"{pair}_{end}.csv.gz", index["levels"]) for end in ("orig", "syn")
    )
    run = runs[f"{name}__{model}"]
    return Task(real, synthetic, {"delta": 0.01, **run})


def _pair_records(golden: Path, name: str, model: str) -> pd.DataFrame:
    path = golden / "rapid" / "pairs" / f"{name}__{model}_out.csv.gz"
    return pd.read_csv(path, keep_default_na=False)


@pytest.mark.parametrize("name", LINEAR)
def test_linear_is_r_lm_record_by_record(golden: Path, name: str) -> None:
    task = _pair_task(golden, name, "lm")
    prediction = task.predict("linear")
    expected = _pair_records(golden, name, "lm")["yhat"]
    np.testing.assert_allclose(prediction, expected, rtol=0, atol=1e-9)
    assert task.rate(prediction) == pytest.approx(task.run["rate"], abs=1e-12)


@pytest.mark.parametrize("name", LOGISTIC)
def test_logistic_is_r_glm_record_by_record(golden: Path, name: str) -> None:
    task = _pair_task(golden, name, "logit")
    prediction = task.predict("logistic")
    np.testing.assert_allclose(
        prediction, _pair_records(golden, name, "logit")["g"], rtol=0, atol=1e-6
    )
    assert task.rate(prediction) == pytest.approx(task.run["rate"], abs=1e-12)


@pytest.mark.parametrize("name", CART)
def test_cart_has_the_rate_of_r_rpart(golden: Path, name: str) -> None:
    task = _pair_task(golden, name, "cart")
    # Of 100 rows two have a level that the synthetic rows never show, and R sends them elsewhere.
    tolerance = 0.02 if name == "adults100__income" else 0.0
    assert task.rate(task.predict("cart")) == pytest.approx(task.run["rate"], abs=tolerance + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_seeds"), FOREST.items())
def test_forest_has_the_rate_of_r_ranger(golden: Path, name: str, n_seeds: int) -> None:
    task = _pair_task(golden, name, "rf")
    rates = [task.rate(task.predict("forest", seed)) for seed in range(n_seeds)]
    tolerance = 0.035 if len(task.synthetic) < 300 else 0.02
    assert np.mean(rates) == pytest.approx(task.run["mean"], abs=tolerance)


@pytest.fixture(scope="module")
def adult(golden: Path) -> dict[str, Task]:
    folder = golden / "rapid" / "adult"
    raw = {
        name: pd.read_csv(folder / f"adult_{name}.csv.gz", keep_default_na=False)
        for name in ("orig", *SYNTHETICS)
    }
    texts = raw["orig"].select_dtypes(["object", "string"]).columns
    levels = {text: sorted(set().union(*(frame[text] for frame in raw.values()))) for text in texts}
    frames = {name: _read(folder / f"adult_{name}.csv.gz", levels) for name in raw}
    known = [column for column in frames["orig"] if column != "income"]
    run = {"quasi_identifiers": known, "sensitive": "income", "tau": 0.3}
    return {name: Task(frames["orig"], frames[name], run) for name in SYNTHETICS}


def _adult_rates(golden: Path, run: str) -> dict[str, Any]:
    rates: dict[str, Any] = json.loads(
        (golden / "rapid" / "adult" / "adult_rapid.json").read_text()
    )
    return rates[run]


@pytest.mark.slow
@pytest.mark.parametrize("synthetic", SYNTHETICS)
def test_boosting_on_adult(golden: Path, adult: dict[str, Task], synthetic: str) -> None:
    """About .73 (the paper: .7208), and the whole threshold curve near that of R's forest."""
    task, reference = adult[synthetic], _adult_rates(golden, f"{synthetic}_rf")
    prediction = task.predict("boosting")
    assert task.rate(prediction) == pytest.approx(0.73, abs=0.02)
    rates = task.rates(prediction, reference["tau"])
    # Repeated rows are held out together, so boosting is a little less sure near probability 1.
    np.testing.assert_allclose(rates, reference["rate_by_tau"], rtol=0, atol=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("synthetic", SYNTHETICS)
def test_logistic_and_cart_on_adult(golden: Path, adult: dict[str, Task], synthetic: str) -> None:
    task = adult[synthetic]
    records = pd.read_csv(golden / "rapid" / "adult" / "adult_true_prob.csv.gz")
    logistic = task.predict("logistic")
    np.testing.assert_allclose(logistic, records[f"{synthetic}_logit"], rtol=0, atol=1e-6)
    cart = _adult_rates(golden, f"{synthetic}_cart")["rate"]
    assert task.rate(task.predict("cart")) == pytest.approx(cart, abs=1e-4)
