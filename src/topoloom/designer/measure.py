"""The measures of one candidate: it is built, placed, priced and measured."""

from collections.abc import Iterable
from math import isnan
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import Bill, price
from topoloom.cost.parts import Parts
from topoloom.cost.products import shown_ports
from topoloom.cost.switch_kinds import port_counts
from topoloom.designer.facility_check import check_power, check_room
from topoloom.designer.names import name_of_network
from topoloom.designer.offers import bisection, collective_times, survived, tree_blocking, worst_taper
from topoloom.designer.outcomes import Candidate, Dropped, Outcome, passed_limit, single_numbers
from topoloom.designer.placing import place_candidate, placed_networks
from topoloom.designer.requirement import Requirement
from topoloom.designer.switch_ports import SwitchPorts
from topoloom.designer.wiring import whole_spec
from topoloom.graph.latency import latencies
from topoloom.graph.load import channel_loads, oversubscription
from topoloom.graph.path_lengths import PathLengths, host_path_lengths, path_lengths
from topoloom.graph.planes import Plane, plane_count, planes_of
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import DEFAULT_MAP
from topoloom.topologies.spec import build


def measure(spec: str, requirement: Requirement, parts: Parts, flag: np.ndarray | None = None) -> Outcome:
    """Build, measure, place and price one candidate; a limit that it exceeds is returned, not raised.

    Parameters
    ----------
    spec : str
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    flag : uint8[1], optional
        The measuring ends as soon as this is not 0.

    Returns
    -------
    Candidate or Dropped
        All its measures; or the limit that it exceeds, with what was measured by then.

    Raises
    ------
    Stopped
        The measuring was ended by `flag`.
    """
    work = Work()
    work.flag = work.flag if flag is None else flag
    family = spec.partition(":")[0]
    try:
        topology = build(spec)
    except InputError as error:
        return Dropped(spec, family, "construction", str(error))
    grown = None if whole_spec(spec) == spec else build(whole_spec(spec))
    return measure_network(spec, family, topology, requirement, parts, work, grown)


