"""Equal rows of tables in partitions: a number a row comes back from where the row is."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdmetrics_disclosure.adapters.release.release import take_columns
from sdmetrics_disclosure.adapters.release.schema import TableSchema
from sdmetrics_disclosure.adapters.release.tables import HOLDOUT, REAL
from sdmetrics_disclosure.plugins.holdout.repeats import Ids, RowIds
from sdmetrics_disclosure.plugins.partitions.map_partitions import map_partitions
from sdmetrics_disclosure.plugins.partitions.release import PartitionedRelease

NOT_NEAR = (
    "The holdout rows that take part were looked for among the training rows of every partition: "
    "equal ones are counted, nearly equal ones were not looked for."
)


def find_partition_ids(tables: PartitionedRelease, holdout: pd.DataFrame | None = None) -> RowIds:
    """The ids of equal rows; 8 bytes a record.

    Args:
        tables:
            The synthetic samples, and where the real rows are.
        holdout:
            The rows that stand for the holdout; None: all of its partitions.
    """
    columns = tables.release.columns
    training = map_partitions(_hash_partition, tables.real, tables.schema, REAL)
    held = (
        map_partitions(_hash_partition, tables.holdout, tables.schema, HOLDOUT)
        if holdout is None
        else [hash_rows(take_columns(holdout, columns))]
    )
    return RowIds(
        training=np.concatenate(training),
        holdout=np.concatenate(held),
        synthetic=tuple(
            hash_rows(take_columns(frame, columns)) for frame in tables.release.synthetic
        ),
    )


def _hash_partition(part: pd.DataFrame, schema: TableSchema, argument: str) -> Ids:
    return hash_rows(schema.transform(part, argument))


def hash_rows(frame: pd.DataFrame) -> Ids:
    """A number for each row, the same for equal rows: two others share one by a chance of 2^-64."""
    columns = (frame.iloc[:, i] for i in range(frame.shape[1]))
    codes = {
        i: column.cat.codes
        if isinstance(column.dtype, pd.CategoricalDtype)
        else column + 0.0  # -0.0 is 0.0
        for i, column in enumerate(columns)
    }
    hashed = pd.util.hash_pandas_object(pd.DataFrame(codes), index=False)
    return hashed.to_numpy().view(np.int64)
