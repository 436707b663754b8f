"""`sdmetrics-disclosure assess`: a synthesizer judged before it releases anything."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sdmetrics_disclosure.plugins.cli.files import add_file_options, check_output, read_file

EPILOG = """exit status: 0, or 3 for bad input

examples:
  sdmetrics-disclosure assess real.csv sdv.single_table:GaussianCopulaSynthesizer \\
      --metadata metadata.json --sensitive income
  sdmetrics-disclosure assess real.csv my_module:synthesize   (a function from frame to frame)
"""


def add_assess(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the subcommand.

    Args:
        add:
            Adds a subcommand's parser.
    """
    parser = add(
        "assess",
        help="what synthesizers give away when they are run, by k-fold",
        description="Run synthesizers on folds of the real rows and measure what each gives away.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run_assess)
    parser.add_argument("real", metavar="REAL", help="the real rows, CSV or Parquet")
    parser.add_argument(
        "synthesizers",
        metavar="MODULE:NAME",
        nargs="+",
        help="an SDV or ctgan class, or a function from frame to frame; its module is imported",
    )
    parser.add_argument("--metadata", metavar="M", help="SDV's metadata; without it: detected")
    for role, text in (("sensitive", "wants to learn"), ("known", "knows")):
        parser.add_argument(
            f"--{role}",
            metavar="A,B",
            type=lambda text: text.split(","),
            help=f"the columns an attacker {text}; without it: all",
        )
    parser.add_argument("--folds", metavar="N", type=int, default=5, help="default: 5")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the result")
    add_file_options(parser)
    parser.add_argument("--quiet", action="store_true", help="show nothing but errors")


def run_assess(words: argparse.Namespace) -> int:
    """Run the subcommand.

    Args:
        words:
            As parsed.

    Returns:
        The exit status.
    """
    from sdmetrics_disclosure.adapters.sources.detection import detect_metadata
    from sdmetrics_disclosure.adapters.sources.files import read_metadata
    from sdmetrics_disclosure.plugins.assessment.assess import assess
    from sdmetrics_disclosure.plugins.common.messages import bad_input

    check_output(words.json)
    with bad_input("The table or its metadata", "Compare them."):
        real = read_file("real", words.real, words)
        metadata = read_metadata(words.metadata)
        if metadata is None:
            metadata = detect_metadata(real)
    found = assess(
        {name.rpartition(":")[2]: _synthesizer(name, metadata) for name in words.synthesizers},
        real,
        metadata,
        n_splits=words.folds,
        sensitive_column_names=words.sensitive,
        known_column_names=words.known,
        random_state=words.seed,
        verbose=not words.quiet and sys.stderr.isatty(),
    )
    if words.json is not None:
        words.json.write_text(json.dumps(found.to_dict(), indent=1) + "\n", encoding="utf-8")
    if not words.quiet:
        print(found)
    return 0


def _synthesizer(name: str, metadata: Any) -> Any:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ValueError(f"{name!r} is no MODULE:NAME, such as sdv.single_table:CTGANSynthesizer.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a function of the user's own stands in their folder
    try:
        found = getattr(importlib.import_module(module), attribute)
    except AttributeError as error:
        raise ValueError(f"{name!r}: the module {module!r} has no {attribute!r}.") from error
    if not isinstance(found, type):
        return found
    if not found.__module__.startswith("sdv."):
        return found()
    described = importlib.import_module("sdv.metadata").Metadata  # SDV is here: the class is its
    plain = metadata if "tables" in metadata else {"tables": {"table": metadata}}
    return found(described.load_from_dict(plain))
