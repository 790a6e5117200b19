"""Rules on the structure of a network: rails, planes, tapers, bundles, and connectedness."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from topoloom.fabric.comparison import Cable, Plug
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.roots import PLANE, RAIL, SWITCH_UNCABLED
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, rule
from topoloom.fabric.diagnosis.rules.cables import cable_finding
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.machines import JOIN_HINT, joined
from topoloom.fabric.port_names import UNKNOWN, is_management_port
from topoloom.graph.planes import plane_count
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS
from topoloom.model.topology import Topology


@rule(
    "TL301",
    "rail-miswired",
    ERROR,
    "A host's port is plugged into the switch of another rail.",
    explanation="""With rails, interface r of every host of a unit is plugged into leaf r of the unit, and collectives rely
    on it: traffic that should stay under one leaf crosses the spine. Swapped ports of one host are one fault.""",
    fix="Move the plug to the leaf of its rail; the text names the planned port.",
)
def _rail(evidence: Evidence) -> Iterator[Finding]:
    return (cable_finding(evidence, root, RAIL) for root in evidence.roots if root.kind == RAIL)


@rule(
    "TL302",
    "plane-crossed",
    ERROR,
    "A cable joins two planes, or a host's port is in another plane than planned.",
    explanation="""Planes (and the rails of a rail-only network) are networks without links between them: each is a subnet
    with its own manager. One cable between two planes makes them one subnet: two managers compete for it, addresses
    appear twice, and a loop may close. A host's port in the wrong plane cannot be reached from its own plane.""",
    fix="Unplug the cable first; then move its end to the planned port.",
)
def _plane(evidence: Evidence) -> Iterator[Finding]:
    return (cable_finding(evidence, root, PLANE) for root in evidence.roots if root.kind == PLANE)


@rule(
    "TL303",
    "taper-changed",
    NOTE,
    "A leaf has more host ports per link upwards than planned.",
    explanation="""A consequence of missing or misplaced cables: the hosts of this leaf get a smaller share of the
    network than others, and every job that runs in step waits for them. A leaf is a switch with hosts whose links
    all go to switches without hosts. Where cables of the plan differ in rate, the rule compares Gb/s: those of the hosts'
    ports with those of the links upwards.""",
    fix="Repair the cause.",
)
def _taper(evidence: Evidence) -> Iterator[Finding]:
    if evidence.actual is None:
        return
    plan, actual = evidence.plan.fabric.topology, evidence.actual.fabric.topology
    place = {int(node): x for x, node in enumerate(evidence.actual.switch.tolist())}
    off = {root.nodes[0] for root in evidence.roots if root.kind == SWITCH_UNCABLED}
    wrong = evidence.not_right | evidence.unplanned
    changed: list[Change] = []
    gbps = plan.mixed
    planned_at, actual_at = (
        (_gbps_by_cable(evidence, evidence.plan), _gbps_by_cable(evidence, evidence.actual))
        if gbps
        else ((plan.endpoints_at, plan.degrees), (actual.endpoints_at, actual.degrees))
    )
    for leaf in evidence.plan.leaves.tolist():
        x = place.get(leaf, -1)
        if x < 0 or leaf in off:
            continue
        planned_ports, actual_ports = (
            (hosts[s].item(), up[s].item()) for (hosts, up), s in ((planned_at, leaf), (actual_at, x))
        )
        if actual_ports[0] * planned_ports[1] > planned_ports[0] * actual_ports[1]:
            follows = frozenset(cable for cable in wrong if leaf in (cable[0][0], cable[1][0]))
            ratios = f"{_ratio(*actual_ports, gbps)}, planned {_ratio(*planned_ports, gbps)}"
            changed.append(((leaf,), ratios, follows))
    for leaves, ratio, follows in _by_cause(evidence, changed):
        names = enumerated([evidence.node(leaf) for (leaf,) in leaves])
        text = f"{names} {'have' if len(leaves) > 1 else 'has'} {ratio}"
        yield _at(evidence, [leaf for (leaf,) in leaves], text, follows)


