"""From tables and generators to a `Release`, and from a `Release` to numbers."""

from sdmetrics_disclosure.adapters.release.kinds import Kind
from sdmetrics_disclosure.adapters.release.release import Release
from sdmetrics_disclosure.adapters.sources.ctgan import from_ctgan
from sdmetrics_disclosure.adapters.sources.entities import from_tables
from sdmetrics_disclosure.adapters.sources.sdv import from_sdv
from sdmetrics_disclosure.adapters.sources.sources import from_files, from_frames

__all__ = [
    "Kind",
    "Release",
    "from_ctgan",
    "from_files",
    "from_frames",
    "from_sdv",
    "from_tables",
]
