"""Skeletons of the NAS Parallel Benchmarks: their messages and their computing, without their numbers."""
