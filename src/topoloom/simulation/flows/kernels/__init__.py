"""Compiled kernels of flows: functions of arrays and numbers only."""