@rule(
    "TL304",
    "bundle-thinner",
    NOTE,
    "Some of the parallel cables between two switches are missing.",
    explanation="""A consequence of missing or misplaced cables: routing by destination spreads load evenly over the planned
    cables, so the remaining ones carry more than others.""",
    fix="Repair the cause.",
)
def _bundle(evidence: Evidence) -> Iterator[Finding]:
    if evidence.actual is None:
        return
    planned = Counter(map(tuple, evidence.plan.fabric.topology.links.tolist()))
    ends = np.sort(evidence.actual.switch[evidence.actual.fabric.topology.links], axis=1)
    present = Counter(map(tuple, ends.tolist()))
    wrong: dict[tuple[int, int], set[Cable]] = defaultdict(set)
    for cable in evidence.not_right:
        wrong[cable[0][0], cable[1][0]].add(cable)
    thinner: list[Change] = [
        (pair, f"{present[pair]} of {many} cables are present", frozenset(wrong[pair]))
        for pair, many in sorted(planned.items())
        if many > 1 and 0 < present[pair] < many
    ]
    for pairs, text, follows in _by_cause(evidence, thinner):
        names = enumerated([f"{evidence.node(u)} and {evidence.node(v)}" for u, v in pairs], 4)
        yield _at(evidence, [node for pair in pairs for node in pair], f"between {names}: {text}", follows)


@rule(
    "TL305",
    "network-in-parts",
    ERROR,
    "The network, or one of its planes, is not connected.",
    explanation="""Hosts in different parts cannot reach each other. In a plan it is a mistake of the plan; parts count as
    planes if hosts have a port in each. In a fabric it is a consequence of missing cables, which are listed.""",
    fix="Repair the cause; in a plan, add links between the parts.",
)
def _parts(evidence: Evidence) -> Iterator[Finding]:
    yield from _planned_parts(evidence)
    if evidence.actual is None:
        return
    side = evidence.actual
    pieces: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for x, node in enumerate(side.switch.tolist()):
        if node < evidence.planned_switches:
            pieces[int(evidence.plan.part[node])][int(side.part[x])].append(node)
    off = {root.nodes[0] for root in evidence.roots if root.kind == SWITCH_UNCABLED}
    for _, parts in sorted(pieces.items()):
        ordered = sorted(parts.values(), key=lambda nodes: (-len(nodes), nodes[0]))
        for nodes in ordered[1:]:
            if off.issuperset(nodes):
                continue
            members = {*nodes}
            follows = frozenset(
                cable
                for cable in evidence.not_right
                if len(members & {cable[0][0], cable[1][0]}) == 1 and _between(evidence, cable)
            )
            names = [evidence.node(node) for node in nodes]
            rest = f"switch{'es' * (len(names) > 1)} {enumerated(names)}"
            yield Finding(
                f"not connected: no link joins {rest} to the other {len(ordered[0])} switches",
                tuple(evidence.names[node] for node in nodes),
                racks=evidence.racks(nodes),
                follows=follows,
            )


@rule(
    "TL306",
    "uplinks-differ",
    NOTE,
    "Leaves of a plan have different numbers of links upwards.",
    explanation="""Hosts get different shares of the network, depending on their leaf. If it is planned on purpose (a leaf
    for storage), it is no fault; the rule is for a plan alone, and does not repeat this with each discovery. Where links
    differ in rate, the rule compares the Gb/s of the links upwards of the leaves of each plane.""",
    fix="Give every leaf the same number of links upwards, or keep jobs off leaves with fewer.",
)
def _uplinks(evidence: Evidence) -> Iterator[Finding]:
    side = evidence.plan
    topology, leaves = side.fabric.topology, side.leaves
    if leaves.size < 2 or evidence.actual is not None or evidence.verification is not None:
        return
    if topology.mixed:
        yield from _uplink_gbps(evidence)
        return
    counts = Counter(topology.degrees[leaves].tolist())
    usual = max(counts, key=lambda many: (counts[many], many))
    odd = [leaf for leaf in leaves.tolist() if topology.degrees[leaf] != usual]
    if odd:
        shown = enumerated([f"{evidence.node(leaf)} {topology.degrees[leaf]}" for leaf in odd])
        text = f"{counts[usual]} of {leaves.size} leaves have {usual} links upwards; {shown}"
        yield Finding(text, tuple(evidence.names[leaf] for leaf in odd), racks=evidence.racks(odd))


