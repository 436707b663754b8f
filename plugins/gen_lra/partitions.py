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
from sdmetrics_disclosure.plugins.holdout.check import check_holdout
from sdmetrics_disclosure.plugins.holdout.order import content_order, in_own_order
from sdmetrics_disclosure.plugins.holdout.partitions import NOT_NEAR, find_partition_ids
from sdmetrics_disclosure.plugins.membership.attack_input import far_out_note
from sdmetrics_disclosure.plugins.membership.halves import split_holdout
from sdmetrics_disclosure.plugins.membership.metric import (
    EVALUATION,
    SPLIT,
    SUBSAMPLE,
    MembershipMetric,
)
from sdmetrics_disclosure.plugins.membership.result import AttackScores, MembershipResult
from sdmetrics_disclosure.plugins.membership.units import Owners
from sdmetrics_disclosure.plugins.partitions.map_partitions import map_partitions
from sdmetrics_disclosure.plugins.partitions.release import (
    SAMPLE_ROWS,
    PartitionedRelease,
)
from sdmetrics_disclosure.plugins.partitions.sampling import draw_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Half:
    """The attack of one half of the holdout on one synthetic sample.

    Attributes:
        encoder: Learned on what the attacker sees.
        attack: Scores encoded rows.
        outsiders: (n_h,) the scores of the other half, who are no members.
        notes: What is to be said about the encoding.
    """

    encoder: Encoder
    attack: PowerLaw
    outsiders: Floats
    notes: tuple[str, ...]


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
    assert release.holdout is not None, "the metric has asked for a holdout"
    ids = find_partition_ids(tables, release.holdout)
    checked = check_holdout(release, options.overlap, ids)
    release = in_own_order(replace(release, holdout=release.holdout[checked.kept[1]]))
    assert release.holdout is not None, "some are left"
    units = ids.holdout[checked.kept[1]] if checked.equal_are_one else None
    halves = split_holdout(content_order(release.holdout, release), units, generator(seeds, SPLIT))
    notes += checked.notes
    owners = None
    if units is not None:
        owners = Owners(ids.training[checked.kept[0]], tuple(units[half] for half in halves))
    attacks = [
        [_learn(release, synthetic, *positions, options) for positions in (halves, halves[::-1])]
        for synthetic in release.synthetic
    ]
    notes += [note for each in attacks for half in each for note in half.notes]
    members = _score_members(tables, attacks)[:, :, checked.kept[0]]
    evaluations = tuple(
        MembershipMetric.evaluate_scores(
            parts, members.shape[2], options, child(seeds, EVALUATION), owners
        )
        for parts in _all_scores(members, attacks)
    )
    return MembershipResult(
        evaluations=evaluations,
        overlap=checked.overlap,
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
    asked = [[replace(half, outsiders=np.zeros(0)) for half in each] for each in attacks]
    return np.concatenate(map_partitions(_score, tables.real, tables.schema, asked), axis=2)


def _all_scores(
    members: Floats, attacks: Sequence[Sequence[_Half]]
) -> Iterator[list[AttackScores]]:
    """For each replicate the scores in both halves, the members' first."""
    for scores, halves in zip(members, attacks, strict=True):
        pairs = zip(scores, halves, strict=True)
        yield [AttackScores(np.concatenate([own, half.outsiders])) for own, half in pairs]


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


def _learn(
    release: Release,
    synthetic: pd.DataFrame,
    outsiders: NDArray[np.intp],
    reference: NDArray[np.intp],
    options: GenLRAOptions,
) -> _Half:
    assert release.holdout is not None, "the metric has asked for a holdout"
    kinds = release.kinds
    holdout = take_columns(release.holdout, release.columns)
    known, judged = holdout.iloc[reference], holdout.iloc[outsiders]
    # The schema sample of the real rows has a gap wherever any of them has one.
    tables = [release.real, synthetic, holdout]
    gaps = {c for c, kind in kinds.items() if kind.is_number and _has_gap(tables, c)}
    encoder = learn_encoder(
        [synthetic, known],
        kinds,
        gaps=gaps,
        missing="indicator",
        scale="sd",
        ordinal="category",
    )
    judged_rows = encoder(judged).values
    released = encoder(synthetic)
    attack = learn_power_law(judged_rows, released, encoder(known), options)
    far_out = released.far_out
    notes = (far_out_note(far_out),) if far_out else ()
    return _Half(encoder, attack, attack(judged_rows, n_jobs=options.n_jobs), notes)


def _has_gap(tables: Sequence[pd.DataFrame], column: Any) -> bool:
    return any(bool(table[column].isna().any()) for table in tables)


def _score(part: pd.DataFrame, schema: TableSchema, attacks: Sequence[Sequence[_Half]]) -> Floats:
    """(replicates, 2, records) the scores of a partition's rows."""
    rows = schema.transform(part, REAL)
    return np.array([[half.attack(half.encoder(rows).values) for half in each] for each in attacks])
