"""What a membership attack sees, and what several attacks on the same tables share.

Encodings and neighbour searches are made when the first attack asks for them and kept for the
others: a set of attacks costs little more than the dearest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable, encode
from sdmetrics_disclosure.adapters.release.kinds import names
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.plugins.common.parallel import in_chunks

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]
Side = Literal["synthetic", "reference"]
T = TypeVar("T")

ONE_HOT_WEIGHT = float(1 / np.sqrt(2))  # two different levels are then at distance 1
MAX_LEVELS = 254
# The data plagiarism index's own number: one search is enough for all.
SHARED_NEIGHBORS = 20
# Where the tables stand among those encoded.
_POSITIONS = {"synthetic": 1, "reference": 2}


@dataclass(frozen=True)
class AttackInput:
    """What an attack sees, and whom it judges; canonical frames with the same columns.

    Attributes:
        targets: The candidates: training rows first, then this half's outsiders.
        synthetic: The released rows.
        reference: Rows of the same population, drawn apart from the training rows.
        release: The release all came from, for the kinds of its columns.
        seeds: The seed of the attack's own randomness.
    """

    targets: pd.DataFrame
    synthetic: pd.DataFrame
    reference: pd.DataFrame
    release: Release
    seeds: np.random.SeedSequence
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made for the first who asks by this key and kept for the others."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about the encodings that were made."""
        made = [kept for kept in self._kept.values() if isinstance(kept, list)]
        far_out = {column for tables in made for column in tables[0].far_out}
        return (far_out_note(far_out),) if far_out else ()

    def nearest_squares(self, side: Side, k: int, n_jobs: int | None) -> Floats:
        """The squared distances to the k nearest rows of a table, in the standardised columns.

        Args:
            side:
                Which table.
            k:
                How many; cut to the rows there are. Kept for those who ask for no more.
            n_jobs:
                Threads.

        Returns:
            (n_targets, k), rising.
        """
        tables = encode_columns(self)
        rows = tables[_POSITIONS[side]].values
        k = min(k, len(rows))
        key = ("nearest", side)
        if key not in self._kept or self._kept[key].shape[1] < k:
            search = partial(_nearest_squares, rows=rows, k=k)
            self._kept[key] = in_chunks(search, tables[0].values, n_jobs)
        squares: Floats = self._kept[key][:, :k]
        return squares

    def count_within(self, limit: float, n_jobs: int | None, *, strict: bool = False) -> Counts:
        """How many synthetic rows are within a squared distance, in the standardised columns.

        Most targets have fewer than the shared search has neighbours, which then say it all.

        Args:
            limit:
                The largest squared distance that counts.
            n_jobs:
                Threads.
            strict:
                Leave out rows at exactly `limit`.

        Returns:
            (n_targets,) counts.
        """
        from sdmetrics_disclosure.numba_kernels.neighbors.nearest import count_within

        squares = self.nearest_squares("synthetic", SHARED_NEIGHBORS, n_jobs)
        counts: Counts = (squares < limit if strict else squares <= limit).sum(axis=1)
        crowded = counts == squares.shape[1]
        if crowded.any() and squares.shape[1] < len(self.synthetic):
            targets, synthetic, _ = encode_columns(self)
            counts[crowded] = count_within(
                targets.values[crowded],
                synthetic.values,
                limit,
                strict=strict,
                squared=True,
                n_jobs=n_jobs,
            )
        return counts


def _nearest_squares(targets: Floats, /, *, rows: Floats, k: int, n_jobs: int | None) -> Floats:
    from sdmetrics_disclosure.numba_kernels.neighbors.nearest import nearest

    return nearest(targets, rows, k, squared=True, n_jobs=n_jobs)[1]


def encode_mixed(seen: AttackInput) -> list[EncodedTable]:
    """Targets, synthetic and reference rows for the distance that counts category mismatches."""
    return _encoded(
        seen, "mixed", fit_on=[1, 2], missing="indicator", scale="sd", ordinal="category"
    )


def encode_columns(seen: AttackInput, preset: str | None = None) -> list[EncodedTable]:
    """Targets, synthetic and reference rows as standardised columns, categories one-hot.

    Args:
        seen:
            The tables.
        preset:
            "paper": standardised on the synthetic rows alone, one-hot columns at full weight.
    """
    by_authors = preset == "paper"
    return _encoded(
        seen,
        ("columns", preset),
        fit_on=[1] if by_authors else [1, 2],
        categories="one_hot",
        missing="indicator",
        scale="sd",
        one_hot_weight=1.0 if by_authors else ONE_HOT_WEIGHT,
        max_levels=MAX_LEVELS,
    )


def encode_codes(seen: AttackInput) -> list[EncodedTable]:
    """Targets, synthetic and reference rows for trees: codes, numbers and gaps as they are."""
    return _encoded(seen, "codes", fit_on=[1, 2], max_levels=MAX_LEVELS)


def far_out_note(columns: Collection[Hashable]) -> str:
    """What to say where a few values lie so far out that the others set the scale."""
    return (
        f"{names(columns)} have a few values very far out: distances go by the spread of the "
        "middle 99 %."
    )


def _encoded(seen: AttackInput, key: Hashable, **style: Any) -> list[EncodedTable]:
    tables = [seen.targets, seen.synthetic, seen.reference]
    return seen.once(key, lambda: encode(tables, seen.release.kinds, **style))