def _uplink_gbps(evidence: Evidence) -> Iterator[Finding]:
    """The leaves of each plane whose links upwards have other Gb/s than those of most of its leaves."""
    side = evidence.plan
    up = _gbps_of(side.fabric.topology)[1]
    for part in np.unique(side.part[side.leaves]).tolist():
        leaves = side.leaves[side.part[side.leaves] == part].tolist()
        counts = Counter(up[leaves].tolist())
        usual = max(counts, key=lambda gbps: (counts[gbps], gbps))
        odd = [leaf for leaf in leaves if up[leaf] != usual]
        if odd:
            shown = enumerated([f"{evidence.node(leaf)} {up[leaf]:,.10g}" for leaf in odd])
            text = f"{counts[usual]} of {len(leaves)} leaves have {usual:,.10g} Gb/s of links upwards; {shown}"
            yield Finding(text, tuple(evidence.names[leaf] for leaf in odd), racks=evidence.racks(odd))


@rule(
    "TL307",
    "taper-exceeded",
    ERROR,
    "A leaf of the plan has more host ports per link upwards than `--taper` allows.",
    explanation="""Its hosts get a smaller share of the network than required. Where rates differ, the rule compares the Gb/s
    of the host ports with those of the links upwards.""",
    fix="Plan with fewer hosts per leaf, or with more links upwards.",
)
def _exceeded(evidence: Evidence) -> Iterator[Finding]:
    limit, topology = evidence.limits.taper, evidence.plan.fabric.topology
    if limit is None:
        return
    gbps = topology.mixed
    hosts_at, up_at = _gbps_of(topology) if gbps else (topology.endpoints_at, topology.degrees)
    for leaf in evidence.plan.leaves.tolist():
        hosts, up = hosts_at[leaf].item(), up_at[leaf].item()
        if hosts > limit * up * (1 + 1e-9):
            text = f"{evidence.node(leaf)} has {_ratio(hosts, up, gbps)}; the limit is {limit:g}:1"
            yield _at(evidence, [leaf], text)


@rule(
    "TL308",
    "bundles-differ",
    NOTE,
    "A switch of the plan has more parallel cables to some switches above it than to others.",
    explanation="""Routing by destination gives every switch above the same share, so the thin bundles fill up first.
    Some network sizes allow no other plan.""",
    fix="Choose a number of upper switches that divides the number of links upwards, if ports allow.",
)
def _bundles(evidence: Evidence) -> Iterator[Finding]:
    side = evidence.plan
    upward = _upward(side)
    odd = [(s, sizes) for s, sizes in upward.items() if len(set(sizes)) > 1]
    if odd:
        first, sizes = odd[0]
        text = f"{evidence.node(first)} has {min(sizes)} to {max(sizes)} cables to each switch above it"
        if len(odd) > 1:
            text += f", and {len(odd) - 1} more switches have such bundles"
        nodes = [s for s, _ in odd]
        yield Finding(text, tuple(evidence.names[s] for s in nodes), racks=evidence.racks(nodes))


def _upward(side: Side) -> dict[int, list[int]]:
    """The sizes of the bundles of every switch with parallel cables upwards."""
    level, links = side.level, side.fabric.topology.links
    rising = links[np.abs(level[links[:, 0]] - level[links[:, 1]]) == 1]
    rising = rising[(level[rising] >= 0).all(axis=1)]
    sizes: dict[int, list[int]] = defaultdict(list)
    for (u, v), many in sorted(Counter(map(tuple, rising.tolist())).items()):
        sizes[u if level[u] < level[v] else v].append(many)
    return {s: many for s, many in sorted(sizes.items()) if max(many) > 1}


def _has_links(plan: Fabric) -> bool:
    """Whether switches have links to each other, apart from those at ports for management."""
    topology, names = plan.topology, each_node(plan.switch_port_names, plan.topology.switches)
    cables = zip(topology.links.tolist(), plan.link_ports.tolist(), strict=True)
    return any(
        not any(is_management_port(names[s].get(port, UNKNOWN)) for s, port in zip(*cable, strict=True))
        for cable in cables
    )


