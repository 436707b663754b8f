"""The limits a release must keep, and the verdict: limits held against intervals."""
