"""Kernels that keep lanes free of cycles."""
