"""Compiled loops of expansion: functions of arrays and numbers, nothing else."""
