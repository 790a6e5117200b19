"""Arbiters: each a function (requester, size, last, served, born) -> rank that Numba compiles; the lowest rank wins."""
