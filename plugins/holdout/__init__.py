"""The holdout, for every metric and report: whether it is one, which rows repeat, in which order.

Equal and nearly equal rows within and between tables, the wrong file, and one order of rows and
columns from their content, so that halves and splits depend on nothing else.
"""
