"""Traffic between hosts or switches, one type for all analyses, and the patterns of traffic by name."""

from topoloom.throughput.traffic.finite import Loop, Trace
from topoloom.throughput.traffic.given import hosts_matrix, with_host_rates
from topoloom.throughput.traffic.making import (
    host_permutation,
    host_rates,
    host_switches,
    hosts_on,
    matrix,
    pairs_between,
    permutation,
    uniform_remote,
)
from topoloom.throughput.traffic.register import (
    PATTERNS,
    Pattern,
    PatternRequest,
    TablesNeededError,
    pattern,
    traffic_of,
)
from topoloom.throughput.traffic.traffic import LISTS, MATRIX, REMOTE, ROUND, UNIFORM, Traffic

__all__ = [
    "LISTS",
    "MATRIX",
    "PATTERNS",
    "REMOTE",
    "ROUND",
    "UNIFORM",
    "Loop",
    "Pattern",
    "PatternRequest",
    "TablesNeededError",
    "Trace",
    "Traffic",
    "host_permutation",
    "host_rates",
    "host_switches",
    "hosts_matrix",
    "hosts_on",
    "matrix",
    "pairs_between",
    "pattern",
    "permutation",
    "traffic_of",
    "uniform_remote",
    "with_host_rates",
]