def measure_network(
    spec: str,
    family: str,
    topology: Topology,
    requirement: Requirement,
    parts: Parts,
    work: Work,
    grown: Topology | None = None,
    layout: Layout | None = None,
) -> Outcome:
    """Measure a network that is built already: place it unless it has a layout, and price it.

    Parameters
    ----------
    spec, family : str
        What the outcome is called.
    topology : Topology
    requirement, parts
        As in `measure`.
    work : Work
        Can stop the measuring.
    grown : Topology, optional
        The network after its growth.
    layout : Layout, optional
        Its layout; placed row by row if omitted.

    Returns
    -------
    Candidate or Dropped

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    measures: dict[str, float] = {}

    def out(limit: str, reason: object = None) -> Dropped:
        return Dropped(spec, family, limit, None if reason is None else str(reason), measures)

    planes = planes_of(topology) if wired(topology) else ()
    whole = topology if grown is None else grown
    if not planes:
        return out("construction", "its parts are joined neither by links nor by hosts")
    states = (topology,) if grown is None else (topology, grown)
    taper, blocking = _worst(map(worst_taper, states)), _worst(map(tree_blocking, states))
    sold = SwitchPorts.of(requirement, parts)
    room = whole.hosts - topology.hosts + sold.idle_hosts(whole, parts) // requirement.ports_per_host
    measures |= {
        "switches": topology.switches,
        "hosts": topology.hosts,
        "links": len(topology.links),
        "radix": whole.radix,
        "planes": len(planes),
        "room_hosts": room,
    } | {key: value for key, value in (("taper", taper), ("blocking", blocking)) if value is not None}
    if not sold.carries(whole):
        return out("radix", f"a switch needs {_most_ports(whole)} ports")
    if topology.hosts < requirement.hosts:
        return out("hosts", f"it has room for {topology.hosts} hosts")
    if (limit := passed_limit(measures, requirement.limits)) is not None:
        return out(limit)
    try:
        check_power(whole, requirement, parts)
    except InputError as error:
        return out("facility", error)
    wanted, least = requirement.least.survives, requirement.least.grow_to_hosts
    survives = survived(topology, len(planes)) if wanted else frozenset()
    if not survives.issuperset(wanted):
        first_lost = next(kind for kind in wanted if kind not in survives)
        return out("survives", f"a host is cut off when one {first_lost} is lost")
    if least is not None and topology.hosts + room < least:
        return out("grow_to_hosts", f"its ports serve at most {topology.hosts + room:,} hosts, {least:,} are wanted")
    try:
        layout = place_candidate(topology, requirement, parts, grown) if layout is None else layout
    except InputError as error:
        return out("floor", error)
    try:
        bill = priced(layout, requirement, parts, grown)
    except InputError as error:
        return out("parts", error)
    try:
        check_room(layout, requirement, parts)
    except InputError as error:
        return out("facility", error)
    distances, host_aspl, host_diameter = _hops(planes, work)
    measures |= _of_layout(layout, bill) | {
        "diameter": host_diameter,
        "host_aspl": host_aspl,
        "oversubscription": max(
            oversubscription(plane.topology, jobs=1) for state in states for plane in _one_per_kind(planes_of(state))
        ),
    }
    measures.setdefault("blocking", measures["oversubscription"])
    work.check()
    # The remaining measures take the longest: check the limits before them.
    if (limit := passed_limit(measures, requirement.limits)) is not None:
        return out(limit)
    measures |= _latencies(layout, requirement, planes, jobs=1)
    if (limit := passed_limit(measures, requirement.limits)) is not None:
        return out(limit)
    work.check()
    # The most expensive measure to compute: only where the requirement needs it.
    if requirement.limits.maximum_channel_load is not None or requirement.minimize in (
        "maximum_channel_load",
        "all_to_all_ms",
        "step_ms",
    ):
        measures["maximum_channel_load"] = max(maximum_channel_load(state, jobs=1) for state in states)
        if (limit := passed_limit(measures, requirement.limits)) is not None:
            return out(limit)
    if requirement.minimize in _TIMES:
        measures |= collective_times(requirement, topology.hosts, measures)
    cut = bisection(planes, requirement.rate_gbps)
    if cut is not None:
        measures["bisection_gbps_per_host"] = 2 * cut[1] / topology.hosts
    wide = requirement.least.bisection_gbps_per_host
    if wide is not None and measures.get("bisection_gbps_per_host", 0.0) < wide * (1 - 1e-9):
        return out("bisection_gbps_per_host", f"{measures.get('bisection_gbps_per_host', 0.0):.4g} Gb/s per host")
    name = name_of_network(spec, topology, parts, requirement.rate_gbps, whole.radix)
    fields = {
        "maximum_channel_load": None,
        **measures,
        "bisection_links": None if cut is None else cut[0],
        "bisection_per_host": None if cut is None else cut[0] / topology.hosts,
        "hop_histogram": tuple(distances.histogram.tolist()),
        "survives": tuple(sorted(survives)),
    }
    return msgspec.convert({"spec": spec, "name": name, "family": family, "type": "candidate", **fields}, Candidate)


def _worst(values: Iterable[float | None]) -> float | None:
    """The largest of the values that are known."""
    return max((value for value in values if value is not None), default=None)


def _most_ports(topology: Topology) -> str:
    """The ports of the switch with most of them, in words."""
    if not topology.mixed:
        return str(topology.radix)
    counts = port_counts(topology)
    most = counts[counts.sum(axis=1).argmax()].tolist()
    return shown_ports({rate: count for rate, count in zip(topology.rates_gbps.tolist(), most, strict=True) if count})


_TIMES = ("all_to_all_ms", "all_reduce_ms", "step_ms")


def wired(topology: Topology) -> bool:
    """Whether every host reaches every other: the network is connected, or hosts connect its planes."""
    return plane_count(topology) > 0


def _one_per_kind(planes: tuple[Plane, ...]) -> list[Plane]:
    """One plane of each kind: planes with equal digests are alike."""
    return list({plane.topology.digest: plane for plane in planes}.values())


def _hops(planes: tuple[Plane, ...], work: Work) -> tuple[PathLengths, float, int]:
    """The path lengths, the mean hops and the diameter between hosts, of the plane with the greatest mean."""
    of_planes = []
    for plane in _one_per_kind(planes):
        distances = path_lengths(plane.topology, jobs=1, work=work)
        aspl, diameter = host_path_lengths(plane.topology, distances.histogram, jobs=1, work=work)
        of_planes.append((float(aspl or 0.0), int(diameter or 0), distances))
    aspl, diameter, distances = max(of_planes, key=lambda lengths: lengths[:2])
    return distances, aspl, max(lengths[1] for lengths in of_planes)


def _of_layout(layout: Layout, bill: Bill) -> dict[str, float]:
    """The measures of a candidate that its layout and bill give."""
    housed = {} if layout.housing is None else {"host_cable_m": float(layout.host_length_m.mean())}
    return housed | {
        "racks": layout.racks,
        "mean_cable_m": layout.mean_length_m,
        "longest_cable_m": layout.longest_m,
        "cost_per_host_usd": bill.cost_per_host_usd,
        "power_per_host_w": bill.power_per_host_w,
        "cost_usd": bill.cost_usd,
        "power_w": bill.power_w,
    }


def _latencies(
    layout: Layout, requirement: Requirement, planes: tuple[Plane, ...], jobs: int | None
) -> dict[str, float]:
    """Mean and worst latency without load, in ns, of the worst plane."""
    switch, cable = requirement.switch.delay_ns, requirement.cable.delay_ns_per_m
    packet = requirement.packet(None if layout.topology.rated else requirement.rate_gbps)
    if len(planes) == 1:
        of_planes = [latencies(layout.topology, layout.length_m, switch, cable, packet=packet, jobs=jobs)]
    else:
        part = np.empty(layout.topology.switches, np.int64)
        for number, plane in enumerate(planes):
            part[plane.switches] = number
        of_link = part[layout.topology.links[:, 0]]
        of_planes = [
            latencies(plane.topology, layout.length_m[of_link == number], switch, cable, packet=packet, jobs=jobs)
            for number, plane in enumerate(planes)
        ]
    return {
        "mean_latency_ns": max(latency.mean_ns for latency in of_planes),
        "worst_latency_ns": max(latency.max_ns for latency in of_planes),
    }


def priced(layout: Layout, requirement: Requirement, parts: Parts, grown: Topology | None = None) -> Bill:
    """The bill of a candidate for a requirement.

    Parameters
    ----------
    layout : Layout
    requirement : Requirement
        Its rate, spares, and whether host cables are billed.
    parts : Parts
        The requirement's catalogue.
    grown : Topology, optional
        The network after its growth: its switches have the ports that they need then.

    Raises
    ------
    InputError
        The catalogue lacks a part, or has no price for a switch, a cable or a transceiver of the bill.
    """
    terms = requirement.terms(parts, layout.topology)
    # Where rates differ, `price` buys each switch of a part for its ports after the growth.
    radix = None if grown is None or grown.mixed else grown.radix
    bill = price(layout, terms.parts, terms.rate_gbps, radix, terms.host_cables, spares=terms.spares)
    return without_gaps(bill, parts)


def without_gaps(bill: Bill, parts: Parts) -> Bill:
    """The bill itself, if the catalogue prices every switch, cable and transceiver in it.

    Raises
    ------
    InputError
        A price is missing.
    """
    missing = [kind for kind in ("switch", "cable", "transceiver") if kind in bill.unpriced]
    if missing:
        names = ", ".join(line.item for line in bill.lines if line.kind in missing and isnan(line.cost_usd))
        raise InputError(f"'{parts.name}' has no price of: {names}; quote it in the file of prices")
    return bill


def maximum_channel_load(topology: Topology, jobs: int | None = None) -> float:
    """The maximum channel load, in link rates, of uniform traffic at full rate, split evenly over all shortest paths.

    Of several planes, the worst: every port of a host sends to its own plane.
    """
    loads = [channel_loads(plane.topology, jobs) for plane in _one_per_kind(planes_of(topology))]
    return max(load.greatest / load.hosts for load in loads)


def measured_by_default_placement(
    candidate: Candidate, requirement: Requirement, parts: Parts, jobs: int | None = None, work: Work | None = None
) -> tuple[Candidate, dict[str, Network]] | None:
    """Measure a candidate again by the default placement: its new lengths, latencies, cost and power, and its networks.

    Parameters
    ----------
    candidate : Candidate
        As screened, with racks row by row.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    (Candidate, dict of str to Network) or None
        The networks as `placed_networks`. None where the search was stopped, or where the new placement exceeds a limit that
        the old one meets: the least total length may have a longer longest cable.

    Raises
    ------
    InputError
        No product of the catalogue suits one of the cables, or the room does not carry the new placement.
    """
    work = Work() if work is None else work
    networks = placed_networks(candidate.spec, requirement, parts, DEFAULT_MAP, jobs, work)
    network = networks[candidate.spec]
    topology, layout = network.topology, network.part(Layout)
    if layout.ended != "done":
        return None
    check_room(layout, requirement, parts)
    bill = without_gaps(network.bill, parts)
    rebuilt: dict[str, Any] = _of_layout(layout, bill) | _latencies(layout, requirement, planes_of(topology), jobs)
    if requirement.minimize in _TIMES:
        rebuilt |= collective_times(requirement, topology.hosts, single_numbers(candidate) | rebuilt)
    placed = msgspec.structs.replace(candidate, **rebuilt, map=DEFAULT_MAP)
    return None if passed_limit(single_numbers(placed), requirement.limits) is not None else (placed, networks)
