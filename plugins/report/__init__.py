"""The disclosure report: every registered metric on every table, held against a policy."""
