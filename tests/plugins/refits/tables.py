"""Tables for the tests of refits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

ADULT = [
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
METADATA = {
    "columns": {
        "age": {"sdtype": "numerical"},
        "wage": {"sdtype": "numerical"},
        "town": {"sdtype": "categorical"},
        "job": {"sdtype": "categorical"},
        "smoker": {"sdtype": "boolean"},
    }
}


def adult(folder: Path, seed: int, n: int = 300) -> pd.DataFrame:
    pool = pd.read_csv(folder / "adults" / "control.csv.gz", keep_default_na=False)
    return pool[ADULT].sample(n, random_state=1000 + seed).reset_index(drop=True)


def workers(n: int = 120, seed: int = 0) -> pd.DataFrame:
    """People of whom no two are alike, with rare towns."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "wage": np.round(np.exp(rng.normal(3, 0.5, n)), 2),
            "town": rng.choice([f"town {i}" for i in range(12)], n, p=_falling(12)),
            "job": rng.choice([f"job {i}" for i in range(6)], n, p=_falling(6)),
            "smoker": rng.random(n) < 0.3,
        }
    )


def _falling(n: int) -> np.ndarray:
    weights = 0.6 ** np.arange(n)
    return weights / weights.sum()
