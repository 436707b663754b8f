"""The command line: `sdmetrics-disclosure audit | compare | assess | demo | metrics | doctor`."""

from __future__ import annotations

import argparse
import platform
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from sdmetrics_disclosure.plugins.cli.assess import add_assess
from sdmetrics_disclosure.plugins.cli.audit import add_audit
from sdmetrics_disclosure.plugins.cli.compare import add_compare
from sdmetrics_disclosure.plugins.cli.errors import BAD_INPUT, explain
from sdmetrics_disclosure.plugins.cli.files import print_what_the_screen_can

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
        The exit status: 0 if all is well, 1 where something was found wrong, 2 where it is not
        decided, 3 for bad input, 4 for an error inside.
    """
    print_what_the_screen_can()
    parsed, rest = _parser().parse_known_args(arguments)
    if rest:
        parsed.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        status: int = parsed.run(parsed)
    except Exception as error:
        return explain(error, parsed)
    return status


class _Parser(argparse.ArgumentParser):
    """Leaves with the status of bad input."""

    def error(self, message: str) -> Any:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sdmetrics-disclosure",
        description="What a synthetic table gives away about real people.",
    )
    parser.add_argument("--version", action="version", version=_version("sdmetrics-disclosure"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, **words: Any) -> argparse.ArgumentParser:
        made = commands.add_parser(name, **words)
        made.set_defaults(parser=made)
        made.add_argument("--debug", action="store_true", help="show the traceback of an error")
        return made

    for add_command in (add_audit, add_compare, add_assess):
        add_command(add)
    for name, run, text in (
        ("demo", _demo, "the quality report on the student placements that ship with SDMetrics"),
        ("metrics", _metrics, "the registered metrics, and which plugin brings each"),
        ("doctor", _doctor, "versions, whether SDMetrics found us, and what failed"),
    ):
        made = add(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(run=run)
        if run is _demo:
            made.add_argument("--html", metavar="PATH", help="also write the disclosure report")
    return parser


def _demo(parsed: argparse.Namespace) -> int:
    from sdmetrics_disclosure.plugins.cli.demo import run_demo, write_page

    run_demo()
    if parsed.html is not None:
        write_page(parsed.html)
        print(f"\nThe disclosure report of the careless release is in {parsed.html}.")
    return 0


def _metrics(_: argparse.Namespace) -> int:
    from sdmetrics_disclosure.plugins.hooks.registry import metrics, registry

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
        from sdmetrics_disclosure.plugins.hooks.registry import registry

        loaded = registry()
    print("\nPlugins: " + ", ".join(name for name, _ in loaded.manager.list_name_plugin()))
    for error in loaded.errors:
        print(f"\nThe plugin {error.plugin!r} failed:\n{error.traceback}")
    return 0 if healthy and not loaded.errors else 1


def _check_attached() -> bool:
    import sdmetrics.reports
    import sdmetrics.single_table

    from sdmetrics_disclosure.plugins.hooks import builtin
    from sdmetrics_disclosure.plugins.quality import report as quality_report
    from sdmetrics_disclosure.plugins.report import report as disclosure_report

    expected: list[tuple[ModuleType, type]] = [
        (sdmetrics.reports, quality_report.QualityReport),
        (sdmetrics.reports, disclosure_report.DisclosureReport),
        *((sdmetrics.single_table, metric) for metric in builtin.register_metrics()),
    ]
    healthy = True
    print()
    for module, ours in expected:
        attached = getattr(module, ours.__name__, None) is ours
        healthy = healthy and attached
        print(f"{module.__name__}.{ours.__name__}: {'attached' if attached else 'NOT attached'}")
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
