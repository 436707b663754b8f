"""What every room uses and nothing of ours is used by.

Intervals and p-values for rates, the one random-state policy, the checks of options, and how work
is handed to threads and to other processes. Numbers in, numbers out: no attack is known here.
"""
