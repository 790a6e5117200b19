"""Kernels of the searches: moves, and what they change."""
