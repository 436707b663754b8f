"""How long a report will take, from a rehearsal on a few rows."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.base.metric import DisclosureMetric

REHEARSAL_ROWS = (500, 2500)
# Shorter tables take seconds: a rehearsal would be most of the work.
SHORTEST_TABLE = 5000


def estimate_seconds(
    metric: type[DisclosureMetric], release: Release, options: Any, n_attacks: int
) -> float:
    """About how many seconds the attacks will take; 0 where the tables are short.

    An attack on 500 rows and one on 2,500 are timed: what it costs at all, and what a row costs.

    Args:
        metric:
            One that trains attackers, a step for each column.
        release:
            The tables.
        options:
            The metric's.
        n_attacks:
            How many attacks there will be.
    """
    longest = max(len(frame) for frame in release.frames)
    longest = min(longest, options.num_rows_subsample or longest)
    if longest < SHORTEST_TABLE:
        return 0.0
    few, many = REHEARSAL_ROWS
    _rehearse(metric, release, options, few)  # the first time anything runs, it is slower
    short, long = (_rehearse(metric, release, options, rows) for rows in REHEARSAL_ROWS)
    slope = max(long - short, 0.0) / (many - few)
    return n_attacks * (short + slope * (longest - few))


def _rehearse(metric: type[DisclosureMetric], release: Release, options: Any, rows: int) -> float:
    steps = metric.steps(release, replace(options, num_rows_subsample=rows, n_permutations=0))
    start = time.perf_counter()
    next(iter(steps.runs.values()))()
    return time.perf_counter() - start


def say_duration(seconds: float) -> str:
    """A duration in round words."""
    if seconds < 90:
        return f"{int(np.ceil(seconds / 10) * 10)} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
