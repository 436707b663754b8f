"""What was drawn of which table, in words."""

from __future__ import annotations

from collections.abc import Mapping

from sdmetrics_disclosure.adapters.release.release import Release


def describe_subsample(release: Release, num_rows: int | None) -> str | None:
    """What is drawn of which table, or None if all rows are used.

    Args:
        release:
            All rows.
        num_rows:
            The most rows of each table that are used; None: all.
    """
    sizes = {
        "real": len(release.real),
        "synthetic": len(release.synthetic[0]),
        "holdout": 0 if release.holdout is None else len(release.holdout),
    }
    return describe_drawn(sizes, num_rows)


def describe_drawn(sizes: Mapping[str, int], num_rows: int | None) -> str | None:
    """What is drawn of which table, or None if all rows are used.

    Args:
        sizes:
            The rows of each table, by what it is called.
        num_rows:
            The most rows of each that are used; None: all.
    """
    drawn = [f"{num_rows} of {n} {name}" for name, n in sizes.items() if n > (num_rows or n)]
    return f"{', '.join(drawn)} rows" if drawn else None
