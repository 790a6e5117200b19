"""Clusters of switches that are linked much among themselves, each no larger than a rack."""
