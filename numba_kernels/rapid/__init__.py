"""RAPID's score arithmetic, and what its rates become when records are resampled or permuted."""
