"""The policy: which limits a release must keep, from a small TOML file."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any

from sdmetrics_disclosure.plugins.common.validation import check_count, check_number
from sdmetrics_disclosure.plugins.policy.metric_limits import read_metric_limits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT = Path(__file__).with_name("default_policy.toml")
ONE_PERCENT = 0.01


@dataclass(frozen=True)
class ColumnLimits:
    """The limits of one sensitive column.

    Attributes:
        excess_max: Of the risk on training rows minus that on the holdout; without a holdout, of
            the risk minus the median of what chance gives. None: no limit.
        risk_max: Of the risk itself. None: no limit.
    """

    excess_max: float | None = None
    risk_max: float | None = None

    def __post_init__(self) -> None:
        """Check both."""
        for name in ("excess_max", "risk_max"):
            limit = _limit(f"attribute.{name}", getattr(self, name), 1.0)
            object.__setattr__(self, name, limit)


@dataclass(frozen=True)
class AttributePolicy(ColumnLimits):
    """What may be inferred about people.

    Attributes:
        excess_max: See `ColumnLimits`.
        risk_max: See `ColumnLimits`.
        columns: Limits of single columns, by name or "table.column"; what one does not set is as
            for all.
    """

    columns: Mapping[str, ColumnLimits] = field(default_factory=dict)

    def for_column(self, table: str | None, column: Hashable) -> ColumnLimits:
        """The limits of a column, the table's own first."""
        general = ColumnLimits(self.excess_max, self.risk_max)
        for name in (f"{table}.{column}", str(column)):
            if name in self.columns:
                own = self.columns[name]
                return ColumnLimits(
                    general.excess_max if own.excess_max is None else own.excess_max,
                    general.risk_max if own.risk_max is None else own.risk_max,
                )
        return general


@dataclass(frozen=True)
class MembershipPolicy:
    """What may be found out about who was in the data.

    Attributes:
        auc_max: Of an attack's AUC. None: no limit.
        tpr_at_fpr_max: The highest true positive rate by false positive rate.
        epsilon_max: Of the lower bound of epsilon. None: no limit.
        copies_max: Of the share of synthetic rows that are copies of a real person's, beyond
            chance. None: no limit.
        single_out_max: Of the rate of singling out, training minus holdout. None: no limit.
        linkability_max: Of the rate of linking, training minus holdout. None: no limit.
    """

    auc_max: float | None = None
    tpr_at_fpr_max: Mapping[str, float] = field(default_factory=dict)
    epsilon_max: float | None = None
    copies_max: float | None = None
    single_out_max: float | None = None
    linkability_max: float | None = None

    def __post_init__(self) -> None:
        """Check all."""
        for name in (each.name for each in fields(self) if each.name != "tpr_at_fpr_max"):
            highest = float("inf") if name == "epsilon_max" else 1.0
            limit = _limit(f"membership.{name}", getattr(self, name), highest)
            object.__setattr__(self, name, limit)
        rates = {}
        for fpr, highest_rate in self.tpr_at_fpr_max.items():
            name = f"membership.tpr_at_fpr_max.{fpr}"
            check_number(name, _number(fpr), 0.0, 1.0)
            rates[fpr] = _limit(name, highest_rate, 1.0)
        object.__setattr__(self, "tpr_at_fpr_max", rates)

    @property
    def rates(self) -> dict[float, float]:
        """The highest true positive rate by false positive rate, as numbers."""
        return {float(fpr): limit for fpr, limit in self.tpr_at_fpr_max.items()}


@dataclass(frozen=True)
class ReportPolicy:
    """How the verdict is reached, and what may be shown.

    Attributes:
        confidence_level: Of the intervals.
        minimum_holdout: With fewer holdout rows nothing that needs a holdout passes.
        group_size_floor: Groups of fewer real people are not in the report.
    """

    confidence_level: float = 0.95
    minimum_holdout: int = 200
    group_size_floor: int = 10

    def __post_init__(self) -> None:
        """Check all."""
        check_number("report.confidence_level", self.confidence_level, 0.0, 1.0, open_ends=True)
        check_count("report.minimum_holdout", self.minimum_holdout, 2)
        check_count("report.group_size_floor", self.group_size_floor, 2)


