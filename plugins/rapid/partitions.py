"""RAPID where the real table is in partitions: every record is guessed where it is.

The attackers are trained on the synthetic sample. One pass over the partitions gives the sensitive
value of each record and what is kept of its guesses (see `guesses`); everything after is what is
done in memory. Only the permutation null of a class needs more, the probabilities of all classes:
it is made of `NULL_ROWS` records.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.schema import TableSchema
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL
from sdmetrics_disclosure.plugins.base.roles import Roles, find_roles
from sdmetrics_disclosure.plugins.common.random_state import generator, seed_sequence
from sdmetrics_disclosure.plugins.holdout.check import check_holdout
from sdmetrics_disclosure.plugins.holdout.partitions import NOT_NEAR, find_partition_ids
from sdmetrics_disclosure.plugins.partitions.map_partitions import map_partitions
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease
from sdmetrics_disclosure.plugins.partitions.sampling import draw_positions
from sdmetrics_disclosure.plugins.rapid.class_scores import score_classes
from sdmetrics_disclosure.plugins.rapid.column import Counts, conclude, make_run, worst_of
from sdmetrics_disclosure.plugins.rapid.guesses import ClassGuesses, Guesses, join_guesses
from sdmetrics_disclosure.plugins.rapid.number_errors import NumberErrors
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions
from sdmetrics_disclosure.plugins.rapid.plan import (
    NULL_SAMPLE,
    ColumnPlan,
    Trained,
    guess,
    plan_column,
    train_all,
)
from sdmetrics_disclosure.plugins.rapid.result import ColumnResult, RapidResult
from sdmetrics_disclosure.plugins.rapid.scores import RapidRun, Scores

# Real records of which the permutation null is made.
NULL_ROWS = 100_000

Positions = NDArray[np.intp]


@dataclass(frozen=True)
class Guessed:
    """One column of some real records, or of the holdout.

    Attributes:
        truth: (n,) the sensitive values.
        guesses: What each run guesses.
        drawn: The same of the records drawn for the null, with the probabilities of all classes;
            empty where nothing is drawn.
        unseen: How many have what a synthetic table never shows (see `ColumnPlan.count_unseen`).
    """

    truth: NDArray[Any]
    guesses: tuple[Guesses, ...]
    drawn: tuple[ClassGuesses, ...]
    unseen: NDArray[np.int64]


def evaluate_partitions(tables: PartitionedRelease, options: RapidOptions) -> RapidResult:
    """RAPID of a release whose real rows are in partitions (see `RAPID.evaluate`).

    Raises:
        ValueError: If a column cannot be attacked.
    """
    tables, roles = prepare_partitions(tables, options)
    results, failures = evaluate_columns(tables, roles, options)
    for error in failures.values():
        raise error
    return as_result(tables, roles, results, options)


def prepare_partitions(
    tables: PartitionedRelease, options: RapidOptions
) -> tuple[PartitionedRelease, Roles]:
    """Check the holdout, and resolve the roles.

    Raises:
        ValueError: If it is no holdout, or rows would have to be dropped.
    """
    roles = find_roles(tables.release, options)
    if not tables.holdout:
        return tables, roles
    checked = check_holdout(tables.release, options.overlap, find_partition_ids(tables))
    if checked.overlap.dropped:
        raise ValueError(
            "`overlap` is 'drop', but rows of tables in partitions are not left out of attribute "
            "disclosure. Pass overlap='keep', or pandas frames."
        )
    notes = dict.fromkeys([*tables.release.notes, *checked.notes, NOT_NEAR])
    return replace(tables, release=replace(tables.release, notes=tuple(notes))), roles


def evaluate_columns(
    tables: PartitionedRelease, roles: Roles, options: RapidOptions
) -> tuple[dict[Hashable, ColumnResult], dict[Hashable, Exception]]:
    """Attack every sensitive column, all in the same pass over the partitions.

    Args:
        tables:
            The samples, and where the rows are.
        roles:
            Which columns.
        options:
            What was asked for.

    Returns:
        The result of each column that could be attacked, the exception of each that could not.
    """
    failures: dict[Hashable, Exception] = {}
    trained: list[tuple[ColumnPlan, list[Trained]]] = []
    for column in roles.sensitive:
        try:
            plan = plan_column(tables.release, roles, column, options)
            trained.append((plan, [_to_send(run) for run in train_all(tables.release, plan)]))
        except Exception as error:
            failures[column] = error
    if not trained:
        return {}, failures
    rng = generator(seed_sequence(options.random_state), NULL_SAMPLE)
    positions = draw_positions(tables.n_real, NULL_ROWS, rng)
    real = _guess_all(tables.real, tables.schema, trained, REAL, positions)
    held = _guess_all(tables.holdout, tables.schema, trained, HOLDOUT)
    results = {}
    for (plan, runs), own, others in zip(trained, real, held, strict=True):
        try:
            results[plan.column] = _conclude(tables, plan, runs, own, others, positions)
        except Exception as error:
            failures[plan.column] = error
    return results, failures


def as_result(
    tables: PartitionedRelease,
    roles: Roles,
    results: Mapping[Hashable, ColumnResult],
    options: RapidOptions,
) -> RapidResult:
    """The columns' results as one.

    Args:
        tables:
            The samples, and where the rows are.
        roles:
            Which columns.
        results:
            Of each column.
        options:
            What was asked for.
    """
    notes = [*tables.notes(), *roles.notes, *(n for r in results.values() for n in r.notes)]
    return RapidResult(
        columns=dict(results),
        index=pd.RangeIndex(0),
        settings=options.settings()
        | {"num_rows_trained": [len(frame) for frame in tables.release.synthetic]},
        warnings=tuple(dict.fromkeys(notes)),
    )


def _to_send(trained: Trained) -> Trained:
    """The attacker in the form in which workers get it: nothing is grown anew each time."""
    return replace(trained, attacker=replace(trained.attacker.for_many_tables(), n_threads=1))


def _guess_all(
    parts: Sequence[Any],
    schema: TableSchema,
    trained: Sequence[tuple[ColumnPlan, list[Trained]]],
    argument: str,
    positions: Sequence[Positions] | None = None,
) -> list[Guessed | None]:
    """Every column of a whole table; None of a table that there is not."""
    if not parts:
        return [None for _ in trained]
    sent = [
        (
            replace(plan, target=plan.target.without_values()),
            [replace(run, learned=run.learned[:0]) for run in runs],
        )
        for plan, runs in trained
    ]
    each = [np.zeros(0, dtype=np.intp) for _ in parts] if positions is None else positions
    found = map_partitions(_guess_partition, parts, schema, sent, argument, each=each)
    return [_join(by_part) for by_part in zip(*found, strict=True)]


def _guess_partition(
    part: pd.DataFrame,
    schema: TableSchema,
    trained: Sequence[tuple[ColumnPlan, list[Trained]]],
    argument: str,
    drawn: Positions,
) -> list[Guessed]:
    """Guess every column of one partition, where it is."""
    rows = schema.transform(part, argument)
    return [_guess_column(rows, plan, runs, drawn) for plan, runs in trained]


def _guess_column(
    rows: pd.DataFrame, plan: ColumnPlan, runs: Sequence[Trained], drawn: Positions
) -> Guessed:
    truth = plan.target.read(rows[plan.column])
    found = [guess(run, plan, [rows], [truth])[0] for run in runs] if len(rows) else []
    of_classes = [each for each in found if isinstance(each, ClassGuesses)]
    return Guessed(
        truth=truth,
        guesses=tuple(
            each.without_prediction() if isinstance(each, ClassGuesses) else each for each in found
        ),
        drawn=tuple(each.taken(drawn) for each in of_classes),
        unseen=plan.count_unseen(rows, truth),
    )


def _join(found: Sequence[Guessed]) -> Guessed:
    filled = [each for each in found if each.truth.size]
    return Guessed(
        truth=np.concatenate([each.truth for each in filled]),
        guesses=tuple(map(join_guesses, zip(*(each.guesses for each in filled), strict=True))),
        drawn=tuple(map(join_guesses, zip(*(each.drawn for each in filled), strict=True))),
        unseen=np.sum([each.unseen for each in filled], axis=0),
    )


def _conclude(
    tables: PartitionedRelease,
    plan: ColumnPlan,
    trained: Sequence[Trained],
    real: Guessed | None,
    held: Guessed | None,
    positions: Sequence[Positions],
) -> ColumnResult:
    assert real is not None, "there are real rows"
    judged = [real] if held is None else [real, held]
    truths = [each.truth for each in judged]
    runs = []
    for i, run in enumerate(trained):
        made = make_run(plan, run, truths, [each.guesses[i] for each in judged])
        runs.append(replace(made, permuted=_permuted(made, plan, real, i, positions, tables)))
    worst = worst_of(runs)
    counts = Counts(
        unseen=real.unseen,
        n_units=worst.scores.n,
        n_holdout_units=0 if worst.holdout is None else worst.holdout.n,
    )
    return conclude(
        tables.release, plan, tuple(runs), counts, has_records=False, notes=_notes(plan, worst)
    )


def _permuted(
    run: RapidRun,
    plan: ColumnPlan,
    real: Guessed,
    i: int,
    positions: Sequence[Positions],
    tables: PartitionedRelease,
) -> Scores:
    """The scores of the records whose truths are permuted."""
    scores = run.scores
    if isinstance(scores, NumberErrors):
        if scores.n <= NULL_ROWS:
            return scores
        rng = generator(plan.seeds, NULL_SAMPLE)
        return scores.taken(np.sort(rng.choice(scores.n, NULL_ROWS, replace=False)))
    starts = np.cumsum([0, *tables.n_real[:-1]])
    drawn = np.concatenate([own + start for own, start in zip(positions, starts, strict=True)])
    assert plan.target.n_classes is not None, "scores of classes"
    return score_classes(real.drawn[i], real.truth[drawn], plan.target.n_classes, plan.options)


def _notes(plan: ColumnPlan, worst: RapidRun) -> list[str]:
    n, n_permuted = worst.scores.n, worst.permuted.n
    if n_permuted == n or not plan.options.n_permutations:
        return []
    return [
        f"What chance gives was found on {n_permuted:,} of the {n:,} real records, drawn at "
        "random: their risk is held against the null made of them."
    ]
