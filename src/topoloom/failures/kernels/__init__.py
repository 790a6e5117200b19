"""Compiled loops of resilience: functions of arrays and numbers, nothing else."""
