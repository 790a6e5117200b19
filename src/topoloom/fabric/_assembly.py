"""From the nodes and ports that a fabric's text names to a `Fabric`: numbers, links, endpoints, and both ends agreeing."""

import logging
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.flaws import Flaws
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS, tell_dropped
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

_HOST_GUID, _SWITCH_GUID = 0x100000, 0x200000


@dataclass(frozen=True)
class ReadCable:
    """What a port's line says: the far node and port, the port's own GUID, LID and LMC where given, the line.

    Attributes
    ----------
    to : str
    port : int
    guid : int or None
    lid, lmc, line : int
    width : int
        Lanes; 0 where not said.
    rate_gbps, length_m : float
        0 where not said.
    part : str
        The part number of the cable.
    far_guid : int or None
    far_lid : int
        What the line says of the far port.
    """

    to: str
    port: int
    guid: int | None
    lid: int
    lmc: int
    line: int
    width: int = 0
    rate_gbps: float = 0.0
    length_m: float = 0.0
    part: str = ""
    far_guid: int | None = None
    far_lid: int = 0


@dataclass
class ReadNode:
    """A switch or a host as the text has it."""

    id: str
    switch: bool
    ports: int
    name: str
    guid: int | None
    lid: int
    lmc: int
    line: int
    cables: dict[int, ReadCable] = field(default_factory=dict)
    #: The device id, and the GUID of the system that it is a part of, where the text says them.
    device: int = 0
    system: int | None = None


def assembled(nodes: dict[str, ReadNode], source: str, name: str, flaws: Flaws | None = None) -> Fabric:
    """The fabric of these nodes; raises `InputError` for cables whose ends do not agree.

    A cable that only one end tells of is taken, marked, and a warning says how many there are.

    Parameters
    ----------
    nodes : dict of str to ReadNode
        By their ids.
    source : str
        The file.
    name : str
        The topology's name.
    flaws : Flaws, optional
        What was lenient so far; a GUID that is there twice is then left to the rules.
    """
    flaws = flaws or Flaws(source)
    once = _complete(nodes, source)
    _check_ends(nodes, source)
    _give_guids(nodes, source, flaws.lenient)
    switches = [node for node in nodes.values() if node.switch]
    # A host without a cable is no part of the network.
    hosts = [node for node in nodes.values() if not node.switch and node.cables]
    switches, plain = _in_order(switches, "S")
    hosts, _ = _in_order(hosts, "H")
    number = {node.id: i for i, node in enumerate(switches)}
    links: list[tuple[int, int, int, int]] = []
    loops = []
    for u, node in enumerate(switches):
        for port, cable in node.cables.items():
            v = number.get(cable.to, -1)
            if v == u and port < cable.port:
                loops.append((u, port, cable.port))
            elif v > u:
                links.append((u, v, port, cable.port))
    links.sort()
    plugs = sorted(
        (number[cable.to], cable.port, h, port) for h, node in enumerate(hosts) for port, cable in node.cables.items()
    )
    ends = np.array(links, np.int64).reshape(-1, 4)
    at_switch = np.array(plugs, np.int64).reshape(-1, 4)
    labels = (
        {}
        if plain
        else {
            "id": np.array([node.name for node in switches]),
            "guid": np.array([f"0x{node.guid:016x}" for node in switches]),
        }
    )
    plugged = [hosts[h].cables[port] for _, _, h, port in plugs]
    own = [(hosts[h].guid or 0, port) for _, _, h, port in plugs]
    both_links = [(switches[u], p, switches[v], q) for u, v, p, q in links]
    both_plugs = [(switches[s], p, hosts[h], q) for s, p, h, q in plugs]
    about = _told("link", both_links, once) | _told("endpoint", both_plugs, once)
    rates = _rates_of_all(about, source)
    return Fabric(
        topology=Topology(ends[:, :2], len(switches), at_switch[:, 0], at_switch[:, 2], labels, name, **rates),
        switch_names=tuple(node.name for node in switches),
        switch_guids=np.array([node.guid for node in switches], np.uint64),
        switch_ports=np.array([node.ports for node in switches], np.int32),
        host_names=tuple(node.name for node in hosts),
        host_guids=np.array([node.guid for node in hosts], np.uint64),
        host_sizes=np.array([node.ports for node in hosts], np.int32),
        # Without one of its own a port has its host's GUID and its number more.
        port_guids=np.array(
            [
                cable.guid if cable.guid is not None else (guid + port) % (1 << 64)
                for cable, (guid, port) in zip(plugged, own, strict=True)
            ],
            np.uint64,
        ),
        link_ports=ends[:, 2:].astype(np.int32),
        endpoint_ports=at_switch[:, 1].astype(np.int32),
        host_ports=at_switch[:, 3].astype(np.int32),
        switch_lids=np.array([node.lid for node in switches], np.int32),
        port_lids=np.array([cable.lid for cable in plugged], np.int32),
        switch_lmc=np.array([node.lmc for node in switches], np.int32),
        port_lmc=np.array([cable.lmc for cable in plugged], np.int32),
        loops=np.array(loops, np.int32).reshape(-1, 3),
        made=source,
        flaws=flaws.found,
        switch_device=np.array([node.device for node in switches], np.int64),
        host_device=np.array([node.device for node in hosts], np.int64),
        **about,
    )


