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
from sdmetrics_disclosure.plugins.gen_lra_options import GenLRAOptions
from sdmetrics_disclosure.plugins.membership_metric import AttackScores, MembershipMetric
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

    @classmethod
    def attack(cls, scene: Scene, options: GenLRAOptions) -> AttackScores:
        """Score the candidates (gen_lra: see the module's source)."""
        n_neighbors = min(options.n_neighbors or 1, len(scene.synthetic))
        notes = _neighbor_note(options, n_neighbors)
        if options.kernel == "power_law" and not options.is_estimator:
            return AttackScores(_power_law(scene, options, n_neighbors), notes=notes)
        tables = encode_columns(scene, options.preset)
        if options.is_estimator:
            from sdmetrics_disclosure.plugins.density_estimator import estimator_scores

            targets, synthetic, reference = (table.values for table in tables)
            scores = estimator_scores(targets, synthetic, reference, options, n_neighbors)
            return AttackScores(scores, notes=notes)
        scores, covariance = _gaussian(tables, options, n_neighbors)
        return AttackScores(scores, covariance, notes)


def _power_law(scene: Scene, options: GenLRAOptions, n_neighbors: int) -> Floats:
    from sdmetrics_disclosure.numba_kernels.gen_lra_scores import power_law_scores

    targets, synthetic, reference = encode_mixed(scene)
    return power_law_scores(
        targets.values,
        synthetic.values,
        reference.values,
        is_category=targets.is_category,
        exponent=options.exponent,
        n_neighbors=n_neighbors,
        aggregate=options.aggregate,  # type: ignore[arg-type]  # checked in the options
        n_jobs=options.n_jobs,
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


def _neighbor_note(options: GenLRAOptions, n_neighbors: int) -> tuple[str, ...]:
    if n_neighbors == options.n_neighbors:
        return ()
    return (
        f"`n_neighbors` is {options.n_neighbors}, but there are only {n_neighbors} synthetic "
        "rows: all of them count.",
    )
