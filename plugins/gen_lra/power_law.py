"""Gen-LRA by the power law: learns from synthetic and reference rows, then scores anybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PowerLaw:
    """The power-law attack after it has read synthetic and reference rows; it can be pickled.

    Attributes:
        synthetic: (m, d) the encoded synthetic rows.
        log_sums: (m,) of each, its sum over the reference rows.
        is_category: (d,) which columns hold codes.
        smoothing: Keeps exact copies finite.
        exponent: Of the distance.
        n_neighbors: Synthetic rows that count.
        aggregate: How they count together.
    """

    synthetic: Floats
    log_sums: Floats
    is_category: NDArray[np.bool_]
    smoothing: float
    exponent: float
    n_neighbors: int
    aggregate: Any

    def __call__(self, targets: Floats, /, *, n_jobs: int | None = None) -> Floats:
        """(n,) the scores of encoded candidates, each by itself."""
        from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import power_law_scores_of

        return power_law_scores_of(
            targets,
            self.synthetic,
            self.log_sums,
            is_category=self.is_category,
            exponent=self.exponent,
            n_neighbors=self.n_neighbors,
            aggregate=self.aggregate,
            smoothing=self.smoothing,
            n_jobs=n_jobs,
        )


def learn_power_law(
    typical: Floats,
    synthetic: EncodedTable,
    reference: EncodedTable,
    options: GenLRAOptions,
) -> PowerLaw:
    """Read synthetic and reference rows.

    Args:
        typical:
            (n, d) encoded candidates from whose distances the smoothing comes.
        synthetic:
            The released rows.
        reference:
            Rows drawn apart from the training rows.
        options:
            Exponent, neighbours (cut to the synthetic rows there are), aggregate, threads.
    """
    from sdmetrics_disclosure.numba_kernels.gen_lra.power_law import (
        default_smoothing,
        log_power_sums,
    )

    rows, is_category = synthetic.values, synthetic.is_category
    smoothing = default_smoothing(typical, rows, is_category)
    log_sums = log_power_sums(
        rows,
        reference.values,
        is_category=is_category,
        exponent=options.exponent,
        smoothing=smoothing,
        n_jobs=options.n_jobs,
    )
    return PowerLaw(
        synthetic=rows,
        log_sums=log_sums,
        is_category=is_category,
        smoothing=smoothing,
        exponent=options.exponent,
        n_neighbors=count_neighbors(options, len(rows)),
        aggregate=options.aggregate,
    )


def count_neighbors(options: GenLRAOptions, n_synthetic: int) -> int:
    """How many neighbours count: no more than there are synthetic rows."""
    return min(options.n_neighbors or 1, n_synthetic)


def neighbor_note(options: GenLRAOptions, n_neighbors: int) -> tuple[str, ...]:
    """What to say where fewer neighbours count than were asked for.

    Args:
        options:
            What was asked for.
        n_neighbors:
            How many there are.
    """
    if n_neighbors == options.n_neighbors:
        return ()
    return (
        f"`n_neighbors` is {options.n_neighbors}, but there are only {n_neighbors} synthetic "
        "rows: all of them count.",
    )
