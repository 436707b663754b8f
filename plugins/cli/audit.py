"""`sdmetrics-disclosure audit`: the disclosure report as a gate."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdmetrics_disclosure.plugins.cli.files import add_file_options, check_output, read_file

STATUS = {"pass": 0, "fail": 1, "inconclusive": 2}
COLORS = {"pass": "32", "fail": "31", "inconclusive": "33"}
DESCRIPTION = """Examine a release by every registered metric and hold it against a policy.

Tables are CSV (also compressed) or Parquet, metadata is SDV's JSON."""
EPILOG = """exit status: 0 pass, 1 fail, 2 not decided, 3 bad input, 4 an error inside

examples:
  sdmetrics-disclosure audit real.csv synthetic.csv --holdout holdout.csv \\
      --metadata metadata.json --sensitive income --known age,sex --html report.html
  sdmetrics-disclosure audit real.parquet synthetic.parquet --policy policy.toml --quiet
"""


def add_audit(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the subcommand.

    Args:
        add:
            Adds a subcommand's parser.
    """
    parser = add(
        "audit",
        help="hold a release against a policy; the exit status says pass or fail",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run_audit)
    parser.add_argument("real", metavar="REAL", help="the rows the synthesizer learned from")
    parser.add_argument(
        "synthetic", metavar="SYNTHETIC", nargs="+", help="the synthetic rows; several: replicates"
    )
    parser.add_argument("--metadata", metavar="M", help="SDV's metadata; without it: detected")
    parser.add_argument("--holdout", metavar="H", help="real rows the synthesizer never saw")
    for role, text in (("sensitive", "wants to learn"), ("known", "knows")):
        parser.add_argument(
            f"--{role}",
            metavar="A,B",
            type=_names,
            help=f"the columns an attacker {text}; without it: all",
        )
    parser.add_argument("--policy", metavar="TOML", help="the limits; without it: the default")
    parser.add_argument(
        "--attacker", metavar="A,B", type=_names, default=["boosting"], help="default: boosting"
    )
    parser.add_argument(
        "--overlap",
        choices=("refuse", "drop", "keep"),
        default="refuse",
        help="what to do with holdout rows that stand in the training rows (default: refuse)",
    )
    parser.add_argument("--rows", metavar="N", type=int, help="at most so many rows of each table")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")
    parser.add_argument("--jobs", metavar="N", type=int, help="threads; -1: every core")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the page")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the result")
    parser.add_argument(
        "--records",
        metavar="FILE",
        type=Path,
        help="write every real person's own scores (.parquet or .csv); keep them to yourself",
    )
    add_file_options(parser)
    parser.add_argument("--quiet", action="store_true", help="show nothing but errors")


def run_audit(words: argparse.Namespace) -> int:
    """Run the subcommand.

    Args:
        words:
            As parsed.

    Returns:
        The exit status.
    """
    return STATUS[_audit(words)]


def colored(text: str, decision: str) -> str:
    """The text in the decision's colour, where there is a screen that has colours.

    Args:
        text:
            What is shown.
        decision:
            "pass", "fail" or "inconclusive".
    """
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\033[{COLORS[decision]}m{text}\033[0m"


def _audit(words: argparse.Namespace) -> str:
    from sdmetrics_disclosure.plugins.cli.records import (
        check_records_path,
        stack_records,
        write_records,
    )
    from sdmetrics_disclosure.plugins.policy.policy import load_policy
    from sdmetrics_disclosure.plugins.report.audit import examine
    from sdmetrics_disclosure.plugins.report.report import DisclosureReport
    from sdmetrics_disclosure.plugins.report.request import Request
    from sdmetrics_disclosure.plugins.results.summary import summarize

    for path in (words.html, words.json, words.records):
        check_output(path)
    if words.records is not None:
        check_records_path(words.records)
    records: list[tuple[str | None, str, pd.DataFrame]] = []
    on_records = None if words.records is None else _collect(records)
    request = Request(
        policy=load_policy(words.policy),
        attacker=words.attacker,
        overlap=words.overlap,
        metric_options={},
        num_rows_subsample=words.rows,
        seed=words.seed,
        n_jobs=words.jobs,
        progress=None if words.quiet else sys.stderr,
        on_records=on_records,
    )
    real = read_file("real_data", words.real, words)
    synthetic: Any = [read_file("synthetic_data", path, words) for path in words.synthetic]
    holdout = read_file("real_validation_data", words.holdout, words)
    result = examine(
        real,
        synthetic if len(synthetic) > 1 else synthetic[0],
        words.metadata,
        holdout,
        (words.sensitive, words.known),
        request,
    )
    report = DisclosureReport.from_result(result)
    if words.html is not None:
        report.to_html(words.html)
    if words.json is not None:
        report.save(words.json)
    if records:
        write_records(stack_records(records), words.records)
    if not words.quiet:
        first, *rest = summarize(result).splitlines()
        print("\n".join([colored(first, result.decision), *rest]))
    return result.decision


def _collect(
    records: list[tuple[str | None, str, pd.DataFrame]],
) -> Callable[[str | None, str, pd.DataFrame], None]:
    def keep(table: str | None, metric: str, frame: pd.DataFrame) -> None:
        records.append((table, metric, frame))

    return keep


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
