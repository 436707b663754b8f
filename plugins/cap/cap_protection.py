"""SDMetrics' own DisclosureProtection, called by RAPID's roles to stand beside our metrics."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from sdmetrics.goal import Goal
from sdmetrics.single_table import DisclosureProtection

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.roles import find_roles
from sdmetrics_disclosure.plugins.cap.options import CAPOptions
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence

_SUBSAMPLE = 0


@dataclass(frozen=True)
class CAPResult:
    """What SDMetrics says.

    Attributes:
        columns: SDMetrics' own breakdown by sensitive column; of several replicates the one with
            the least protection.
        settings: What was asked for.
        warnings: What was noticed, a sentence a cause.
    """

    columns: dict[Hashable, dict[str, float]]
    settings: dict[str, Any]
    warnings: tuple[str, ...]

    @property
    def score(self) -> float:
        """The mean protection of the sensitive columns."""
        return float(np.mean([found["score"] for found in self.columns.values()]))

    @property
    def protection(self) -> float:
        """The score: it is a protection already."""
        return self.score

    def breakdown(self) -> dict[str, Any]:
        """Everything, plain; several sensitive columns are under `columns`, by name."""
        columns = {
            str(name): {key: float(value) for key, value in found.items()}
            for name, found in self.columns.items()
        }
        found = next(iter(columns.values())) if len(columns) == 1 else {"columns": columns}
        return {
            **found,
            "score": self.score,
            "settings": self.settings,
            "warnings": list(self.warnings),
        }


class CAPProtection(DisclosureMetric):
    """SDMetrics' DisclosureProtection of each sensitive column: a protection, higher is better."""

    name: ClassVar[str] = "CAPProtection"
    goal = Goal.MAXIMIZE
    Options = CAPOptions
    disclosure: ClassVar[Literal["attribute", "membership"]] = "attribute"
    in_quality_report: ClassVar[bool] = False

    @classmethod
    def evaluate(cls, release: Release, options: CAPOptions) -> CAPResult:
        """Ask SDMetrics about each sensitive column.

        Args:
            release:
                The checked tables.
            options:
                What to ask.

        Raises:
            ValueError: If no column can be attacked.
        """
        drawn = generator(seed_sequence(options.random_state), _SUBSAMPLE)
        release = release.subsample(options.num_rows_subsample, drawn)
        roles = find_roles(release, options)
        real, *synthetic = (
            _plain(take_columns(frame, release.columns), release)
            for frame in (release.real, *release.synthetic)
        )
        columns = {}
        for column in roles.sensitive:
            known = roles.known_for(column)
            found = [
                DisclosureProtection.compute_breakdown(
                    real,
                    frame,
                    known_column_names=known,
                    sensitive_column_names=[column],
                    computation_method=options.computation_method,
                    continuous_column_names=[
                        name for name in [*known, column] if release.kinds[name].is_number
                    ],
                    num_discrete_bins=options.num_discrete_bins,
                )
                for frame in synthetic
            ]
            columns[column] = min(found, key=lambda each: float(each["score"]))
        return CAPResult(columns, options.settings(), (*release.notes, *roles.notes))


def _plain(frame: pd.DataFrame, release: Release) -> pd.DataFrame:
    """Categories as objects: SDMetrics cannot put its own word for a gap among their levels."""
    levels = [name for name, kind in release.kinds.items() if not kind.is_number]
    return frame.astype(dict.fromkeys(levels, object))
