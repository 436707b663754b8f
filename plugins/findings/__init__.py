"""What may be shown of what was found: aggregates, no small groups, no quoted values."""
