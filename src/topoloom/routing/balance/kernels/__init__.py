"""Kernels of even loads."""
