"""Compiled kernels of throughput: functions of arrays and numbers only."""
