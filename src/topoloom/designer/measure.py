"""What one candidate is worth: built, measured, placed and priced."""

from collections.abc import Mapping
from math import isnan
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import Bill, price
from topoloom.cost.parts import Parts
from topoloom.cost.placed import placed_layout
from topoloom.designer.offers import bisection, collective_times, idle_room, survived, worst_taper
from topoloom.designer.requirement import DesignLimits, Requirement
from topoloom.graph.latency import latencies
from topoloom.graph.load import channel_loads, full_bandwidth_hosts
from topoloom.graph.path_lengths import PathLengths, host_path_lengths, path_lengths
from topoloom.graph.planes import Plane, plane_count, planes_of
from topoloom.model.results import json_value
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.opening import as_network
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import DEFAULT_MAP, SCREENING_MAP
from topoloom.topologies.spec import build


class Candidate(msgspec.Struct, frozen=True, tag="candidate"):
    """A candidate with all its measures; units are in the names.

    `diameter` and `host_aspl` are between hosts' switches. `oversubscription` is the hosts on a switch over those with
    full bandwidth by the mean channel load (Besta 2014 II.B.2: shortest paths, uniform traffic). `maximum_channel_load` is the
    load of the busiest channel when every host sends at full rate to all others, split evenly over all shortest paths, in
    units of a link's rate: at 1 or less nothing is over full; None where the need does not ask for it. The bisection is
    METIS's best, None where METIS is not installed, and that of all planes together. `map` is the placement that lengths,
    latencies, money and watts are of: ``rows`` for all, and the default of `place` for the best. Hops, loads and latencies are
    those of the worst plane. `taper` is the most ports down for one up at any level, None without levels; `room_hosts` the
    hosts that can be plugged in later into ports that are idle; the times are those of `designer.offers.collective_times`,
    where the need asks for one.
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


_WORDS = ("spec", "name", "family", "hop_histogram", "map", "survives")
#: The measures of a candidate that are single numbers.
MEASURES = tuple(f for f in Candidate.__struct_fields__ if f not in _WORDS)


class Dropped(msgspec.Struct, frozen=True, tag="dropped"):
    """A candidate that is out: the limit that it is past (or what it lacks), why, and what of it is known by then."""

    spec: str
    family: str
    limit: str
    reason: str | None = None
    known: dict[str, float] = {}


Outcome = Candidate | Dropped


def measure(spec: str, requirement: Requirement, parts: Parts, flag: np.ndarray | None = None) -> Outcome:
    """Build, measure, place and price one candidate; a limit that it passes is named, not raised.

    Parameters
    ----------
    spec : str
    requirement : Need
    parts : Parts
        The need's catalogue.
    flag : uint8[1], optional
        As soon as it is not 0, the measuring ends.

    Returns
    -------
    Candidate or Dropped
        All its measures; or the limit that it passes, with what was measured until then.

    Raises
    ------
    Stopped
        It was ended.
    """
    work = Work()
    work.flag = work.flag if flag is None else flag
    family = spec.partition(":")[0]
    known: dict[str, float] = {}

    def out(limit: str, reason: object = None) -> Dropped:
        return Dropped(spec, family, limit, None if reason is None else str(reason), known)

    try:
        topology = build(spec)
    except InputError as error:
        return out("construction", error)
    planes = planes_of(topology) if wired(topology) else ()
    if not planes:
        return out("construction", "its parts are joined neither by links nor by hosts")
    taper, ports = worst_taper(topology), requirement.ports_per_host
    room = idle_room(topology, requirement.radix, ports)
    known |= {
        "switches": topology.switches,
        "hosts": topology.hosts,
        "links": len(topology.links),
        "radix": topology.radix,
        "planes": len(planes),
        "room_hosts": room,
    } | ({} if taper is None else {"taper": taper})
    if topology.radix > requirement.radix:
        return out("radix", f"a switch needs {topology.radix} ports")
    if topology.hosts < requirement.hosts:
        return out("hosts", f"it has room for {topology.hosts} hosts")
    if (limit := passed_limit(known, requirement.limits)) is not None:
        return out(limit)
    wanted, least = requirement.least.survives, requirement.least.grow_to_hosts
    survives = survived(topology, len(planes)) if wanted else frozenset()
    if not survives.issuperset(wanted):
        return out(
            "survives", f"a host is cut off when one {next(one for one in wanted if one not in survives)} is lost"
        )
    if least is not None and topology.hosts + room < least:
        return out("grow_to_hosts", f"it has idle ports for {topology.hosts + room} hosts")
    try:
        layout = place_candidate(topology, requirement, parts)
    except InputError as error:
        return out("floor", error)
    try:
        bill = priced(layout, requirement, parts)
    except InputError as error:
        return out("parts", error)
    distances, host_aspl, host_diameter = _hops(planes, work)
    known |= _of_layout(layout, bill) | {
        "diameter": host_diameter,
        "host_aspl": host_aspl,
        "oversubscription": max(oversubscription(plane.topology) for plane in _unlike(planes)),
    }
    work.check()
    # What comes now takes the longest: a candidate that is out already is spared them.
    if (limit := passed_limit(known, requirement.limits)) is not None:
        return out(limit)
    known |= _latencies(layout, requirement, planes, jobs=1)
    if (limit := passed_limit(known, requirement.limits)) is not None:
        return out(limit)
    work.check()
    # The dearest measure of all: taken where the need asks for it.
    if requirement.limits.maximum_channel_load is not None or requirement.minimize in (
        "maximum_channel_load",
        "all_to_all_ms",
        "step_ms",
    ):
        known["maximum_channel_load"] = maximum_channel_load(topology, jobs=1)
        if (limit := passed_limit(known, requirement.limits)) is not None:
            return out(limit)
    if requirement.minimize in _TIMES:
        known |= collective_times(requirement, topology.hosts, known)
    cut = bisection(planes)
    if cut is not None:
        known["bisection_gbps_per_host"] = 2 * cut * requirement.rate_gbps / topology.hosts
    wide = requirement.least.bisection_gbps_per_host
    if wide is not None and known.get("bisection_gbps_per_host", 0.0) < wide * (1 - 1e-9):
        return out("bisection_gbps_per_host", f"{known.get('bisection_gbps_per_host', 0.0):.4g} Gb/s per host")
    found = {
        "maximum_channel_load": None,
        **known,
        "bisection_links": cut,
        "bisection_per_host": None if cut is None else cut / topology.hosts,
        "hop_histogram": tuple(distances.histogram.tolist()),
        "survives": tuple(sorted(survives)),
    }
    return msgspec.convert(
        {"spec": spec, "name": topology.name, "family": family, "type": "candidate", **found}, Candidate
    )


_TIMES = ("all_to_all_ms", "all_reduce_ms", "step_ms")


def wired(topology: Topology) -> bool:
    """Whether every host reaches every other: the network is connected, or its planes are joined by their hosts."""
    return plane_count(topology) > 0


def _unlike(planes: tuple[Plane, ...]) -> list[Plane]:
    """One of each kind of plane."""
    return list({plane.topology.digest: plane for plane in planes}.values())


def _hops(planes: tuple[Plane, ...], work: Work) -> tuple[PathLengths, float, int]:
    """The path lengths, the mean hops and the diameter between hosts, of the plane where hosts are farthest apart."""
    found = []
    for plane in _unlike(planes):
        distances = path_lengths(plane.topology, jobs=1, work=work)
        aspl, diameter = host_path_lengths(plane.topology, distances.histogram, jobs=1, work=work)
        found.append((float(aspl or 0.0), int(diameter or 0), distances))
    aspl, diameter, distances = max(found, key=lambda one: one[:2])
    return distances, aspl, max(one[1] for one in found)


def _of_layout(layout: Layout, bill: Bill) -> dict[str, float]:
    """What a layout and its bill give of a candidate."""
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
    """Mean and worst latency without load, of the worst plane."""
    switch, cable = requirement.switch.delay_ns, requirement.cable.delay_ns_per_m
    if len(planes) == 1:
        found = [latencies(layout.topology, layout.length_m, switch, cable, jobs=jobs)]
    else:
        part = np.empty(layout.topology.switches, np.int64)
        for number, plane in enumerate(planes):
            part[plane.switches] = number
        of_link = part[layout.topology.links[:, 0]]
        found = [
            latencies(plane.topology, layout.length_m[of_link == number], switch, cable, jobs=jobs)
            for number, plane in enumerate(planes)
        ]
    return {"mean_latency_ns": max(one.mean_ns for one in found), "worst_latency_ns": max(one.max_ns for one in found)}


def priced(layout: Layout, requirement: Requirement, parts: Parts) -> Bill:
    """The bill of a candidate of a need.

    Parameters
    ----------
    layout : Layout
    requirement : Need
        Its rate, spares, and whether host cables are billed.
    parts : Parts
        The need's catalogue.

    Raises
    ------
    InputError
        A part that the catalogue does not have, or a switch, a cable or a transceiver that it has no price of.
    """
    terms = requirement.terms(parts)
    return without_gaps(
        price(layout, terms.parts, terms.rate_gbps, host_cables=terms.host_cables, spares=terms.spares), parts
    )


def without_gaps(bill: Bill, parts: Parts) -> Bill:
    """A bill, if its catalogue has a price of every switch, cable and transceiver in it.

    Raises
    ------
    InputError
        It has none of one.
    """
    missing = [kind for kind in ("switch", "cable", "transceiver") if kind in bill.unpriced]
    if missing:
        names = ", ".join(line.item for line in bill.lines if line.kind in missing and isnan(line.cost_usd))
        raise InputError(f"'{parts.name}' has no price of: {names}; quote it in the file of prices")
    return bill


def oversubscription(topology: Topology) -> float:
    """Hosts on a switch that carries hosts, in the mean, over the number with full bandwidth; 0 for a single switch."""
    if not len(topology.links):
        return 0.0
    carrying = topology.endpoints_at[topology.endpoints_at > 0]
    return float(carrying.mean() / full_bandwidth_hosts(topology, jobs=1))


def maximum_channel_load(topology: Topology, jobs: int | None = None) -> float:
    """The load of the busiest channel, in link rates, under uniform traffic at full rate on all shortest paths evenly.

    Of several planes, that of the worst: every port of a host sends to its own plane.
    """
    loads = [channel_loads(plane.topology, jobs) for plane in _unlike(planes_of(topology))]
    return max(one.greatest / one.hosts for one in loads)


def place_candidate(topology: Topology, requirement: Requirement, parts: Parts) -> Layout:
    """The layout of a candidate of a need, as it is screened.

    Parameters
    ----------
    topology : Topology
    requirement : Need
        Its floor, hosts and racks are used.
    parts : Parts
        The need's catalogue, for the watts that racks must feed.

    Raises
    ------
    InputError
        The switches do not fit onto the floor.
    """
    terms, room = requirement.terms(parts), requirement.floor.floor()
    return placed_layout(topology, terms, room, hosts=requirement.housing, map=SCREENING_MAP)


def placed_network(
    spec: str,
    requirement: Requirement,
    parts: Parts,
    map: str = DEFAULT_MAP,
    jobs: int | None = None,
    work: Work | None = None,
) -> Network:
    """A candidate of a need as the network that is built of it: placed, with its terms and its requirement.

    Parameters
    ----------
    spec : str
    requirement, parts
        As `place_candidate` has them.
    map : str
        How to place, as `place` has it.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Raises
    ------
    InputError
        The switches do not fit onto the floor.
    """
    terms = msgspec.structs.asdict(requirement.terms(parts))
    network = as_network(build(spec)).priced(**terms).with_requirements(json_value(requirement))
    return network.placed(requirement.floor.floor(), hosts=requirement.housing, map=map, jobs=jobs, work=work)


def measured_by_default_placement(
    candidate: Candidate, requirement: Requirement, parts: Parts, jobs: int | None = None, work: Work | None = None
) -> tuple[Candidate, Network] | None:
    """A candidate with the lengths, latencies, money and watts that it has by the default placement, and its network.

    Parameters
    ----------
    candidate : Candidate
        Measured row by row.
    requirement : Need
    parts : Parts
        The need's catalogue.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    (Candidate, Network) or None
        None where the search was stopped, or where the shortest cables in sum pass a limit that the rows keep, as the
        longest cable may do.

    Raises
    ------
    InputError
        No product of the catalogue serves one of the cables.
    """
    work = Work() if work is None else work
    network = placed_network(candidate.spec, requirement, parts, DEFAULT_MAP, jobs, work)
    topology, layout = network.topology, network.part(Layout)
    if layout.ended != "done":
        return None
    bill = without_gaps(network.bill, parts)
    rebuilt: dict[str, Any] = _of_layout(layout, bill) | _latencies(layout, requirement, planes_of(topology), jobs)
    if requirement.minimize in _TIMES:
        rebuilt |= collective_times(requirement, topology.hosts, single_numbers(candidate) | rebuilt)
    found = msgspec.structs.replace(candidate, **rebuilt, map=DEFAULT_MAP)
    return None if passed_limit(single_numbers(found), requirement.limits) is not None else (found, network)


def passed_limit(known: Mapping[str, float], limits: DesignLimits) -> str | None:
    """The first limit that what is known of a candidate is past, or None."""
    for limit in limits.__struct_fields__:
        if limit == "cost_over_best":  # a limit among candidates, not of one
            continue
        most = getattr(limits, limit)
        # A value that equals its limit but for the last digit is not past it.
        if most is not None and limit in known and known[limit] > most * (1 + 1e-9):
            return limit
    return None


def single_numbers(candidate: Candidate) -> dict[str, float]:
    """The measures of a candidate that are single numbers; what is None is omitted."""
    return {key: value for key in MEASURES if (value := getattr(candidate, key)) is not None}
