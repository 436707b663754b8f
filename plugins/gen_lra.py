"""Gen-LRA: from the synthetic rows and a reference sample alone, who was in the training data?

Source: Ward, Wang, Cheng, "Privacy Auditing Synthetic Data Release through Local Likelihood
Attacks" (2025). A candidate scores high when adding it to the reference makes the synthetic rows
around it more likely. The paper leaves the density free and uses a Gaussian; the default here, a
scale-free power law, is this package's own, not the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable
from sdmetrics_disclosure.plugins.chunks import in_chunks
from sdmetrics_disclosure.plugins.gen_lra_options import GenLRAOptions
from sdmetrics_disclosure.plugins.membership_metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership_result import AttackScores, MembershipResult
from sdmetrics_disclosure.plugins.partitions import PartitionedRelease
from sdmetrics_disclosure.plugins.scene import Scene, encode_columns, encode_mixed

Floats = NDArray[np.float64]


class GenLRA(MembershipMetric):
    """Generative likelihood ratio attack: an AUC, 0.5 is guessing, 1 tells every member.

    Attributes:
        name: "GenLRA".
        goal: Minimize; `normalize` gives 1 for no advantage over guessing, 0 for full disclosure.
    """

    name: ClassVar[str] = "GenLRA"
    Options = GenLRAOptions
    reads_partitions: ClassVar[bool] = True

    @classmethod
    def evaluate_partitions(
        cls, tables: PartitionedRelease, options: GenLRAOptions
    ) -> MembershipResult:
        """Attack a release whose real rows are in partitions: each is scored where it is.

        Args:
            tables:
                The synthetic samples, and where the real rows and the holdout are.
            options:
                An instance of `Options`.

        Raises:
            ValueError: If the holdout stands in the training rows, or another kernel is asked for.
        """
        from sdmetrics_disclosure.plugins.gen_lra_partitions import evaluate_partitions

        return evaluate_partitions(tables, options)

    @classmethod
    def attack(cls, scene: Scene, options: GenLRAOptions) -> AttackScores:
        """Score the candidates (gen_lra: see the module's source)."""
        n_neighbors = count_neighbors(options, len(scene.synthetic))
        notes = neighbor_note(options, n_neighbors)
        if options.kernel == "power_law" and not options.is_estimator:
            targets, synthetic, reference = encode_mixed(scene)
            others = targets.values[len(scene.release.real) :]  # the same wherever members are
            learned = learn_power_law(others, synthetic, reference, options)
            return AttackScores(in_chunks(learned, targets.values, options.n_jobs), notes=notes)
        tables = encode_columns(scene, options.preset)
        if options.is_estimator:
            from sdmetrics_disclosure.plugins.density_estimator import estimator_scores

            values = [table.values for table in tables]
            scores = estimator_scores(values[0], values[1], values[2], options, n_neighbors)
            return AttackScores(scores, notes=notes)
        scores, covariance = _gaussian(tables, options, n_neighbors)
        return AttackScores(scores, covariance, notes)


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
        from sdmetrics_disclosure.numba_kernels.gen_lra_scores import power_law_scores_of

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
    from sdmetrics_disclosure.numba_kernels.gen_lra_scores import default_smoothing, log_power_sums

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


def _gaussian(
    tables: list[EncodedTable], options: GenLRAOptions, n_neighbors: int
) -> tuple[Floats, dict[str, int]]:
    from sdmetrics_disclosure.numba_kernels.density import whiten
    from sdmetrics_disclosure.numba_kernels.gen_lra_scores import gaussian_scores
    from sdmetrics_disclosure.numba_kernels.refit import refit_scores

    values = [table.values for table in tables]
    if len(np.unique(values[2], axis=0)) < 2:
        raise ValueError(
            "Half of `real_validation_data`, the reference, has no two different rows: there is "
            "nothing to estimate a Gaussian from. Pass more rows, or use kernel='power_law'."
        )
    shape: Any = options.covariance
    arguments: dict[str, Any] = {
        "bandwidth_factor": options.bandwidth_factor,
        "n_neighbors": n_neighbors,
        "aggregate": options.aggregate,
        "floor": options.floor,
        "n_jobs": options.n_jobs,
    }
    if options.surrogate == "refit":
        scores = refit_scores(*values, **arguments)
    else:
        scores = gaussian_scores(*values, covariance=shape, **arguments)
    whitening = whiten(values[2], covariance=shape)
    return scores, {"effective_rank": whitening.rank, "dropped": whitening.dropped}


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
