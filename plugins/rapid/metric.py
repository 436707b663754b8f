"""RAPID: how many people's sensitive values does a synthetic table give away?

Source: Templ, Thees, Müller, "RAPID: Risk of Attribute Prediction-Induced Disclosure in
Synthetic Microdata" (2026). An attacker learns on the synthetic rows to tell a sensitive column
from the known ones, and applies that to the known columns of real people. A record is at risk
when its truth is guessed more confidently than chance allows; RAPID is the share at risk.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pandas as pd
from tqdm import tqdm

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric
from sdmetrics_disclosure.plugins.base.risk_findings import LIMITED
from sdmetrics_disclosure.plugins.base.roles import Roles, find_roles
from sdmetrics_disclosure.plugins.base.steps import Found, Steps, Variant
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.common.statistics import Interval
from sdmetrics_disclosure.plugins.common.validation import check_count
from sdmetrics_disclosure.plugins.holdout.check import resolve_overlap
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease
from sdmetrics_disclosure.plugins.rapid.attribution import (
    GROUP_SIZE_FLOOR,
    Attribution,
    known_column_variants,
    rates_by_level,
    regress_at_risk,
)
from sdmetrics_disclosure.plugins.rapid.column import evaluate_column
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.partitions import (
    evaluate_columns,
    evaluate_partitions,
    prepare_partitions,
)
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult, RapidResult

# The child of the seed that subsamples; the columns' own are numbered from their places.
_SUBSAMPLE = 0


class RAPID(DisclosureMetric):
    """Risk of attribute prediction-induced disclosure, a risk from 0 to 1 (lower is better).

    Attributes:
        name: "RAPID".
        goal: Minimize; `normalize` gives the protection, 1 minus the risk.
    """

    name = "RAPID"
    Options = RapidOptions
    disclosure: ClassVar[Literal["attribute", "membership"]] = "attribute"
    reads_partitions: ClassVar[bool] = True
    limits = LIMITED
    # Of which the report shows Wilson's interval, not the bootstrap.
    report_options: ClassVar[Mapping[str, Any]] = {"n_bootstrap": 0}
    # Enough permutations for a median and a 95th percentile; a p-value is not shown there.
    quality_report_options: ClassVar[Mapping[str, Any]] = {
        "attacker": "boosting_light",
        "n_bootstrap": 0,
        "n_permutations": 200,
    }

    @classmethod
    def _methods_with_options(cls) -> Iterable[str]:
        return ("compute", "compute_breakdown", "compute_records", "attribution")

    @classmethod
    def evaluate(cls, release: Release, options: RapidOptions) -> RapidResult:
        """Measure a release.

        Args:
            release:
                The checked tables.
            options:
                What to measure and how.

        Raises:
            ValueError: If a column cannot be attacked.
        """
        release, roles = prepare(release, options)
        results = {}
        progress = tqdm(roles.sensitive, desc=cls.name, disable=not options.verbose)
        for column in progress:
            results[column] = evaluate_column(release, roles, column, options)
        return RapidResult(
            columns=results,
            index=release.real.index,
            settings=options.settings(),
            warnings=_warnings(release, roles, results.values()),
        )

    @classmethod
    def evaluate_partitions(cls, tables: PartitionedRelease, options: RapidOptions) -> RapidResult:
        """Measure a release whose real rows are in partitions: each is scored where it is.

        Args:
            tables:
                The synthetic samples, and where the real rows are.
            options:
                What to measure and how.

        Raises:
            ValueError: If a column cannot be attacked, or its score cannot be tallied.
        """
        return evaluate_partitions(tables, options)

    @classmethod
    def steps(cls, release: Release, options: RapidOptions) -> Steps:
        """A step a sensitive column (see `DisclosureMetric`)."""
        return _column_steps(release, options)

    @classmethod
    def partition_steps(cls, tables: PartitionedRelease, options: RapidOptions) -> Steps:
        """One step for all columns (see `DisclosureMetric`)."""
        return _partition_steps(tables, options)

    @classmethod
    def compute_records(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Score every real record; this names real people's risk, so keep it to yourself.

        The arguments are those of `compute`.

        Args:
            real_data:
                See `compute`.
            synthetic_data:
                See `compute`.
            metadata:
                See `compute`.
            table_name:
                See `compute`.
            real_validation_data:
                See `compute`.
            **options:
                The fields of `Options`.

        Returns:
            A frame on the real data's own index: `true_value_probability, baseline,
            normalized_gain, at_risk` for classes (the last but one named by the score),
            `prediction, error, at_risk` for numbers, missing where a record has no truth. Of
            several sensitive columns, attackers or replicates, a leading index level for each.
        """
        tables = Tables(real_data, synthetic_data, metadata, table_name, real_validation_data)
        result = cls._run(tables, options)
        records: pd.DataFrame = result.records()
        return records

    @classmethod
    def attribution(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        group_size_floor: int = GROUP_SIZE_FLOOR,
        **options: Any,
    ) -> Attribution:
        """Say who is at risk and which known columns make it so.

        Args:
            real_data:
                See `compute`.
            synthetic_data:
                See `compute`.
            metadata:
                See `compute`.
            table_name:
                See `compute`.
            real_validation_data:
                See `compute`.
            group_size_floor:
                Groups with fewer records are left out.
            **options:
                The fields of `Options`; exactly one sensitive column.

        Returns:
            Three frames: `by_level`, `by_known_column`, `regression`.

        Raises:
            ValueError: If there is not exactly one sensitive column.
        """
        checked = cls.make_options(**options)
        if len(checked.sensitive_column_names or ()) != 1:
            raise ValueError("`sensitive_column_names` must name exactly one column here.")
        check_count("group_size_floor", group_size_floor, 1)
        tables = Tables(real_data, synthetic_data, metadata, table_name, real_validation_data)
        return attribute(cls.make_release(tables, checked), checked, group_size_floor)


