"""Skeletons of the NAS Parallel Benchmarks: their messages and amounts of computing, without the numerical work."""
