"""Compiled loops of throughput: functions of arrays and numbers, nothing else."""
