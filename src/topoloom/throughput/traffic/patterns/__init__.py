"""Patterns of traffic; one file per kind, each found because it is in this folder."""
