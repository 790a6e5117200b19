"""Shortest paths with loads as even as possible: the search, the exact answer, and the bounds."""
