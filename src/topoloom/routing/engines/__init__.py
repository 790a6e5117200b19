"""Engines: each makes tables for a topology; one file an engine, found because it is in this folder."""
