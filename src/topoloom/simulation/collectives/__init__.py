"""Collectives: the least time of each on a network, and schedules of trees that reach it."""
