"""Gen-LRA where the real table is in partitions: every training row is scored where it is.

The attacker sees a sample of the synthetic rows and of the holdout. What comes back from a
partition is two numbers a record, its scores against the two halves of the holdout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.encode import Encoder, learn_encoder
from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.adapters.release.schema import TableSchema
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL
from sdmetrics_disclosure.plugins.common.random_state import child, generator, seed_sequence
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from sdmetrics_disclosure.plugins.gen_lra.power_law import (
    PowerLaw,
    count_neighbors,
    learn_power_law,
    neighbor_note,
)
from sdmetrics_disclosure.plugins.membership.holdout import resolve_overlap, split_holdout
from sdmetrics_disclosure.plugins.membership.metric import (
    EVALUATION,
    SPLIT,
    SUBSAMPLE,
    MembershipMetric,
)
from sdmetrics_disclosure.plugins.membership.result import AttackScores, MembershipResult
from sdmetrics_disclosure.plugins.partitions.map_partitions import map_partitions, reduce_partitions
from sdmetrics_disclosure.plugins.partitions.release import (
    SAMPLE_ROWS,
    PartitionedRelease,
)
from sdmetrics_disclosure.plugins.partitions.sampling import draw_rows

Floats = NDArray[np.float64]
NOT_NEAR = (
    "The holdout rows that take part were looked for among the training rows of every partition: "
    "equal ones are counted, nearly equal ones were not looked for."
)


@dataclass(frozen=True)
class _Half:
    """The attack of one half of the holdout on one synthetic sample.

    Attributes:
        encoder: Learned on what the attacker sees.
        attack: Scores encoded rows.
        others: (n_h,) the scores of the other half, who are no members.
    """

    encoder: Encoder
    attack: PowerLaw
    others: Floats


def evaluate_partitions(tables: PartitionedRelease, options: GenLRAOptions) -> MembershipResult:
    """Gen-LRA of a release whose real rows are in partitions (see `GenLRA.evaluate`).

    Raises:
        ValueError: If the holdout stands in the training rows, or another kernel is asked for.
    """
    if options.kernel != "power_law" or options.is_estimator:
        raise ValueError(
            "Tables in partitions can be attacked by kernel='power_law' only; pass pandas frames, "
            "or a sample of the records, for another."
        )
    seeds = seed_sequence(options.random_state)
    release, notes = _with_holdout(tables, options, seeds)
    for synthetic in release.synthetic:
        notes += neighbor_note(options, count_neighbors(options, len(synthetic)))
    in_training = reduce_partitions(
        _stands_there, tables.real, tables.schema, _row_hashes(release.holdout), combine=_any
    )
    nowhere = np.zeros(len(in_training), dtype=np.bool_)
    release, overlap = resolve_overlap(release, options.overlap, (in_training, nowhere))
    halves = split_holdout(release, generator(seeds, SPLIT))
    attacks = [
        [_learn(release, synthetic, judged, known, options) for judged, known in _pairs(halves)]
        for synthetic in release.synthetic
    ]
    members = _score_members(tables, attacks)
    evaluations = tuple(
        MembershipMetric.evaluate_scores(parts, members.shape[2], options, child(seeds, EVALUATION))
        for parts in _all_scores(members, attacks)
    )
    return MembershipResult(
        evaluations=evaluations,
        overlap=overlap,
        n_reference=max(len(half) for half in halves),
        n_synthetic=len(release.synthetic[0]),
        covariance=None,
        indices=None,
        halves=halves,
        settings=options.settings(),
        warnings=tuple(dict.fromkeys([*tables.notes(), *notes, NOT_NEAR])),
    )


def _score_members(tables: PartitionedRelease, attacks: Sequence[Sequence[_Half]]) -> Floats:
    """(replicates, 2, records) the scores of all training rows."""
    asked = [[replace(half, others=np.zeros(0)) for half in each] for each in attacks]
    return np.concatenate(map_partitions(_score, tables.real, tables.schema, asked), axis=2)


def _all_scores(
    members: Floats, attacks: Sequence[Sequence[_Half]]
) -> Iterator[list[AttackScores]]:
    """For each replicate the scores in both halves, the members' first."""
    for scores, halves in zip(members, attacks, strict=True):
        pairs = zip(scores, halves, strict=True)
        yield [AttackScores(np.concatenate([own, half.others])) for own, half in pairs]


def _with_holdout(
    tables: PartitionedRelease, options: GenLRAOptions, seeds: np.random.SeedSequence
) -> tuple[Release, list[str]]:
    """The release with a sample of the holdout."""
    n_rows = options.num_rows_subsample or SAMPLE_ROWS
    drawn = draw_rows(tables.holdout, tables.n_holdout, n_rows, generator(seeds, SUBSAMPLE))
    holdout = tables.schema.transform(drawn, HOLDOUT)
    n_all = sum(tables.n_holdout)
    notes = [] if len(drawn) == n_all else [f"{len(drawn):,} of {n_all:,} holdout rows were drawn."]
    return replace(tables.release, holdout=holdout), notes


def _pairs(halves: tuple[Any, Any]) -> Sequence[tuple[Any, Any]]:
    return halves, halves[::-1]


def _learn(
    release: Release,
    synthetic: pd.DataFrame,
    judged: NDArray[np.intp],
    known: NDArray[np.intp],
    options: GenLRAOptions,
) -> _Half:
    assert release.holdout is not None, "the metric has asked for a holdout"
    kinds = release.kinds
    holdout = take_columns(release.holdout, release.columns)
    reference, others = holdout.iloc[known], holdout.iloc[judged]
    # The schema sample of the real rows has a gap wherever any of them has one.
    tables = [release.real, synthetic, holdout]
    gaps = {c for c, kind in kinds.items() if kind.is_number and _has_gap(tables, c)}
    encoder = learn_encoder(
        [synthetic, reference],
        kinds,
        gaps=gaps,
        missing="indicator",
        scale="sd",
        ordinal="category",
    )
    judged_rows = encoder(others).values
    attack = learn_power_law(judged_rows, encoder(synthetic), encoder(reference), options)
    return _Half(encoder, attack, attack(judged_rows, n_jobs=options.n_jobs))


def _has_gap(tables: Sequence[pd.DataFrame], column: Any) -> bool:
    return any(bool(table[column].isna().any()) for table in tables)


def _score(part: pd.DataFrame, schema: TableSchema, attacks: Sequence[Sequence[_Half]]) -> Floats:
    """(replicates, 2, records) the scores of a partition's rows."""
    rows = schema.transform(part, REAL)
    return np.array([[half.attack(half.encoder(rows).values) for half in each] for each in attacks])


def _stands_there(part: pd.DataFrame, schema: TableSchema, wanted: NDArray[np.uint64]) -> Any:
    return np.isin(wanted, _row_hashes(schema.transform(part, REAL)))


def _any(found: list[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    return np.asarray(np.any(found, axis=0))


def _row_hashes(frame: pd.DataFrame | None) -> NDArray[np.uint64]:
    """A number for each row, the same for equal rows: two others share one by a chance of 2^-64."""
    assert frame is not None, "the metric has asked for a holdout"
    codes = {
        i: frame.iloc[:, i].cat.codes
        if isinstance(frame.iloc[:, i].dtype, pd.CategoricalDtype)
        else frame.iloc[:, i] + 0.0  # -0.0 is 0.0
        for i in range(frame.shape[1])
    }
    return np.asarray(pd.util.hash_pandas_object(pd.DataFrame(codes), index=False))
