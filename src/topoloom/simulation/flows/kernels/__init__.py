"""Compiled loops of flows: functions of arrays and numbers, nothing else."""
