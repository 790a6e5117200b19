"""Planes are subnets of their own: each has its own discovery, which is compared with that plane of the plan.

A discovery shows one plane. Which planned plane it is follows from the names of its switches, else from the number of the
adapter or port by which its hosts are connected, else from its place among the given discoveries. The plan is then reduced to
the planes that were discovered, so that the others are not reported as missing.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.diagnosis.evidence import PlanFacts
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.fabric_parts import OF_ENDPOINTS, OF_HOSTS, OF_LINKS, OF_SWITCHES, part_of, plane_of
from topoloom.fabric.identify import SHAPE, Match, identify, plain_name
from topoloom.fabric.machines import JOIN_HINT
from topoloom.fabric.port_names import UNKNOWN
from topoloom.graph.connectivity import component_count
from topoloom.graph.planes import Plane, plane_count, planes_of
from topoloom.model.topology import Topology

_ADAPTER = re.compile(r"\S+ (?:mlx5_([0-9]{1,2})|HCA-([0-9]{1,2}))", re.IGNORECASE)
#: A discovery with this many times the switches of a plane is not one plane.
_MOST_TIMES = 1.5


@dataclass(frozen=True, eq=False)
class PlaneComparison:
    """What `diagnose` and `compare_fabrics` compare.

    Attributes
    ----------
    plan : Fabric
        The planned planes that were discovered.
    facts : PlanFacts
        The facts about these planes.
    actual : Fabric
        All discoveries as one fabric.
    match : Match
    planes : tuple of int
        The numbers of the planes, from 0.
    count : int
        Number of planned planes.
    """

    plan: Fabric
    facts: PlanFacts
    actual: Fabric
    match: Match
    planes: tuple[int, ...]
    count: int


def is_one_plane(plan: Fabric, actual: Fabric) -> bool:
    """Whether a plan has several planes, and a discovery shows one of them."""
    if plane_count(plan.topology) < 2 or component_count(actual.topology) > 1:
        return False
    planes = planes_of(plan.topology)
    shared = [_same_names(plan, plane, actual) for plane in planes]
    # Planes whose switches have the same names do not show that the discovery has several planes.
    if len(set().union(*shared)) > max(map(len, shared)):
        return False
    return actual.topology.switches <= _MOST_TIMES * max(plane.switches.size for plane in planes)


def compare_planes(
    plan: Fabric, facts: PlanFacts, discoveries: Sequence[Fabric], by: str = "auto", seed: int = 1
) -> PlaneComparison:
    """The planned planes that were discovered, the discoveries as one fabric, and which node is which.

    Parameters
    ----------
    plan : Fabric
    facts : PlanFacts
    discoveries : sequence of Fabric
        One per plane.
    by : str
        As in `identify`.
    seed : int
        Of the guesses by shape.

    Returns
    -------
    PlaneComparison

    Raises
    ------
    InputError
        The plan has no planes, or fewer than discoveries; or a plane cannot be identified (`identify`).
    """
    count = plane_count(plan.topology)
    if count < 2:
        raise InputError(
            f"{plan.topology.name}: the plan has no planes, which are parts that share hosts; compare it with one discovery."
            f" {JOIN_HINT}"
        )
    if len(discoveries) > count:
        raise InputError(f"{plan.topology.name}: {len(discoveries)} discoveries of planes; the plan has {count} planes")
    planes = planes_of(plan.topology)
    numbers = _numbers(plan, planes, discoveries)
    order = np.argsort(numbers, kind="stable").tolist()
    chosen = [numbers[place] for place in order]
    matches = []
    actuals = []
    for place, number in zip(order, chosen, strict=True):
        plane = planes[number]
        part = part_of(plan, plane)
        own_facts = _facts(facts, plan, plane)
        aliases = [[label] if label else [] for label in own_facts.labels]
        match = identify(part, discoveries[place], by, aliases=aliases or None, seed=seed)
        actuals.append(_with_planned_ports(part, discoveries[place], match))
        matches.append(match)
    whole = _union(planes, chosen, plan.topology, count)
    switch_at = np.full(plan.topology.switches, -1)
    switch_at[whole.switches] = np.arange(whole.switches.size)
    host_at = np.full(plan.topology.hosts, -1)
    host_at[whole.hosts] = np.arange(whole.hosts.size)
    switch = [_through(switch_at[planes[n].switches], match.switch) for n, match in zip(chosen, matches, strict=True)]
    host = [_through(host_at[planes[n].hosts], match.host) for n, match in zip(chosen, matches, strict=True)]
    actual, hosts = _joined(actuals, host)
    links = [max(1, len(entry.topology.links)) for entry in actuals]
    match = Match(
        np.concatenate(switch),
        hosts,
        next((match.by for match in matches if match.by == SHAPE), matches[0].by),
        sum(match.inferred for match in matches),
        float(np.average([match.share for match in matches], weights=links)),
        seed,
        sum(match.seconds for match in matches),
    )
    part = part_of(plan, whole)
    return PlaneComparison(part, _facts(facts, plan, whole), actual, match, tuple(chosen), count)


def _numbers(plan: Fabric, planes: Sequence[Plane], discoveries: Sequence[Fabric]) -> list[int]:
    """The planned plane of each discovery."""
    numbers = [-1] * len(discoveries)
    for place, discovery in enumerate(discoveries):
        scores = [len(_same_names(plan, plane, discovery)) for plane in planes]
        best = int(np.argmax(scores))
        if scores[best] and scores.count(scores[best]) == 1:
            numbers[place] = best
        elif (adapter := _adapter(discovery)) is not None and 0 <= adapter < len(planes):
            numbers[place] = adapter
    for place, number in enumerate(numbers):
        if number < 0 or number in numbers[:place]:
            free = [n for n in range(len(planes)) if n not in numbers[:place] + numbers[place + 1 :]]
            numbers[place] = place if place in free else free[0]
    return numbers


def _same_names(plan: Fabric, plane: Plane, discovery: Fabric) -> set[str]:
    """The names that switches of a discovery and of a plane share."""
    planned = {plain_name(plan.switch_names[s]) for s in plane.switches.tolist()}
    return planned & {plain_name(name) for name in discovery.switch_names}


def _adapter(discovery: Fabric) -> int | None:
    """The number of the adapter (from 0) by which most hosts are connected; None if their names do not state it."""
    counts: Counter[int] = Counter()
    for name in discovery.host_names:
        if match := _ADAPTER.fullmatch(name):
            counts[int(match[1]) if match[1] is not None else int(match[2]) - 1] += 1
    if not counts or counts.total() < discovery.topology.hosts / 2:
        return None
    # Machines with several adapters in one plane do not tell which plane it is.
    return next(iter(counts)) if len(counts) == 1 else None


def _union(planes: Sequence[Plane], chosen: Sequence[int], topology: Topology, count: int) -> Plane:
    """Several planes as one part of the network."""
    parts = [planes[number] for number in chosen]
    switches = np.concatenate([plane.switches for plane in parts])
    endpoints = np.concatenate([plane.endpoints for plane in parts])
    links = np.concatenate([plane.links for plane in parts])
    switches, endpoints, links = np.sort(switches), np.sort(endpoints), np.sort(links)
    which = f"plane{'s' * (len(chosen) > 1)} {', '.join(map(str, chosen))} of {count}"
    name = topology.name if len(chosen) == count else f"{topology.name}, {which}"
    return plane_of(topology, switches, endpoints, links, name)


def _facts(facts: PlanFacts, plan: Fabric, plane: Plane) -> PlanFacts:
    """The facts about a part of the plan, by its own numbers."""
    at = {switch: number for number, switch in enumerate(plane.switches.tolist())}
    n = plan.topology.switches
    nodes = [*plane.switches.tolist(), *(n + plane.hosts).tolist()]
    racks, units = ([of[node] for node in nodes if node < len(of)] for of in (facts.racks, facts.units))
    return PlanFacts(
        racks,
        {(at[switch], port): number for (switch, port), number in facts.cable_numbers.items() if switch in at},
        [facts.labels[s] for s in plane.switches.tolist()] if facts.labels else (),
        None if facts.length_m is None else np.asarray(facts.length_m)[plane.links],
        None if facts.stock_m is None else np.asarray(facts.stock_m)[plane.links],
        [facts.product[link] for link in plane.links.tolist()] if facts.product else (),
        units,
        None if facts.passive is None else facts.passive.part(plane.switches, plan.switch_names),
    )


def _with_planned_ports(plan: Fabric, actual: Fabric, match: Match) -> Fabric:
    """A discovery whose host ports have the numbers of the planned ones in this plane, where it counts from 1.

    In a discovery of one plane the only port of an adapter is number 1, whatever its number in the machine.
    """
    if actual.named_ports:
        return actual
    planned: dict[int, list[int]] = {}
    for host, port in zip(plan.topology.host.tolist(), plan.host_ports.tolist(), strict=True):
        planned.setdefault(host, []).append(port)
    present: dict[int, list[int]] = {}
    for host, port in zip(actual.topology.host.tolist(), actual.host_ports.tolist(), strict=True):
        present.setdefault(host, []).append(port)
    ports = actual.host_ports.copy()
    for e, host in enumerate(actual.topology.host.tolist()):
        own, wanted = sorted(present[host]), sorted(planned.get(int(match.host[host]), []))
        if own == list(range(1, len(own) + 1)) and len(own) <= len(wanted) and own != wanted[: len(own)]:
            ports[e] = wanted[own.index(int(ports[e]))]
    sizes = actual.host_sizes.copy()
    np.maximum.at(sizes, actual.topology.host, ports)
    return replace(actual, host_ports=ports, host_sizes=sizes)


def _joined(actuals: Sequence[Fabric], hosts: Sequence[np.ndarray]) -> tuple[Fabric, np.ndarray]:
    """All discoveries as one fabric, and the planned host of each of its hosts.

    Hosts of several planes that are one planned host are one.
    """
    first_switch = np.cumsum([0, *(entry.topology.switches for entry in actuals)])
    first_host = np.cumsum([0, *(entry.topology.hosts for entry in actuals)])
    planned = np.concatenate(hosts)
    names = [name for entry in actuals for name in entry.host_names]
    # The first host with each planned one stands for all of them; unplanned hosts stand for themselves.
    keys = np.where(planned >= 0, planned, planned.size + np.arange(planned.size) + planned.max(initial=0))
    _, lead, number = np.unique(keys, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    actuals = _with_distinct_ports(actuals, np.split(number, first_host[1:-1]))
    members: dict[int, list[str]] = {}
    for host, name in zip(number.tolist(), names, strict=True):
        members.setdefault(host, []).append(name)
    shared = [_common_name(members[host]) for host in range(lead.size)]
    topologies = [entry.topology for entry in actuals]
    rated = all(topology.rated for topology in topologies)
    rates: dict[str, Any] = (
        {
            "link_rate_gbps": np.concatenate([entry.link_rate_gbps for entry in actuals]),
            "endpoint_rate_gbps": np.concatenate([entry.endpoint_rate_gbps for entry in actuals]),
        }
        if rated
        else {}
    )
    topology = Topology(
        links=np.concatenate([part.links + first for part, first in zip(topologies, first_switch, strict=False)]),
        switches=int(first_switch[-1]),
        endpoints=np.concatenate(
            [part.endpoints + first for part, first in zip(topologies, first_switch, strict=False)]
        ),
        host=np.concatenate([number[part.host + first] for part, first in zip(topologies, first_host, strict=False)]),
        name=", ".join(part.name for part in topologies),
        **rates,
    )
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(entry, name) for entry in actuals])
        for name in (*OF_SWITCHES, *OF_LINKS, *OF_ENDPOINTS)
    }
    per_host: dict[str, Any] = {name: np.concatenate([getattr(entry, name) for entry in actuals]) for name in OF_HOSTS}
    sizes = np.zeros(lead.size, per_host["host_sizes"].dtype)
    np.maximum.at(sizes, number, per_host.pop("host_sizes"))
    at_switches: list[Mapping[int, str]] = []
    at_hosts: list[dict[int, str]] = [{} for _ in range(lead.size)]
    for entry, first in zip(actuals, first_host.tolist(), strict=False):
        at_switches += each_node(entry.switch_port_names, entry.topology.switches)
        for host, of_host in enumerate(entry.host_port_names, first):
            at_hosts[number[host]].update(of_host)
    loops = [
        entry.loops + np.array([first, 0, 0], np.int32) for entry, first in zip(actuals, first_switch, strict=False)
    ]
    fabric = Fabric(
        topology=topology,
        switch_names=tuple(name for entry in actuals for name in entry.switch_names),
        host_names=tuple(shared),
        host_sizes=sizes,
        loops=np.concatenate(loops),
        made=", ".join(entry.made for entry in actuals),
        flaws=tuple(flaw for entry in actuals for flaw in entry.flaws),
        guids_given=all(entry.guids_given for entry in actuals),
        by_neighbours=any(entry.by_neighbours for entry in actuals),
        unread=tuple(name for entry in actuals for name in entry.unread),
        switch_port_names=tuple(at_switches) if any(at_switches) else (),
        host_port_names=tuple(at_hosts) if any(at_hosts) else (),
        port_settings={end: settings for entry in actuals for end, settings in entry.port_settings.items()},
        **columns,
        **{name: values[lead] for name, values in per_host.items()},
    )
    return fabric, planned[lead]


def _with_distinct_ports(actuals: Sequence[Fabric], hosts: Sequence[np.ndarray]) -> list[Fabric]:
    """Discoveries in which a named port of a host has a number of its own: each discovery counts those that it shows.

    Parameters
    ----------
    actuals : sequence of Fabric
    hosts : sequence of int64[hosts]
        The common number of each host of each discovery.
    """
    used: dict[int, dict[int, str]] = {}
    distinct = []
    for entry, numbers in zip(actuals, hosts, strict=True):
        new: dict[tuple[int, int], int] = {}
        names: list[dict[int, str]] = []
        for host, of_host in enumerate(entry.host_port_names):
            others = used.setdefault(int(numbers[host]), {})
            at = {name: port for port, name in others.items() if name != UNKNOWN}
            beyond = max([*others, *of_host], default=0)
            own: dict[int, str] = {}
            for port, name in of_host.items():
                place = at.get(name, port)
                if name not in at and port in others:
                    place = beyond = beyond + 1
                own[place] = name
                new[host, port] = place
            others |= own
            names.append(own)
        pairs = zip(entry.topology.host.tolist(), entry.host_ports.tolist(), strict=True)
        ports = np.array([new.get(pair, pair[1]) for pair in pairs], np.int32)
        sizes = entry.host_sizes.copy()
        np.maximum.at(sizes, entry.topology.host, ports)
        distinct.append(replace(entry, host_ports=ports, host_sizes=sizes, host_port_names=tuple(names)))
    return distinct


def _common_name(names: Sequence[str]) -> str:
    """The name of a host in all planes: their only name, else their only first word, else the first name."""
    for choices in (list(names), [name.split()[0] for name in names]):
        if len(set(choices)) == 1:
            return choices[0]
    return names[0]


def _through(numbers: np.ndarray, match: np.ndarray) -> np.ndarray:
    """The numbers of the matched nodes; -1 where there is no match."""
    return np.where(match >= 0, numbers[np.maximum(match, 0)], -1) if numbers.size else np.full(match.size, -1)
