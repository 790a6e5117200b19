"""Kernels that grow trees of next hops."""
