"""What a disclosure report found: typed, and as JSON with a versioned schema.

Everything here is an aggregate. No row, no index value and no group of real people smaller than
the policy's floor has a place in these types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.plugins.findings.attack import MembershipFinding
from sdmetrics_disclosure.plugins.findings.model import ColumnFinding
from sdmetrics_disclosure.plugins.findings.others import AnyFinding, Failure, OtherFinding
from sdmetrics_disclosure.plugins.policy.policy import Policy
from sdmetrics_disclosure.plugins.policy.verdict import Check, Decision
from sdmetrics_disclosure.plugins.results.schemas import SCHEMA_VERSION, upgrade
from sdmetrics_disclosure.plugins.results.serialization import deserialize, serialize, to_text


@dataclass(frozen=True)
class TableSetting:
    """One table as it was examined.

    Attributes:
        name: Its name, or None.
        n_real: Real rows.
        n_synthetic: Synthetic rows, of each replicate.
        n_holdout: Holdout rows; 0 without one.
        subsample: What was drawn of which table, or None.
        kinds: The kind of each column that took part.
        unit: The column that says whose row it is, or None.
        sensitive: The columns attacked.
        known: The columns named as known; None if all others are.
    """

    name: str | None
    n_real: int
    n_synthetic: tuple[int, ...]
    n_holdout: int
    subsample: str | None
    kinds: Mapping[str, str]
    unit: str | None
    sensitive: tuple[str, ...]
    known: tuple[str, ...] | None


@dataclass(frozen=True)
class Step:
    """A step of the report.

    Attributes:
        name: What was done.
        seconds: How long it took.
    """

    name: str
    seconds: float


@dataclass(frozen=True)
class Setting:
    """All that is needed to repeat the report.

    Attributes:
        generated: The day.
        tables: The tables.
        attackers: The attackers by name.
        metric_options: What else was asked of the metrics, by metric.
        seed: The random state.
        versions: Of the packages that matter.
        steps: What was done, with its time.
        seconds: All of it together.
    """

    generated: str
    tables: tuple[TableSetting, ...]
    attackers: tuple[str, ...]
    metric_options: Mapping[str, Any]
    seed: int
    versions: Mapping[str, str]
    steps: tuple[Step, ...]
    seconds: float


@dataclass(frozen=True, repr=False)
class DisclosureResult:
    """What a disclosure report found.

    Attributes:
        decision: "pass", "fail" or "inconclusive".
        checks: Every limit of the policy, held against what was found.
        columns: What an attacker learns of every sensitive column.
        memberships: Every membership attack.
        others: All other metrics.
        failures: What has no number, and why.
        policy: The limits.
        setting: How it was done.
        notes: What was noticed, a sentence a cause.
    """

    decision: Decision
    checks: tuple[Check, ...]
    columns: tuple[ColumnFinding, ...]
    memberships: tuple[MembershipFinding, ...]
    others: tuple[OtherFinding, ...]
    failures: tuple[Failure, ...]
    policy: Policy
    setting: Setting
    notes: tuple[str, ...]

    @property
    def findings(self) -> tuple[AnyFinding, ...]:
        """Everything that has a number."""
        return (*self.columns, *self.memberships, *self.others)

    def __repr__(self) -> str:
        return f"<DisclosureResult: {self.decision}, {len(self.checks)} comparisons with limits>"

    def to_dict(self) -> dict[str, Any]:
        """Everything, plain, with the key `schema_version`."""
        return {"schema_version": SCHEMA_VERSION, **serialize(self)}

    def to_json(self) -> str:
        """The same as JSON."""
        return to_text(self.to_dict())

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> DisclosureResult:
        """The result from its plain form.

        Args:
            plain:
                As `to_dict` gives it.

        Raises:
            ValueError: If it has a schema that is not read, or none.
        """
        if not isinstance(plain, Mapping) or "schema_version" not in plain:
            raise ValueError(
                "This is no disclosure report: it has no `schema_version`. Pass the JSON that "
                "`DisclosureReport.save` or `sdmetrics-disclosure audit --json` writes."
            )
        return deserialize(cls, upgrade(plain))

    @classmethod
    def from_json(cls, text: str) -> DisclosureResult:
        """The result from its JSON (see `from_dict`)."""
        try:
            plain = json.loads(text)
        except ValueError as error:
            raise ValueError(f"This is no disclosure report: it is no JSON ({error}).") from error
        return cls.from_dict(plain)
