"""A fabric as text, in the format that ibnetdiscover prints and ibsim reads.

A planned network is written in the short form, for which ibsim 0.10 takes the names and assigns GUIDs itself; a discovered one
in the long form, with its GUIDs and LIDs, and the rates of its cables where known.
"""

import numpy as np

from topoloom.fabric.fabric import Fabric, number_in_host, planned_fabric
from topoloom.fabric.rates import rate_name
from topoloom.model.topology import Topology


def net_text(topology: Topology) -> str:
    """The fabric in the text format of ibnetdiscover and ibsim; rates appear in comments, as in ibnetdiscover's output."""
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
    """A fabric in the long form of ibnetdiscover: GUIDs, names, LIDs, and the ports that cables are plugged into."""
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    switch_ids = [f"S-{guid:016x}" for guid in fabric.switch_guids.tolist()]
    host_ids = [f"H-{guid:016x}" for guid in fabric.host_guids.tolist()]
    wires: list[list[tuple[int, str]]] = [[] for _ in range(n)]
    host_lines: list[list[tuple[int, str]]] = [[] for _ in range(topology.hosts)]

    def to_switch(switch: int, port: int, rate: str) -> str:
        name, lid = fabric.switch_names[switch], fabric.switch_lids[switch]
        return f'"{switch_ids[switch]}"[{port}]\t\t# "{name}" lid {lid}{rate}'

    link_rates = _rates(fabric.link_width, fabric.link_rate_gbps)
    endpoint_rates = _rates(fabric.endpoint_width, fabric.endpoint_rate_gbps)

    for e in range(k):
        switch, host = int(topology.endpoints[e]), int(topology.host[e])
        port, at, lid = int(fabric.endpoint_ports[e]), int(fabric.host_ports[e]), int(fabric.port_lids[e])
        mark, rate = f"({int(fabric.port_guids[e]):x})", endpoint_rates[e]
        wires[switch].append((port, f'"{host_ids[host]}"[{at}]{mark}\t\t# "{fabric.host_names[host]}" lid {lid}{rate}'))
        own, switch_name = f"lid {lid} lmc {fabric.port_lmc[e]}", f'"{fabric.switch_names[switch]}"'
        line = f'{mark}\t"{switch_ids[switch]}"[{port}]\t\t# {own} {switch_name} lid {fabric.switch_lids[switch]}{rate}'
        host_lines[host].append((at, line))
    links = zip(topology.links.tolist(), fabric.link_ports.tolist(), link_rates, strict=True)
    for (u, v), (port_u, port_v), rate in links:
        wires[u].append((port_u, to_switch(v, port_v, rate)))
        wires[v].append((port_v, to_switch(u, port_u, rate)))
    for switch, first, second in fabric.loops.tolist():
        wires[switch] += [(first, to_switch(switch, second, "")), (second, to_switch(switch, first, ""))]
    lines = [f"# {n} switches, {topology.hosts} hosts, {len(topology.links)} links"]
    for switch, ends in enumerate(wires):
        guid, name = int(fabric.switch_guids[switch]), fabric.switch_names[switch]
        where = f"lid {fabric.switch_lids[switch]} lmc {fabric.switch_lmc[switch]}"
        lines += ["", *_device(fabric.switch_device[switch]), f"switchguid=0x{guid:x}({guid:x})"]
        lines += [f'Switch\t{fabric.switch_ports[switch]} "{switch_ids[switch]}"\t\t# "{name}" base port 0 {where}']
        lines += [f"[{port}]\t{end}" for port, end in sorted(ends)]
    for host, ends in enumerate(host_lines):
        guid = int(fabric.host_guids[host])
        lines += ["", *_device(fabric.host_device[host]), f"caguid=0x{guid:x}"]
        lines += [f'Ca\t{fabric.host_sizes[host]} "{host_ids[host]}"\t\t# "{fabric.host_names[host]}"']
        lines += [f"[{port}]{end}" for port, end in sorted(ends)]
    return "\n".join(lines) + "\n"


def _rates(width: np.ndarray, rate_gbps: np.ndarray) -> list[str]:
    """The end of the line of each cable: `` 4xHDR`` where width and speed are known, otherwise empty."""
    names = map(rate_name, width.tolist(), rate_gbps.tolist())
    return [f" {name}" if "x" in name and not name.endswith("x") else "" for name in names]


def _device(device: int) -> list[str]:
    return [f"devid=0x{device:x}"] if device else []


def _host_ports(topology: Topology) -> list[list[int]]:
    """The endpoints of each host."""
    ports: list[list[int]] = [[] for _ in range(topology.hosts)]
    for e, host in enumerate(topology.host.tolist()):
        ports[host].append(e)
    return ports
