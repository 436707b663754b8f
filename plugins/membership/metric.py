"""MembershipMetric: what every membership attack shares; only the scores differ.

The auditor knows who was in. Half of the holdout is the attacker's reference, the other half are
people who were not in the training data; then the halves swap (cross-fitting).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.holdout.check import check_holdout
from sdmetrics_disclosure.plugins.holdout.order import content_order, in_own_order
from sdmetrics_disclosure.plugins.membership.attack_input import AttackInput
from sdmetrics_disclosure.plugins.membership.evaluation import (
    MembershipEvaluation,
    evaluate_membership,
)
from sdmetrics_disclosure.plugins.membership.findings import LIMITED
from sdmetrics_disclosure.plugins.membership.halves import split_holdout
from sdmetrics_disclosure.plugins.membership.options import MembershipOptions
from sdmetrics_disclosure.plugins.membership.result import (
    AttackScores,
    MembershipResult,
    protection_from_auc,
)
from sdmetrics_disclosure.plugins.membership.units import Owners, ScoredHalf

# What each seed is for: children of the one `random_state`.
SUBSAMPLE, SPLIT, EVALUATION, ATTACK = range(4)


class MembershipMetric(DisclosureMetric):
    """Base of the membership attacks; a subclass writes `attack`."""

    Options = MembershipOptions
    disclosure: ClassVar[Literal["attribute", "membership"]] = "membership"
    needs_holdout = True
    limits = LIMITED

    @classmethod
    def _methods_with_options(cls) -> Iterable[str]:
        return ("compute", "compute_breakdown", "compute_records")

    @classmethod
    def attack(cls, seen: AttackInput, options: Any) -> AttackScores:
        """Score the candidates.

        Args:
            seen:
                What the attacker sees, and whom it judges.
            options:
                An instance of `Options`.
        """
        raise NotImplementedError(f"{cls.__name__} has no `attack`.")

    @classmethod
    def evaluate_scores(
        cls,
        parts: Sequence[AttackScores],
        n_members: int,
        options: Any,
        seeds: np.random.SeedSequence,
        owners: Owners | None = None,
    ) -> MembershipEvaluation:
        """Say what the scores of the two halves show.

        Args:
            parts:
                What `attack` gave in each half, the members' scores first.
            n_members:
                How many those are.
            options:
                An instance of `Options`.
            seeds:
                The seed of the statements' own randomness.
            owners:
                Whose the candidates are; None: each row is a person.
        """
        return evaluate_membership(
            halves_of([part.scores for part in parts], n_members, owners),
            target_fprs=tuple(options.target_fprs),
            confidence_level=options.confidence_level,
            random_state=seeds,
        )

    @classmethod
    def evaluate(cls, release: Release, options: Any) -> MembershipResult:
        """Attack a release and say what was found out about membership.

        Args:
            release:
                The checked tables, with a holdout.
            options:
                An instance of `Options`.

        Raises:
            ValueError: If there is no holdout, or it stands in the training rows.
        """
        cls.check_holdout(release.holdout)
        seeds = seed_sequence(options.random_state)
        checked = check_holdout(release, options.overlap)
        sample = checked.judged(release).subsample(
            options.num_rows_subsample, generator(seeds, SUBSAMPLE)
        )
        release = in_own_order(sample)
        assert release.holdout is not None, "neither check nor subsample leaves it out"
        units = checked.units(release)
        halves = split_holdout(
            content_order(release.holdout, release),
            None if units is None else units[1],
            generator(seeds, SPLIT),
        )
        found = [
            cls._attack_halves(release, synthetic, halves, options, seeds)
            for synthetic in release.synthetic
        ]
        notes = [
            *release.notes,
            *checked.notes,
            *(note for parts in found for part in parts for note in part.notes),
        ]
        owners = None if units is None else Owners(units[0], tuple(units[1][h] for h in halves))
        return MembershipResult(
            evaluations=tuple(
                cls.evaluate_scores(
                    parts, len(release.real), options, child(seeds, EVALUATION), owners
                )
                for parts in found
            ),
            overlap=checked.overlap,
            n_reference=max(len(half) for half in halves),
            n_synthetic=len(release.synthetic[0]),
            covariance=found[0][0].covariance,
            indices=(release.real.index, release.holdout.index),
            halves=halves,
            settings=options.settings(),
            warnings=tuple(dict.fromkeys(notes)),
        )

    @classmethod
    def _attack_halves(
        cls,
        release: Release,
        synthetic: pd.DataFrame,
        halves: Sequence[NDArray[np.intp]],
        options: Any,
        seeds: np.random.SeedSequence,
    ) -> list[AttackScores]:
        assert release.holdout is not None, "the metric has asked for a holdout"
        real, released, holdout = (
            take_columns(frame, release.columns)
            for frame in (release.real, synthetic, release.holdout)
        )
        found = []
        for i, (outsiders, reference) in enumerate((halves, halves[::-1])):
            seen = AttackInput(
                targets=pd.concat([real, holdout.iloc[outsiders]], ignore_index=True),
                synthetic=released,
                reference=holdout.iloc[reference],
                release=release,
                seeds=child(seeds, ATTACK, i),
            )
            scored = cls.attack(seen, options)
            found.append(replace(scored, notes=(*scored.notes, *seen.notes)))
        return found

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """1 is no advantage over guessing; an AUC below 0.5 is no advantage either."""
        return protection_from_auc(float(raw_score)) if raw_score == raw_score else raw_score

    @classmethod
    def compute(  # type: ignore[override]
        cls,
        real_training_data: Any,
        synthetic_data: Any,
        real_validation_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        **options: Any,
    ) -> float:
        """Compute the AUC of the attack: 0.5 is guessing, 1 tells every member.

        Args:
            real_training_data:
                The real rows the synthesizer learned from: a DataFrame, or a one-table dict.
            synthetic_data:
                The synthetic rows; a list of frames are replicates: the highest AUC counts.
            real_validation_data:
                Real rows the synthesizer never saw.
            metadata:
                SDMetrics' metadata in any form, or None.
            table_name:
                Which table of the metadata and the dicts, where there are several.
            **options:
                The fields of `Options`.

        Returns:
            The AUC, between 0 and 1.

        Raises:
            TypeError: If an argument has the wrong type, or there is no such option.
            ValueError: If the tables, columns or options do not fit, or there is no holdout.
        """
        tables = Tables(
            real_training_data, synthetic_data, metadata, table_name, real_validation_data
        )
        result = cls._run(tables, options)
        return float(result.score)

    @classmethod
    def compute_breakdown(  # type: ignore[override]
        cls,
        real_training_data: Any,
        synthetic_data: Any,
        real_validation_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Compute the AUC and everything behind it.

        The arguments are those of `compute`.

        Returns:
            A plain dict, ready for JSON, with the key `score`.
        """
        tables = Tables(
            real_training_data, synthetic_data, metadata, table_name, real_validation_data
        )
        result = cls._run(tables, options)
        breakdown: dict[str, Any] = result.breakdown()
        return breakdown

    @classmethod
    def compute_records(
        cls,
        real_training_data: Any,
        synthetic_data: Any,
        real_validation_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Score every training and holdout row; this names real people, so keep it to yourself.

        The arguments are those of `compute`.

        Returns:
            A frame `score, member, rank`, indexed by (`set`, the caller's index).
        """
        tables = Tables(
            real_training_data, synthetic_data, metadata, table_name, real_validation_data
        )
        result = cls._run(tables, options)
        records: pd.DataFrame = result.records()
        return records


def halves_of(
    scores: Sequence[NDArray[np.float64]], n_members: int, owners: Owners | None = None
) -> list[ScoredHalf]:
    """The scores of each half's candidates, members apart from non-members."""
    if owners is None:
        return [ScoredHalf(half[:n_members], half[n_members:]) for half in scores]
    return [
        ScoredHalf(half[:n_members], half[n_members:], owners.members, outsiders)
        for half, outsiders in zip(scores, owners.outsiders, strict=True)
    ]
