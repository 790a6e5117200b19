"""A fabric as text, in the format that ibnetdiscover prints and ibsim reads.

The long form is that of ibnetdiscover, which ibsim 0.10 reads too. The short form has only names and ports of a planned
network; ibsim assigns GUIDs itself.
"""

from dataclasses import replace

import numpy as np

from topoloom.fabric.fabric import Fabric, number_in_host, planned_fabric
from topoloom.fabric.managed_names import host_description, switch_description
from topoloom.fabric.rates import rate_name
from topoloom.model.topology import Topology

#: The highest unicast LID.
_MOST_LIDS = 0xBFFF


def net_text(topology: Topology) -> str:
    """The short form of a planned network, for ibsim; rates appear in comments, as in ibnetdiscover's output."""
    ports = _host_ports(topology)
    link_rates, endpoint_rates = [""] * len(topology.links), [""] * topology.endpoints.size
    if topology.rated:
        fabric = planned_fabric(topology)
        link_rates = _rates(fabric.link_width, fabric.link_rate_gbps)
        endpoint_rates = _rates(fabric.endpoint_width, fabric.endpoint_rate_gbps)

    def comment(name: str, rate: str) -> str:
        return f'\t\t# "{name}" lid 0{rate}' if rate else ""

    lines = [f"# {topology.switches} switches, {topology.hosts} hosts, {len(topology.links)} links"]
    for host, endpoints in enumerate(ports):
        lines += ["", f'Hca\t{len(endpoints)} "H{host}"']
        lines += [
            f'[{number}]\t"S{(s := topology.endpoints[e])}"[{topology.endpoint_ports[e]}]{comment(f"S{s}", endpoint_rates[e])}'
            for number, e in enumerate(endpoints, start=1)
        ]
    at = number_in_host(topology)
    wires: list[list[tuple[int, str]]] = [[] for _ in range(topology.switches)]
    for e, switch in enumerate(topology.endpoints.tolist()):
        name = f"H{topology.host[e]}"
        wires[switch].append((int(topology.endpoint_ports[e]), f'"{name}"[{at[e]}]{comment(name, endpoint_rates[e])}'))
    for (u, v), (port_u, port_v), rate in zip(
        topology.links.tolist(), topology.link_ports.tolist(), link_rates, strict=True
    ):
        wires[u].append((port_u, f'"S{v}"[{port_v}]{comment(f"S{v}", rate)}'))
        wires[v].append((port_v, f'"S{u}"[{port_u}]{comment(f"S{u}", rate)}'))
    for switch, ends in enumerate(wires):
        lines += ["", f'Switch\t{max(1, topology.radix)} "S{switch}"']
        lines += [f"[{port}]\t{end}" for port, end in sorted(ends)]
    return "\n".join(lines) + "\n"


