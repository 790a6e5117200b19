"""Kernels of tables in force."""
