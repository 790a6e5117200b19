"""Combine the measures of planes into those of the whole network: every host spreads its traffic evenly over its planes.

Where planes differ in rate, a host spreads its traffic in proportion to the rates of its ports.
"""

from collections.abc import Sequence
from dataclasses import replace

from topoloom.throughput.approximate import Bracket
from topoloom.throughput.result import Quality

#: Measures that the slowest plane determines, as all planes carry the same share.
_LEAST = (
    "uniform_throughput",
    "worst_throughput",
    "permutation_throughput",
    "uniform_bound",
    "tub",
    "traffic_throughput",
    "traffic_bound",
)
_BRACKETS = ("uniform_flow", "permutation_flow", "worst_flow", "traffic_flow")


def quality_of_planes(qualities: Sequence[Quality], counts: Sequence[int], rates: Sequence[float]) -> Quality:
    """Return the quality of a network from those of its planes, except for what is counted over all switches.

    A throughput is that of the slowest plane, the maximum channel load that of the most loaded plane, and the effective
    bisection the mean over the hosts' ports. A single kind of plane keeps its own numbers.

    Parameters
    ----------
    qualities : sequence of Quality
        One per kind of plane.
    counts : sequence of int
        How many planes are of each kind.
    rates : sequence of float
        The rate of all host ports in a plane of each kind, in the same unit.

    Returns
    -------
    Quality
        With switches, hosts, loads and provenance of the first.
    """
    first = qualities[0]
    hosts = sum(quality.hosts * count for quality, count in zip(qualities, counts, strict=True))
    changes: dict[str, object] = {"hosts": hosts}
    if len(qualities) == 1:
        return replace(first, **changes)  # type: ignore[arg-type]
    for name in _LEAST:
        changes[name] = slowest([getattr(quality, name) for quality in qualities])
    for name in _BRACKETS:
        brackets: list[Bracket | None] = [getattr(quality, name) for quality in qualities]
        given_brackets = [quality for quality in brackets if quality is not None]
        changes[name] = (
            Bracket(
                min(b.lower for b in given_brackets),
                min(b.upper for b in given_brackets),
                max(b.turns for b in given_brackets),
            )
            if len(given_brackets) == len(qualities)
            else None
        )
    loads = [quality.worst_load for quality in qualities]
    pairs = [quality.max_channel_load for quality in qualities]
    whole = sum(rate * count for rate, count in zip(rates, counts, strict=True))
    share = [rate * count / max(1, whole) for rate, count in zip(rates, counts, strict=True)]
    changes |= {
        "worst_load": None if None in loads else max(load for load in loads if load is not None),
        "max_channel_load": None if None in pairs else max(load for load in pairs if load is not None),
        "edge_forwarding_index": max(quality.edge_forwarding_index for quality in qualities),
        "effective_bisection": sum(
            quality.effective_bisection * part for quality, part in zip(qualities, share, strict=True)
        ),
        # Bisections of all planes are drawn by the same seed, so their errors may be correlated: add them up.
        "effective_bisection_error": sum(
            quality.effective_bisection_error * part for quality, part in zip(qualities, share, strict=True)
        ),
    }
    return replace(first, **changes)  # type: ignore[arg-type]


def slowest(values: Sequence[float | None]) -> float | None:
    """Return the measure of the slowest plane; None if a plane lacks it."""
    given = [value for value in values if value is not None]
    return min(given) if len(given) == len(values) else None
