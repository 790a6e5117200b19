"""Compiled kernels of the flit-level simulator: functions of arrays and numbers only."""
