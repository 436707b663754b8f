"""Who satisfies which predicate, and whether two parts of a person lead to the same row."""
