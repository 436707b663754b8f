"""The one check of the holdout, for every metric and report: is it one, and whose are its rows?

Rows may be alike by nature. Were training data and holdout drawn alike, a holdout row equals a
training row as often as a training row equals another; what exceeds that is no holdout.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdmetrics_disclosure.adapters.release.release import Release, take_columns
from sdmetrics_disclosure.plugins.common.statistics import newcombe
from sdmetrics_disclosure.plugins.holdout.repeats import (
    Flags,
    Ids,
    RowIds,
    clumping,
    find_row_ids,
    find_units,
    is_same_file,
    row_groups,
    stands_again,
    stands_in,
)

# Shares that differ by no more are alike, however many rows there are.
MOST_OVERLAP = 0.01
# An honest table may be refused in one of a hundred runs; that equal rows are one unit, which moves
# the score where it is wrong, is said in one of two thousand.
CONFIDENCE_LEVEL = 0.99
SURELY, MORE_SURELY = 2.326, 3.291
NO_HOLDOUT = (
    "that is no holdout. Pass rows that the synthesizer never saw; or overlap='drop' to leave "
    "those rows out on both sides, or 'keep' to count them only."
)


@dataclass(frozen=True)
class Overlap:
    """How many holdout rows stand in the training rows.

    Attributes:
        exact: Holdout rows equal to a training row.
        near: Others nearer than 1e-6 of the median nearest distance to one.
        n_holdout: Rows of the holdout, before any were dropped.
        dropped: Whether those rows were dropped, on both sides.
        by_nature: The share of the training rows that have such a row among the other training
            rows: as much is to be expected of the holdout.
        repeated: Whether rows repeat within a table more often than between the tables, so that
            equal rows of one table count as one unit.
    """

    exact: int
    near: int
    n_holdout: int
    dropped: bool
    by_nature: float = 0.0
    repeated: bool = False

    @property
    def share(self) -> float:
        """The share of the holdout that stands in the training rows."""
        return (self.exact + self.near) / self.n_holdout

    def to_dict(self) -> dict[str, float | int | bool]:
        """The counts, plain."""
        return asdict(self) | {"share": self.share}


@dataclass(frozen=True)
class HoldoutCheck:
    """What was found about a holdout that was not refused.

    Attributes:
        overlap: The counts.
        kept: Which training rows and which holdout rows are judged.
        equal_are_one: Whether equal rows of one table are one unit.
        notes: What is to be said about it.
    """

    overlap: Overlap
    kept: tuple[Flags, Flags]
    equal_are_one: bool
    notes: tuple[str, ...]

    def judged(self, release: Release) -> Release:
        """The release without the rows that are not judged."""
        if self.kept[0].all() and self.kept[1].all():
            return release
        assert release.holdout is not None, "it was checked"
        return replace(
            release, real=release.real[self.kept[0]], holdout=release.holdout[self.kept[1]]
        )

    def units(self, release: Release) -> tuple[Ids, Ids] | None:
        """Whose each training and each holdout row is; None where each is its own.

        Args:
            release:
                What was checked, or a sample of it.
        """
        assert release.holdout is not None, "it was checked"
        units = find_units(release)
        if units is None and self.equal_are_one:
            frames = (release.real, release.holdout)
            groups = row_groups([take_columns(frame, release.columns) for frame in frames])
            units = groups[0], groups[1]
        return units


def check_holdout(release: Release, overlap: str, ids: RowIds | None = None) -> HoldoutCheck:
    """Compare a holdout with training and synthetic rows, and refuse what is none.

    Args:
        release:
            With a holdout.
        overlap:
            "refuse"; "drop": leave out rows, on both sides, that have an equal one on the other;
            or "keep".
        ids:
            Of equal rows, where they are known and near ones are not to be looked for.

    Raises:
        ValueError: If the holdout shares units with the training rows, repeats training rows or
            synthetic rows more than nature does, where `overlap` does not allow it, or if nothing
            is left.
    """
    units = find_units(release) if ids is None else None
    exact, near = (ids, ids) if ids is not None else find_row_ids(release)
    known = _Tables(exact, near, units)
    equal = stands_in(exact.holdout, exact.training)
    close = stands_in(near.holdout, near.training)
    shared = _shared_units(units)
    found = Overlap(
        exact=int(equal.sum()),
        near=int((close & ~equal).sum()),
        n_holdout=len(equal),
        dropped=False,
        by_nature=float(stands_again(near.training, known.training_units).mean()),
        repeated=known.repeats_within(),
    )
    if overlap != "keep":
        known.refuse_synthetic()
    if overlap == "refuse":
        _refuse_units(shared, units, release)
        known.refuse_training(found)
    kept = np.ones(exact.training.size, dtype=np.bool_), np.ones(len(equal), dtype=np.bool_)
    if overlap == "drop":
        kept = ~stands_in(near.training, near.holdout), ~close
        if units is not None:
            kept = kept[0] & ~np.isin(units[0], shared), kept[1] & ~np.isin(units[1], shared)
        _refuse_nothing(kept)
        found = replace(found, dropped=not (kept[0].all() and kept[1].all()))
    return HoldoutCheck(
        found, kept, found.repeated or found.dropped, tuple(_notes(found, kept, shared, units))
    )


def resolve_overlap(release: Release, overlap: str) -> tuple[Release, Overlap]:
    """The release with the rows that are judged and the check's notes, and the counts.

    Arguments and exceptions are those of `check_holdout`.
    """
    checked = check_holdout(release, overlap)
    notes = tuple(dict.fromkeys([*release.notes, *checked.notes]))
    return replace(checked.judged(release), notes=notes), checked.overlap


@dataclass(frozen=True)
class _Tables:
    """The rows of all tables by their ids, and whose they are."""

    exact: RowIds
    near: RowIds
    units: tuple[Ids, Ids] | None

    @property
    def training_units(self) -> Ids | None:
        return None if self.units is None else self.units[0]

    @property
    def holdout_units(self) -> Ids | None:
        return None if self.units is None else self.units[1]

    def repeats_within(self) -> bool:
        """Whether rows of one table are alike more often than rows of two tables."""
        if self.units is not None:
            return False
        training, holdout = self.near.training, self.near.holdout
        return any(
            _exceeds(stands_again(own, None), None, stands_in(other, own), None)
            and clumping(other, own) < -MORE_SURELY
            for own, other in ((training, holdout), (holdout, training))
        )

    def refuse_training(self, found: Overlap) -> None:
        near, units = self.near, (self.holdout_units, self.training_units)
        again = stands_again(near.training, units[1])
        if (
            _exceeds(stands_in(near.holdout, near.training), units[0], again, units[1])
            and clumping(near.holdout, near.training) > SURELY
        ):
            raise ValueError(
                f"{found.exact} rows of `real_validation_data` are also training rows and "
                f"{found.near} nearly so, of {found.n_holdout}, where {found.by_nature:.1%} of "
                f"the training rows repeat another: {NO_HOLDOUT}"
            )
        if is_same_file(self.exact.holdout, self.exact.training):
            raise ValueError(f"`real_validation_data` has the rows of `real_data`: {NO_HOLDOUT}")

    def refuse_synthetic(self) -> None:
        near = self.near
        for synthetic in near.synthetic:
            of_holdout = stands_in(near.holdout, synthetic)
            of_training = stands_in(near.training, synthetic)
            if _exceeds(of_holdout, self.holdout_units, of_training, self.training_units):
                raise ValueError(
                    f"{int(of_holdout.sum())} of {of_holdout.size} rows of `real_validation_data` "
                    f"stand in `synthetic_data`, but only {int(of_training.sum())} of "
                    f"{of_training.size} training rows: the release was made from these rows, or "
                    "the files were swapped. Pass as `real_data` the rows that the synthesizer "
                    "learned from, and as `real_validation_data` real rows that it never saw."
                )
        if any(is_same_file(self.exact.holdout, each) for each in self.exact.synthetic):
            raise ValueError(
                f"`real_validation_data` has the very rows of `synthetic_data`: {NO_HOLDOUT}"
            )


def _exceeds(flags: Flags, units: Ids | None, others: Flags, other_units: Ids | None) -> bool:
    """Whether a share is larger than another by more than 1 % and more than chance."""
    share, other = float(flags.mean()), float(others.mean())
    if share - other <= MOST_OVERLAP:
        return False
    n, m = _count(flags, units), _count(others, other_units)
    return newcombe(share * n, n, other * m, m, CONFIDENCE_LEVEL).low > 0.0


def _count(flags: Flags, units: Ids | None) -> int:
    return flags.size if units is None else int(np.unique(units).size)


def _shared_units(units: tuple[Ids, Ids] | None) -> NDArray[Any]:
    if units is None:
        return np.empty(0, dtype=np.int64)
    found = np.intersect1d(*units)
    return found[found >= 0]


def _refuse_units(shared: NDArray[Any], units: tuple[Ids, Ids] | None, release: Release) -> None:
    if shared.size and units is not None:
        raise ValueError(
            f"{shared.size} of {np.unique(units[1]).size} units ({release.unit!r}) of "
            "`real_validation_data` are also in the training rows: whoever has rows in both was "
            f"in the training data, so {NO_HOLDOUT} Where keys are numbered anew in each table, "
            "'keep' is right."
        )


def _refuse_nothing(kept: tuple[Flags, Flags]) -> None:
    for argument, rows, others in (
        ("real_validation_data", kept[1], "training"),
        ("real_data", kept[0], "holdout"),
    ):
        if not rows.any():
            raise ValueError(
                f"Every row of `{argument}` is also a {others} row: dropping them leaves no "
                "holdout to judge by. Pass rows that the synthesizer never saw."
            )


def _notes(
    found: Overlap, kept: tuple[Flags, Flags], shared: NDArray[Any], units: Any
) -> list[str]:
    notes = []
    if found.repeated:
        notes.append(
            "Rows repeat within the real tables more often than between them, as where a person "
            "stands there several times: equal rows of one table count as one unit."
        )
    if found.dropped:
        notes.append(
            f"{int((~kept[0]).sum())} training rows and {int((~kept[1]).sum())} holdout rows have "
            "a twin on the other side and are not judged (overlap='drop')."
        )
    elif shared.size:
        notes.append(
            f"{shared.size} units have the same key in training rows and holdout; they count as "
            "different ones (overlap='keep')."
        )
    return notes
