"""Compiled loops of qap: functions of arrays and numbers, nothing else."""