@dataclass(frozen=True)
class Policy:
    """The limits a release must keep.

    Attributes:
        attribute: On what may be inferred about people.
        membership: On what may be found out about who was in the data.
        report: On how the verdict is reached.
        metrics: The limits that metrics bring themselves, by metric and key.
    """

    attribute: AttributePolicy = field(default_factory=AttributePolicy)
    membership: MembershipPolicy = field(default_factory=MembershipPolicy)
    report: ReportPolicy = field(default_factory=ReportPolicy)
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def load_policy(source: str | PathLike[str] | Policy | None = None) -> Policy:
    """Read a policy.

    Args:
        source:
            The path of a TOML file, a `Policy`, or None: the default policy, which ships with the
            package.

    Raises:
        FileNotFoundError: If there is no such file.
        TypeError: If a value has the wrong type, or `source` is none of these.
        ValueError: If the file is no TOML, has an unknown table or key, or a value does not fit.
    """
    if isinstance(source, Policy):
        return source
    if source is None:
        source = DEFAULT
    if not isinstance(source, (str, PathLike)):
        raise TypeError(
            f"`policy` is a {type(source).__name__}; pass the path of a TOML file, a Policy, or "
            "None for the default."
        )
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"`policy` is {str(path)!r}: there is no such file.")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # TOML's and Unicode's are both ValueErrors
        raise ValueError(f"`policy` is {str(path)!r}, which is no TOML: {error}.") from error
    return parse_policy(tables)


def parse_policy(tables: Mapping[str, Any]) -> Policy:
    """A policy from the tables of a TOML file (see `load_policy`)."""
    _check_keys("the policy", tables, Policy)
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"`{name}` is a {type(table).__name__}; it is a table: [{name}].")
    attribute = _read("attribute", tables.get("attribute", {}), AttributePolicy)
    columns = attribute.pop("columns", {})
    membership = _read("membership", tables.get("membership", {}), MembershipPolicy)
    rates = membership.pop("tpr_at_fpr_max", {})
    return Policy(
        attribute=AttributePolicy(**attribute, columns=_read_columns(columns)),
        membership=MembershipPolicy(**membership, tpr_at_fpr_max=_read_rates(rates)),
        report=ReportPolicy(**_read("report", tables.get("report", {}), ReportPolicy)),
        metrics=read_metric_limits(tables.get("metrics", {})),
    )


def _read(name: str, table: Mapping[str, Any], kind: type) -> dict[str, Any]:
    _check_keys(f"[{name}]", table, kind)
    return dict(table)


def _read_columns(tables: Any) -> dict[str, ColumnLimits]:
    where = "attribute.columns"
    if not isinstance(tables, Mapping):
        raise TypeError(f"`{where}` is a {type(tables).__name__}; write [{where}.NAME].")
    limits = {}
    for column, table in tables.items():
        if not isinstance(table, Mapping):
            raise TypeError(
                f"`{where}.{column}` is a {type(table).__name__}; write [{where}.{column}]."
            )
        limits[column] = ColumnLimits(**_read(f"{where}.{column}", table, ColumnLimits))
    return limits


def _read_rates(rates: Any) -> dict[str, float]:
    """A number is the limit at a false positive rate of 1 %."""
    return dict(rates) if isinstance(rates, Mapping) else {f"{ONE_PERCENT:g}": rates}


def _check_keys(where: str, table: Mapping[str, Any], kind: type) -> None:
    allowed = [each.name for each in fields(kind)]
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise ValueError(
            f"{where} has no {', '.join(map(repr, unknown))}; allowed are "
            f"{', '.join(map(repr, sorted(allowed)))}."
        )


def _limit(name: str, limit: Any, highest: float) -> float | None:
    if limit is None:
        return None
    check_number(name, limit, 0.0, highest)
    return float(limit)


def _number(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`membership.tpr_at_fpr_max` has the key {text!r}; it must be a false positive rate, "
            'such as "0.01".'
        ) from error
