"""Optimising: the same switches and degrees, fewer hops, less latency, fewer watts."""
