"""Tables that are larger than memory: dask frames, of which one partition at a time is read.

How all partitions are brought into one form, how rows are drawn from them, and how work on each is
run by dask.
"""
