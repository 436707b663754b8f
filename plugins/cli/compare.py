"""`sdmetrics-disclosure compare`: what changed between two releases."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

EPILOG = """exit status: 0 no worse, 1 worse (the verdict fell or, where it is the same, a limit is
kept less well: of each the worst comparison against the worst), 3 bad input, 4 an error inside

example:
  sdmetrics-disclosure compare release-1.json release-2.json
"""


def add_compare(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the subcommand.

    Args:
        add:
            Adds a subcommand's parser.
    """
    text = "what changed between two releases"
    parser = add(
        "compare",
        help=text,
        description=f"Show {text}, from the JSON that `audit --json` wrote.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run_compare)
    parser.add_argument("before", metavar="A.json", type=Path)
    parser.add_argument("after", metavar="B.json", type=Path)
    parser.add_argument("--quiet", action="store_true", help="show nothing but errors")


def run_compare(words: argparse.Namespace) -> int:
    """Run the subcommand.

    Args:
        words:
            As parsed.

    Returns:
        The exit status.
    """
    from sdmetrics_disclosure.plugins.common.messages import bad_input
    from sdmetrics_disclosure.plugins.report.report import DisclosureReport
    from sdmetrics_disclosure.plugins.results.comparison import compare

    with bad_input("The reports", "Pass the JSON that `audit --json` writes."):
        before, after = (DisclosureReport.load(path) for path in (words.before, words.after))
    found = compare(before.result, after.result)
    if not words.quiet:
        _show(found)
    return 1 if found.is_worse else 0


def _show(found: object) -> None:
    from sdmetrics_disclosure.plugins.cli.audit import colored
    from sdmetrics_disclosure.plugins.policy.verdict import say_decision
    from sdmetrics_disclosure.plugins.results.comparison import Comparison
    from sdmetrics_disclosure.plugins.results.summary import say_interval

    assert isinstance(found, Comparison), "it is what `compare` gives"
    before, after = say_decision(found.before), say_decision(found.after)
    print(f"Verdict: {before} -> {colored(after, found.after)}")
    for sentence in found.settings:
        print(f"  Note: {sentence}.")
    for limit in found.worsened:
        print(f"  Worse: {limit}.")
    rows = [("", "", "before", "after", "")]
    rows += [
        (
            change.subject,
            change.measure,
            "" if change.before is None else say_interval(change.before),
            "" if change.after is None else say_interval(change.after),
            change.direction,
        )
        for change in found.changes
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        print(
            "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        )
