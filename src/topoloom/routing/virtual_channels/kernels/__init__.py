"""Kernels that keep virtual channels free of cycles."""
