"""What becomes of a candidate: its measures, or the limit that it exceeds."""

from collections.abc import Iterator, Mapping

import msgspec

from topoloom.cost.parts import Parts
from topoloom.designer.names import network_name
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits
from topoloom.placement.layout.place import SCREENING_MAP
from topoloom.topologies.spec.titles import network_title


class Candidate(msgspec.Struct, frozen=True, tag="candidate"):
    """A candidate with all its measures; units are in the names.

    `name` is for people ("2:1 fat tree, 70 QM9700"); `spec` builds the network.

    `diameter` and `host_aspl` are between the hosts' switches. `oversubscription` is the hosts per switch over the number
    that would have full bandwidth by the mean channel load (Besta 2014 II.B.2: shortest paths, uniform traffic), and at least
    that of the links of the switches with hosts.
    `maximum_channel_load` is in units of a link's rate: every host sends at full rate to all others, split evenly over all
    shortest paths; at 1 or less no channel is overloaded; None where the requirement does not need it. `bisection_links` is
    the best cut by METIS, over all planes; None where METIS is not installed. `map` is the placement behind lengths,
    latencies, cost and power: ``rows`` for screened candidates, the default of `place` for the shortlist. Hops, loads and
    latencies are those of the worst plane. `blocking` is the blocking factor: in a tree, host ports per link up at the
    narrowest level; in other networks, `oversubscription`. `taper` is the most ports down per port up at any level; None
    without levels. `room_hosts` is the number of hosts that can come later without moving a cable: on idle ports, and on the
    leaves or groups that a network sized for growth has free ports for. Of such a network `radix` is that after the growth;
    `oversubscription`, `maximum_channel_load`, `blocking` and `taper` are the worse of now and then. `survives` names the kinds
    of part that may fail without cutting a host off. The times are those of `designer.offers.collective_times`; None where the
    requirement does not need them.
    """

    spec: str
    name: str
    family: str
    switches: int
    hosts: int
    links: int
    radix: int
    diameter: int
    host_aspl: float
    hop_histogram: tuple[int, ...]
    oversubscription: float
    maximum_channel_load: float | None
    bisection_links: int | None
    bisection_per_host: float | None
    racks: int
    mean_cable_m: float
    longest_cable_m: float
    mean_latency_ns: float
    worst_latency_ns: float
    cost_per_host_usd: float
    power_per_host_w: float
    cost_usd: float
    power_w: float
    map: str = SCREENING_MAP
    planes: int = 1
    host_cable_m: float | None = None
    taper: float | None = None
    bisection_gbps_per_host: float | None = None
    room_hosts: int = 0
    survives: tuple[str, ...] = ()
    all_to_all_ms: float | None = None
    all_reduce_ms: float | None = None
    step_ms: float | None = None
    blocking: float | None = None


_WORDS = ("spec", "name", "family", "hop_histogram", "map", "survives")


#: The measures of a candidate that are single numbers.
MEASURES = tuple(f for f in Candidate.__struct_fields__ if f not in _WORDS)


class Dropped(msgspec.Struct, frozen=True, tag="dropped"):
    """A dropped candidate: the limit that it exceeds or the step that failed, the reason, and the measures known by then."""

    spec: str
    family: str
    limit: str
    reason: str | None = None
    known: dict[str, float | int] = {}


Outcome = Candidate | Dropped


def outcome_name(outcome: Outcome, requirement: Requirement, parts: Parts) -> str:
    """The name of a network for people; that of a dropped one as far as its switches are known.

    Parameters
    ----------
    outcome : Candidate or Dropped
    requirement : Requirement
    parts : Parts
        The requirement's catalogue, for the names of switches.

    Returns
    -------
    str
    """
    if isinstance(outcome, Candidate):
        return outcome.name
    switches, radix = (int(outcome.known.get(key, 0)) for key in ("switches", "radix"))
    if not switches or not radix or requirement.rates:
        return network_title(outcome.spec)
    return network_name(outcome.spec, switches, radix, parts, requirement.rate_gbps)


def passed_limit(measures: Mapping[str, float], limits: DesignLimits) -> str | None:
    """The first limit that the measures of a candidate exceed, or None; unknown measures are not compared."""
    return next(exceeded_limits(measures, limits), None)


def exceeded_limits(measures: Mapping[str, float], limits: DesignLimits) -> Iterator[str]:
    """The limits that the measures of a candidate exceed; unknown measures are not compared."""
    for limit in limits.__struct_fields__:
        if limit == "cost_over_best":  # compares candidates with each other
            continue
        most = getattr(limits, limit)
        # A value that equals its limit except for rounding does not exceed it.
        if most is not None and limit in measures and measures[limit] > most * (1 + 1e-9):
            yield limit


def single_numbers(candidate: Candidate) -> dict[str, float]:
    """The measures of a candidate that are single numbers; those that are None are omitted."""
    return {key: value for key in MEASURES if (value := getattr(candidate, key)) is not None}
