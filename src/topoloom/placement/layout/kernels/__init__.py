"""Compiled loops of layout: functions of arrays and numbers, nothing else."""
