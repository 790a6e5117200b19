"""Patterns of traffic; one file a kind, found because it is in this folder."""