def _rates_of_all(about: dict[str, Any], source: str) -> dict[str, Any]:
    """The rates that a topology takes: those of all cables, or none, which a warning says where some are known."""
    rates = {key: about[key] for key in (RATE_OF_LINKS, RATE_OF_ENDPOINTS)}
    given = np.concatenate([*rates.values()]) > 0
    if given.all():
        return rates if given.size else {}
    if given.any():
        tell_dropped(source, f"the rates of {(~given).sum()} of {given.size} cables are not known")
    return {}


def _told(kind: str, ends: list[tuple[ReadNode, int, ReadNode, int]], once: set[tuple[str, int]]) -> dict[str, Any]:
    """What the ends say of their cables: of two widths and rates the lower, of lengths and part numbers the one there is."""
    pairs = [(one.cables[port], other.cables[at]) for one, port, other, at in ends]
    return {
        f"{kind}_width": np.array([_lower(a.width, b.width) for a, b in pairs], np.int64),
        f"{kind}_rate_gbps": np.array([_lower(a.rate_gbps, b.rate_gbps) for a, b in pairs], np.float64),
        f"{kind}_length_m": np.array([max(a.length_m, b.length_m) for a, b in pairs], np.float64),
        f"{kind}_part": np.array([a.part or b.part for a, b in pairs], np.str_),
        f"{kind}_one_sided": np.array(
            [(one.id, port) in once or (other.id, at) in once for one, port, other, at in ends], np.bool_
        ),
    }


def _lower(one: float, other: float) -> float:
    return min(one, other) if one and other else one or other


def _complete(nodes: dict[str, ReadNode], source: str) -> set[tuple[str, int]]:
    """Give each cable that only one end tells of its other end; the ports that were silent.

    A port that did not answer is omitted by the tools, and so is what an unknown device (``?-``) says of itself.
    """
    silent: set[tuple[str, int]] = set()
    unknown = 0
    first = ""
    for node in nodes.values():
        for port, cable in list(node.cables.items()):
            far = nodes.get(cable.to)
            if far is None and cable.to.startswith("?"):
                del node.cables[port]
                unknown += 1
            elif far is not None and cable.port not in far.cables and (far.switch or node.switch):
                if not 1 <= cable.port <= far.ports:
                    raise at(source, cable.line, f"port {cable.port} of {far.name}; its ports are 1 to {far.ports}")
                far.cables[cable.port] = ReadCable(node.id, port, cable.far_guid, cable.far_lid, 0, cable.line)
                first = first or f"{node.name} port {port} to {far.name} port {cable.port} (line {cable.line})"
                silent.add((far.id, cable.port))
    if silent:
        many = f"{len(silent)} cables are" if len(silent) > 1 else "1 cable is"
        log.warning("%s: %s told of by one end only, the first %s; taken as there", source, many, first)
    if unknown:
        log.warning("%s: %d cables lead to devices that did not say what they are; omitted", source, unknown)
    return silent


def _check_ends(nodes: dict[str, ReadNode], source: str) -> None:
    """Refuse cables whose ends say different things, and cables between hosts."""
    for node in nodes.values():
        for port, cable in node.cables.items():
            far = nodes.get(cable.to)
            here = f"{node.name} port {port} is cabled to"
            if far is None:
                raise at(source, cable.line, f"{here} '{cable.to[:60]}', which the file does not describe")
            if not far.switch and not node.switch:
                raise at(source, cable.line, f"{here} host {far.name}; hosts are cabled to switches here")
            back = far.cables[cable.port]
            there = f"{far.name} port {cable.port}"
            if (back.to, back.port) != (node.id, port) or (far is node and cable.port == port):
                other = nodes[back.to].name if back.to in nodes else back.to[:60]
                reason = f"but that is cabled to {other} port {back.port} (line {back.line})"
                raise at(source, cable.line, f"{here} {there}, {reason}")


def _give_guids(nodes: dict[str, ReadNode], source: str, lenient: bool) -> None:
    """GUIDs as ibsim gives them for nodes without; two nodes with the same one are refused, unless it is lenient."""
    next_host, next_switch = _HOST_GUID, _SWITCH_GUID
    taken: dict[int, ReadNode] = {}
    for node in nodes.values():
        if node.guid is None:
            node.guid = next_switch if node.switch else next_host
        next_switch += node.switch
        next_host += 0 if node.switch else 1 + node.ports
        if node.guid in taken and not lenient:
            raise at(source, node.line, f"{node.name} has GUID 0x{node.guid:x}, which {taken[node.guid].name} has too")
        taken[node.guid] = node


def _in_order(nodes: list[ReadNode], letter: str) -> tuple[list[ReadNode], bool]:
    """The nodes by the numbers in their names where these are S0, S1, ... without gaps, and whether they are."""
    found = [re.fullmatch(rf"{letter}(0|[1-9][0-9]{{0,8}})", node.name) for node in nodes]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) != len(nodes) or sorted(numbers) != list(range(len(nodes))):
        return nodes, False
    order = np.argsort(numbers, kind="stable").tolist() if numbers else []
    return [nodes[i] for i in order], True
