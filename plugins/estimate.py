"""How long a report will take, from a rehearsal on a few rows."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from sdmetrics_disclosure.adapters.release import Release
from sdmetrics_disclosure.plugins.rapid import evaluate_column, prepare
from sdmetrics_disclosure.plugins.rapid_options import RapidOptions

REHEARSAL_ROWS = 1000
# Shorter tables take seconds: a rehearsal would be most of the work.
SHORTEST_TABLE = 5000


def estimate_seconds(release: Release, options: RapidOptions, n_attacks: int) -> float:
    """About how many seconds the attacks will take; 0 where the tables are short.

    One attack on 1,000 rows is timed, the second time it runs, and grows with the rows.

    Args:
        release:
            The tables.
        options:
            RAPID's.
        n_attacks:
            How many attacks there will be.
    """
    longest = max(len(frame) for frame in release.frames)
    longest = min(longest, options.num_rows_subsample or longest)
    if longest < SHORTEST_TABLE:
        return 0.0
    brief = replace(options, num_rows_subsample=REHEARSAL_ROWS, n_permutations=0)
    small, roles = prepare(release, brief)
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        evaluate_column(small, roles, roles.sensitive[0], brief)
        seconds = time.perf_counter() - start
    return seconds * n_attacks * longest / REHEARSAL_ROWS


def say_duration(seconds: float) -> str:
    """A duration in round words."""
    if seconds < 90:
        return f"{int(np.ceil(seconds / 10) * 10)} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
