"""How a report was made: tables, roles, seed and versions, so that it can be repeated."""

from __future__ import annotations

import platform
from collections.abc import Hashable, Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version

from sdmetrics_disclosure.plugins.findings.findings import as_text, kinds_in_words
from sdmetrics_disclosure.plugins.partitions.release import SAMPLE_ROWS
from sdmetrics_disclosure.plugins.quality.subsample import describe_drawn, describe_subsample
from sdmetrics_disclosure.plugins.report.request import Request, serialize_options
from sdmetrics_disclosure.plugins.report.tables import AuditTable
from sdmetrics_disclosure.plugins.results.result import Setting, Step, TableSetting

PACKAGES = ("sdmetrics-disclosure", "sdmetrics", "numpy", "pandas", "scikit-learn", "numba")


def describe_setting(
    request: Request,
    tables: Sequence[AuditTable],
    attacked: Mapping[str | None, Sequence[Hashable]],
    attackers: tuple[str, ...],
    steps: Sequence[Step],
    seconds: float,
) -> Setting:
    """All that is needed to repeat a report.

    Args:
        request:
            What was asked for.
        tables:
            On which tables.
        attacked:
            The sensitive columns by table.
        attackers:
            Their names.
        steps:
            What was done.
        seconds:
            How long it took.
    """
    options = request.metric_options
    return Setting(
        generated=date.today().isoformat(),
        tables=tuple(_table_setting(table, request, attacked) for table in tables),
        attackers=attackers,
        metric_options={name: serialize_options(options[name]) for name in options},
        seed=request.seed,
        versions={"python": platform.python_version(), **{p: _version(p) for p in PACKAGES}},
        steps=tuple(steps),
        seconds=seconds,
    )


def _table_setting(
    table: AuditTable, request: Request, attacked: Mapping[str | None, Sequence[Hashable]]
) -> TableSetting:
    release = table.release
    n_real, n_synthetic, n_holdout = table.sizes
    drawn = request.num_rows_subsample
    if table.partitions is None:
        subsample = describe_subsample(release, drawn)
    else:
        sampled = {"synthetic": max(n_synthetic), "holdout": n_holdout}
        subsample = describe_drawn(sampled, drawn or SAMPLE_ROWS)
    return TableSetting(
        name=table.name,
        n_real=n_real,
        n_synthetic=n_synthetic,
        n_holdout=n_holdout,
        subsample=subsample,
        kinds=kinds_in_words(release.kinds),
        unit=None if release.unit is None else str(release.unit),
        sensitive=tuple(map(str, attacked.get(table.name, table.sensitive or ()))),
        known=as_text(table.known),
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
