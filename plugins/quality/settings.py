"""Holdout and roles for the quality report, where SDV makes the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

FIELDS = ("real_validation_data", "sensitive_column_names", "known_column_names")


@dataclass(frozen=True)
class DisclosureSettings:
    """What the quality report is told about disclosure; each may be a dict by table name.

    Attributes:
        real_validation_data: Real rows that the synthesizer never saw.
        sensitive_column_names: The columns an attacker wants to learn.
        known_column_names: The columns an attacker knows.
    """

    real_validation_data: Any = None
    sensitive_column_names: Any = None
    known_column_names: Any = None

    def for_table(self, table_name: str | None) -> DisclosureSettings:
        """The settings of one table."""
        return DisclosureSettings(*(_of_table(getattr(self, f), table_name) for f in FIELDS))


_NONE = DisclosureSettings()
_ACTIVE: ContextVar[DisclosureSettings] = ContextVar("sdmetrics_disclosure", default=_NONE)


@contextmanager
def disclosure_options(
    *,
    real_validation_data: Any = None,
    sensitive_column_names: Any = None,
    known_column_names: Any = None,
) -> Iterator[None]:
    """Tell the quality reports made inside the `with` block about holdout and roles.

    Attributes of the same names on a report of one's own come first.

    Args:
        real_validation_data:
            Real rows that the synthesizer never saw: a frame, or a dict of frames by table name.
        sensitive_column_names:
            A list, or a dict of lists by table name.
        known_column_names:
            A list, or a dict of lists by table name.
    """
    settings = DisclosureSettings(real_validation_data, sensitive_column_names, known_column_names)
    token = _ACTIVE.set(settings)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def active_settings() -> DisclosureSettings:
    """The settings of the innermost `disclosure_options` block, or empty ones."""
    return _ACTIVE.get()


def _of_table(value: Any, table_name: str | None) -> Any:
    if isinstance(value, Mapping) and table_name is not None:
        return value.get(table_name)
    return value
