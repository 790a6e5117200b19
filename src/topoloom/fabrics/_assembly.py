"""From the nodes and ports that a fabric's text names to a `Fabric`: numbers, links, endpoints, and both ends agreeing."""

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.flaws import NO_CABLE, ONE_SIDED, PORT_BEYOND, PORT_TWICE, Flaws
from topoloom.topology import Topology

_HOST_GUID, _SWITCH_GUID = 0x100000, 0x200000
MOST_PORTS = 65_535


@dataclass(frozen=True)
class Cable:
    """What a port's line says: the far node and port, the port's own GUID, LID and LMC where given, the line."""

    to: str
    port: int
    guid: int | None
    lid: int
    lmc: int
    line: int


@dataclass
class Node:
    """A switch or a host as the text has it."""

    id: str
    switch: bool
    ports: int
    name: str
    guid: int | None
    lid: int
    lmc: int
    line: int
    cables: dict[int, Cable] = field(default_factory=dict)
    #: What the nodes are kept under: the id, but for one whose id is there already.
    key: str = ""

    def __post_init__(self) -> None:
        self.key = self.key or self.id


def assembled(nodes: dict[str, Node], source: str, name: str, flaws: Flaws) -> Fabric:
    """The fabric of these nodes; cables whose ends do not agree are refused with `InputError`, or borne.

    Parameters
    ----------
    nodes : dict of str to Node
        By their keys.
    source : str
        The file.
    name : str
        The topology's name.
    flaws : Flaws
        Where what is wrong is reported.

    Returns
    -------
    Fabric
    """
    if flaws.borne:
        one_sided = _make_ends_agree(nodes, flaws)
    else:
        one_sided = set()
        _check_ends(nodes, flaws)
    _give_guids(nodes, flaws)
    switches = [node for node in nodes.values() if node.switch]
    # A host without a cable is no part of the network.
    hosts = [node for node in nodes.values() if not node.switch and node.cables]
    switches, plain = _in_order(switches, "S")
    hosts, _ = _in_order(hosts, "H")
    number = {node.key: i for i, node in enumerate(switches)}
    links, loops = [], []
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
    told = {(number[key], port) for key, port in one_sided if key in number}
    plugged = [hosts[h].cables[port] for _, _, h, port in plugs]
    own = [(hosts[h].guid or 0, port) for _, _, h, port in plugs]
    return Fabric(
        topology=Topology(ends[:, :2], len(switches), at_switch[:, 0], at_switch[:, 2], labels, name),
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
        link_one_sided=np.array([(u, p) in told or (v, q) in told for u, v, p, q in links], bool),
        endpoint_one_sided=np.array([(u, p) in told or (hosts[h].key, q) in one_sided for u, p, h, q in plugs], bool),
        flaws=flaws.found,
    )


def _make_ends_agree(nodes: dict[str, Node], flaws: Flaws) -> set[tuple[str, int]]:
    """Give cables that one end tells of their other end, and drop those whose far port has another.

    Returns the ports (key, port) that the far end did not know of.
    """
    of_id: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes.values():
        of_id[node.id].append(node)
        if not node.switch and not node.cables:
            flaws.report(NO_CABLE, node.line, f"host {node.name} has no cable", (node.name, 0))
    one_sided: set[tuple[str, int]] = set()
    for node in nodes.values():
        for port, cable in [*node.cables.items()]:
            here, plug = f"{node.name} port {port} is cabled to", (node.name, port)
            likely = of_id.get(cable.to) or ([nodes[cable.to]] if cable.to in nodes else [])
            # Of two with the same id the one that knows of the cable.
            knowing = [far for far in likely if _knows(far, cable.port, node, port)]
            far = next(iter(knowing or likely), None)
            back = None if far is None else far.cables.get(cable.port)
            if far is None:
                text = f"{here} '{cable.to[:60]}', which the file does not describe"
                flaws.report(ONE_SIDED, cable.line, text, plug)
            elif not far.switch and not node.switch:
                raise flaws.refusal(cable.line, f"{here} host {far.name}; hosts are cabled to switches here")
            elif not 1 <= cable.port <= MOST_PORTS:
                flaws.report(PORT_BEYOND, cable.line, f"{here} {far.name} port {cable.port}", (far.name, cable.port))
            elif back is None and not (far is node and cable.port == port):
                far.cables[cable.port] = Cable(node.key, port, None, 0, 0, cable.line)
                node.cables[port] = replace(cable, to=far.key)
                one_sided.add((node.key, port))
                continue
            elif knowing:
                node.cables[port] = replace(cable, to=far.key)
                continue
            else:
                to = "" if back is None else f", which is cabled to {_name_of(back.to, nodes, of_id)} port {back.port}"
                text = f"{here} {far.name} port {cable.port}{to}"
                flaws.report(PORT_TWICE, cable.line, text, (far.name, cable.port), plug)
            del node.cables[port]
    return one_sided


