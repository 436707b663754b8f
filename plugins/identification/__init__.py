"""The regulator's questions beside inference: real rows in the release, singling out, linkability.

Each compares what the synthetic rows say of the training rows with what they say of people that
the synthesizer never saw. The numerics know arrays and frames; the metrics come on top.
"""
