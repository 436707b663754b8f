"""Reports that an earlier version wrote, as this one reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCHEMA_VERSION = 2
_WORDS = {"not decided": "inconclusive"}


def upgrade(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The plain form of a result, as this version writes it.

    Args:
        plain:
            With the key `schema_version`.

    Raises:
        ValueError: If it has another schema.
    """
    version = plain["schema_version"]
    rest = {name: plain[name] for name in plain if name != "schema_version"}
    if version == SCHEMA_VERSION:
        return rest
    if version == 1:
        try:
            return _from_1(rest)
        except (AttributeError, KeyError, TypeError):
            return rest  # whoever reads it says what is wrong
    raise ValueError(
        f"`schema_version` is {version!r}; this version of sdmetrics-disclosure reads 1 and "
        f"{SCHEMA_VERSION}. Make the report again, or read it with the version that wrote it."
    )


def _from_1(plain: dict[str, Any]) -> dict[str, Any]:
    """What was "not decided" is inconclusive; only RAPID attacked columns; limits were ours."""
    nothing: dict[str, Any] = {"column": None, "beside": {}, "measured": [], "doubt": ""}
    return plain | {
        "decision": _WORDS.get(plain["decision"], plain["decision"]),
        "checks": [
            check | {"decision": _WORDS.get(check["decision"], check["decision"])}
            for check in plain["checks"]
        ],
        "columns": [
            {"metric": "RAPID", "values_meet": True, **column} for column in plain["columns"]
        ],
        "others": [nothing | other for other in plain["others"]],
        "policy": {"metrics": {}, **plain["policy"]},
    }
