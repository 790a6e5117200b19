"""Allocators: each a function of `topoloom.simulation.flits.router_parts.Requests` that Numba compiles."""
