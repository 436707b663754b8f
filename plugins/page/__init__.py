"""The page: a disclosure report that a data steward can read in five minutes, and sign."""
