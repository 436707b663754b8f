"""Gen-LRA's parameters, documented and checked once; the presets and each kernel's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.plugins.common.validation import (
    check_choice,
    check_count,
    check_number,
)
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions

KERNELS = ("power_law", "gaussian")
SURROGATES = ("closed_form", "refit")
COVARIANCES = ("isotropic", "diagonal", "floored", "full")
AGGREGATES = ("max", "sum")


class _DefaultName(str):
    """A default that can be told from the same word typed by a user beside a preset."""

    __slots__ = ()


class _DefaultNumber(float):
    """A default that can be told from the same number typed by a user beside a preset."""

    __slots__ = ()


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "kernel": "gaussian",
        "surrogate": "refit",
        "covariance": "full",
        "bandwidth_factor": 1.0,
        "n_neighbors": 200,
        "aggregate": "sum",
        "floor": 1e-20,
    }
}
_POWER_LAW, _CLOSED_FORM, _NO_FLOOR = (
    _DefaultName("power_law"),
    _DefaultName("closed_form"),
    _DefaultNumber(0.0),
)
KERNEL_DEFAULTS: dict[str, dict[str, Any]] = {
    "power_law": {"n_neighbors": 10, "aggregate": "max"},
    "gaussian": {
        "n_neighbors": 3,
        "aggregate": "sum",
        "covariance": "isotropic",
        "bandwidth_factor": 0.5,
    },
}
REFIT_DEFAULTS: dict[str, Any] = {"covariance": "full", "bandwidth_factor": 1.0}


@dataclass(frozen=True)
class GenLRAOptions(MembershipOptions):
    """Parameters of Gen-LRA, beside those of every membership attack.

    Args:
        preset:
            "paper": the authors' settings (Gaussian, refit, full covariance, 200 neighbours, sum,
            floor 1e-20, their encoding); any option given beside it comes first.
        kernel:
            "power_law" (scale-free, without a bandwidth), or the paper's "gaussian".
        surrogate:
            "closed_form" keeps the density's shape when the candidate joins, "refit" estimates it
            anew (full covariance only), an object with `fit` and `score_samples` is refitted for
            every candidate, slowly.
        exponent:
            Of the power law.
        bandwidth_factor:
            Times Silverman's rule, of the Gaussian. None: 0.5; 1 with "refit".
        covariance:
            Of the Gaussian: "isotropic", "diagonal", "floored" or "full". None: "isotropic";
            "full" with "refit".
        floor:
            Added to the densities inside the logarithms, as the authors do. 0: exact.
        n_neighbors:
            How many synthetic rows near a candidate count. None: 10 (power law), 3 (Gaussian).
        aggregate:
            Their "max" or "sum". None: "max" (power law), "sum" (Gaussian).
    """

    preset: str | None = None
    kernel: str = _POWER_LAW
    surrogate: Any = _CLOSED_FORM
    exponent: float = 4.0
    bandwidth_factor: float | None = None
    covariance: str | None = None
    floor: float = _NO_FLOOR
    n_neighbors: int | None = None
    aggregate: str | None = None

    def __post_init__(self) -> None:
        """Fill in the preset's and the kernel's defaults, and check every parameter."""
        super().__post_init__()
        if self.preset is not None:
            check_choice("preset", self.preset, PRESETS)
            self._fill(PRESETS[self.preset])
        check_choice("kernel", self.kernel, KERNELS)
        if isinstance(self.surrogate, str):
            check_choice("surrogate", self.surrogate, SURROGATES)
        elif not (hasattr(self.surrogate, "fit") and hasattr(self.surrogate, "score_samples")):
            raise TypeError(
                f"`surrogate` is a {type(self.surrogate).__name__}; pass 'closed_form', 'refit', "
                "or a density estimator with `fit` and `score_samples`."
            )
        self._refuse_contradictions()
        if self.kernel == "gaussian" and self.surrogate == "refit":
            self._fill(REFIT_DEFAULTS)
        self._fill(KERNEL_DEFAULTS["gaussian" if self.is_estimator else self.kernel])
        self._check_numbers()

    @property
    def is_estimator(self) -> bool:
        """Whether the surrogate is the user's own density estimator."""
        return not isinstance(self.surrogate, str)

    def _resolve(self, shown: dict[str, Any]) -> dict[str, Any]:
        if self.is_estimator:
            shown |= dict.fromkeys(("kernel", "covariance", "bandwidth_factor"))
        return shown

    def _fill(self, defaults: dict[str, Any]) -> None:
        for name, value in defaults.items():
            given = getattr(self, name)
            if given is None or isinstance(given, (_DefaultName, _DefaultNumber)):
                object.__setattr__(self, name, value)

    def _refuse_contradictions(self) -> None:
        if self.is_estimator or self.kernel == "gaussian":
            if self.surrogate == "refit" and self.covariance not in (None, "full"):
                raise ValueError(
                    f"`covariance` is {self.covariance!r} with surrogate='refit', which is defined "
                    "for 'full' only; use 'full', or surrogate='closed_form'."
                )
            return
        if self.surrogate == "refit":
            raise ValueError(
                "`surrogate` is 'refit' with kernel='power_law', which has nothing to refit; use "
                "kernel='gaussian', or surrogate='closed_form'."
            )
        for name in ("covariance", "bandwidth_factor"):
            if getattr(self, name) is not None:
                raise ValueError(f"`{name}` belongs to kernel='gaussian'; the power law has none.")

    def _check_numbers(self) -> None:
        check_number("exponent", self.exponent, 0.0, open_ends=True)
        check_number("floor", self.floor, 0.0)
        check_choice("aggregate", self.aggregate, AGGREGATES)
        check_count("n_neighbors", self.n_neighbors, 1)
        if self.bandwidth_factor is not None:
            check_number("bandwidth_factor", self.bandwidth_factor, 0.0, open_ends=True)
        if self.covariance is not None:
            check_choice("covariance", self.covariance, COVARIANCES)
