"""Structured starts: groups, voltage lifts, mirror symmetry, algebraic graphs."""