def _planned_parts(evidence: Evidence) -> Iterator[Finding]:
    """A plan in parts that share no hosts, or with more parts than it has planes."""
    side = evidence.plan
    topology, part = side.fabric.topology, side.part
    many = int(part.max(initial=-1)) + 1
    if many < 2:
        return
    labels = next((topology.labels[key] for key in ("plane", "rail") if key in topology.labels), None)
    planes = 0 if labels is None else len(np.unique(labels))
    # Parts that share their hosts are planes.
    group = list(range(many))

    def root(part_number: int) -> int:
        while group[part_number] != part_number:
            part_number = group[part_number]
        return part_number

    first: dict[int, int] = {}
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        other = first.setdefault(host, int(part[switch]))
        group[root(int(part[switch]))] = root(other)
    apart = len({root(number) for number in range(many)})
    if apart > 1 or 0 < planes < many:
        sizes = Counter(part.tolist())
        smallest = min(sizes, key=lambda number: (sizes[number], number))
        nodes = np.flatnonzero(part == smallest).tolist()
        what = f"{planes} planes in {many} parts" if 0 < planes < many else f"{many} parts"
        names = enumerated([evidence.node(node) for node in nodes])
        text = f"not connected: the plan has {what}; the smallest is {names}"
        if plane_count(joined(side.fabric).topology) > 1:
            text += f". {JOIN_HINT}"
        if not _has_links(side.fabric):
            text += ". It has no links: if another network joins its switches, verify the whole machine, or omit TL305"
        yield Finding(text, tuple(evidence.names[node] for node in nodes), racks=evidence.racks(nodes))


def _between(evidence: Evidence, cable: Cable) -> bool:
    return not evidence.is_host(cable[1][0])


def _ratio(hosts: float, up: float, gbps: bool = False) -> str:
    """The ports and links of a leaf in words or, with `gbps`, their rates in Gb/s."""
    words = f"{hosts} host ports on {up} link{'s' * (up != 1)} upwards"
    if gbps:
        words = f"{hosts:,.10g} Gb/s of host ports on {up:,.10g} Gb/s of links upwards"
    return words + (f" ({hosts / up:.3g}:1)" if up else "")


def _gbps_of(topology: Topology) -> tuple[np.ndarray, np.ndarray]:
    """The rate of all host ports and of all links of each switch, Gb/s, float64[switches] each, of a network with rates."""
    rates = topology.rates_of()
    n, links = topology.switches, np.asarray(rates[RATE_OF_LINKS])
    hosts = np.bincount(topology.endpoints, rates[RATE_OF_ENDPOINTS], n)
    return hosts, np.bincount(topology.links.ravel(), np.repeat(links, 2), n)


def _gbps_by_cable(evidence: Evidence, side: Side) -> tuple[np.ndarray, np.ndarray]:
    """`_gbps_of` for the plan or for the fabric, whose cables have the lower of the rates that the plan has for their ports.

    A cable between ports without planned cables counts with the lowest rate of the plan.
    """
    plan = evidence.plan
    rates = plan.fabric.topology.rates_of()
    by_plug: dict[Plug, float] = {}
    for cables, gbps in ((plan.link_cables, rates[RATE_OF_LINKS]), (plan.end_cables, rates[RATE_OF_ENDPOINTS])):
        for cable, rate in zip(cables, gbps.tolist(), strict=True):
            by_plug |= dict.fromkeys(cable, rate)
    lowest = float(plan.fabric.topology.rates_gbps[0])

    def gbps_of(cables: list[Cable]) -> np.ndarray:
        return np.array([min((by_plug[plug] for plug in cable if plug in by_plug), default=lowest) for cable in cables])

    topology = side.fabric.topology
    n = topology.switches
    hosts = np.bincount(topology.endpoints, gbps_of(side.end_cables), n)
    return hosts, np.bincount(topology.links.ravel(), np.repeat(gbps_of(side.link_cables), 2), n)


Change = tuple[tuple[int, ...], str, frozenset[Cable]]


def _by_cause(
    evidence: Evidence, all_changes: list[Change]
) -> Iterator[tuple[list[tuple[int, ...]], str, frozenset[Cable]]]:
    """Group changes with the same text and the same causes: the nodes of each group, its text, and the cables that cause it."""
    cause = {cable: i for i, root in enumerate(evidence.roots) for cable in (*root.planned, *root.found)}
    together: dict[tuple[str, frozenset[int]], list[tuple[tuple[int, ...], frozenset[Cable]]]] = defaultdict(list)
    for nodes, text, cables in all_changes:
        together[text, frozenset(cause[cable] for cable in cables if cable in cause)].append((nodes, cables))
    for (text, _), changes in together.items():
        yield [nodes for nodes, _ in changes], text, frozenset[Cable]().union(*(cables for _, cables in changes))


def _at(evidence: Evidence, nodes: list[int], text: str, follows: frozenset[Cable] = frozenset()) -> Finding:
    each = list(dict.fromkeys(nodes))
    names = tuple(evidence.names[node] for node in each)
    return Finding(text, names, racks=evidence.racks(each), follows=follows)
