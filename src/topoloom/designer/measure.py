"""What one candidate is worth: built, measured, placed and priced."""

from typing import Any

import msgspec

from topoloom.cost.bill import price
from topoloom.cost.parts import load_parts
from topoloom.designer.need import Need
from topoloom.errors import InputError
from topoloom.layout.layout import Layout, place
from topoloom.spec import build
from topoloom.topology import Topology


class Candidate(msgspec.Struct, frozen=True):
    """One measured candidate; units are in the names. `dropped` is the limit that it passes, or None.

    `oversubscription` is the hosts on a switch over those with full bandwidth (004 II.B.2: minimal routes, uniform
    traffic, mean channel load): 1 or less is full bandwidth. `bisection_per_host` is links cut per host, by METIS. A
    candidate that is out before everything was measured is not `complete`: what was not measured is 0 or None.
    """

    spec: str
    name: str
    family: str
    switches: int = 0
    hosts: int = 0
    links: int = 0
    radix: int = 0
    diameter: int = 0
    host_aspl: float = 0.0
    hop_histogram: tuple[int, ...] = ()
    oversubscription: float = 0.0
    bisection_links: int | None = None
    bisection_per_host: float | None = None
    cabinets: int = 0
    mean_cable_m: float = 0.0
    longest_cable_m: float = 0.0
    mean_latency_ns: float = 0.0
    worst_latency_ns: float = 0.0
    cost_per_host_usd: float = 0.0
    power_per_host_w: float = 0.0
    cost_usd: float = 0.0
    power_w: float = 0.0
    complete: bool = False
    dropped: str | None = None
    reason: str | None = None


def measure(spec: str, need: Need) -> Candidate:
    """Build, measure, place and price one candidate; a limit that it passes is named, not raised."""
    from topoloom.graph.cuts import cuts
    from topoloom.graph.distances import hops
    from topoloom.graph.latency import latencies
    from topoloom.graph.load import full_bandwidth_hosts

    family = spec.partition(":")[0]
    try:
        topology = build(spec)
    except InputError as error:
        return Candidate(spec, spec, family, dropped="construction", reason=str(error))
    known: dict[str, Any] = {
        "spec": spec, "name": topology.name, "family": family, "switches": topology.switches, "hosts": topology.hosts,
        "links": len(topology.links), "radix": topology.radix,
    }  # fmt: skip
    if topology.radix > need.switch.radix:
        return Candidate(**known, dropped="radix", reason=f"a switch needs {topology.radix} ports")
    if topology.hosts < need.hosts:
        return Candidate(**known, dropped="hosts", reason=f"it has room for {topology.hosts} hosts")
    try:
        layout = place_candidate(topology, need)
        bill = price(layout, load_parts(need.parts), need.rate_gbps, host_cables=need.cable.hosts)
    except InputError as error:
        return Candidate(**known, dropped="floor" if str(error).startswith("floor") else "parts", reason=str(error))
    distances = hops(topology, jobs=1)
    carrying = topology.endpoints_at[topology.endpoints_at > 0]
    known |= {
        "diameter": int(distances.host_diameter or 0),
        "host_aspl": float(distances.host_aspl or 0.0),
        "hop_histogram": tuple(distances.histogram.tolist()),
        "oversubscription": float(carrying.mean() / full_bandwidth_hosts(topology)) if len(topology.links) else 0.0,
        "cabinets": layout.cabinets,
        "mean_cable_m": layout.mean_length_m,
        "longest_cable_m": layout.longest_m,
        "cost_per_host_usd": bill.cost_per_host_usd,
        "power_per_host_w": bill.power_per_host_w,
        "cost_usd": bill.cost_usd,
        "power_w": bill.power_w,
    }
    # Latency and bisection take the longest: a candidate that is out already is spared them.
    limit = passed_limit(Candidate(**known), need)
    if limit:
        return Candidate(**known, dropped=limit)
    delay = latencies(topology, layout.length_m, need.switch.delay_ns, need.cable.delay_ns_per_m, jobs=1)
    cut = _bisection(topology, cuts)
    known |= {
        "bisection_links": cut,
        "bisection_per_host": None if cut is None else cut / topology.hosts,
        "mean_latency_ns": delay.mean_ns,
        "worst_latency_ns": delay.max_ns,
        "complete": True,
    }
    candidate = Candidate(**known)
    limit = passed_limit(candidate, need)
    return msgspec.structs.replace(candidate, dropped=limit) if limit else candidate


def place_candidate(topology: Topology, need: Need) -> Layout:
    """The layout that every candidate of a need gets."""
    return place(topology, need.floor.floor())


def passed_limit(candidate: Candidate, need: Need) -> str | None:
    """The first limit of the need that the candidate is past, or None."""
    for limit in need.limits.__struct_fields__:
        if limit == "cost_over_best":  # a limit among candidates, not of one
            continue
        most = getattr(need.limits, limit)
        # Published balanced networks round hosts up (p = ceil(k'/2)); a hair past a limit is not past it.
        if most is not None and getattr(candidate, limit) > most * (1 + 1e-9):
            return limit
    return None


def _bisection(topology: Topology, cuts: Any) -> int | None:
    """METIS's best of four seeds, or None where pymetis is not installed."""
    if topology.switches < 2:
        return None
    try:
        return int(cuts(topology, parts=2, seeds=4).links)
    except InputError:
        return None
