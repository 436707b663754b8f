"""Gen-LRA: from the synthetic rows and a reference sample alone, who was in the training data?

Source: Ward, Wang, Cheng, "Privacy Auditing Synthetic Data Release through Local Likelihood
Attacks" (2025). A candidate scores high when adding it to the reference makes the synthetic rows
around it more likely. The paper leaves the density free and uses a Gaussian; the default here, a
scale-free power law, is this package's own, not the paper's.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import EncodedTable
from sdmetrics_disclosure.plugins.common.parallel import in_chunks
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from sdmetrics_disclosure.plugins.gen_lra.power_law import (
    count_neighbors,
    learn_power_law,
    neighbor_note,
)
from sdmetrics_disclosure.plugins.membership.attack_input import (
    AttackInput,
    encode_columns,
    encode_mixed,
)
from sdmetrics_disclosure.plugins.membership.metric import MembershipMetric
from sdmetrics_disclosure.plugins.membership.result import AttackScores, MembershipResult
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease

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
        from sdmetrics_disclosure.plugins.gen_lra.partitions import evaluate_partitions

        return evaluate_partitions(tables, options)

    @classmethod
    def attack(cls, seen: AttackInput, options: GenLRAOptions) -> AttackScores:
        """Score the candidates (gen_lra: see the module's source)."""
        n_neighbors = count_neighbors(options, len(seen.synthetic))
        notes = neighbor_note(options, n_neighbors)
        if options.kernel == "power_law" and not options.is_estimator:
            targets, synthetic, reference = encode_mixed(seen)
            others = targets.values[len(seen.release.real) :]  # the same wherever members are
            learned = learn_power_law(others, synthetic, reference, options)
            return AttackScores(in_chunks(learned, targets.values, options.n_jobs), notes=notes)
        tables = encode_columns(seen, options.preset)
        if options.is_estimator:
            from sdmetrics_disclosure.plugins.gen_lra.density_estimator import estimator_scores

            values = [table.values for table in tables]
            scores = estimator_scores(values[0], values[1], values[2], options, n_neighbors)
            return AttackScores(scores, notes=notes)
        scores, covariance = _gaussian(tables, options, n_neighbors)
        return AttackScores(scores, covariance, notes)


def _gaussian(
    tables: list[EncodedTable], options: GenLRAOptions, n_neighbors: int
) -> tuple[Floats, dict[str, int]]:
    from sdmetrics_disclosure.numba_kernels.gen_lra.density import whiten
    from sdmetrics_disclosure.numba_kernels.gen_lra.gaussian import gaussian_scores
    from sdmetrics_disclosure.numba_kernels.gen_lra.refit import refit_scores

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
