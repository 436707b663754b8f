"""MembershipEnsemble: the worst of several attacks, for the price of the dearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from sdmetrics_disclosure.plugins.attacks.classifier import ClassifierAttack
from sdmetrics_disclosure.plugins.attacks.density import DOMIAS, DensityEstimate
from sdmetrics_disclosure.plugins.attacks.distance import DCRAttack, DCRDifference
from sdmetrics_disclosure.plugins.attacks.neighborhood import (
    DataPlagiarismIndex,
    LocalNeighborhood,
    MonteCarlo,
)
from sdmetrics_disclosure.plugins.common.messages import is_ours, mask
from sdmetrics_disclosure.plugins.common.random_state import child, generator
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count
from sdmetrics_disclosure.plugins.gen_lra.metric import GenLRA
from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput
from sdmetrics_disclosure.plugins.membership.evaluation import (
    MembershipEvaluation,
    evaluate_membership,
)
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric, halves_of
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import AttackScores
from sdmetrics_disclosure.plugins.membership.roc import ranks
from sdmetrics_disclosure.plugins.membership.simultaneous import simultaneous_band
from sdmetrics_disclosure.plugins.membership.units import Owners

Floats = NDArray[np.float64]

COMBINATION = "combination"
# The plagiarism index first: it wants the most neighbours, and the others read from its search.
ATTACKS: Mapping[str, type[MembershipMetric]] = {
    metric.name: metric
    for metric in (
        DataPlagiarismIndex,
        GenLRA,
        DCRAttack,
        DCRDifference,
        DOMIAS,
        DensityEstimate,
        MonteCarlo,
        LocalNeighborhood,
        ClassifierAttack,
    )
}
_BOOTSTRAP, _SINGLE = range(2)


@dataclass(frozen=True)
class EnsembleOptions(MembershipOptions):
    """Parameters of the ensemble, beside those of every membership attack.

    Args:
        attacks:
            Names of the attacks, each with its defaults. None: all.
        n_bootstrap:
            Bootstrap replicates over the records behind the simultaneous interval.
    """

    attacks: Sequence[str] | None = None
    n_bootstrap: int = 500

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_bootstrap", self.n_bootstrap, 2)
        if self.attacks is None:
            return
        if isinstance(self.attacks, str) or not isinstance(self.attacks, Sequence):
            raise TypeError(
                f"`attacks` is a {type(self.attacks).__name__}; pass a list of names, or None."
            )
        if not self.attacks:
            raise ValueError("`attacks` is empty; name at least one, or pass None for all.")
        for name in self.attacks:
            check_choice("attacks", name, ATTACKS)

    @property
    def chosen(self) -> dict[str, type[MembershipMetric]]:
        """The attacks by name, in the order in which they share most."""
        return {
            name: metric
            for name, metric in ATTACKS.items()
            if self.attacks is None or name in self.attacks
        }

    def _resolve(self, shown: dict[str, Any]) -> dict[str, Any]:
        return shown | {"attacks": list(self.chosen)}


@dataclass(frozen=True)
class EnsembleScores(AttackScores):
    """What the attacks give; `scores` are the rank-averaged combination.

    Attributes:
        by_attack: (n_targets,) scores of each attack that could run.
    """

    by_attack: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class EnsembleEvaluation(MembershipEvaluation):
    """What the attack with the highest area shows; its `auc` accounts for having looked at all.

    Attributes:
        attack: The attack with the highest area, or "combination".
        attacks: The statements of every attack, and of the combination of their ranks. The areas'
            intervals hold for all together; so do the other intervals and bounds, each at the
            level that Bonferroni asks of it.
        n_asked: How many attacks were asked for, some of which may not have run.
    """

    attack: str
    attacks: dict[str, dict[str, Any]]
    n_asked: int

    def to_dict(self) -> dict[str, Any]:
        """Return the statements as a plain dict: no curve, and nothing of a single record."""
        return super().to_dict() | {
            "attack": self.attack,
            "attacks": self.attacks,
            "n_attacks": len(self.attacks) - (COMBINATION in self.attacks),
            "n_attacks_asked": self.n_asked,
        }


class MembershipEnsemble(MembershipMetric):
    """The highest AUC of several attacks and of the average of their ranks.

    The interval accounts for having looked at several; an AUC above 0.5 that it excludes is one
    that no choice among attacks explains.
    """

    name: ClassVar[str] = "MembershipEnsemble"
    Options = EnsembleOptions
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def attack(cls, seen: AttackInput, options: EnsembleOptions) -> EnsembleScores:
        """Score the candidates by every attack that can run."""
        found: dict[str, AttackScores] = {}
        notes = []
        chosen = tqdm(options.chosen.items(), desc=cls.name, disable=not options.verbose)
        for name, metric in chosen:
            try:
                found[name] = metric.attack(seen, metric.make_options(n_jobs=options.n_jobs))
            except ValueError as error:
                said = error if is_ours(error) else mask(error)
                notes.append(f"{name} could not run and is left out. {said}")
        if not found:
            raise ValueError(f"None of the attacks could run. {' '.join(notes)}")
        notes += [note for each in found.values() for note in each.notes]
        by_attack = {name: each.scores for name, each in found.items()}
        return EnsembleScores(
            mean_rank(list(by_attack.values())), notes=tuple(notes), by_attack=by_attack
        )

    @classmethod
    def evaluate_scores(
        cls,
        parts: Sequence[AttackScores],
        n_members: int,
        options: EnsembleOptions,
        seeds: np.random.SeedSequence,
        owners: Owners | None = None,
    ) -> EnsembleEvaluation:
        """Say what each attack shows, and the best of them.

        Args:
            parts:
                What `attack` gave in each half.
            n_members:
                How many of the candidates are members.
            options:
                The ensemble's.
            seeds:
                The seed of bootstrap and statements.
            owners:
                Whose the candidates are; None: each row is a person.
        """
        halves = {
            name: halves_of(scores, n_members, owners)
            for name, scores in _in_all_halves(parts).items()
        }
        evaluations = {
            name: evaluate_membership(
                scored,
                target_fprs=tuple(options.target_fprs),
                confidence_level=1 - (1 - options.confidence_level) / len(halves),
                random_state=child(seeds, _SINGLE),
            )
            for name, scored in halves.items()
        }
        band = simultaneous_band(
            halves,
            {name: evaluation.auc for name, evaluation in evaluations.items()},
            n_bootstrap=options.n_bootstrap,
            confidence_level=options.confidence_level,
            generator=generator(seeds, _BOOTSTRAP),
            n_jobs=options.n_jobs,
        )
        best = max(evaluations, key=lambda name: evaluations[name].auc.value)
        of_best = {f.name: getattr(evaluations[best], f.name) for f in fields(MembershipEvaluation)}
        return EnsembleEvaluation(
            **(of_best | {"auc": band.largest}),
            attack=best,
            attacks={
                name: evaluation.to_dict() | {"auc": asdict(band.each[name])}
                for name, evaluation in evaluations.items()
            },
            n_asked=len(options.chosen),
        )


def mean_rank(scores: Sequence[Floats]) -> Floats:
    """The mean over attacks of a candidate's rank, equal scores sharing theirs, in (0, 1].

    Args:
        scores: Of each attack (n,).

    Returns:
        (n,).
    """
    return np.asarray(np.mean([ranks(each) for each in scores], axis=0) / scores[0].size)


def _in_all_halves(parts: Sequence[AttackScores]) -> dict[str, list[Floats]]:
    """The scores in each half of the attacks that ran in all, and of their combination."""
    by_half = [part.by_attack for part in parts if isinstance(part, EnsembleScores)]
    names = [name for name in by_half[0] if all(name in half for half in by_half)]
    if not names:
        raise ValueError("No attack could run in both halves of the holdout; pass more rows.")
    found = {name: [half[name] for half in by_half] for name in names}
    if len(names) > 1:
        found[COMBINATION] = [mean_rank([half[name] for name in names]) for half in by_half]
    return found
