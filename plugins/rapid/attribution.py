"""Who is at risk, and which known columns make it so."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import encode
from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.common.statistics import wilson
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult

GROUP_SIZE_FLOOR = 10
N_BINS = 5
MISSING = "missing"


@dataclass(frozen=True)
class Attribution:
    """Who is at risk and why.

    Attributes:
        by_level: A row per level (numbers in quantile bins, for display only) of each known
            column and of each pair of them: `column, level, column_2, level_2, n, n_at_risk,
            risk, low, high`; groups below the floor are not in it.
        by_known_column: `column, alone, left_out`: the risk when the attacker knows only this
            column, and when all the others.
        regression: Logistic regression of `at_risk` on the known columns: `term, coefficient,
            standard_error, p_value`.
    """

    by_level: pd.DataFrame
    by_known_column: pd.DataFrame
    regression: pd.DataFrame


def rates_by_level(
    release: Release, result: ColumnResult, group_size_floor: int = GROUP_SIZE_FLOOR
) -> pd.DataFrame:
    """The risk in each level of each known column, and in each pair of levels.

    Args:
        release:
            The tables on which `result` was found.
        result:
            RAPID of one column.
        group_size_floor:
            Groups with fewer records are left out: a small group names people.
    """
    scores = result.worst.scores
    groups = {c: _groups(release, c)[scores.included] for c in result.known}
    rows: list[dict[str, Any]] = []
    pairs = [(column, None) for column in groups]
    for column, other in [*pairs, *combinations(groups, 2)]:
        keys = [groups[column]] if other is None else [groups[column], groups[other]]
        frame = pd.DataFrame(dict(enumerate(keys)) | {"at_risk": scores.at_risk})
        counts = frame.groupby(list(range(len(keys))), observed=True)["at_risk"]
        for level, (n, hits) in counts.agg(["size", "sum"]).iterrows():
            if n >= group_size_floor:
                levels = level if isinstance(level, tuple) else (level, None)
                interval = wilson(int(hits), int(n), result.options.confidence_level)
                rows.append(
                    {
                        "column": column,
                        "level": levels[0],
                        "column_2": other,
                        "level_2": levels[1],
                        "n": int(n),
                        "n_at_risk": int(hits),
                        "risk": interval.value,
                        "low": interval.low,
                        "high": interval.high,
                    }
                )
    columns = ["column", "level", "column_2", "level_2", "n", "n_at_risk", "risk", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _groups(release: Release, column: Hashable) -> NDArray[Any]:
    values = release.real[column]
    if not release.kinds[column].is_number:
        return values.astype(object).where(values.notna(), MISSING).map(str).to_numpy()
    bins = pd.qcut(values, N_BINS, duplicates="drop")
    return bins.astype(object).where(bins.notna(), MISSING).map(str).to_numpy()


def known_column_variants(
    options: RapidOptions, result: ColumnResult
) -> Iterator[tuple[Hashable, str, RapidOptions]]:
    """The options for each known column alone, and with it left out, nothing resampled."""
    for column in result.known:
        others = [name for name in result.known if name != column]
        for what, known in (("alone", [column]), ("left_out", others)):
            if known:
                yield (
                    column,
                    what,
                    replace(
                        options,
                        sensitive_column_names=[result.column],
                        known_column_names=known,
                        n_bootstrap=0,
                        n_permutations=0,
                        num_rows_subsample=None,
                    ),
                )


def regress_at_risk(release: Release, result: ColumnResult) -> pd.DataFrame:
    """Logistic regression of `at_risk` on the known columns (numbers per standard deviation).

    Categories are dummies against their first level; columns that follow from those before
    them are left out. Where risk is the same for all, or separable, the estimates are NaN.

    Args:
        release:
            The tables on which `result` was found.
        result:
            RAPID of one column.
    """
    scores = result.worst.scores
    terms, design = _design(release, list(result.known))
    design = design[scores.included]
    at_risk = scores.at_risk.astype(np.float64)
    estimates = np.full((len(terms), 3), np.nan)
    if 0 < at_risk.sum() < at_risk.size:
        estimates = _fit_logit(design, at_risk, estimates)
    frame = pd.DataFrame(estimates, columns=["coefficient", "standard_error", "p_value"])
    frame.insert(0, "term", terms)
    return frame


def _design(release: Release, known: list[Hashable]) -> tuple[list[str], NDArray[np.float64]]:
    table = take_columns(release.real, known)
    kinds = {column: release.kinds[column] for column in known}
    (encoded,) = encode(
        [table],
        kinds,
        fit_on=[0],
        categories="one_hot",
        missing="indicator",
        scale="sd",
        max_levels=20,
    )
    values = encoded.values - np.where(encoded.is_category, 0.0, encoded.values.mean(axis=0))
    kept, basis = ["(intercept)"], [np.ones(len(values))]
    norms = np.linalg.norm(values, axis=0)
    orthogonal = [basis[0] / np.linalg.norm(basis[0])]
    for j, term in enumerate(_terms(table, encoded.columns, encoded.is_category)):
        rest = values[:, j] - sum(q * (q @ values[:, j]) for q in orthogonal)
        if norms[j] > 0 and np.linalg.norm(rest) > 1e-7 * norms[j] and term is not None:
            orthogonal.append(rest / np.linalg.norm(rest))
            kept.append(term)
            basis.append(values[:, j])
    return kept, np.column_stack(basis)


def _terms(
    table: pd.DataFrame, columns: tuple[Hashable, ...], is_category: NDArray[np.bool_]
) -> list[str | None]:
    """The name of each encoded column; None for a category's first level."""
    terms: list[str | None] = []
    position: dict[Hashable, int] = {}
    for column, categorical in zip(columns, is_category, strict=True):
        at = position[column] = position.get(column, -1) + 1
        values = table[column]
        if not categorical:
            terms.append(str(column))
        elif not isinstance(values.dtype, pd.CategoricalDtype):
            terms.append(f"{column}={MISSING}")
        else:
            present = values.cat.remove_unused_categories().cat.categories
            label = present[at] if at < len(present) else MISSING
            terms.append(None if at == 0 else f"{column}={label}")
    return terms


def _fit_logit(
    design: NDArray[np.float64], at_risk: NDArray[np.float64], empty: NDArray[np.float64]
) -> NDArray[np.float64]:
    import warnings

    import statsmodels.api as sm  # a second to import: only where it is wanted

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = sm.Logit(at_risk, design).fit(disp=0, maxiter=100)
        except (np.linalg.LinAlgError, sm.tools.sm_exceptions.PerfectSeparationError):
            return empty
    if not fitted.mle_retvals["converged"]:
        return empty
    return np.column_stack([fitted.params, fitted.bse, fitted.pvalues])
