"""Compiled kernels of failures: functions of arrays and numbers only."""
