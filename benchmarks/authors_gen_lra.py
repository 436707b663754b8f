"""Gen-LRA as its authors compute it, rebuilt: the rival in `kernels.py`.

For every candidate a fresh KD-tree on the synthetic rows, then two of scipy's Gaussian kernel
densities, on the reference and on the reference with the candidate, both evaluated at the k
neighbours. `python benchmarks/authors_gen_lra.py` compares it with the authors' own outputs.
"""

from __future__ import annotations

import csv
import gzip

import numpy as np
import numpy.typing as npt
from common import golden_folder, print_environment
from scipy.spatial import KDTree
from scipy.stats import gaussian_kde

Floats = npt.NDArray[np.float64]
FLOOR = 1e-20


def authors_score(target: Floats, synthetic: Floats, reference: Floats, k: int) -> float:
    """Return the score of one candidate (d,)."""
    _, neighbours = KDTree(synthetic).query(target, k=k)
    at = synthetic[np.atleast_1d(neighbours)].T
    before = gaussian_kde(reference.T, bw_method="silverman")
    after = gaussian_kde(np.vstack([reference, target]).T, bw_method="silverman")
    return float((np.log(after.evaluate(at) + FLOOR) - np.log(before.evaluate(at) + FLOOR)).sum())


def authors_scores(targets: Floats, synthetic: Floats, reference: Floats, k: int) -> Floats:
    """Return the scores of the candidates (n, d)."""
    return np.array([authors_score(target, synthetic, reference, k) for target in targets])


def main() -> None:
    print_environment()
    folder = golden_folder() / "attacks"
    case, k, n_checked = "housing_std", 10, 50
    tables = {
        name: np.loadtxt(folder / f"{case}__{name}.csv.gz", delimiter=",")
        for name in ("members", "synthetic", "reference")
    }
    with gzip.open(folder / f"{case}__scores.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:n_checked]
    authors = np.array([float(row[f"gen_lra_refit_k{k}"]) for row in rows])
    ours = authors_scores(
        tables["members"][:n_checked], tables["synthetic"], tables["reference"], k
    )
    print(f"{case}, k = {k}, {n_checked} members: largest difference from the authors' scores")
    print(f"{np.abs(ours - authors).max():.1e}")


if __name__ == "__main__":
    main()
