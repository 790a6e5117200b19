"""Compiled kernels of collectives: maximum flows, and the packing of trees with many of them."""
