"""InfiniBand: a fabric as ibsim reads it, and its tables as OpenSM takes them.

Hosts are H0, H1, ... and switches S0, S1, ... Ports are those of `Topology`: endpoints first, then links. GUIDs are those that
ibsim 0.10 gives when it reads the fabric: hosts from 0x100000 in the file's order, one more for each port; switches from
0x200000. OpenSM 3.3.23 takes entries by port GUID, so its own LIDs need not be these.
"""

from pathlib import Path

import numpy as np

from topoloom.errors import InputError
from topoloom.files import reason, write_atomically
from topoloom.routing.routing import HOP, Routing
from topoloom.topology import Topology

_HOST_GUID, _SWITCH_GUID = 0x100000, 0x200000
#: The highest unicast LID, and what a switch's table has room for.
_LAST_LID = 0xBFFF
#: Service levels, each with a lane of its own: the sixteenth lane is for management.
_MOST_LANES = 15
#: The most ports of a switch.
_MOST_PORTS = 254


def export_opensm(routing: Routing, folder: str | Path) -> list[str]:
    """Write a routed fabric for ibsim and OpenSM; the names of the files.

    ``fabric.net`` is the fabric (ibsim -s), ``fabric.lft`` the forwarding tables (opensm -R file -U), and, where more than
    one lane is used, ``fabric.qos`` the lane of each pair (opensm -Q -Y) with ``opensm.conf`` beside it (opensm -F).

    Raises
    ------
    InputError
        What tables cannot hold: lanes by hop, more than 15 lanes, too many ports or addresses, no hosts; a folder that
        cannot be written to.
    """
    _check(routing)
    texts = {"fabric.net": net_text(routing.topology), "fabric.lft": lft_text(routing)}
    if routing.lanes is not None and routing.lanes.any():
        texts["fabric.qos"] = qos_text(routing)
        texts["opensm.conf"] = "qos TRUE\nqos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n"
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {reason(error)}") from None
    for name, text in texts.items():
        write_atomically(target / name, text)
    return list(texts)


def net_text(topology: Topology) -> str:
    """The fabric in the text format of ibnetdiscover and ibsim."""
    ports = _host_ports(topology)
    lines = [f"# {topology.switches} switches, {topology.hosts} hosts, {len(topology.links)} links"]
    for host, endpoints in enumerate(ports):
        lines += ["", f'Hca\t{len(endpoints)} "H{host}"']
        lines += [
            f'[{number}]\t"S{topology.endpoints[e]}"[{topology.endpoint_ports[e]}]'
            for number, e in enumerate(endpoints, start=1)
        ]
    at = _number_in_host(topology)
    wires: list[list[tuple[int, str]]] = [[] for _ in range(topology.switches)]
    for e, switch in enumerate(topology.endpoints.tolist()):
        wires[switch].append((int(topology.endpoint_ports[e]), f'"H{topology.host[e]}"[{at[e]}]'))
    for (u, v), (port_u, port_v) in zip(topology.links.tolist(), topology.link_ports.tolist(), strict=True):
        wires[u].append((port_u, f'"S{v}"[{port_v}]'))
        wires[v].append((port_v, f'"S{u}"[{port_u}]'))
    for switch, ends in enumerate(wires):
        lines += ["", f'Switch\t{max(1, topology.radix)} "S{switch}"']
        lines += [f"[{port}]\t{end}" for port, end in sorted(ends)]
    return "\n".join(lines) + "\n"


def lft_text(routing: Routing) -> str:
    """Every switch's forwarding table as OpenSM dumps and reads it: LIDs of the hosts' ports, then of the switches."""
    topology = routing.topology
    n, endpoints = topology.switches, topology.endpoints.size
    guids = port_guids(topology)
    at = _number_in_host(topology)
    host_notes = [
        f"# Channel Adapter portguid 0x{guids[e]:016x}: 'H{topology.host[e]}'"
        + ("" if at[e] == 1 else f" port {at[e]}")
        for e in range(endpoints)
    ]
    switch_notes = [f"# Switch portguid 0x{_SWITCH_GUID + s:016x}: 'S{s}'" for s in range(n)]
    notes = [f"0x{lid:04x} %03d {note}" for lid, note in enumerate([*host_notes, *switch_notes], start=1)]
    template = "\n".join(notes)
    lines = []
    for switch in range(n):
        # To a switch: port 0 is itself.
        toward = topology.endpoints_at[switch] + routing.ports[:, switch].astype(np.int64) + 1
        toward[switch] = 0
        to_hosts = toward[topology.endpoints]
        own = topology.endpoints == switch
        to_hosts[own] = topology.endpoint_ports[own]
        lines.append(
            f"Unicast lids [0x0-0x{endpoints + n:x}] of switch Lid {endpoints + 1 + switch}"
            f" guid 0x{_SWITCH_GUID + switch:016x} ('S{switch}'):"
        )
        lines.append(template % (*to_hosts.tolist(), *toward.tolist()))
        lines.append(f"{endpoints + n} lids dumped")
    return "\n".join(lines) + "\n"


