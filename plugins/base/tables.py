"""The tables as the caller passed them: one object, handed on to whoever checks them."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

from sdmetrics_disclosure.adapters.release.release import Release, build_release
from sdmetrics_disclosure.plugins.partitions.release import (
    PartitionedRelease,
    is_partitioned,
    open_partitions,
)


@dataclass(frozen=True)
class Tables:
    """What a caller passes, unchecked.

    Attributes:
        real: The real rows the synthesizer learned from: a frame, or a dict of frames.
        synthetic: The synthetic rows; a list of frames are replicates.
        metadata: SDMetrics' metadata in any form, or None.
        table_name: Which table of the metadata and the dicts, where there are several.
        holdout: Real rows the synthesizer never saw, or None.
    """

    real: Any
    synthetic: Any
    metadata: Any = None
    table_name: str | None = None
    holdout: Any = None

    @property
    def in_partitions(self) -> bool:
        """Whether any of them is a dask frame."""
        return is_partitioned([self.real, self.synthetic, self.holdout])

    def release(self, include_column_names: Collection[Hashable]) -> Release:
        """The checked tables in memory (see `build_release`)."""
        return build_release(
            self.real,
            self.synthetic,
            self.metadata,
            real_validation_data=self.holdout,
            table_name=self.table_name,
            include_column_names=include_column_names,
        )

    def partitions(
        self, include_column_names: Collection[Hashable], num_rows: int | None, random_state: Any
    ) -> PartitionedRelease:
        """What an attacker sees of tables in partitions, and where their rows are.

        Args:
            include_column_names:
                Columns that take part whatever they are.
            num_rows:
                The most rows of the synthetic sample; None: as `open_partitions` has it.
            random_state:
                Draws the samples.
        """
        return open_partitions(
            self.real,
            self.synthetic,
            self.metadata,
            self.table_name,
            self.holdout,
            include_column_names=include_column_names,
            num_rows=num_rows,
            random_state=random_state,
        )
