"""The parameters of the three metrics, documented and checked once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sdmetrics_disclosure.plugins.base.options import OVERLAPS, CommonOptions
from sdmetrics_disclosure.plugins.base.roles import check_column_names
from sdmetrics_disclosure.plugins.common.validation import check_choice, check_count


@dataclass(frozen=True)
class CopiesOptions(CommonOptions):
    """Parameters of every metric that compares training people with people never seen.

    Args:
        overlap:
            What to do where the holdout stands in the training rows: "refuse" (an error), "drop"
            those holdout rows, or "keep" them.
    """

    overlap: str = "refuse"

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_choice("overlap", self.overlap, OVERLAPS)


@dataclass(frozen=True)
class ExchangeOptions(CopiesOptions):
    """Parameters of every metric with a permutation test.

    Args:
        n_permutations:
            How often training and holdout people change places.
    """

    n_permutations: int = 500

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        check_count("n_permutations", self.n_permutations, 20)


@dataclass(frozen=True)
class SingleOutOptions(ExchangeOptions):
    """Parameters of singling out.

    Args:
        n_columns:
            Conditions of a predicate. 1: extreme numbers and values that one synthetic row has.
        n_attacks:
            The most predicates; how many were found is what rates divide by.
        max_tries:
            The most that are tried, where they have several columns.
    """

    n_columns: int = 3
    n_attacks: int = 300
    max_tries: int = 20_000

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        for argument in ("n_columns", "n_attacks", "max_tries"):
            check_count(argument, getattr(self, argument), 1)


@dataclass(frozen=True)
class LinkabilityOptions(ExchangeOptions):
    """Parameters of linkability.

    Args:
        column_sets:
            The two lists of columns that are held apart. None: all columns, dealt alternately in
            the order of their names.
    """

    column_sets: Sequence[Sequence[Hashable]] | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        super().__post_init__()
        if self.column_sets is None:
            return
        if isinstance(self.column_sets, str) or len(self.column_sets) != 2:
            raise ValueError("`column_sets` must be two lists of column names, or None.")
        for columns in self.column_sets:
            check_column_names("column_sets", columns)
        both = set(self.column_sets[0]) & set(self.column_sets[1])
        if both:
            raise ValueError(
                f"Column {sorted(map(repr, both))[0]} is in both lists of `column_sets`; take it "
                "out of one."
            )
