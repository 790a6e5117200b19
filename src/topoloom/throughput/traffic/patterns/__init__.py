"""Patterns of traffic; one file per kind, found because it is in this folder."""
