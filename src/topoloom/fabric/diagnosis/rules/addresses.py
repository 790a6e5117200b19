"""Rules on names and addresses: duplicates, and networks with more ports than addresses."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from topoloom.fabric.comparison import Plug, Plugged
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.finding import Finding, enumerated
from topoloom.fabric.diagnosis.flawed import flawed
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, rule
from topoloom.fabric.flaws import GUID_TWICE

T = TypeVar("T")

#: Unicast LIDs are 1 to 0xBFFF (InfiniBand Architecture Specification 1.7, 4.1.3).
_LIDS = 0xBFFF


@rule(
    "TL501",
    "guid-twice",
    ERROR,
    "Two switches, hosts or ports have the same GUID.",
    explanation="""A subnet manager distinguishes devices by their GUIDs; it sees two with the same one as a single device that
    moves about, and mixes up their tables, partitions and service levels. Causes are cloned firmware settings and swapped
    boards.""",
    fix="Restore the original GUID of one of them (mlxburn, flint), and restart it.",
)
def _guid_twice(evidence: Evidence) -> Iterator[Finding]:
    yield from flawed(evidence, GUID_TWICE)
    for side in evidence.sides:
        fabric = side.fabric
        if fabric.planned or not fabric.guids_given:
            continue  # topoloom invents its GUIDs
        reported = {name for flaw in fabric.flaws if flaw.kind == GUID_TWICE for name, _ in flaw.plugs}
        nodes = [*side.switch.tolist(), *side.host.tolist()]
        names = [*fabric.switch_names, *fabric.host_names]
        for guid, places in _twice([*fabric.switch_guids.tolist(), *fabric.host_guids.tolist()]).items():
            same_names = [names[i] for i in places]
            if not reported.issuperset(same_names):
                yield _address_finding(
                    evidence, f"{enumerated(same_names)} have the same GUID 0x{guid:016x}", [nodes[i] for i in places]
                )
            reported.update(same_names)
        for guid, places in _twice(fabric.port_guids.tolist()).items():
            hosts = fabric.topology.host[places].tolist()
            # Without its own GUID, a port's GUID derives from its host's.
            if not reported.issuperset(fabric.host_names[h] for h in hosts):
                plugs = [(int(side.host[h]), int(fabric.host_ports[e])) for h, e in zip(hosts, places, strict=True)]
                shown = enumerated(
                    [f"{fabric.host_names[h]} port {port}" for h, (_, port) in zip(hosts, plugs, strict=True)]
                )
                yield _address_finding(
                    evidence, f"{shown} have the same port GUID 0x{guid:016x}", [n for n, _ in plugs], plugs
                )


@rule(
    "TL502",
    "lid-twice",
    ERROR,
    "Two switches or ports have the same LID.",
    explanation="""A LID is an address: if two ports have the same one, one of them receives nothing. Causes are a second
    subnet manager, a cable that joins two subnets, or a discovery while addresses changed. With an LMC a port has
    2^LMC LIDs.""",
    fix="Search for a second subnet manager (sminfo) and for cables between subnets; then let one manager sweep heavily.",
)
def _lid_twice(evidence: Evidence) -> Iterator[Finding]:
    for side in evidence.sides:
        fabric = side.fabric
        base = np.concatenate([fabric.switch_lids, fabric.port_lids]).astype(np.int64)
        lmc = np.concatenate([fabric.switch_lmc, fabric.port_lmc])
        n = fabric.topology.switches
        part = np.concatenate([side.part, side.part[fabric.topology.endpoints]])
        owners: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i in np.flatnonzero(base > 0).tolist():
            # Planes are separate subnets with their own addresses.
            for lid in range(int(base[i]), int(base[i]) + (1 << int(lmc[i]))):
                owners[int(part[i]), lid].append(i)
        reported: set[tuple[int, ...]] = set()
        for (_, lid), places in sorted(owners.items()):
            if len(places) < 2 or tuple(places) in reported:
                continue
            reported.add(tuple(places))
            plugs = [(int(side.switch[i]), 0) if i < n else _plug(side, i - n) for i in places]
            shown = enumerated([evidence.node(node) + (f" port {port}" if port else "") for node, port in plugs])
            yield _address_finding(evidence, f"{shown} have the same LID {lid}", [node for node, _ in plugs], plugs)


@rule(
    "TL503",
    "name-twice",
    WARNING,
    "Two switches, or two hosts, have the same name.",
    explanation="""Switches are identified by their names; two with the same name can be distinguished by their cables only,
    and a reader of messages may go to the wrong one. Unnamed devices with the default name of their vendor do not
    count.""",
    fix="Name them (node description), or give ibnetdiscover a node name map.",
)
def _name_twice(evidence: Evidence) -> Iterator[Finding]:
    for side in evidence.sides:
        topology = side.fabric.topology
        part = _subnets(side)
        host_part = np.zeros(topology.hosts, np.int64)
        host_part[topology.host] = part[topology.endpoints]
        both = ((side.fabric.switch_names, side.switch, part), (side.fabric.host_names, side.host, host_part))
        for names, nodes, part_of in both:
            words = [(raw_name.strip().lower(), at) for raw_name, at in zip(names, part_of.tolist(), strict=True)]
            for (name, _), places in _twice(words).items():
                # A vendor's default: "Quantum Mellanox Technologies", "MT4123 ConnectX6".
                if any(maker in name for maker in _MAKERS):
                    continue
                kind = "switches" if names is side.fabric.switch_names else "hosts"
                same_nodes = [int(nodes[i]) for i in places]
                shown = enumerated([evidence.node(node) for node in same_nodes])
                yield _address_finding(
                    evidence, f"{len(places)} {kind} are called {names[places[0]]}: {shown}", same_nodes
                )


@rule(
    "TL504",
    "lids-exceeded",
    NOTE,
    "A subnet needs more LIDs than InfiniBand has.",
    explanation=f"""A subnet has {_LIDS:,} unicast LIDs: one per switch and per host port, 2^LMC with an LMC. It does not
    matter on Ethernet.""",
    fix="Use planes, each a separate subnet; several subnets with routers; or no LMC.",
)
def _lids_exceeded(evidence: Evidence) -> Iterator[Finding]:
    side = evidence.actual or evidence.plan
    fabric = side.fabric
    required = np.bincount(side.part, (1 << fabric.switch_lmc.astype(np.int64)).astype(float))
    if fabric.topology.endpoints.size:
        ends = side.part[fabric.topology.endpoints]
        required = required + np.bincount(
            ends, (1 << fabric.port_lmc.astype(np.int64)).astype(float), minlength=required.size
        )
    most = int(required.max(initial=0))
    if most > _LIDS:
        subject = f"{required.size} planes: each" if required.size > 1 else "the subnet"
        yield Finding(f"{subject} needs up to {most:,} LIDs of {_LIDS:,}")


@rule(
    "TL505",
    "addresses-exceeded",
    NOTE,
    "A routed Ethernet of these switches has more cables or hosts than topoloom's address plan.",
    explanation="""`--format frr` numbers hosts from 10.0.0.0/8, with a prefix of the same length for every switch, and links
    from 172.16.0.0/12. It does not matter on InfiniBand.""",
    fix="Assign addresses from larger ranges (IPv6, unnumbered links) outside topoloom.",
)
def _addresses_exceeded(evidence: Evidence) -> Iterator[Finding]:
    from topoloom.core.errors import InputError
    from topoloom.fabric.exports.addresses import Addresses

    fabric = (evidence.actual or evidence.plan).fabric
    if fabric.topology.endpoints.size:
        try:
            Addresses(fabric)
        except InputError as error:
            yield Finding(str(error).removeprefix(f"{fabric.topology.name}: "))


#: Parts of the names of devices that nobody has named.
_MAKERS = ("mellanox", "nvidia", "connectx", "infiniscale", "infiniband", "aggregation node", "bluefield", "omni-path")


def _twice(values: list[T]) -> dict[T, list[int]]:
    """The indices of values that occur more than once, by value."""
    places: dict[T, list[int]] = {}
    for i, value in enumerate(values):
        places.setdefault(value, []).append(i)
    return {value: where for value, where in places.items() if len(where) > 1}


def _subnets(side: Side) -> np.ndarray:
    """The subnet of each switch within which its name is unique, int64[switches].

    Planes are separate subnets, which often have the same names: then at least half of the names are in several of them. Fewer
    are mistakes, and all switches count as in one subnet.
    """
    within: dict[str, set[int]] = {}
    for name, part in zip(side.fabric.switch_names, side.part.tolist(), strict=True):
        within.setdefault(name.strip().lower(), set()).add(part)
    repeated = sum(len(parts) > 1 for parts in within.values())
    return np.asarray(side.part) if 2 * repeated >= len(within) else np.zeros(side.part.size, np.int64)


def _plug(side: Side, endpoint: int) -> Plug:
    return int(side.host[side.fabric.topology.host[endpoint]]), int(side.fabric.host_ports[endpoint])


def _address_finding(evidence: Evidence, text: str, nodes: list[int], plugs: list[Plug] | None = None) -> Finding:
    names = tuple(evidence.names[node] for node in nodes)
    ports = tuple(Plugged(evidence.names[node], port) for node, port in plugs or [] if port)
    return Finding(text, names, plugs=ports, racks=evidence.racks(nodes))
