"""What whoever holds the synthesizer can find out: attacks by refitting it, and by canaries.

The synthesizer is fitted again and again on parts of the table that coins choose. What its rows
then say about the coins is what it gives away, and it bounds from below any epsilon claimed for it.
"""
