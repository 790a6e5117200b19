"""Failures and their effects: survival curves, the cost of failures, and the lifetime of a network without repair."""
