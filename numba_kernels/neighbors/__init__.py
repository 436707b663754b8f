"""Distances and nearest rows, in blocks, never queries x rows in full."""
