"""Kernels of traffic patterns."""
