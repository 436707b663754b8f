"""From what the metrics found to what may be shown: aggregates, no small groups."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.findings import Question, findings_of
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding, RateAt, Roc
from sdmetrics_disclosure.plugins.findings.model import (
    AttackerFinding,
    Chance,
    ColumnFinding,
    Group,
    KnownColumn,
    Term,
    ThresholdCurve,
)
from sdmetrics_disclosure.plugins.findings.others import AnyFinding, OtherFinding
from sdmetrics_disclosure.plugins.findings.suppression import (
    drop_revealing,
    frequent_terms,
    pool_shares,
    readable_levels,
)
from sdmetrics_disclosure.plugins.membership.result import MembershipResult
from sdmetrics_disclosure.plugins.rapid.attribution import rates_by_level, regress_at_risk
from sdmetrics_disclosure.plugins.rapid.class_scores import ClassScores
from sdmetrics_disclosure.plugins.rapid.number_errors import NumberErrors
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult

MOST_PAIRS = 20
MOST_LEVELS = 100


@dataclass(frozen=True)
class Source:
    """Where a result comes from.

    Attributes:
        table: The table's name, or None.
        metric: The metric's name.
        question: Which question it bears on.
        release: The tables on which it was found.
        floor: The smallest group that may be shown.
        known_columns: What each known column does, where that was measured.
    """

    table: str | None
    metric: str
    question: Question
    release: Release
    floor: int
    known_columns: tuple[KnownColumn, ...] = ()


@functools.singledispatch
def shown_findings(result: Any, source: Source) -> tuple[AnyFinding, ...]:
    """What may be shown of a result: what it says itself, and more where its kind is known.

    Args:
        result:
            What a metric found.
        source:
            Which metric, and on what.
    """
    return tuple(
        OtherFinding(
            table=source.table,
            metric=source.metric,
            column=None if found.column is None else str(found.column),
            question=source.question,
            score=float(found.score),
            protection=float(found.protection),
            beside={name: float(value) for name, value in found.details.items()},
            measured=tuple(found.measures),
            doubt=found.doubt,
        )
        for found in findings_of(result)
    )


@shown_findings.register
def _column_finding(result: ColumnResult, source: Source) -> tuple[AnyFinding, ...]:
    scores, options = result.worst.scores, result.options
    of_classes = isinstance(scores, ClassScores)
    plain = result.breakdown()
    release, floor = source.release, source.floor
    finding = ColumnFinding(
        table=source.table,
        metric=source.metric,
        column=str(result.column),
        kind=release.kinds[result.column].value,
        known=tuple(map(str, result.known)),
        attacker=result.worst.attacker,
        attackers=tuple(
            AttackerFinding(
                name,
                float(found["risk"]),
                {what: float(value) for what, value in found.items() if what != "risk"},
            )
            for name, found in plain["attackers"].items()
        ),
        threshold_name="tau" if of_classes else "epsilon",
        threshold=float(scores.threshold),
        risk=result.risk,
        chance=_chance(result),
        excess=result.excess,
        constant_guess=(float(scores.constant.risk) if isinstance(scores, NumberErrors) else None),
        holdout=result.holdout_risk,
        difference=result.difference,
        class_shares=_class_shares(result, floor),
        curve=_curve(result, floor, is_absolute=not of_classes and options.error == "absolute"),
        n_records=result.n_units,
        n_holdout=result.n_holdout_units,
        groups=_groups(release, result, floor) if result.has_records else (),
        known_columns=source.known_columns,
        regression=_regression(release, result, floor) if result.has_records else (),
        values_meet=result.values_meet,
    )
    return (finding,)


@shown_findings.register
def _membership_finding(result: MembershipResult, source: Source) -> tuple[AnyFinding, ...]:
    """A membership attack; of several replicates the one with the highest AUC."""
    found, roc = result.worst, result.worst.roc
    finding = MembershipFinding(
        table=source.table,
        metric=source.metric,
        auc=result.auc,
        p_value=found.auc.p_value,
        advantage=found.advantage,
        rates=tuple(RateAt(*rate) for rate in result.rates),
        epsilon_lower_bound=float(found.epsilon_lower_bound),
        roc=Roc(*(tuple(each.tolist()) for each in (roc.fpr, roc.tpr, roc.low, roc.high))),
        n_members=found.n_members,
        n_non_members=found.n_non_members,
        n_reference=result.n_reference,
        overlap_share=float(result.overlap.share),
        settings=result.settings,
    )
    return (finding,)


def _chance(result: ColumnResult) -> Chance | None:
    null = result.null
    if null is None:
        return None
    return Chance(null.median, null.percentile_95, null.p_value, null.suggested_tau)


def _class_shares(result: ColumnResult, floor: int) -> Mapping[str, float]:
    scores = result.worst.scores
    if not isinstance(scores, ClassScores) or result.labels is None:
        return {}
    counts = np.rint(scores.class_shares * scores.n).astype(int).tolist()
    return pool_shares(dict(zip(result.labels, counts, strict=True)), floor)


def _curve(result: ColumnResult, floor: int, is_absolute: bool) -> ThresholdCurve:
    thresholds, risk = result.thresholds, result.curve
    if is_absolute:  # the last thresholds are a few people's own errors
        kept = risk <= 1 - floor / max(result.worst.scores.n, 1)
        thresholds, risk = thresholds[kept], risk[kept]
    holdout = result.worst.holdout
    return ThresholdCurve(
        thresholds=tuple(float(f"{threshold:.4g}") for threshold in thresholds),
        risk=tuple(risk.tolist()),
        holdout=() if holdout is None else tuple(holdout.curve(thresholds).tolist()),
    )


def _groups(release: Release, result: ColumnResult, floor: int) -> tuple[Group, ...]:
    rows = rates_by_level(release, result, group_size_floor=1)
    sides = ["column_2", "level_2"]
    rows[sides] = rows[sides].astype(object).where(rows[sides].notna(), None)
    rows = drop_revealing(readable_levels(rows, release.kinds), floor)
    rows = rows.sort_values(["low", "n"], ascending=False, kind="stable")
    single = rows["column_2"].isna()
    shown = pd.concat([rows[single].head(MOST_LEVELS), rows[~single].head(MOST_PAIRS)])
    return tuple(_group(row) for row in shown.to_dict("records"))


def _group(row: Mapping[Hashable, Any]) -> Group:
    is_single = pd.isna(row["column_2"])
    return Group(
        column=str(row["column"]),
        level=str(row["level"]),
        column_2=None if is_single else str(row["column_2"]),
        level_2=None if is_single else str(row["level_2"]),
        n=int(row["n"]),
        risk=Interval(float(row["risk"]), float(row["low"]), float(row["high"]), "wilson"),
    )


def _regression(release: Release, result: ColumnResult, floor: int) -> tuple[Term, ...]:
    shown = frequent_terms(release, result.known, floor)
    return tuple(
        Term(
            str(row["term"]),
            float(row["coefficient"]),
            float(row["standard_error"]),
            float(row["p_value"]),
        )
        for row in regress_at_risk(release, result).to_dict("records")
        if row["term"] in shown
    )


def kinds_in_words(kinds: Mapping[Hashable, Kind]) -> dict[str, str]:
    """The kind of each column, as text."""
    return {str(column): kind.value for column, kind in kinds.items()}


def as_text(columns: Sequence[Hashable] | None) -> tuple[str, ...] | None:
    """Column names as text."""
    return None if columns is None else tuple(map(str, columns))
