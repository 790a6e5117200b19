"""InfiniBand files: a fabric as ibsim reads it, and its tables as OpenSM reads them.

Names, GUIDs and ports are those of a `Fabric`: topoloom's own for a planned network, the actual ones for a discovered
network. OpenSM 3.3.23 reads entries by port GUID, so its LIDs may differ from those in the file.
"""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.deployment import CONF, INSTRUCTIONS, instructions, opensm_conf
from topoloom.fabric.fabric import Fabric, planned_fabric, port_guids
from topoloom.fabric.net_text import discovered_text, net_text
from topoloom.fabric.service_level_policy import written_policy
from topoloom.graph.planes import plane_count
from topoloom.routing.choices import Adaptive, Detour, Escape, Layers, NextHopGroups
from topoloom.routing.routing import HOP, PAIR, Routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

__all__ = ["lft_dump", "lft_text", "net_text", "opensm_texts", "port_guids", "qos_text"]

#: The highest unicast LID, which is also the size of a switch's table.
_LAST_LID = 0xBFFF
#: The most ports of a switch.
_MOST_PORTS = 254


def opensm_texts(routing: Routing, fabric: Fabric | None = None) -> dict[str, str]:
    """The files for ibsim and OpenSM, as name and text.

    ``fabric.net`` is the fabric (ibsim -s), ``fabric.lft`` the forwarding tables (opensm -R file -U). If the tables use more
    than one virtual channel, ``fabric.qos`` holds the virtual channel of each pair (opensm -Q -Y). ``opensm.conf`` has lines
    for the configuration of the site, and ``deploy.txt`` the instructions.

    Raises
    ------
    InputError
        The tables cannot be expressed: virtual channels per hop, more than 15 virtual channels, too many ports or addresses,
        no hosts.
    """
    fabric = planned_fabric(routing.topology) if fabric is None else fabric
    check_tables(routing, fabric)
    net = net_text(routing.topology) if fabric.as_planned else discovered_text(fabric)
    texts = {"fabric.net": net, "fabric.lft": lft_text(routing, fabric)}
    if any(table.virtual_channels is not None and table.virtual_channels.any() for table in routing.host_tables):
        texts["fabric.qos"] = qos_text(routing, fabric)
    return texts | {CONF: opensm_conf("fabric.qos" in texts), INSTRUCTIONS: instructions(routing)}


def lft_text(routing: Routing, fabric: Fabric | None = None) -> str:
    """Every switch's forwarding table as OpenSM dumps and reads it, by LID: the hosts' ports and the switches."""
    fabric = planned_fabric(routing.topology) if fabric is None else fabric
    return lft_dump(real_ports(routing, fabric), fabric)


def real_ports(routing: Routing, fabric: Fabric) -> np.ndarray:
    """The port by which each switch sends to each endpoint, then to each switch (0: itself), int32[n, k + n]."""
    topology = routing.topology
    n, first = topology.switches, routing.channels.first
    ports = np.zeros((n, topology.endpoints.size + n), np.int32)
    tables, layer = routing.host_tables, routing.layer_of_ports
    for switch in range(n):
        others = np.arange(n) != switch
        toward = np.zeros((len(tables), n), np.int32)
        for number, table in enumerate(tables):
            toward[number, others] = fabric.channel_ports[first[switch] + table.ports[others, switch]]
        to_hosts = toward[layer, topology.endpoints]
        own = topology.endpoints == switch
        to_hosts[own] = fabric.endpoint_ports[own]
        ports[switch] = np.concatenate([to_hosts, toward[0]])
    return ports


def lft_dump(ports: np.ndarray, fabric: Fabric) -> str:
    """Tables of real ports in the format that OpenSM dumps and reads.

    Parameters
    ----------
    ports : int[n, k + n]
        As `real_ports` returns them; entries below 0 are omitted.
    fabric : Fabric
    """
    names, guids = fabric.host_names, fabric.port_guids.tolist()
    notes = [
        f"# Channel Adapter portguid 0x{guid:016x}: '{names[host]}'" + ("" if at == 1 else f" port {at}")
        for guid, host, at in zip(guids, fabric.topology.host.tolist(), fabric.host_ports.tolist(), strict=True)
    ]
    notes += [
        f"# Switch portguid 0x{guid:016x}: '{name}'"
        for guid, name in zip(fabric.switch_guids.tolist(), fabric.switch_names, strict=True)
    ]
    lids, entry = _addresses(fabric)
    rows = [
        f"0x{lid:04x} %03d {notes[e].replace('%', '%%')}" for lid, e in zip(lids.tolist(), entry.tolist(), strict=True)
    ]
    whole = "\n".join(rows)
    _, switch_lids = fabric.lids
    lines = []
    for switch, own in enumerate(ports):
        present = own[entry] >= 0
        template = (
            whole
            if present.all()
            else "\n".join(row for row, is_present in zip(rows, present, strict=True) if is_present)
        )
        lines.append(
            f"Unicast lids [0x0-0x{lids[-1]:x}] of switch Lid {switch_lids[switch]}"
            f" guid 0x{fabric.switch_guids[switch]:016x} ('{fabric.switch_names[switch]}'):"
        )
        lines.append(template % tuple(own[entry[present]].tolist()))
        lines.append(f"{int(present.sum())} lids dumped")
    return "\n".join(lines) + "\n"


