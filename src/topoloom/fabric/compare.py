"""A fabric beside its plan: every cable that is wrong, missing, extra, or exchanged with another.

Take all plugs, the ports of switches and hosts. Every planned cable joins two of them, and so does every cable that is found.
Cables in both are right. What remains makes chains that alternate between planned and found: a planned cable alone is
missing, a found one alone is extra, one of each that share a plug are a cable with one end in the wrong place, and a ring of
two and two are two cables whose ends are exchanged.
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
    Plugged,
    Words,
)
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import Match
from topoloom.fabric.port_counters import PortCounters
from topoloom.fabric.running import Rate, slow_and_one_sided
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken


def compare_fabrics(
    plan: NetworkSource,
    actual: NetworkSource,
    match: Match,
    *,
    ports: bool = True,
    hosts: bool = True,
    racks: Sequence[str] = (),
    cable_numbers: Mapping[Plug, str] = MappingProxyType({}),
    rate: Rate | None = None,
    counters: PortCounters | None = None,
) -> Comparison:
    """Every difference between a plan and what is there.

    Parameters
    ----------
    plan, actual : NetworkSource
    match : Match
        Who is who (`topoloom.fabric.identify.identify`).
    ports : bool
        Whether a cable must be in the planned ports, and not only between the planned switches and hosts.
    hosts : bool
        Whether to compare the hosts and their cables.
    racks : sequence of str
        Where each planned switch stands, for the texts (`Network.racks`); empty: not known.
    cable_numbers : mapping of (switch, port) to str
        The number of the planned cable in a port, for the texts (`Network.cable_numbers`).
    rate : (int, float), optional
        Lanes (0: any) and Gb/s that every cable should run at (`topoloom.fabric.rates.parse_rate`); without it
        `topoloom.fabric.running` says what is too slow.
    counters : PortCounters, optional
        Errors that ports counted (`topoloom.fabric.port_counters.read_counters`).

    Returns
    -------
    Comparison
        What is wrong, missing, extra and exchanged, with the names of both networks.
    """
    plan, actual = taken(plan, Fabric, "compare_fabrics"), taken(actual, Fabric, "compare_fabrics")
    started = time.monotonic()
    n, h = plan.topology.switches, plan.topology.hosts
    unknown = n + h
    switch_number, host_number = match.switch.copy(), np.where(match.host >= 0, match.host + n, -1)
    extra_switches = np.flatnonzero(switch_number < 0)
    switch_number[extra_switches] = unknown + np.arange(extra_switches.size)
    extra_hosts = np.flatnonzero(host_number < 0)
    host_number[extra_hosts] = unknown + extra_switches.size + np.arange(extra_hosts.size)
    names = [*plan.switch_names, *plan.host_names]
    names += [actual.switch_names[s] for s in extra_switches.tolist()]
    names += [actual.host_names[x] for x in extra_hosts.tolist()]
    should = _cables(plan, np.arange(n), n + np.arange(h), hosts)
    there = _cables(actual, switch_number, host_number, hosts)
    planned, found = should.keys(), there.keys()
    same = planned & found
    left, more = sorted(planned - same), sorted(found - same)
    right, loose = len(same), 0
    if ports:
        differences = _by_plug(left, more)
        loose = _by_node(left, more)[1] if differences else 0
    else:
        differences, agreeing = _by_node(left, more)
        right += agreeing
    running = slow_and_one_sided(plan, actual, should, there, rate)
    differences = [*differences, *running]
    known = set(match.switch.tolist())
    known_hosts = set(match.host.tolist())
    called = {
        node: name
        for number, given in ((switch_number, actual.switch_names), (host_number, actual.host_names))
        for node, name in zip(number.tolist(), given, strict=True)
        if name != names[node]
    }
    missing_switches = tuple(s for s in range(n) if s not in known)
    missing_hosts = tuple(x for x in range(h) if x not in known_hosts) if hosts else ()
    more_hosts = tuple(extra_hosts.tolist()) if hosts else ()
    words = Words(tuple(names), called, tuple(racks), cable_numbers)
    errors = (
        [] if counters is None else cable_errors(counted_at(actual, counters, switch_number, host_number), there, words)
    )
    at_cable = {cable: words.counted(cable, error.counted) for cable, error in errors}
    nodes = [f"switch {words.node(s)} is not there" for s in missing_switches]
    nodes += [f"host {plan.host_names[x]} is not there" for x in missing_hosts]
    nodes += [f"switch {actual.switch_names[s]} is not in the plan" for s in extra_switches.tolist()]
    nodes += [f"host {actual.host_names[x]} is not in the plan" for x in more_hosts]
    settings = {"actual": actual.made, "actual_digest": actual.topology.digest, "hosts": hosts}
    seconds = match.seconds + time.monotonic() - started
    return Comparison(
        plan=plan.topology.name,
        actual=actual.topology.name,
        switches_known_by=match.by,
        switches_known_by_neighbours=match.inferred,
        links_that_agree=match.share,
        ports="exact" if ports else "any",
        planned_cables=len(plan.topology.links) + (plan.topology.endpoints.size if hosts else 0),
        right_cables=right,
        right_but_for_ports=loose,
        faults=tuple(
            Fault(
                one.kind,
                _named(one.planned, names),
                _named(one.found, names),
                words.fault(one, running.get(one, ""))
                + "".join(f"; errors: {at_cable[cable]}" for cable in one.found if cable in at_cable),
            )
            for one in differences
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
        called=called,
        provenance=provenance_of(plan.topology, seed=match.seed, settings=settings, timings={"seconds": seconds}),
    )


def _named(cables: tuple[Cable, ...], names: list[str]) -> tuple[tuple[Plugged, Plugged], ...]:
    return tuple((Plugged(names[a], at_a), Plugged(names[b], at_b)) for (a, at_a), (b, at_b) in cables)


def _cables(fabric: Fabric, switch: np.ndarray, host: np.ndarray, hosts: bool) -> dict[Cable, int]:
    """All cables of a fabric between numbered nodes, the lower plug first: the number of the link, or past these of the
    endpoint; -1 for a cable from a switch to itself."""
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
    """The differences, chain by chain; every plug has at most one planned cable and one that was found."""
    should = {plug: cable for cable in planned for plug in cable}
    there = {plug: cable for cable in found for plug in cable}
    done: set[tuple[bool, Cable]] = set()
    differences = []
    # Chains with ends first: from a plug that has only one of the two; what is left are rings.
    starts = [plug for plug in sorted({*should, *there}) if (plug in should) != (plug in there)]
    for plug in [*starts, *sorted(should)]:
        first = plug in should
        cable = should[plug] if first else there[plug]
        if (first, cable) in done:
            continue
        chain = _chain(plug, first, should, there)
        done.update(chain)
        differences += _chain_differences(chain, ring=plug in should and plug in there)
    return differences


def _chain(plug: Plug, planned: bool, should: dict[Plug, Cable], there: dict[Plug, Cable]) -> list[tuple[bool, Cable]]:
    """The cables of a chain from its end, or round a ring: whether each is planned, and the cable."""
    chain: list[tuple[bool, Cable]] = []
    seen: set[tuple[bool, Cable]] = set()
    while True:
        side = should if planned else there
        # Round a ring, or, where two cables are in one port, in a circle that the start is no part of.
        if plug not in side or (planned, side[plug]) in seen:
            return chain
        cable = side[plug]
        chain.append((planned, cable))
        seen.add(chain[-1])
        plug = cable[1] if cable[0] == plug else cable[0]
        planned = not planned


def _chain_differences(chain: list[tuple[bool, Cable]], ring: bool) -> list[Difference]:
    planned = tuple(cable for kind, cable in chain if kind)
    found = tuple(cable for kind, cable in chain if not kind)
    if ring:
        return [Difference(SWAPPED, planned, found)]
    # Along a chain each planned cable goes with the found one beside it.
    differences = [Difference(WRONG, (should,), (is_,)) for should, is_ in zip(planned, found, strict=False)]
    differences += [Difference(MISSING, (cable,), ()) for cable in planned[len(found) :]]
    differences += [Difference(EXTRA, (), (cable,)) for cable in found[len(planned) :]]
    return differences


def _by_node(planned: list[Cable], found: list[Cable]) -> tuple[list[Difference], int]:
    """The differences without regard to ports, and how many more cables are right."""

    def between(cable: Cable) -> tuple[int, int]:
        return cable[0][0], cable[1][0]

    agree = Counter(map(between, planned)) & Counter(map(between, found))
    right = agree.total()
    should, there = _without(planned, agree), _without(found, agree)
    differences: list[Difference] = []
    here: defaultdict[int, list[Cable]] = defaultdict(list)
    for cable in there:
        for node in {*between(cable)}:
            here[node].append(cable)
    wanted: defaultdict[int, list[Cable]] = defaultdict(list)
    for cable in should:
        for node in {*between(cable)}:
            wanted[node].append(cable)
    used: set[tuple[bool, Cable]] = set()
    for cable in should:
        swap = None if (True, cable) in used else _swap(cable, wanted, here, used)
        if swap:
            used.update({(True, cable), (True, swap[0]), (False, swap[1]), (False, swap[2])})
            differences.append(Difference(SWAPPED, (cable, swap[0]), swap[1:]))
    for cable in should:
        if (True, cable) in used:
            continue
        used.add((True, cable))
        moved = next((c for node in between(cable) for c in here[node] if (False, c) not in used), None)
        if moved is None:
            differences.append(Difference(MISSING, (cable,), ()))
        else:
            used.add((False, moved))
            differences.append(Difference(WRONG, (cable,), (moved,)))
    differences += [Difference(EXTRA, (), (cable,)) for cable in there if (False, cable) not in used]
    return differences, right


def _without(cables: list[Cable], agree: Counter[tuple[int, int]]) -> list[Cable]:
    """The cables that are more than agree between their nodes."""
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
    cable: Cable, wanted: dict[int, list[Cable]], here: dict[int, list[Cable]], used: set[tuple[bool, Cable]]
) -> tuple[Cable, Cable, Cable] | None:
    """Another planned cable and two found ones that are these two with exchanged ends."""
    a, b = cable[0][0], cable[1][0]
    for first in here[a]:
        x = _far(first, a)
        if (False, first) in used:
            continue
        for other in wanted[x]:
            y = _far(other, x)
            if other == cable or (True, other) in used:
                continue
            for second in here[b]:
                if second != first and (False, second) not in used and _far(second, b) == y:
                    return other, first, second
    return None


def _far(cable: Cable, node: int) -> int:
    return cable[1][0] if cable[0][0] == node else cable[0][0]


def cables_between(fabric: Fabric, switch: np.ndarray, host: np.ndarray, hosts: bool) -> set[Cable]:
    """All cables of a fabric between numbered nodes, the lower plug first.

    Parameters
    ----------
    fabric : Fabric
    switch, host : int64[switches], int64[hosts]
        The number of each as a node.
    hosts : bool
        Whether the cables of hosts are among them.

    Returns
    -------
    set of Cable
    """
    return {*_cables(fabric, switch, host, hosts)}


def differences_of(planned: Iterable[Cable], found: Iterable[Cable], *, ports: bool) -> list[Difference]:
    """What differs between cables that only a plan has and cables that only a fabric has.

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
