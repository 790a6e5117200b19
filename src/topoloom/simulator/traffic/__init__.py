"""Traffic: who sends to whom. One function a pattern, found by its name."""

from topoloom.simulator.traffic.kinds import LISTS, ROUND, UNIFORM, Loop, Trace, Traffic
from topoloom.simulator.traffic.registry import Pattern, find_pattern, patterns, traffic_of

__all__ = ["LISTS", "ROUND", "UNIFORM", "Loop", "Pattern", "Trace", "Traffic", "find_pattern", "patterns", "traffic_of"]
