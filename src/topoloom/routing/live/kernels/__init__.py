"""Kernels of installed tables."""
