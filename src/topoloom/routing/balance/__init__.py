"""Shortest paths with loads as even as can be: the search, the exact answer, and the bounds beside them."""