def _addresses(fabric: Fabric) -> tuple[np.ndarray, np.ndarray]:
    """All LIDs, ascending, and the owner of each: an endpoint, then the switches. One owner has 2^LMC consecutive LIDs."""
    lids, sizes = np.concatenate(fabric.lids).astype(np.int64), 1 << np.concatenate(fabric.lmcs).astype(np.int64)
    entry = np.repeat(np.arange(lids.size), sizes)
    every = np.repeat(lids, sizes) + np.arange(entry.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    order = np.argsort(every, kind="stable")
    return every[order], entry[order]


def qos_text(routing: Routing, fabric: Fabric | None = None) -> str:
    """A policy that gives each pair of hosts the service level of its virtual channel.

    It has one rule per destination switch and virtual channel.

    If hosts have tables of their own, it has one rule per destination switch, table and virtual channel. Virtual channel 0
    needs no rule. Hosts must ask the subnet administrator for the service level of a path.
    """
    topology = routing.topology
    fabric = planned_fabric(topology) if fabric is None else fabric
    guids = [f"0x{guid:x}" for guid in fabric.port_guids.tolist()]
    first = np.concatenate([[0], np.cumsum(topology.endpoints_at)])
    ports = [", ".join(guids[first[s] : first[s + 1]]) for s in range(topology.switches)]
    occupied = np.flatnonzero(topology.endpoints_at)
    groups, rules, levels = [], [], set()
    tables, layer = routing.host_tables, routing.layer_of_ports
    for destination in occupied.tolist():
        endpoints = range(first[destination], first[destination + 1])
        others = occupied[occupied != destination]
        for number, table in enumerate(tables):
            targets = [guids[e] for e in endpoints if layer[e] == number]
            if table.virtual_channels is None or not targets:
                continue
            # With one table for all hosts, the names are those of the switches.
            own = f"{destination}" if len(tables) == 1 else f"{destination}t{number}"
            used = np.unique(table.virtual_channels[destination, others])
            if used.any():
                groups.append((f"D{own}", ", ".join(targets)))
            for vc in used[used > 0].tolist():
                sources = others[table.virtual_channels[destination, others] == vc]
                groups.append((f"L{vc}to{own}", ", ".join(ports[s] for s in sources.tolist())))
                rules.append((f"L{vc}to{own}", f"D{own}", f"L{vc}"))
                levels.add(vc)
    return written_policy(groups, rules, levels)


def check_tables(routing: Routing, fabric: Fabric) -> None:
    """Raise `InputError` for tables that forwarding tables cannot express."""
    topology, name = routing.topology, routing.topology.name
    if routing.virtual_channel_rule != PAIR:
        where = "every hop" if routing.virtual_channel_rule == HOP else "some switches"
        raise InputError(
            f"{name}: engine {routing.engine} changes the virtual channel at {where}, which forwarding tables cannot express;"
            " use orders"
        )
    if isinstance(routing.choice, Escape | Detour | Layers | NextHopGroups | Adaptive) and not routing.by_host:
        raise InputError(
            f"{name}: engine {routing.engine} lets packets choose their paths, which forwarding tables cannot express;"
            " use orders"
        )
    tables = routing.host_tables
    most = max(0 if table.virtual_channels is None else int(table.virtual_channels.max(initial=0)) for table in tables)
    if most >= MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{name}: {most + 1} virtual channels; InfiniBand has {MOST_VIRTUAL_CHANNELS} for data (`virtual_channels`)"
        )
    if plane_count(topology) > 1:
        raise InputError(
            f"{name}: each plane is a separate subnet with its own OpenSM; write_export writes files for each plane"
        )
    missing = np.any([table.ports >= topology.degrees for table in tables], axis=0)
    np.fill_diagonal(missing, False)
    if missing.any():
        to, at = np.argwhere(missing)[0].tolist()
        raise InputError(f"{name}: switch {at} has no port towards switch {to}; tables must reach every switch")
    if not topology.endpoints.size:
        raise InputError(f"{name}: no hosts, so there is nothing to address; add them to the spec, as in hosts=4")
    ports = int(fabric.switch_ports.max())
    if ports > _MOST_PORTS:
        raise InputError(f"{name}: a switch with {ports} ports; InfiniBand numbers {_MOST_PORTS}")
    addresses = _addresses(fabric)[0].size
    if addresses > _LAST_LID:
        raise InputError(f"{name}: {addresses} addresses; InfiniBand has {_LAST_LID} for single destinations")
