"""The attacks' formulas: the testbed's scores per record, and cases worked by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from sdmetrics_disclosure.numba_kernels.neighbors.nearest import count_within, nearest
from sdmetrics_disclosure.plugins.attacks.density import density_ratio, kernel_log_density
from sdmetrics_disclosure.plugins.attacks.distance import closest_record, closest_record_difference
from sdmetrics_disclosure.plugins.attacks.neighborhood import (
    median_heuristic,
    plagiarism_index,
    share_of,
)

CASES = ["housing_raw", "housing_std", "insurance_num", "gauss12"]
PLAGIARISM_K = 20


def stored(golden: Path, case: str, part: str) -> NDArray[np.float64]:
    frame = pd.read_csv(golden / "attacks" / f"{case}__{part}.csv.gz", header=None)
    return frame.to_numpy(dtype=np.float64)


@pytest.mark.parametrize("case", CASES)
def test_every_score_is_the_testbeds(golden: Path, case: str) -> None:
    expected = pd.read_csv(golden / "attacks" / f"{case}__scores.csv.gz")
    targets = np.vstack([stored(golden, case, part) for part in ("members", "non_members")])
    synthetic, reference = stored(golden, case, "synthetic"), stored(golden, case, "reference")
    to_synthetic, to_reference = (
        nearest(targets, rows, PLAGIARISM_K, squared=True)[1] for rows in (synthetic, reference)
    )
    log_s, log_r = (
        kernel_log_density(targets, rows=rows, covariance="full") for rows in (synthetic, reference)
    )
    limit = median_heuristic(to_synthetic)
    near = count_within(targets, synthetic, limit, strict=True, squared=True)
    ours = {
        "dcr": closest_record(to_synthetic),
        "dcr_diff": closest_record_difference(to_synthetic, to_reference),
        "domias_kde": np.exp(density_ratio(log_s, log_r, floor=1e-20)),
        "density_kde": np.exp(log_s),
        "dpi_k20": plagiarism_index(to_synthetic, to_reference, PLAGIARISM_K),
        "mc": share_of(near, len(synthetic)),
        "local_neighborhood_r1": share_of(count_within(targets, synthetic, 1.0), len(synthetic)),
    }
    for name, scores in ours.items():
        np.testing.assert_allclose(scores, expected[name], rtol=1e-9, atol=0, err_msg=name)


def test_distances_by_hand() -> None:
    to_synthetic, to_reference = np.array([[9.0, 25.0], [0.0, 1.0]]), np.array([[16.0], [4.0]])
    assert closest_record(to_synthetic).tolist() == [-3.0, 0.0]
    assert closest_record_difference(to_synthetic, to_reference).tolist() == [1.0, 2.0]
    assert median_heuristic(to_synthetic) == 4.5


def test_plagiarism_index_by_hand() -> None:
    to_synthetic = np.array([[1.0, 2.0, 9.0], [5.0, 6.0, 7.0], [1.0, 2.0, 3.0]])
    to_reference = np.array([[3.0, 4.0], [1.0, 2.0], [8.0, 9.0]])
    found = plagiarism_index(to_synthetic, to_reference, 3)
    # two synthetic to one reference row; one to two; three to none
    expected = [1 / (1 + np.exp(-2.0)), 1 / (1 + np.exp(-0.5)), 1.0]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_a_tie_counts_for_the_reference() -> None:
    assert plagiarism_index(np.array([[1.0]]), np.array([[1.0]]), 1)[0] == 0.5  # logistic(0)
    # one synthetic row is nearer; of the two that tie for the second place the reference's counts
    mixed = plagiarism_index(np.array([[1.0, 2.0]]), np.array([[2.0, 2.0]]), 2)[0]
    assert mixed == pytest.approx(1 / (1 + np.exp(-1.0)), rel=1e-15)


def test_far_away_the_density_ratio_goes_on_and_the_floor_flattens_it() -> None:
    synthetic, reference = np.array([-100.0, -1000.0]), np.array([-200.0, -4000.0])
    assert density_ratio(synthetic, reference, 0.0).tolist() == [100.0, 3000.0]
    floored = density_ratio(synthetic, reference, 1e-20)
    np.testing.assert_allclose(floored, synthetic - np.log(1e-20), rtol=1e-12)


def test_a_singular_table_has_a_floored_density() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 2))
    rows = np.column_stack([rows, rows[:, 0]])
    assert np.isfinite(kernel_log_density(rows, rows=rows, covariance="floored")).all()
