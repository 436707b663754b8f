"""Whatever is imported first, SDMetrics attaches us, once, and pays little for it."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from subprocess import CompletedProcess

import pytest

from tests.helpers.processes import ATTACHED, require_installed, run, succeed, without_torch

pytestmark = pytest.mark.slow

ORDERS = {
    "sdmetrics": "import sdmetrics",
    "single_table": "import sdmetrics.single_table",
    "report": "from sdmetrics.reports import QualityReport",
    "plugins": "import sdmetrics_disclosure.plugins",
    "adapters": "import sdmetrics_disclosure.adapters",
    "kernels": "import sdmetrics_disclosure.numba_kernels.jit",
    "our metric": "import sdmetrics_disclosure.plugins.rapid.metric",
    "our report": "import sdmetrics_disclosure.plugins.quality.report",
    "registry": "import sdmetrics_disclosure.plugins.hooks.registry",
    "command line": "import sdmetrics_disclosure.plugins.cli.main",
    "SDV": "import sdv.evaluation" if find_spec("sdv") else "",
    "SDV after us": "import sdmetrics_disclosure.plugins, sdv" if find_spec("sdv") else "",
}
CHECK = f"""
{ATTACHED}
import importlib
import sys

import sdmetrics
import sdmetrics.reports
import sdmetrics.single_table
import sdmetrics_disclosure.plugins
from sdmetrics.single_table.base import SingleTableMetric
from sdmetrics_disclosure.plugins.hooks import registry
from sdmetrics_disclosure.plugins.quality import report as quality_report
from sdmetrics_disclosure.plugins.rapid import metric as rapid

assert sdmetrics.single_table.RAPID is sdmetrics_disclosure.plugins.RAPID is rapid.RAPID
assert SingleTableMetric.get_subclasses()["RAPID"] is rapid.RAPID
assert sdmetrics.reports.QualityReport is quality_report.QualityReport
assert sdmetrics.reports.SingleTableQualityReport is quality_report.SingleTableQualityReport
assert sdmetrics.reports.MultiTableQualityReport is quality_report.MultiTableQualityReport
assert registry._new_registry.cache_info().currsize == 0  # others' plugins wait for their first use
assert [name for name in sys.modules if name.endswith(".rapid.metric")] == [rapid.__name__]

if "sdv" in sys.modules:
    used = []
    for module in ("evaluation", "single_table", "multi_table"):
        try:
            used.append(importlib.import_module("sdv.evaluation." + module).QualityReport)
        except (ImportError, AttributeError):  # each SDV has some of them
            continue
    assert used and all(report.__module__ == quality_report.__name__ for report in used)
"""
LOADED = "import sdmetrics, sys; print(*sys.modules)"
LOADED_WITHOUT_US = f"""
import importlib.metadata
found = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **given: (
    () if given.get("group") == "sdmetrics_modules" else found(**given)
)
{LOADED}
"""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, CompletedProcess[str]]:
    require_installed()
    first = {name: code for name, code in ORDERS.items() if code}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(_try, first.values())
        return dict(zip(first, done, strict=True))


def _try(first: str) -> CompletedProcess[str]:
    return run("-c", first + CHECK, paths=() if "sdv" in first else (without_torch(),))


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_the_same_classes_everywhere(
    order: str, outcomes: dict[str, CompletedProcess[str]]
) -> None:
    if not ORDERS[order]:
        pytest.skip("SDV is not installed")
    succeed(outcomes[order])


@pytest.mark.slow
def test_sdmetrics_does_not_load_more_heavy_packages_because_of_us() -> None:
    require_installed()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        both = pool.map(lambda code: run("-c", code), (LOADED, LOADED_WITHOUT_US))
    ours, alone = (set(succeed(done).split()) for done in both)
    assert "sdmetrics_disclosure.plugins.rapid.metric" in ours - alone
    added = {name.partition(".")[0] for name in ours - alone}
    assert {"numba", "llvmlite", "statsmodels", "sdv", "ctgan", "torch", "dask"}.isdisjoint(added)
    known = {name.partition(".")[0] for name in alone} | sys.stdlib_module_names
    assert added - known == {"pluggy", "sdmetrics_disclosure"}
