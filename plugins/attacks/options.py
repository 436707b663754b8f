"""The parameters of the membership attacks that Gen-LRA is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count, check_number
from sdmetrics_disclosure.plugins.membership.attack_input import SHARED_NEIGHBORS
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions

DENSITY_COVARIANCES = ("floored", "full")
CLASSIFIER = "boosting"


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
            check_choice("covariance", self.covariance, DENSITY_COVARIANCES)


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


@dataclass(frozen=True)
class PlagiarismOptions(MembershipOptions):
    """Parameters of the data plagiarism index, beside those of every membership attack.

    Args:
        n_neighbors:
            How many neighbours, from synthetic and reference rows together, count.
    """

    n_neighbors: int = SHARED_NEIGHBORS

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_neighbors", self.n_neighbors, 1)


@dataclass(frozen=True)
class NeighborhoodOptions(MembershipOptions):
    """Parameters of the local neighbourhood, beside those of every membership attack.

    Args:
        radius:
            How far a synthetic row may be, in the standardised columns.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_number("radius", self.radius, 0.0)


@dataclass(frozen=True)
class ClassifierOptions(MembershipOptions):
    """Parameters of the classifier attack, beside those of every membership attack.

    Args:
        classifier:
            "boosting", or a scikit-learn classifier with `fit` and `predict_proba`, which is
            given numbers, categories as 0/1 columns.
        n_folds:
            So many models, each trained without one fold of the rows; their mean counts.
    """

    classifier: Any = CLASSIFIER
    n_folds: int = 5

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_folds", self.n_folds, 2)
        if isinstance(self.classifier, str):
            check_choice("classifier", self.classifier, (CLASSIFIER,))
        elif not (hasattr(self.classifier, "fit") and hasattr(self.classifier, "predict_proba")):
            raise TypeError(
                f"`classifier` is a {type(self.classifier).__name__}; pass {CLASSIFIER!r}, or a "
                "scikit-learn classifier with `fit` and `predict_proba`."
            )

    def settings(self) -> dict[str, Any]:
        """What was asked for, ready for JSON."""
        plain = super().settings()
        if not isinstance(self.classifier, str):
            plain["classifier"] = type(self.classifier).__name__
        return plain
