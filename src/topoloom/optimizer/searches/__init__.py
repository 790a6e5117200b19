"""Searches: annealing chains, tempering and successive halving, for hops and for weighted goals."""
