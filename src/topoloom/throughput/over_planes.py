"""Measures of a network's planes as those of the whole: every host spreads its traffic evenly over its planes."""

from collections.abc import Sequence
from dataclasses import replace

from topoloom.throughput.approximate import Bracket
from topoloom.throughput.result import Quality

#: What the slowest plane decides, for all planes carry the same share.
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


def quality_of_planes(found: Sequence[Quality], alike: Sequence[int]) -> Quality:
    """The quality of a network out of those of its planes, but for what is counted over all switches.

    A throughput is that of the slowest plane, the busiest channel that of the busiest one, and the effective bisection the
    mean over the hosts' ports. A single kind of plane gives its own numbers.

    Parameters
    ----------
    found : sequence of Quality
        Of each kind of plane.
    alike : sequence of int
        How many planes are of each kind.

    Returns
    -------
    Quality
        With switches, hosts, loads and provenance of the first.
    """
    first = found[0]
    hosts = sum(one.hosts * count for one, count in zip(found, alike, strict=True))
    changes: dict[str, object] = {"hosts": hosts}
    if len(found) == 1:
        return replace(first, **changes)  # type: ignore[arg-type]
    for name in _LEAST:
        values = [getattr(one, name) for one in found]
        changes[name] = None if None in values else min(values)
    for name in _BRACKETS:
        brackets: list[Bracket | None] = [getattr(one, name) for one in found]
        known = [one for one in brackets if one is not None]
        changes[name] = (
            Bracket(min(b.lower for b in known), min(b.upper for b in known), max(b.turns for b in known))
            if len(known) == len(found)
            else None
        )
    loads = [one.worst_load for one in found]
    share = [one.hosts * count / max(1, hosts) for one, count in zip(found, alike, strict=True)]
    changes |= {
        "worst_load": None if None in loads else max(load for load in loads if load is not None),
        "edge_forwarding_index": max(one.edge_forwarding_index for one in found),
        "effective_bisection": sum(one.effective_bisection * part for one, part in zip(found, share, strict=True)),
        # Planes are drawn by the same seed, so that their errors may go together.
        "effective_bisection_error": sum(
            one.effective_bisection_error * part for one, part in zip(found, share, strict=True)
        ),
    }
    return replace(first, **changes)  # type: ignore[arg-type]
