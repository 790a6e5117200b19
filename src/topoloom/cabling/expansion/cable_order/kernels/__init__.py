"""Kernels of the order of work."""
