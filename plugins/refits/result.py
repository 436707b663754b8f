"""What came out of refits: figures by synthesizer and group of people, and their differences."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.common.tasks import Outcome
from sdmetrics_disclosure.plugins.membership.roc import area, tpr_at
from sdmetrics_disclosure.plugins.refits.encoding import Flags, Floats, Positions
from sdmetrics_disclosure.plugins.refits.epsilon import NO_BOUND, count_right, scored_refits
from sdmetrics_disclosure.plugins.refits.game import Coins, blocks_of
from sdmetrics_disclosure.plugins.refits.options import RefitOptions

ALL, ISOLATED, ALONE = "all", "isolated", "alone with a value"
GROUPS = (ALL, ISOLATED, ALONE)
FPRS = (0.01, 0.1)
AUC_COLUMNS = {ALL: "AUC", ISOLATED: "Isolated AUC", ALONE: "Alone AUC"}
METHOD = "t"


@dataclass(frozen=True)
class People:
    """The units attacked, and how each was scored; it names people and stays out of every export.

    Attributes:
        labels: (T,) of each unit, the index label of its first row (or its sequence's name).
        isolation: (T,) see `isolation`.
        groups: Who belongs to each group, (T,) by name.
        coins: (N, T) who was in which refit.
        scores: (N, T) by synthesizer; NaN where a refit was not scored.
    """

    labels: pd.Index[Any]
    isolation: Floats
    groups: Mapping[str, Flags]
    coins: Coins
    scores: Mapping[str, Floats]


@dataclass(frozen=True)
class RefitAudit:
    """What synthesizers give away to somebody who can refit them.

    Attributes:
        summary: A row a synthesizer and group (all, isolated, alone with a value): `AUC` with
            `Low, High`, the true positive rate at two false positive rates, the same of the plain
            distance, `Epsilon` with how it was reached, refits that ran and seconds a fit.
        rows: A row a synthesizer and refit; what failed has an `Error`.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
        people: Who was attacked; not in `to_dict`.
    """

    summary: pd.DataFrame
    rows: pd.DataFrame
    settings: dict[str, Any]
    warnings: tuple[str, ...]
    people: People = field(repr=False)

    def records(self, synthesizer: str | None = None) -> pd.DataFrame:
        """A row a person: it names people, and is for those alone who hold the table anyway.

        The score's mean in refits with the person minus its mean in those without, and the
        standard error of that. No single person's AUC: so few refits say nothing about it.

        Args:
            synthesizer:
                Its name; None: the first.
        """
        people = self.people
        name = next(iter(people.scores)) if synthesizer is None else synthesizer
        if name not in people.scores:
            known = ", ".join(map(repr, sorted(people.scores)))
            raise ValueError(f"`synthesizer` is {name!r}; it must be one of {known}.")
        difference, error = _score_differences(people.scores[name], people.coins)
        return pd.DataFrame(
            {
                "Isolation": people.isolation,
                "Isolated": people.groups[ISOLATED],
                "Alone With A Value": people.groups[ALONE],
                "Score Difference": difference,
                "Standard Error": error,
            },
            index=people.labels,
        )

    def ranking(self, group: str = ALL) -> pd.DataFrame:
        """The synthesizers, least given away first, with paired differences to the first.

        The coins are the same for all, so that a difference is taken refit by refit.

        Args:
            group:
                "all", "isolated" or "alone with a value".
        """
        column, level = AUC_COLUMNS[group], self.settings["confidence_level"]
        by_refit = self.rows.pivot(index="Refit", columns="Synthesizer", values=column)
        names = [name for name in self.people.scores if by_refit[name].notna().any()]
        ranked = sorted(names, key=by_refit.mean().to_dict().__getitem__)
        found = []
        for rank, name in enumerate(ranked, start=1):
            paired = (by_refit[name] - by_refit[ranked[0]]).dropna()
            difference = refit_interval(paired.to_numpy(), level, (-1.0, 1.0))
            same = rank == 1
            found.append(
                {
                    "Rank": rank,
                    "Synthesizer": name,
                    "AUC": by_refit[name].mean(),
                    "Difference": difference.value,
                    "Low": np.nan if same else difference.low,
                    "High": np.nan if same else difference.high,
                    "Refits": len(paired),
                }
            )
        columns = ["Rank", "Synthesizer", "AUC", "Difference", "Low", "High", "Refits"]
        return pd.DataFrame(found, columns=columns)

    def figure(self) -> go.Figure:
        """The AUC of each synthesizer and group with its interval, beside the plain distance."""
        from sdmetrics_disclosure.plugins.figures.refits import refit_figure

        return refit_figure(self.summary)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the people, plain. Of an error only its type: it may quote the data."""
        return plain_dict(self.rows, self.summary, self.settings, self.warnings)

    def __str__(self) -> str:
        shown = ["Synthesizer", "Group", "People", "AUC", "Low", "High", "Distance AUC", "Epsilon"]
        shown += ["Guesses", "Right", "Refits Run"]
        return str(self.summary[shown].to_string(index=False, float_format="{:.3f}".format))


def tabulate_refits(
    people: People,
    distances: Mapping[str, Floats],
    outcomes: Mapping[str, Sequence[Outcome]],
    options: RefitOptions,
    tie_order: Positions,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The summary and the rows of a `RefitAudit`.

    Args:
        people: Who was attacked, with their scores.
        distances: (N, T) by synthesizer, the scores of the plain attack beside it.
        outcomes: Of every refit by synthesizer.
        options: What was asked for.
        tie_order: (T,) in which equal scores are guessed.
    """
    summary, rows = [], []
    claim = options.claim(2 if people.groups[ISOLATED].any() else 1)
    for name, found in outcomes.items():
        rows += _refit_rows(name, found, people, distances[name])
        for group, members in people.groups.items():
            row = {"Synthesizer": name, "Group": group, "People": int(members.sum())}
            given = (people.coins, members, options.confidence_level)
            row |= rates(people.scores[name], *given)
            beside = rates(distances[name], *given)
            row |= {f"Distance {key}": value for key, value in beside.items()} | NO_BOUND
            if group != ALONE and members.any() and scored_refits(people.scores[name]).size:
                share = options.guess_share
                right = count_right(people.scores[name], people.coins, members, share, tie_order)
                row |= claim.judge(*right, len(people.coins) * int(members.sum()))
            summary.append(row | effort(found))
    return pd.DataFrame(summary), pd.DataFrame(rows)


def effort(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """How many refits ran of how many asked for, and how long one took."""
    seconds = [outcome.seconds for outcome in outcomes if outcome.values is not None]
    return {
        "Refits Run": len(seconds),
        "Refits Asked": len(outcomes),
        "Seconds a Fit": float(np.mean(seconds)) if seconds else np.nan,
    }


def _refit_rows(
    name: str, outcomes: Sequence[Outcome], people: People, distances: Floats
) -> list[dict[str, Any]]:
    scores, coins, groups = people.scores[name], people.coins, people.groups
    aucs = {AUC_COLUMNS[group]: areas(scores, coins, groups[group]) for group in GROUPS}
    aucs["Distance AUC"] = areas(distances, coins, groups[ALL])
    block_of = {int(i): b for b, block in enumerate(blocks_of(len(outcomes)), 1) for i in block}
    return [
        {
            "Synthesizer": name,
            "Refit": i + 1,
            "Block": block_of[i],
            **{column: float(values[i]) for column, values in aucs.items()},
            "Seconds": outcome.seconds,
            "Error": outcome.error,
        }
        for i, outcome in enumerate(outcomes)
    ]


def refit_interval(
    values: Floats, confidence_level: float, limits: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """Return the mean over refits with its t interval; the refit is the unit.

    Args:
        values: One for each refit that counts; NaN ones do not.
        confidence_level: Coverage, for example 0.95.
        limits: Between which the mean must lie; of fewer than two values they are the interval.
    """
    values = values[~np.isnan(values)]
    mean = float(values.mean()) if values.size else float("nan")
    if values.size < 2:
        return Interval(mean, *limits, METHOD)
    quantile = float(stats.t.ppf(0.5 + confidence_level / 2, values.size - 1))
    half = quantile * float(values.std(ddof=1)) / float(np.sqrt(values.size))
    return Interval(mean, max(limits[0], mean - half), min(limits[1], mean + half), METHOD)


def areas(scores: Floats, coins: Coins, members: Flags) -> Floats:
    """The AUC in each refit among these people, (N,); NaN where it has no meaning."""
    found = np.full(len(scores), np.nan)
    for i, inside, outside in _sides(scores, coins, members):
        found[i] = area(inside, outside)
    return found


def rates(scores: Floats, coins: Coins, members: Flags, confidence_level: float) -> dict[str, Any]:
    """The mean AUC over refits with its t interval, and the true positive rates of `FPRS`.

    At a rate, at most floor(FPR x outsiders of the refit) are accused wrongly.
    """
    auc = refit_interval(areas(scores, coins, members), confidence_level)
    tprs = [tpr_at(inside, out, FPRS) for _, inside, out in _sides(scores, coins, members)]
    mean = np.mean(tprs, axis=0) if tprs else np.full(len(FPRS), np.nan)
    named = {f"TPR at FPR {fpr:g}": float(rate) for fpr, rate in zip(FPRS, mean, strict=True)}
    return {"AUC": auc.value, "Low": auc.low, "High": auc.high, **named}


def plain_dict(
    rows: pd.DataFrame, summary: pd.DataFrame, settings: dict[str, Any], warnings: tuple[str, ...]
) -> dict[str, Any]:
    """Tables as lists of dicts; what is not there is None, of an error its type stays."""
    return {
        "rows": _plain(rows.assign(Error=rows["Error"].map(_error_type))),
        "summary": _plain(summary),
        "settings": settings,
        "warnings": list(warnings),
    }


def _plain(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return plain.to_dict("records")


def _error_type(error: Any) -> str | None:
    return error.partition(":")[0] if isinstance(error, str) else None


def _score_differences(scores: Floats, coins: Coins) -> tuple[Floats, Floats]:
    """(T,) each: mean score in minus out, and its standard error; NaN where a side is missing."""
    scored = ~np.isnan(scores).all(axis=1)
    inside, scores = coins[scored], scores[scored]
    sides = [np.where(inside == side, scores, np.nan) for side in (True, False)]
    counts = [np.sum(inside == side, axis=0) for side in (True, False)]
    means, errors = [], []
    for side, n in zip(sides, counts, strict=True):
        total = np.nansum(side, axis=0)
        mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
        squares = np.nansum((side - mean) ** 2, axis=0)
        means.append(mean)
        errors.append(np.where(n > 1, squares / np.maximum(n - 1, 1) / np.maximum(n, 1), np.nan))
    return means[0] - means[1], np.sqrt(errors[0] + errors[1])


def _sides(scores: Floats, coins: Coins, members: Flags) -> list[tuple[int, Floats, Floats]]:
    """Of each scored refit its number, and the scores of those in and out, if there are both."""
    found = []
    for i in scored_refits(scores):
        inside, outside = scores[i, members & coins[i]], scores[i, members & ~coins[i]]
        if inside.size and outside.size:
            found.append((int(i), inside, outside))
    return found
