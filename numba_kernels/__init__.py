"""Compiled kernels: float64 arrays in, arrays out. See the header of each module."""
