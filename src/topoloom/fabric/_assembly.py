"""Assembling a `Fabric` from parsed nodes and ports: numbers, links, endpoints, and a check that both ends agree."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.flaws import Flaws
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS, tell_dropped
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

_HOST_GUID, _SWITCH_GUID = 0x100000, 0x200000


class ReadCable(NamedTuple):
    """A line of a port: the far node and port, the port's own GUID, LID and LMC where given, and the line number.

    Attributes
    ----------
    to : str
    port : int
    guid : int or None
    lid, lmc, line : int
    width : int
        Lanes; 0 where not given.
    rate_gbps, length_m : float
        0 where not given.
    part : str
        The part number of the cable.
    far_guid : int or None
    far_lid : int
        GUID and LID of the far port, as the line states them.
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
    """A switch or a host as parsed."""

    id: str
    switch: bool
    ports: int
    name: str
    guid: int | None
    lid: int
    lmc: int
    line: int
    cables: dict[int, ReadCable] = field(default_factory=dict)
    #: The device id, and the GUID of the system that contains it, where given.
    device: int = 0
    system: int | None = None
    rack: str = ""
    unit: str = ""
    port_names: Mapping[int, str] = field(default_factory=dict)

    def port_text(self, port: int) -> str:
        """A port by its name, or by its number."""
        return self.port_names.get(port) or str(port)


def assembled(nodes: dict[str, ReadNode], source: str, name: str, flaws: Flaws | None = None) -> Fabric:
    """The fabric of these nodes.

    A cable that only one end lists is accepted and marked; a warning gives their number.

    Parameters
    ----------
    nodes : dict of str to ReadNode
        By id.
    source : str
        The file, for messages.
    name : str
        The name of the topology.
    flaws : Flaws, optional
        The flaws found so far; with lenient parsing, duplicate GUIDs are left to the diagnosis rules.

    Raises
    ------
    InputError
        The two ends of a cable do not agree.
    """
    from topoloom.fabric.managed_names import restore_planned_names

    flaws = flaws or Flaws(source)
    restore_planned_names(nodes.values())
    once = _complete(nodes, source)
    _check_ends(nodes, source)
    guids_given = all(node.guid is not None for node in nodes.values())
    _give_guids(nodes, source, flaws.lenient)
    switches = [node for node in nodes.values() if node.switch]
    # A host without a cable is not part of the network.
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
    about = _cable_properties("link", both_links, once) | _cable_properties("endpoint", both_plugs, once)
    rates = _rates_of_all(about, source)
    return Fabric(
        topology=Topology(ends[:, :2], len(switches), at_switch[:, 0], at_switch[:, 2], labels, name, **rates),
        switch_names=tuple(node.name for node in switches),
        switch_guids=np.array([node.guid for node in switches], np.uint64),
        switch_ports=np.array([node.ports for node in switches], np.int32),
        host_names=tuple(node.name for node in hosts),
        host_guids=np.array([node.guid for node in hosts], np.uint64),
        host_sizes=np.array([node.ports for node in hosts], np.int32),
        # A port without its own GUID gets its host's GUID plus its port number.
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
        guids_given=guids_given,
        flaws=flaws.found,
        switch_device=np.array([node.device for node in switches], np.int64),
        host_device=np.array([node.device for node in hosts], np.int64),
        switch_system=np.array([node.system or 0 for node in switches], np.uint64),
        host_system=np.array([node.system or 0 for node in hosts], np.uint64),
        switch_rack=np.array([node.rack for node in switches], np.str_),
        host_rack=np.array([node.rack for node in hosts], np.str_),
        switch_unit=np.array([node.unit for node in switches], np.str_),
        host_unit=np.array([node.unit for node in hosts], np.str_),
        **about,
    )


def _rates_of_all(about: dict[str, Any], source: str) -> dict[str, Any]:
    """The rates for the topology: those of all cables, or none; if only some are known, a warning says so."""
    rates = {key: about[key] for key in (RATE_OF_LINKS, RATE_OF_ENDPOINTS)}
    is_known = np.concatenate([*rates.values()]) > 0
    if is_known.all():
        return rates if is_known.size else {}
    if is_known.any():
        tell_dropped(source, f"the rates of {(~is_known).sum()} of {is_known.size} cables are not known")
    return {}


