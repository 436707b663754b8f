"""DisclosureMetric: what every disclosure metric shares with SDMetrics' own, written once."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Literal

from sdmetrics.goal import Goal
from sdmetrics.single_table.base import SingleTableMetric

from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.findings import Limit
from sdmetrics_disclosure.plugins.base.options import CommonOptions, MetricOptions
from sdmetrics_disclosure.plugins.base.result import Result
from sdmetrics_disclosure.plugins.base.roles import named_columns
from sdmetrics_disclosure.plugins.base.steps import Steps
from sdmetrics_disclosure.plugins.base.tables import Tables
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease


class DisclosureMetric(SingleTableMetric):  # type: ignore[misc]  # SDMetrics is untyped
    """Base of the metrics that say what a synthetic table gives away about real people.

    A subclass sets the attributes below and writes `evaluate`; checks, `compute`,
    `compute_breakdown` and `normalize` come from here.

    Attributes:
        name: Unique name, as it stands in reports.
        Options: Frozen dataclass with one field a parameter; one that extends `MetricOptions`
            has the checks that many need.
        disclosure: Which property of the quality report its rows join.
        needs_holdout: Whether it cannot run without `real_validation_data`.
        in_quality_report: Whether it runs, unasked, in SDMetrics' quality report too. A metric
            that is there for comparison sets False and keeps the report's time bounded.
        reads_partitions: Whether it takes dask frames: then it has `evaluate_partitions`.
        limits: What a policy can limit: keys of its own table of limits, or limits of the
            metric's own, which stand in the policy under `[metrics.NAME]`.
        report_options: Options that the disclosure report sets where the user does not.
        quality_report_options: Options that SDMetrics' quality report sets.
    """

    name: ClassVar[str]
    goal = Goal.MINIMIZE
    min_value = 0.0
    max_value = 1.0
    Options: ClassVar[type] = MetricOptions
    disclosure: ClassVar[Literal["attribute", "membership"]]
    needs_holdout: ClassVar[bool] = False
    in_quality_report: ClassVar[bool] = True
    reads_partitions: ClassVar[bool] = False
    limits: ClassVar[tuple[str | Limit, ...]] = ()
    report_options: ClassVar[Mapping[str, Any]] = {}
    quality_report_options: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Give the subclass's methods the signature that its options make."""
        super().__init_subclass__(**kwargs)
        if is_dataclass(getattr(cls, "Options", None)):
            for method in cls._methods_with_options():
                setattr(cls, method, classmethod(_with_options(cls, method)))

    @classmethod
    def _methods_with_options(cls) -> Iterable[str]:
        return ("compute", "compute_breakdown")

    @classmethod
    def evaluate(cls, release: Release, options: Any) -> Result:
        """Measure a release; the typed result behind `compute` and `compute_breakdown`.

        Args:
            release:
                The checked tables.
            options:
                An instance of `Options`.
        """
        raise NotImplementedError(f"{cls.__name__} has no `evaluate`.")

    @classmethod
    def evaluate_partitions(cls, tables: PartitionedRelease, options: Any) -> Result:
        """Measure a release whose tables are in partitions; for who `reads_partitions`.

        Args:
            tables:
                The samples that an attacker sees, and where the real rows are.
            options:
                An instance of `Options`.
        """
        raise NotImplementedError(f"{cls.__name__} has no `evaluate_partitions`.")

    @classmethod
    def steps(cls, release: Release, options: Any) -> Steps:
        """The work of `evaluate` in steps, for reports: one of them may fail without the others.

        Args:
            release:
                The checked tables.
            options:
                An instance of `Options`.
        """
        return Steps(release, {None: lambda: {None: cls.evaluate(release, options)}})

    @classmethod
    def partition_steps(cls, tables: PartitionedRelease, options: Any) -> Steps:
        """The work of `evaluate_partitions` in steps.

        Args:
            tables:
                See `evaluate_partitions`.
            options:
                An instance of `Options`.
        """
        return Steps(
            tables.release, {None: lambda: {None: cls.evaluate_partitions(tables, options)}}
        )

    @classmethod
    def compute(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        **options: Any,
    ) -> float:
        """Compute the metric's score.

        Args:
            real_data:
                The real rows the synthesizer learned from: a DataFrame, or a one-table dict. A
                dask DataFrame stays in its partitions, where the metric `reads_partitions`.
            synthetic_data:
                The synthetic rows; a list of frames are replicates.
            metadata:
                SDMetrics' metadata in any form, or None.
            table_name:
                Which table of the metadata and the dicts, where there are several.
            real_validation_data:
                Real rows the synthesizer never saw, or None.
            **options:
                The fields of `Options`.

        Returns:
            The score, between `min_value` and `max_value`.

        Raises:
            TypeError: If an argument has the wrong type, or there is no such option.
            ValueError: If the tables, columns or options do not fit.
        """
        tables = Tables(real_data, synthetic_data, metadata, table_name, real_validation_data)
        result = cls._run(tables, options)
        return float(result.score)

    @classmethod
    def compute_breakdown(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Any = None,
        table_name: str | None = None,
        *,
        real_validation_data: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Compute the score and everything behind it.

        The arguments are those of `compute`.

        Returns:
            A plain dict, ready for JSON, with the key `score`.
        """
        tables = Tables(real_data, synthetic_data, metadata, table_name, real_validation_data)
        result = cls._run(tables, options)
        breakdown: dict[str, Any] = result.breakdown()
        return breakdown

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """Turn the raw score into protection: 1 is best, whatever the metric's goal."""
        clipped = min(max(raw_score, cls.min_value), cls.max_value)  # rounding may overshoot
        return float(super().normalize(clipped))

    @classmethod
    def make_options(cls, **options: Any) -> Any:
        """The checked options, or a TypeError that lists what there is."""
        allowed = [field.name for field in fields(cls.Options)]
        unknown = set(options) - set(allowed)
        if unknown:
            raise TypeError(
                f"{cls.name} has no option {names(unknown)}; its options are {names(allowed)}."
            )
        return cls.Options(**options)

    @classmethod
    def make_release(cls, tables: Tables, options: Any) -> Release:
        """The checked tables; columns that the options name take part whatever they are."""
        cls.check_holdout(tables.holdout)
        if tables.in_partitions:
            raise ValueError(
                f"{cls.name} needs its tables in memory here, and a dask DataFrame is in "
                "partitions. Pass a sample: `frame.sample(frac=...).compute()`."
            )
        return tables.release(named_columns(options))

    @classmethod
    def make_partitions(cls, tables: Tables, options: Any) -> PartitionedRelease:
        """The samples that an attacker sees, and where the real rows are (see `make_release`)."""
        cls.check_holdout(tables.holdout)
        return tables.partitions(
            named_columns(options), options.num_rows_subsample, options.random_state
        )

    @classmethod
    def check_holdout(cls, holdout: Any) -> None:
        """Refuse the want of a holdout, where the metric needs one.

        Raises:
            ValueError: If there is none.
        """
        if cls.needs_holdout and holdout is None:
            raise ValueError(
                f"{cls.name} needs `real_validation_data`: real rows that the synthesizer never "
                "saw, so that there is someone who was not in the training data. Without them "
                "attribute disclosure (RAPID) can still be measured."
            )

    @classmethod
    def _run(cls, tables: Tables, options: dict[str, Any]) -> Any:
        checked = cls.make_options(**options)
        result: Any
        if cls.reads_partitions and tables.in_partitions:
            result = cls.evaluate_partitions(cls.make_partitions(tables, checked), checked)
        else:
            result = cls.evaluate(cls.make_release(tables, checked), checked)
        emit_warnings(getattr(result, "warnings", ()))
        return result


def emit_warnings(messages: Iterable[str]) -> None:
    """One UserWarning a cause."""
    for message in dict.fromkeys(messages):
        warnings.warn(message, UserWarning, stacklevel=5)


def _with_options(cls: type[DisclosureMetric], method: str) -> Callable[..., Any]:
    """The inherited method, with the options in its signature and its docstring."""
    function = getattr(cls, method).__func__
    function = getattr(function, "without_options", function)  # the base's options are ours too

    @functools.wraps(function)
    def with_options(cls: type[DisclosureMetric], /, *args: Any, **kwargs: Any) -> Any:
        return function(cls, *args, **kwargs)

    own = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    options = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(cls.Options).parameters.items()
        if name not in {parameter.name for parameter in own}
    ]
    shared = {field.name for field in fields(CommonOptions)}
    options.sort(key=lambda parameter: parameter.name in shared)  # a metric's own come first
    with_options.without_options = function  # type: ignore[attr-defined]
    with_options.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
    with_options.__doc__ = f"{function.__doc__}\n\nOptions:\n{_options_doc(cls.Options)}"
    return with_options


def _options_doc(options: type) -> str:
    """What the options' classes say, bases first: each parameter is documented where it is made."""
    classes = [kind for kind in reversed(options.__mro__) if _has_parameters(kind)]
    classes.sort(key=lambda kind: issubclass(CommonOptions, kind))  # a metric's own come first
    return "\n\n".join(inspect.cleandoc(kind.__doc__ or "") for kind in classes)


def _has_parameters(kind: type) -> bool:
    return is_dataclass(kind) and kind is not MetricOptions
