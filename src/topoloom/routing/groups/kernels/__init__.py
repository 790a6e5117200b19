"""Kernels of next-hop groups."""