def qos_text(routing: Routing) -> str:
    """A policy that gives each pair of hosts the service level of its lane: a rule for each destination switch and lane.

    Lane 0 needs no rule. Hosts must ask the subnet administrator for the service level of a path.
    """
    topology = routing.topology
    lanes = np.zeros((topology.switches, topology.switches), np.uint8) if routing.lanes is None else routing.lanes
    guids = port_guids(topology)
    first = np.concatenate([[0], np.cumsum(topology.endpoints_at)])
    ports = [", ".join(f"0x{g:x}" for g in guids[first[s] : first[s + 1]]) for s in range(topology.switches)]
    occupied = np.flatnonzero(topology.endpoints_at)
    groups, rules, levels = [], [], set()
    for destination in occupied.tolist():
        used = np.unique(lanes[destination, occupied[occupied != destination]])
        named = False
        for lane in used[used > 0].tolist():
            sources = occupied[(lanes[destination, occupied] == lane) & (occupied != destination)]
            if not named:
                groups.append((f"D{destination}", ports[destination]))
                named = True
            groups.append((f"L{lane}to{destination}", ", ".join(ports[s] for s in sources.tolist())))
            rules.append((f"L{lane}to{destination}", f"D{destination}", f"L{lane}"))
            levels.add(lane)
    lines = ["port-groups"]
    for name, members in groups:
        lines += ["  port-group", f"    name: {name}", f"    port-guid: {members}", "  end-port-group"]
    lines += ["end-port-groups", "qos-levels", "  qos-level", "    name: DEFAULT", "    sl: 0", "  end-qos-level"]
    for lane in sorted(levels):
        lines += ["  qos-level", f"    name: L{lane}", f"    sl: {lane}", "  end-qos-level"]
    lines += ["end-qos-levels", "qos-match-rules"]
    for source, target, level in rules:
        lines += [
            "  qos-match-rule", f"    source: {source}", f"    destination: {target}",
            f"    qos-level-name: {level}", "  end-qos-match-rule",
        ]  # fmt: skip
    return "\n".join([*lines, "end-qos-match-rules"]) + "\n"


def port_guids(topology: Topology) -> np.ndarray:
    """The port GUID of each endpoint, int64[k], as ibsim numbers them: a host's own GUID comes before its ports'."""
    counts = np.bincount(topology.host, minlength=topology.hosts)
    host_guid = _HOST_GUID + np.concatenate([[0], np.cumsum(counts + 1)])[:-1]
    return np.asarray(host_guid[topology.host] + _number_in_host(topology))


def _number_in_host(topology: Topology) -> np.ndarray:
    """Which port of its host each endpoint is, int64[k], from 1."""
    order = np.argsort(topology.host, kind="stable")
    counts = np.bincount(topology.host, minlength=topology.hosts)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size) - np.repeat(starts, counts) + 1
    return number


def _host_ports(topology: Topology) -> list[list[int]]:
    """The endpoints of each host."""
    ports: list[list[int]] = [[] for _ in range(topology.hosts)]
    for e, host in enumerate(topology.host.tolist()):
        ports[host].append(e)
    return ports


def _check(routing: Routing) -> None:
    """Refuse what forwarding tables cannot say."""
    topology, name = routing.topology, routing.topology.name
    if routing.lane_rule == HOP:
        raise InputError(
            f"{name}: engine {routing.engine} changes the lane at every hop, which no forwarding table can say; use orders"
        )
    if routing.lanes is not None and int(routing.lanes.max()) >= _MOST_LANES:
        raise InputError(
            f"{name}: {int(routing.lanes.max()) + 1} lanes; InfiniBand has {_MOST_LANES} for data (--lanes)"
        )
    if not topology.endpoints.size:
        raise InputError(f"{name}: no hosts, so there is nothing to address; add them to the spec, as in hosts=4")
    if topology.radix > _MOST_PORTS:
        raise InputError(f"{name}: a switch with {topology.radix} ports; InfiniBand numbers {_MOST_PORTS}")
    addresses = topology.endpoints.size + topology.switches
    if addresses > _LAST_LID:
        raise InputError(f"{name}: {addresses} addresses; InfiniBand has {_LAST_LID} for single destinations")
