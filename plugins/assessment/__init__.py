"""Judging a synthesizer before it releases anything."""
