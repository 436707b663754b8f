"""Membership attacks by Gaussian kernel densities of the standardised columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.plugins.common.parallel import in_chunks
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_number
from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput, Side, encode_columns
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores

Floats = NDArray[np.float64]
COVARIANCES = ("floored", "full")


@dataclass(frozen=True)
class DensityOptions(MembershipOptions):
    """Parameters of the attacks by density, beside those of every membership attack.

    Args:
        covariance:
            Of the Gaussian kernel: "full", or "floored" (no eigenvalue below 0.1 of their mean).
            None: "floored" where there are categories, whose columns make it singular, else
            "full".
    """

    covariance: str | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if self.covariance is not None:
            check_choice("covariance", self.covariance, COVARIANCES)


class DensityEstimate(MembershipMetric):
    """Density of the synthetic rows at a candidate.

    Source: Houssiau et al., TAPAS, 2022.
    """

    name: ClassVar[str] = "DensityEstimate"
    Options = DensityOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: DensityOptions) -> AttackScores:
        """Score the candidates: the log-density."""
        return AttackScores(_log_density(seen, "synthetic", options))


@dataclass(frozen=True)
class DOMIASOptions(DensityOptions):
    """Parameters of DOMIAS.

    Args:
        floor:
            Added to the reference's density, as the authors do (1e-20). 0: the ratio itself.
    """

    floor: float = 0.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_number("floor", self.floor, 0.0)


class DOMIAS(MembershipMetric):
    """Density of the synthetic rows at a candidate, relative to that of the reference.

    Source: van Breugel et al., AISTATS 2023.
    """

    name: ClassVar[str] = "DOMIAS"
    Options = DOMIASOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: DOMIASOptions) -> AttackScores:
        """Score the candidates: the difference of the log-densities."""
        synthetic, reference = (
            _log_density(seen, side, options) for side in ("synthetic", "reference")
        )
        return AttackScores(density_ratio(synthetic, reference, options.floor))


def density_ratio(log_synthetic: Floats, log_reference: Floats, floor: float) -> Floats:
    """DOMIAS: log( p_S(x) / (p_R(x) + floor) ) (van Breugel et al., AISTATS 2023).

    Args:
        log_synthetic: (n,) log p_S.
        log_reference: (n,) log p_R.
        floor: 0 is the ratio itself; above, it flattens those who are far from the reference.

    Returns:
        (n,) scores.
    """
    below = log_reference if floor == 0 else np.logaddexp(log_reference, np.log(floor))
    return np.asarray(log_synthetic - below)


def kernel_log_density(
    queries: Floats,
    /,
    *,
    rows: Floats,
    covariance: Literal["floored", "full"],
    n_jobs: int | None = None,
) -> Floats:
    """The Gaussian kernel density with the rows' own covariance and Silverman's factor, its log.

    Args:
        queries: (n, d) encoded.
        rows: (m, d) encoded.
        covariance: "full", or "floored": no eigenvalue below 0.1 of their mean.
        n_jobs: Threads.

    Returns:
        (n,) log-densities.
    """
    from sdmetrics_disclosure.numba_kernels.gen_lra.density import log_density

    return log_density(queries, rows, covariance=covariance, n_jobs=n_jobs)


def _log_density(seen: AttackInput, side: Side, options: DensityOptions) -> Floats:
    targets, synthetic, reference = encode_columns(seen)
    rows = synthetic if side == "synthetic" else reference
    shape: Any = options.covariance or ("floored" if targets.is_category.any() else "full")
    _check_variation(rows.values, side)
    return seen.once(
        ("density", side, shape),
        lambda: in_chunks(
            partial(kernel_log_density, rows=rows.values, covariance=shape),
            targets.values,
            options.n_jobs,
        ),
    )


def _check_variation(rows: Floats, side: Side) -> None:
    if len(rows) < 2 or not (rows != rows[0]).any():
        raise ValueError(
            f"The {len(rows)} {side} rows are all alike: there is no density to estimate. Pass "
            "more rows, or another attack."
        )
