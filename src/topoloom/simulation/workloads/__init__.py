"""Workloads of other tools: GOAL and Chakra files are read as schedules, and schedules are written as GOAL."""
