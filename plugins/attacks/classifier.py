"""ClassifierAttack: a model that tells synthetic from reference rows, asked about real people.

Source: Houssiau et al., TAPAS, 2022. Where a generator emits its training rows' own values, as
CART does, this finds what no distance shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from sdmetrics_disclosure.plugins.common.parallel import limited_threads
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count
from sdmetrics_disclosure.plugins.membership.attack_input import (
    AttackInput,
    encode_codes,
    encode_columns,
)
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores

Floats = NDArray[np.float64]
# Rows in a leaf, at least: with scikit-learn's 20 the trees find less in CART's synthetic rows
# (mean AUC .636 against .661 on six real tables, a forest .653).
LEAF = 5
CLASSIFIER = "boosting"


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


class ClassifierAttack(MembershipMetric):
    """Predicted probability of "synthetic" from a model trained to tell it from the reference."""

    name: ClassVar[str] = "ClassifierAttack"
    Options = ClassifierOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: ClassifierOptions) -> AttackScores:
        """Score the candidates: the mean of the folds' models."""
        seed = int(seen.seeds.generate_state(1)[0])
        by_name = isinstance(options.classifier, str)
        encoded = encode_codes(seen) if by_name else encode_columns(seen)
        present = sum(np.count_nonzero(~np.isnan(table.values), axis=0) for table in encoded[1:])
        kept = present >= LEAF  # boosting cannot bin a column without a value
        if not kept.any():
            return AttackScores(np.zeros(len(seen.targets)), notes=(_too_few(),))
        targets, *tables = (table.values[:, kept] for table in encoded)
        if by_name:
            model: Any = HistGradientBoostingClassifier(
                categorical_features=encoded[0].is_category[kept],
                min_samples_leaf=LEAF,
                early_stopping=False,
                random_state=seed,
            )
        else:
            model = clone(options.classifier)
            if "random_state" in model.get_params():
                model.set_params(random_state=seed)
        n_folds = min(options.n_folds, *(len(table) for table in tables))
        if n_folds < 2:
            raise ValueError(
                f"{len(tables[0])} synthetic and {len(tables[1])} reference rows are too few to "
                f"train {cls.name}; pass more rows, or another attack."
            )
        scores = mean_probability(model, targets, *tables, n_folds=n_folds, seed=seed)
        return AttackScores(scores, notes=_notes(options, n_folds, tables))


def mean_probability(
    model: Any, targets: Floats, synthetic: Floats, reference: Floats, *, n_folds: int, seed: int
) -> Floats:
    """The mean over folds of the probability of "synthetic".

    Args:
        model: A classifier; copies of it are trained.
        targets: (n, d) the candidates.
        synthetic: (m, d) rows of the one class.
        reference: (r, d) rows of the other.
        n_folds: Models, each trained without one fold of both tables.
        seed: Cuts the folds.

    Returns:
        (n,) scores.
    """
    rows = np.vstack([synthetic, reference])
    is_synthetic = np.repeat([1, 0], [len(synthetic), len(reference)])
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed % 2**32)
    total = np.zeros(len(targets))
    # OpenMP teams that wait for busy cores are slower by orders of magnitude.
    with limited_threads(1):
        for learned, _ in folds.split(rows, is_synthetic):
            fitted = clone(model).fit(rows[learned], is_synthetic[learned])
            total += fitted.predict_proba(targets)[:, 1]
    return total / n_folds


def _notes(options: ClassifierOptions, n_folds: int, tables: list[Floats]) -> tuple[str, ...]:
    notes = []
    if n_folds < options.n_folds:
        notes.append(f"`n_folds` is {options.n_folds}, but a table has only {n_folds} rows.")
    n_learned = sum(len(table) for table in tables) * (n_folds - 1) // n_folds
    if options.classifier == CLASSIFIER and n_learned < 2 * LEAF:
        notes.append(_too_few())
    return tuple(notes)


def _too_few() -> str:
    return (
        "The synthetic and reference rows, or the values in them, are too few for the classifier "
        "attack's trees to split."
    )
