"""A library whose synthetic table is a list with a dict a row, and its adapter."""

import pandas as pd

from sdmetrics_disclosure.adapters import from_frames
from sdmetrics_disclosure.plugins import hookimpl


class Rows(list):
    """What the library gives."""


@hookimpl
def load_release(source, real_data, metadata, real_validation_data):
    if isinstance(source, Rows):
        frame = pd.DataFrame(source)
        release = from_frames(real_data, frame, metadata, real_validation_data=real_validation_data)
        return {"table": release}
    return None
