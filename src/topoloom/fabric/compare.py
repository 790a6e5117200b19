"""Comparing a fabric with its plan: every cable that is wrong, missing, extra, or swapped with another.

Consider all plugs: the ports of switches and hosts. Every planned cable joins two plugs, and so does every cable found.
Cables in both sets are right. The others form chains that alternate between planned and found cables: a planned cable alone
is missing, a found cable alone is extra, one of each that share a plug are a cable with one end in the wrong place, and a
ring of two planned and two found cables is two cables whose ends are swapped.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from topoloom.fabric.cable_errors import cable_errors, counted_at
from topoloom.fabric.comparison import (
    EXTRA,
    MISSING,
    SWAPPED,
    WRONG,
    Cable,
    Comparison,
    Difference,
    Fault,
    KnownSwitch,
    Plug,
    Words,
)
from topoloom.fabric.distinct_names import distinct_names, unplanned_nodes
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import Match, plain_name
from topoloom.fabric.port_alignment import AlignedPorts, aligned_ports
from topoloom.fabric.port_counters import PortCounters
from topoloom.fabric.port_texts import port_texts
from topoloom.fabric.running import Rate, slow_and_one_sided
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken


def compare_fabrics(
    plan: NetworkSource,
    actual: NetworkSource | AlignedPorts,
    match: Match,
    *,
    ports: bool = True,
    hosts: bool = True,
    racks: Sequence[str] = (),
    cable_numbers: Mapping[Plug, str] = MappingProxyType({}),
    rate: Rate | None = None,
    counters: PortCounters | None = None,
) -> Comparison:
    """Every difference between a plan and an actual fabric.

    Parameters
    ----------
    plan : NetworkSource
    actual : NetworkSource or AlignedPorts
        Ports that are aligned already are not aligned again.
    match : Match
        The node matching (`topoloom.fabric.identify.identify`).
    ports : bool
        Whether a cable must be in the planned ports, or only between the planned switches and hosts. Without effect if one
        of the two does not state ports.
    hosts : bool
        Whether to compare the hosts and their cables.
    racks : sequence of str
        The rack of each planned switch, and perhaps its unit, for the texts (`PlanFacts.places`); empty: not known.
    cable_numbers : mapping of (switch, port) to str
        The number of the planned cable in a port, for the texts (`Network.cable_numbers`).
    rate : (int, float), optional
        Lanes (0: any) and Gb/s at which every cable should run (`topoloom.fabric.rates.parse_rate`); when omitted,
        `topoloom.fabric.running` finds the cables that are too slow.
    counters : PortCounters, optional
        Errors that ports counted (`topoloom.fabric.port_counters.read_counters`).

    Returns
    -------
    Comparison
        The wrong, missing, extra and swapped cables, with the names of both networks.
    """
    plan = taken(plan, Fabric, "compare_fabrics")
    started = time.monotonic()
    if isinstance(actual, AlignedPorts):
        aligned = actual
    else:
        aligned = aligned_ports(plan, taken(actual, Fabric, "compare_fabrics"), match)
    actual, ports = aligned.actual, ports and aligned.comparable
    n, h = plan.topology.switches, plan.topology.hosts
    unknown = n + h
    switch_number, host_number = match.switch.copy(), np.where(match.host >= 0, match.host + n, -1)
    own_names = distinct_names(actual)
    extra_switches = unplanned_nodes(switch_number, own_names[0])
    switch_number[extra_switches] = unknown + np.arange(extra_switches.size)
    extra_hosts = unplanned_nodes(host_number, own_names[1])
    host_number[extra_hosts] = unknown + extra_switches.size + np.arange(extra_hosts.size)
    names = [name for part in distinct_names(plan) for name in part]
    guids = actual.switch_guids, actual.host_guids
    for kind, extra in enumerate((extra_switches, extra_hosts)):
        planned_names = {name.lower() for name in names}
        for x in extra.tolist():
            name = own_names[kind][x]
            # An unplanned node may have the name of a planned one.
            names.append(f"{name} 0x{int(guids[kind][x]):016x}" if name.lower() in planned_names else name)
    own = np.arange(n), n + np.arange(h)
    planned_cables = _cables(plan, *own, hosts)
    present = _cables(actual, switch_number, host_number, hosts)
    planned, actual_cables = planned_cables.keys(), present.keys()
    same = planned & actual_cables
    left, more = sorted(planned - same), sorted(actual_cables - same)
    right, loose = len(same), 0
    if ports:
        differences = _by_plug(left, more)
        loose = _by_node(left, more)[1] if differences else 0
    else:
        differences, agreeing = _by_node(left, more)
        right += agreeing
    running = slow_and_one_sided(plan, actual, planned_cables, present, rate)
    differences = [*differences, *running]
    matched_switches = set(match.switch.tolist())
    known_hosts = set(match.host.tolist())
    actual_names = {
        node: name
        for number, part in zip((switch_number, host_number), own_names, strict=True)
        for node, name in zip(number.tolist(), part, strict=True)
        if node < unknown and name != names[node] and plain_name(name) != names[node].lower()
    }
    missing_switches = tuple(s for s in range(n) if s not in matched_switches)
    missing_hosts = tuple(x for x in range(h) if x not in known_hosts) if hosts else ()
    more_hosts = tuple(extra_hosts.tolist()) if hosts else ()
    words = Words(
        *(tuple(names), actual_names, tuple(racks), cable_numbers),
        *port_texts((plan, *own), (actual, switch_number, host_number)),
    )
    errors = (
        []
        if counters is None
        else cable_errors(counted_at(actual, counters, switch_number, host_number), present, words)
    )
    at_cable = {cable: words.counted(cable, error.counted) for cable, error in errors}
    nodes = [f"switch {words.node(s)} is not there" for s in missing_switches]
    absent = "unseen" if actual.by_neighbours else "not there"
    nodes += [f"host {names[n + x]} is {absent}" for x in missing_hosts]
    nodes += [f"switch {name} is not in the plan" for name in names[unknown : unknown + extra_switches.size]]
    nodes += [f"host {name} is not in the plan" for name in names[unknown + extra_switches.size :] if hosts]
    settings = {"actual": actual.made, "actual_digest": actual.topology.digest, "hosts": hosts}
    seconds = match.seconds + time.monotonic() - started
    return Comparison(
        plan=plan.topology.name,
        actual=actual.topology.name,
        switches_known_by=match.by,
        switches_known_by_neighbours=match.inferred,
        links_that_agree=match.share,
        ports="exact" if ports else "any",
        planned_cables=len(planned),
        right_cables=right,
        right_but_for_ports=loose,
        faults=tuple(
            Fault(
                difference.kind,
                words.plugged_cables(difference.planned),
                words.plugged_cables(difference.found),
                words.fault(difference, running.get(difference, ""))
                + "".join(f"; errors: {at_cable[cable]}" for cable in difference.found if cable in at_cable),
            )
            for difference in differences
        ),
        errors=tuple(error for _, error in errors),
        nodes=tuple(nodes),
        switches=tuple(
            KnownSwitch(
                plan.switch_names[u] if u >= 0 else None,
                actual.switch_names[x],
                f"0x{int(actual.switch_guids[x]):016x}",
            )
            for x, u in enumerate(match.switch.tolist())
        ),
        differences=tuple(differences),
        missing_switches=missing_switches,
        missing_hosts=missing_hosts,
        extra_switches=tuple(extra_switches.tolist()),
        extra_hosts=more_hosts,
        names=tuple(names),
        called=actual_names,
        provenance=provenance_of(plan.topology, seed=match.seed, settings=settings, timings={"seconds": seconds}),
    )


def _cables(fabric: Fabric, switch: np.ndarray, host: np.ndarray, hosts: bool) -> dict[Cable, int]:
    """All cables of a fabric between numbered nodes, lower plug first, each with its index: links, then endpoints.

    The index of a cable from a switch to itself is -1.
    """
    topology = fabric.topology
    links = np.stack([switch[topology.links], fabric.link_ports], axis=2).tolist()
    cables = [(((u, p), (v, q)), index) for index, ((u, p), (v, q)) in enumerate(links)]
    cables += [(((int(switch[s]), p), (int(switch[s]), q)), -1) for s, p, q in fabric.loops.tolist()]
    if hosts:
        cables += [
            (((s, p), (x, q)), index)
            for index, (s, p, x, q) in enumerate(
                zip(
                    switch[topology.endpoints].tolist(),
                    fabric.endpoint_ports.tolist(),
                    host[topology.host].tolist(),
                    fabric.host_ports.tolist(),
                    strict=True,
                ),
                len(links),
            )
        ]
    return {(min(cable), max(cable)): index for cable, index in cables}


def _by_plug(planned: list[Cable], found: list[Cable]) -> list[Difference]:
    """The differences, chain by chain; every plug has at most one planned and one found cable."""
    planned_at = {plug: cable for cable in planned for plug in cable}
    actual_at = {plug: cable for cable in found for plug in cable}
    visited: set[tuple[bool, Cable]] = set()
    differences = []
    # First the chains with ends, from plugs that have only one of the two cables; what remains are rings.
    starts = [plug for plug in sorted({*planned_at, *actual_at}) if (plug in planned_at) != (plug in actual_at)]
    for plug in [*starts, *sorted(planned_at)]:
        first = plug in planned_at
        cable = planned_at[plug] if first else actual_at[plug]
        if (first, cable) in visited:
            continue
        chain = _chain(plug, first, planned_at, actual_at)
        visited.update(chain)
        differences += _chain_differences(chain, ring=plug in planned_at and plug in actual_at)
    return differences


def _chain(
    plug: Plug, planned: bool, planned_at: dict[Plug, Cable], actual_at: dict[Plug, Cable]
) -> list[tuple[bool, Cable]]:
    """The cables of a chain from its end, or round a ring, each with whether it is planned."""
    chain: list[tuple[bool, Cable]] = []
    seen: set[tuple[bool, Cable]] = set()
    while True:
        side = planned_at if planned else actual_at
        # The end of a ring, or, where two cables claim one port, of a circle that does not include the start.
        if plug not in side or (planned, side[plug]) in seen:
            return chain
        cable = side[plug]
        chain.append((planned, cable))
        seen.add(chain[-1])
        plug = cable[1] if cable[0] == plug else cable[0]
        planned = not planned


def _chain_differences(chain: list[tuple[bool, Cable]], ring: bool) -> list[Difference]:
    planned = tuple(cable for kind, cable in chain if kind)
    actual = tuple(cable for kind, cable in chain if not kind)
    if ring:
        return [Difference(SWAPPED, planned, actual)]
    # Along a chain, each planned cable pairs with the found cable next to it.
    differences = [Difference(WRONG, (wanted,), (instead,)) for wanted, instead in zip(planned, actual, strict=False)]
    differences += [Difference(MISSING, (cable,), ()) for cable in planned[len(actual) :]]
    differences += [Difference(EXTRA, (), (cable,)) for cable in actual[len(planned) :]]
    return differences


def _by_node(planned: list[Cable], found: list[Cable]) -> tuple[list[Difference], int]:
    """The differences without regard to ports, and the number of further right cables."""

    def between(cable: Cable) -> tuple[int, int]:
        return cable[0][0], cable[1][0]

    agree = Counter(map(between, planned)) & Counter(map(between, found))
    right = agree.total()
    unplaced, unmatched = _without(planned, agree), _without(found, agree)
    differences: list[Difference] = []
    found_at: defaultdict[int, list[Cable]] = defaultdict(list)
    for cable in unmatched:
        for node in {*between(cable)}:
            found_at[node].append(cable)
    planned_at: defaultdict[int, list[Cable]] = defaultdict(list)
    for cable in unplaced:
        for node in {*between(cable)}:
            planned_at[node].append(cable)
    used: set[tuple[bool, Cable]] = set()
    for cable in unplaced:
        swap = None if (True, cable) in used else _swap(cable, planned_at, found_at, used)
        if swap:
            used.update({(True, cable), (True, swap[0]), (False, swap[1]), (False, swap[2])})
            differences.append(Difference(SWAPPED, (cable, swap[0]), swap[1:]))
    for cable in unplaced:
        if (True, cable) in used:
            continue
        used.add((True, cable))
        moved = next((c for node in between(cable) for c in found_at[node] if (False, c) not in used), None)
        if moved is None:
            differences.append(Difference(MISSING, (cable,), ()))
        else:
            used.add((False, moved))
            differences.append(Difference(WRONG, (cable,), (moved,)))
    differences += [Difference(EXTRA, (), (cable,)) for cable in unmatched if (False, cable) not in used]
    return differences, right


def _without(cables: list[Cable], agree: Counter[tuple[int, int]]) -> list[Cable]:
    """The cables beyond the number that agree between each pair of nodes."""
    left = Counter(agree)
    rest = []
    for cable in cables:
        nodes = cable[0][0], cable[1][0]
        if left[nodes] > 0:
            left[nodes] -= 1
        else:
            rest.append(cable)
    return rest


def _swap(
    cable: Cable, planned_at: dict[int, list[Cable]], found_at: dict[int, list[Cable]], used: set[tuple[bool, Cable]]
) -> tuple[Cable, Cable, Cable] | None:
    """Another planned cable and two found cables that are these two planned ones with their ends swapped."""
    a, b = cable[0][0], cable[1][0]
    for first in found_at[a]:
        x = _far(first, a)
        if (False, first) in used:
            continue
        for other in planned_at[x]:
            y = _far(other, x)
            if other == cable or (True, other) in used:
                continue
            for second in found_at[b]:
                if second != first and (False, second) not in used and _far(second, b) == y:
                    return other, first, second
    return None


def _far(cable: Cable, node: int) -> int:
    return cable[1][0] if cable[0][0] == node else cable[0][0]


def cables_between(fabric: Fabric, switch: np.ndarray, host: np.ndarray, hosts: bool) -> set[Cable]:
    """All cables of a fabric between numbered nodes, lower plug first.

    Parameters
    ----------
    fabric : Fabric
    switch, host : int64[switches], int64[hosts]
        The node number of each.
    hosts : bool
        Whether to include the cables of hosts.

    Returns
    -------
    set of Cable
    """
    return {*_cables(fabric, switch, host, hosts)}


def differences_of(planned: Iterable[Cable], found: Iterable[Cable], *, ports: bool) -> list[Difference]:
    """The differences between cables that only a plan has and cables that only a fabric has.

    Parameters
    ----------
    planned, found : iterable of Cable
    ports : bool
        Whether a cable must be in the planned ports.

    Returns
    -------
    list of Difference
        Chain by chain.
    """
    left, more = sorted(planned), sorted(found)
    return _by_plug(left, more) if ports else _by_node(left, more)[0]