def attribute(
    release: Release, options: RapidOptions, group_size_floor: int = GROUP_SIZE_FLOOR
) -> Attribution:
    """Who is at risk and why, for the first sensitive column (see `RAPID.attribution`)."""
    release, roles = prepare(release, options)
    column = roles.sensitive[0]
    result = evaluate_column(release, roles, column, options)
    risks: dict[Hashable, dict[str, float]] = {name: {} for name in result.known}
    for name, what, variant in known_column_variants(options, result):
        attacked = evaluate_column(release, find_roles(release, variant), column, variant)
        risks[name][what] = attacked.score
    return Attribution(
        by_level=rates_by_level(release, result, group_size_floor),
        by_known_column=pd.DataFrame(
            [{"column": name, **found} for name, found in risks.items()],
            columns=["column", "alone", "left_out"],
        ),
        regression=regress_at_risk(release, result),
    )


def prepare(release: Release, options: RapidOptions) -> tuple[Release, Roles]:
    """Check the holdout, subsample, and resolve the roles."""
    seeds = seed_sequence(options.random_state)
    if release.holdout is not None:
        release, _ = resolve_overlap(release, options.overlap)
    release = release.subsample(options.num_rows_subsample, generator(seeds, _SUBSAMPLE))
    return release, find_roles(release, options)


def _column_steps(release: Release, options: RapidOptions) -> Steps:
    """A step a sensitive column (see `DisclosureMetric.steps`)."""
    release, roles = prepare(release, options)

    def run(column: Hashable) -> Found:
        return {column: evaluate_column(release, roles, column, options)}

    def join(found: Mapping[Hashable, ColumnResult]) -> RapidResult:
        return RapidResult(found, release.real.index, options.settings(), ())

    return Steps(
        release=release,
        runs={column: functools.partial(run, column) for column in roles.sensitive},
        notes=(*release.notes, *roles.notes),
        sensitive=roles.sensitive,
        variants=functools.partial(_variants, release, options),
        join=join,
    )


def _partition_steps(tables: PartitionedRelease, options: RapidOptions) -> Steps:
    """One step for all columns, which share their passes over the partitions."""
    tables, roles = prepare_partitions(tables, options)

    def run() -> Found:
        results, failures = evaluate_columns(tables, roles, options)
        return {**results, **failures}

    return Steps(
        release=tables.release,
        runs={None: run},
        notes=(*tables.notes(), *roles.notes),
        sensitive=roles.sensitive,
    )


def _variants(release: Release, options: RapidOptions, result: ColumnResult) -> Iterator[Variant]:
    bare = replace(release, holdout=None)

    def attack(variant: RapidOptions) -> Interval:
        return evaluate_column(bare, find_roles(bare, variant), result.column, variant).risk

    for name, what, variant in known_column_variants(options, result):
        yield name, what, functools.partial(attack, variant)


def _warnings(release: Release, roles: Roles, results: Iterable[ColumnResult]) -> tuple[str, ...]:
    notes = [*release.notes, *roles.notes]
    for result in results:
        notes += result.notes
    return tuple(dict.fromkeys(notes))
