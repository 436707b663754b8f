"""SDV's synthesizers with their defaults, as generators; SDV must be installed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from generators import Generator
from sdv.metadata import Metadata
from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer, TVAESynthesizer

from sdmetrics_disclosure.adapters.sources.runners import SdvRunner

TABLE = "table"


def synthesize(
    training: pd.DataFrame, fresh: pd.DataFrame, rng: np.random.Generator, synthesizer: Any
) -> pd.DataFrame:
    """Fit on the training rows, with the metadata that SDV detects, and sample as many."""
    metadata = Metadata.detect_from_dataframes({TABLE: training}, infer_keys=None)
    for column, described in metadata.tables[TABLE].columns.items():
        if described["sdtype"] == "id":  # whole numbers of which no two are equal
            metadata.update_column(column, sdtype="numerical")
    seed = int(rng.integers(2**31))
    sampled: pd.DataFrame = SdvRunner(synthesizer(metadata))(training, {}, seed)[TABLE]
    return sampled


SDV_GENERATORS: dict[str, Generator] = {
    "Gaussian copula": partial(synthesize, synthesizer=GaussianCopulaSynthesizer),
    "CTGAN": partial(synthesize, synthesizer=CTGANSynthesizer),
    "TVAE": partial(synthesize, synthesizer=TVAESynthesizer),
}