def _knows(far: Node, port: int, node: Node, its: int) -> bool:
    """Whether a port is cabled to that port of a node, too."""
    back = far.cables.get(port)
    return back is not None and back.to in (node.id, node.key) and back.port == its and (far, port) != (node, its)


def _name_of(id_: str, nodes: dict[str, Node], of_id: dict[str, list[Node]]) -> str:
    found = nodes.get(id_) or next(iter(of_id.get(id_, [])), None)
    return id_[:60] if found is None else found.name


def _check_ends(nodes: dict[str, Node], flaws: Flaws) -> None:
    """Refuse cables that one end does not know, or knows otherwise, and cables between hosts."""
    for node in nodes.values():
        for port, cable in node.cables.items():
            far = nodes.get(cable.to)
            here = f"{node.name} port {port} is cabled to"
            if far is None:
                raise flaws.refusal(cable.line, f"{here} '{cable.to[:60]}', which the file does not describe")
            if not far.switch and not node.switch:
                raise flaws.refusal(cable.line, f"{here} host {far.name}; hosts are cabled to switches here")
            back = far.cables.get(cable.port)
            there = f"{far.name} port {cable.port}"
            if back is None:
                raise flaws.refusal(cable.line, f"{here} {there}, but {far.name} has no line for that port")
            if (back.to, back.port) != (node.id, port) or (far is node and cable.port == port):
                other = nodes[back.to].name if back.to in nodes else back.to[:60]
                reason = f"but that is cabled to {other} port {back.port} (line {back.line})"
                raise flaws.refusal(cable.line, f"{here} {there}, {reason}")


def _give_guids(nodes: dict[str, Node], flaws: Flaws) -> None:
    """GUIDs as ibsim gives them for nodes without; two nodes with the same one are refused."""
    next_host, next_switch = _HOST_GUID, _SWITCH_GUID
    taken: dict[int, Node] = {}
    for node in nodes.values():
        if node.guid is None:
            node.guid = next_switch if node.switch else next_host
        next_switch += node.switch
        next_host += 0 if node.switch else 1 + node.ports
        if node.guid in taken and not flaws.borne:  # else a rule tells
            raise flaws.refusal(
                node.line, f"{node.name} has GUID 0x{node.guid:x}, which {taken[node.guid].name} has too"
            )
        taken[node.guid] = node


def _in_order(nodes: list[Node], letter: str) -> tuple[list[Node], bool]:
    """The nodes by the numbers in their names where these are S0, S1, ... without gaps, and whether they are."""
    found = [re.fullmatch(rf"{letter}(0|[1-9][0-9]{{0,8}})", node.name) for node in nodes]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) != len(nodes) or sorted(numbers) != list(range(len(nodes))):
        return nodes, False
    order = np.argsort(numbers, kind="stable").tolist() if numbers else []
    return [nodes[i] for i in order], True
