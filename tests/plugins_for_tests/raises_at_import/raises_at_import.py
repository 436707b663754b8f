"""A plugin that raises when it is imported."""

raise RuntimeError("no licence found")
