"""Compiled loops of families: functions of arrays and numbers, nothing else."""
