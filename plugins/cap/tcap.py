"""TCAP and DiSCO: what the synthetic rows with a person's known values say about them.

Sources: Taub, Elliot, Pampaka, Smith, "Differential Correct Attribution Probability for Synthetic
Data" (2018); Raab, Nowok, Dibben, "Practical Privacy Metrics for Synthetic Data" (2025). No model
learns anything here: only keys that occur in the synthetic data tell.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.findings import Finding, Measure
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.roles import Roles, Target, find_roles, find_target
from sdmetrics_disclosure.plugins.cap.key_groups import (
    NOT_THERE,
    Codes,
    Flags,
    Guesses,
    bin_numbers,
    guess_by_groups,
    key_groups,
)
from sdmetrics_disclosure.plugins.cap.options import KeyOptions, TCAPOptions
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.common.statistics import Interval, wilson

_SUBSAMPLE = 0
# A key group tells when all of it has one value.
CERTAIN = 1.0


@dataclass(frozen=True)
class KeyColumn:
    """What the key groups give away of one sensitive column.

    Attributes:
        risk: Correct guesses among those that count, with Wilson's interval; of several
            replicates the highest. None where none counts.
        n_records: Real records that have a value.
        n_told: Those whose key group speaks clearly enough to be believed.
        n_correct: Those it tells the truth about.
    """

    risk: Interval | None
    n_records: int
    n_told: int
    n_correct: int

    @property
    def score(self) -> float:
        """The risk; 0 where no guess counts."""
        return 0.0 if self.risk is None else self.risk.value

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain."""
        return {
            "score": self.score,
            "risk": None if self.risk is None else self.risk.to_dict(),
            "n_records": self.n_records,
            "n_told": self.n_told,
            "n_correct": self.n_correct,
        }


@dataclass(frozen=True)
class KeyResult:
    """What the key groups give away.

    Attributes:
        columns: By sensitive column.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    columns: dict[Hashable, KeyColumn]
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    @property
    def score(self) -> float:
        """The mean risk of the sensitive columns."""
        return float(np.mean([column.score for column in self.columns.values()]))

    @property
    def protection(self) -> float:
        """1 minus the risk."""
        return 1.0 - self.score

    def findings(self) -> tuple[Finding, ...]:
        """The score, with the interval of each column (see `Finding`)."""
        measures = tuple(
            Measure("correct", f"guesses of {name} that are right", column.risk, column.n_records)
            for name, column in self.columns.items()
        )
        return (Finding(None, self.score, self.protection, measures=measures),)

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain; several sensitive columns are under `columns`, by name."""
        columns = {str(name): column.to_dict() for name, column in self.columns.items()}
        found = next(iter(columns.values())) if len(columns) == 1 else {"columns": columns}
        return {
            **found,
            "score": self.score,
            "settings": self.settings,
            "warnings": list(self.warnings),
        }


class _KeyMetric(DisclosureMetric):
    """What both measures do; they differ in which records count."""

    disclosure: ClassVar[Literal["attribute", "membership"]] = "attribute"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def counted(cls, guesses: Guesses, has_truth: Flags) -> Flags:
        """Which real records count."""
        raise NotImplementedError(f"{cls.__name__} has no `counted`.")

    @classmethod
    def evaluate(cls, release: Release, options: Any) -> KeyResult:
        """Look the real records up among the synthetic ones.

        Args:
            release:
                The checked tables.
            options:
                An instance of `Options`.

        Raises:
            ValueError: If a column cannot be attacked.
        """
        drawn = generator(seed_sequence(options.random_state), _SUBSAMPLE)
        release = release.subsample(options.num_rows_subsample, drawn)
        roles = find_roles(release, options)
        columns = {name: cls._column(release, roles, name, options) for name in roles.sensitive}
        return KeyResult(
            columns=columns,
            settings=options.settings(),
            warnings=tuple(
                dict.fromkeys([*release.notes, *roles.notes, *_notes(release, roles, columns)])
            ),
        )

    @classmethod
    def _column(cls, release: Release, roles: Roles, column: Hashable, options: Any) -> KeyColumn:
        target = find_target(release, column)
        has_truth = _has_value(target, target.real)
        known = roles.known_for(column)
        found = []
        for replicate in range(len(release.synthetic)):
            groups = key_groups(release, replicate, known, options.n_bins)
            guesses = _guess(target, replicate, groups, options)
            counted = cls.counted(guesses, has_truth)
            found.append(
                KeyColumn(
                    risk=_risk(release, guesses, counted, options.confidence_level),
                    n_records=int(has_truth.sum()),
                    n_told=int(guesses.told.sum()),
                    n_correct=int(guesses.correct.sum()),
                )
            )
        return max(found, key=lambda each: each.score)


class TCAP(_KeyMetric):
    """Targeted correct attribution probability: of the guesses an attacker would dare, the true.

    Among key groups of the synthetic data in which one sensitive value has a share of `tau_cap`,
    the share of the matching real records that have that value.
    """

    name: ClassVar[str] = "TCAP"
    Options = TCAPOptions

    @classmethod
    def counted(cls, guesses: Guesses, has_truth: Flags) -> Flags:
        """Those whose key group is believed."""
        return guesses.told


class DiSCO(_KeyMetric):
    """Disclosive in synthetic, correct in original: the share of all people told the truth about.

    The share of the real records whose key group in the synthetic data has exactly one sensitive
    value, and it is theirs.
    """

    name: ClassVar[str] = "DiSCO"
    Options = KeyOptions

    @classmethod
    def counted(cls, guesses: Guesses, has_truth: Flags) -> Flags:
        """All who have a value."""
        return has_truth


def _has_value(target: Target, values: NDArray[Any]) -> Flags:
    """A gap is a class to guess, but no number to guess."""
    if target.labels is None:
        return np.asarray(~np.isnan(values))
    return np.ones(values.size, dtype=np.bool_)


def _guess(target: Target, replicate: int, groups: tuple[Codes, Codes], options: Any) -> Guesses:
    """Guess the records that have a truth, by the synthetic rows that have a value."""
    synthetic, real = target.synthetic[replicate], target.real
    learned, judged = _has_value(target, synthetic), _has_value(target, real)
    of_synthetic, of_real = groups[0][learned], groups[1].copy()
    of_real[~judged | ~np.isin(of_real, of_synthetic)] = NOT_THERE
    synthetic = synthetic[learned]
    if target.labels is None:
        real = bin_numbers(real, synthetic, options.n_bins)
        synthetic = bin_numbers(synthetic, synthetic, options.n_bins)
    return guess_by_groups(
        of_synthetic, synthetic, of_real, real, getattr(options, "tau_cap", CERTAIN)
    )


def _risk(
    release: Release, guesses: Guesses, counted: Flags, confidence_level: float
) -> Interval | None:
    """The share of those that count who are told the truth about; the interval counts units."""
    n_counted = int(counted.sum())
    if n_counted == 0:
        return None
    n = n_counted
    if release.unit is not None:
        n = int(release.real[release.unit][counted].nunique(dropna=False))
    share = int(guesses.correct.sum()) / n_counted
    return replace(wilson(share * n, n, confidence_level), value=share)


def _notes(release: Release, roles: Roles, columns: dict[Hashable, KeyColumn]) -> list[str]:
    notes = []
    if any(release.kinds[name].is_number for name in (*roles.sensitive, *roles.known)):
        notes.append("Numbers count as the quantile bin of the synthetic column they fall in.")
    if any(column.n_told == 0 for column in columns.values()):
        notes.append(
            "No real record stands in a synthetic key group that tells anything: fewer "
            "`known_column_names` make larger groups."
        )
    return notes
