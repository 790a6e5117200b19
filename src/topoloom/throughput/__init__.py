"""Throughput: how much traffic a network can carry at most, and how much given tables carry."""
