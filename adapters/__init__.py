"""From tables and generators to a `Release`, and from a `Release` to numbers."""

from sdmetrics_disclosure.adapters.ctgan import from_ctgan
from sdmetrics_disclosure.adapters.entities import from_tables
from sdmetrics_disclosure.adapters.kinds import Kind
from sdmetrics_disclosure.adapters.release import Release
from sdmetrics_disclosure.adapters.sdv import from_sdv
from sdmetrics_disclosure.adapters.sources import from_files, from_frames

__all__ = [
    "Kind",
    "Release",
    "from_ctgan",
    "from_files",
    "from_frames",
    "from_sdv",
    "from_tables",
]
