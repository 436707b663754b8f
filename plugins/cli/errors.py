"""Exit statuses: what a pipeline may rely on."""

from __future__ import annotations

import argparse
import sys
import traceback

from sdmetrics_disclosure.plugins.common.messages import is_ours, say_place

BAD_INPUT, INSIDE = 3, 4
# A file, or a module, that the user named.
GIVEN = (ImportError, OSError)
RAISED = (TypeError, ValueError)


def explain(error: Exception, words: argparse.Namespace) -> int:
    """Say what went wrong, on standard error.

    Args:
        error:
            What came out of a subcommand.
        words:
            As parsed.

    Returns:
        3 for bad input, which has a message of ours or of the operating system; 4 for an error
        inside, whose traceback is shown where `--debug` is set.
    """
    if words.debug:
        traceback.print_exception(error)
    bad_input = isinstance(error, GIVEN) or (isinstance(error, RAISED) and is_ours(error))
    said = str(error) if bad_input else f"an error inside ({say_place(error)})"
    if not (bad_input or words.debug):
        said += "; --debug shows where"
    print(f"{words.parser.prog}: {said}", file=sys.stderr)
    return BAD_INPUT if bad_input else INSIDE