def discovered_text(fabric: Fabric) -> str:
    """A fabric as ibnetdiscover prints it: GUIDs, names, LIDs, rates, and the ports that cables are plugged into."""
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    switch_ids = [f"S-{guid:016x}" for guid in fabric.switch_guids.tolist()]
    host_ids = [f"H-{guid:016x}" for guid in fabric.host_guids.tolist()]
    switch_names, host_names = fabric.switch_names, fabric.host_names
    port_lids, switch_lids = fabric.port_lids, fabric.switch_lids
    wires: list[list[tuple[int, str]]] = [[] for _ in range(n)]
    host_lines: list[list[tuple[int, str]]] = [[] for _ in range(topology.hosts)]

    def to_switch(switch: int, port: int, rate: str) -> str:
        return f'"{switch_ids[switch]}"[{port}]\t\t# "{switch_names[switch]}" lid {switch_lids[switch]}{rate}'

    link_rates = _rates(fabric.link_width, fabric.link_rate_gbps)
    endpoint_rates = _rates(fabric.endpoint_width, fabric.endpoint_rate_gbps)

    for e in range(k):
        switch, host = int(topology.endpoints[e]), int(topology.host[e])
        port, at, lid = int(fabric.endpoint_ports[e]), int(fabric.host_ports[e]), int(port_lids[e])
        mark, rate = f"({int(fabric.port_guids[e]):x})", endpoint_rates[e]
        wires[switch].append((port, f'"{host_ids[host]}"[{at}]{mark} \t\t# "{host_names[host]}" lid {lid}{rate}'))
        own, peer = f"lid {lid} lmc {fabric.port_lmc[e]}", f'"{switch_names[switch]}" lid {switch_lids[switch]}'
        host_lines[host].append((at, f'{mark} \t"{switch_ids[switch]}"[{port}]\t\t# {own} {peer}{rate}'))
    links = zip(topology.links.tolist(), fabric.link_ports.tolist(), link_rates, strict=True)
    for (u, v), (port_u, port_v), rate in links:
        wires[u].append((port_u, to_switch(v, port_v, rate)))
        wires[v].append((port_v, to_switch(u, port_u, rate)))
    for switch, first, second in fabric.loops.tolist():
        wires[switch] += [(first, to_switch(switch, second, "")), (second, to_switch(switch, first, ""))]
    lines = ["#", "# Topology file: generated on Thu Jan  1 00:00:00 1970", "#"]
    if k:
        node, port = int(fabric.host_guids[topology.host[0]]), int(fabric.port_guids[0])
        lines.append(f"# Initiated from node {node:016x} port {port:016x}")
    for switch, ends in enumerate(wires):
        guid = int(fabric.switch_guids[switch])
        lines += ["", *_device(int(fabric.switch_device[switch]), int(fabric.switch_system[switch]) or guid)]
        lines.append(f"switchguid=0x{guid:x}({guid:x})")
        where = f"enhanced port 0 lid {switch_lids[switch]} lmc {fabric.switch_lmc[switch]}"
        lines.append(
            f'Switch\t{fabric.switch_ports[switch]} "{switch_ids[switch]}"\t\t# "{switch_names[switch]}" {where}'
        )
        lines += [f"[{port}]\t{end}" for port, end in sorted(ends)]
    for host, ends in enumerate(host_lines):
        guid = int(fabric.host_guids[host])
        lines += [
            "",
            *_device(int(fabric.host_device[host]), int(fabric.host_system[host]) or guid),
            f"caguid=0x{guid:x}",
        ]
        lines += [f'Ca\t{fabric.host_sizes[host]} "{host_ids[host]}"\t\t# "{host_names[host]}"']
        lines += [f"[{port}]{end}" for port, end in sorted(ends)]
    return "\n".join(lines) + "\n"


def as_described(fabric: Fabric) -> Fabric:
    """A planned fabric as its devices would describe themselves; any other fabric unchanged.

    Its switches are managed ones, its hosts adapters (`topoloom.fabric.managed_names`), and LIDs count from 1.
    """
    if not fabric.planned:
        return fabric
    addressed = fabric.topology.switches + fabric.topology.endpoints.size <= _MOST_LIDS
    port_lids, switch_lids = fabric.lids if addressed else (fabric.port_lids, fabric.switch_lids)
    return replace(
        fabric,
        switch_names=tuple(map(switch_description, fabric.switch_names)),
        host_names=tuple(map(host_description, fabric.host_names)),
        port_lids=port_lids,
        switch_lids=switch_lids,
    )


def _rates(width: np.ndarray, rate_gbps: np.ndarray) -> list[str]:
    """The end of the line of each cable: `` 4xHDR`` where width and speed are known, otherwise empty."""
    names = map(rate_name, width.tolist(), rate_gbps.tolist())
    return [f" {name}" if "x" in name and not name.endswith("x") else "" for name in names]


def _device(device: int, system: int) -> list[str]:
    """The lines before the GUID of a node. The vendor is not known."""
    return ["vendid=0x0", f"devid=0x{device:x}", f"sysimgguid=0x{system:x}"]


def _host_ports(topology: Topology) -> list[list[int]]:
    """The endpoints of each host."""
    ports: list[list[int]] = [[] for _ in range(topology.hosts)]
    for e, host in enumerate(topology.host.tolist()):
        ports[host].append(e)
    return ports
