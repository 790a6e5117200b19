"""Compiled loops of graph: functions of arrays and numbers, nothing else."""
