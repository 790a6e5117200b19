"""Workloads of other tools: files of GOAL and of Chakra read as schedules, and ours written for them."""
