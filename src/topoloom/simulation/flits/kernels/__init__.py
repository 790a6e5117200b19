"""Compiled loops of simulator: functions of arrays and numbers, nothing else."""
