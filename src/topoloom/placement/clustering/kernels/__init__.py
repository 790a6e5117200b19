"""Compiled loops of clustering: functions of arrays and numbers, nothing else."""
