"""The release: real, synthetic and holdout rows in one form. The one place data is checked."""