def _cable_properties(
    kind: str, ends: list[tuple[ReadNode, int, ReadNode, int]], once: set[tuple[str, int]]
) -> dict[str, Any]:
    """Properties of cables from both ends: the lower of two widths and rates, and whichever length and part number exists."""
    pairs = [(near.cables[port], other.cables[at]) for near, port, other, at in ends]
    return {
        f"{kind}_width": np.array([_lower(a.width, b.width) for a, b in pairs], np.int64),
        f"{kind}_rate_gbps": np.array([_lower(a.rate_gbps, b.rate_gbps) for a, b in pairs], np.float64),
        f"{kind}_length_m": np.array([max(a.length_m, b.length_m) for a, b in pairs], np.float64),
        f"{kind}_part": np.array([a.part or b.part for a, b in pairs], np.str_),
        f"{kind}_one_sided": np.array(
            [(near.id, port) in once or (other.id, at) in once for near, port, other, at in ends], np.bool_
        ),
    }


def _lower(first: float, second: float) -> float:
    return min(first, second) if first and second else first or second


def _complete(nodes: dict[str, ReadNode], source: str) -> set[tuple[str, int]]:
    """Add the missing end of each cable that only one end lists; returns the ports that were silent.

    The tools omit ports that did not answer, and what an unknown device (``?-``) reports.
    """
    silent: set[tuple[str, int]] = set()
    unknown = 0
    first = ""
    for node in nodes.values():
        for port, cable in list(node.cables.items()):
            peer = nodes.get(cable.to)
            if peer is None and cable.to.startswith("?"):
                del node.cables[port]
                unknown += 1
            elif peer is not None and cable.port not in peer.cables and (peer.switch or node.switch):
                if not 1 <= cable.port <= peer.ports:
                    raise at(source, cable.line, f"port {cable.port} of {peer.name}; its ports are 1 to {peer.ports}")
                peer.cables[cable.port] = ReadCable(node.id, port, cable.far_guid, cable.far_lid, 0, cable.line)
                first = (
                    first
                    or f"{node.name} port {node.port_text(port)} to {peer.name} port {peer.port_text(cable.port)}"
                    + (f" (line {cable.line})" if cable.line else "")
                )
                silent.add((peer.id, cable.port))
    if silent:
        many = f"{len(silent)} cables are" if len(silent) > 1 else "1 cable is"
        log.warning("%s: %s listed by one end only, the first %s; accepted", source, many, first)
    if unknown:
        log.warning("%s: %d cables lead to devices that did not identify themselves; omitted", source, unknown)
    return silent


def _check_ends(nodes: dict[str, ReadNode], source: str) -> None:
    """Refuse cables whose ends disagree, and cables between hosts."""
    for node in nodes.values():
        for port, cable in node.cables.items():
            peer = nodes.get(cable.to)
            if peer is None:
                reason = f"'{cable.to[:60]}', which the file does not describe"
            elif not peer.switch and not node.switch:
                reason = f"host {peer.name}; hosts are cabled to switches here"
            else:
                back = peer.cables[cable.port]
                if (back.to, back.port) == (node.id, port) and not (peer is node and cable.port == port):
                    continue
                peer_name = nodes[back.to].name if back.to in nodes else back.to[:60]
                reason = f"{peer.name} port {cable.port}, but that is cabled to {peer_name} port {back.port}"
                reason += f" (line {back.line})"
            raise at(source, cable.line, f"{node.name} port {port} is cabled to {reason}")


def _give_guids(nodes: dict[str, ReadNode], source: str, lenient: bool) -> None:
    """Assign GUIDs as ibsim does to nodes without; refuse two nodes with the same GUID, unless parsing is lenient."""
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
    """The nodes in the order of the numbers in their names if these are S0, S1, ... without gaps, and whether they are."""
    matches = [re.fullmatch(rf"{letter}(0|[1-9][0-9]{{0,8}})", node.name) for node in nodes]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) != len(nodes) or sorted(numbers) != list(range(len(nodes))):
        return nodes, False
    order = np.argsort(numbers, kind="stable").tolist() if numbers else []
    return [nodes[i] for i in order], True
