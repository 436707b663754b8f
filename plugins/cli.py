"""The command line: `sdmetrics-disclosure demo | metrics | doctor`."""

from __future__ import annotations

import argparse
import platform
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "sdmetrics-disclosure",
    "sdmetrics",
    "sdv",
    "ctgan",
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "numba",
    "pluggy",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments:
            The words after the command; None: those of the process.

    Returns:
        The exit status: 0, or 1 where `doctor` found something wrong.
    """
    parsed = _parser().parse_args(arguments)
    status: int = parsed.run(parsed)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sdmetrics-disclosure",
        description="What a synthetic table gives away about real people.",
    )
    parser.add_argument("--version", action="version", version=_version("sdmetrics-disclosure"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("demo", _demo, "the quality report on the student placements that ship with SDMetrics"),
        ("metrics", _metrics, "the registered metrics, and which plugin brings each"),
        ("doctor", _doctor, "versions, whether SDMetrics found us, and what failed"),
    ):
        commands.add_parser(name, help=text, description=text.capitalize() + ".").set_defaults(
            run=run
        )
    return parser


def _demo(_: argparse.Namespace) -> int:
    from sdmetrics_disclosure.plugins.demo import run_demo

    run_demo()
    return 0


def _metrics(_: argparse.Namespace) -> int:
    from sdmetrics_disclosure.plugins.registry import metrics, registry

    width = max(len(name) for name in metrics())
    for name, metric in metrics().items():
        print(f"{name:{width}}  {metric.disclosure:10}  {registry().plugins[name]}")
    return 0


def _doctor(_: argparse.Namespace) -> int:
    print(f"{'python':22}{platform.python_version()}")
    for package in PACKAGES:
        print(f"{package:22}{_version(package)}")
    healthy = _check_attached()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracebacks below say more
        from sdmetrics_disclosure.plugins.registry import registry

        loaded = registry()
    print("\nPlugins: " + ", ".join(name for name, _ in loaded.manager.list_name_plugin()))
    for problem in loaded.problems:
        print(f"\nThe plugin {problem.plugin!r} failed:\n{problem.traceback}")
    return 0 if healthy and not loaded.problems else 1


def _check_attached() -> bool:
    import sdmetrics.reports
    import sdmetrics.single_table

    from sdmetrics_disclosure.plugins import quality_report, rapid

    expected = {
        "sdmetrics.single_table.RAPID": (
            getattr(sdmetrics.single_table, "RAPID", None),
            rapid.RAPID,
        ),
        "sdmetrics.reports.QualityReport": (
            getattr(sdmetrics.reports, "QualityReport", None),
            quality_report.QualityReport,
        ),
    }
    print()
    for name, (found, ours) in expected.items():
        print(f"{name}: {'attached' if found is ours else 'NOT attached'}")
    healthy = all(found is ours for found, ours in expected.values())
    if not healthy:
        print(
            "SDMetrics has not loaded our entry points: reinstall sdmetrics-disclosure in the "
            "environment that has SDMetrics.",
            file=sys.stderr,
        )
    return healthy


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
