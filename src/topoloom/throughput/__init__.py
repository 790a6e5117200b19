"""Throughput: how much traffic a network can carry at most, and how much of it given tables let through."""
