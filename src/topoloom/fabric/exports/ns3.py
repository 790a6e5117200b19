"""ns-3 under ASTRA-sim and SimAI: the topology text of HPCC's simulator, one line per cable with rate and delay.

Both number the processors (NPUs, GPUs) first, then the switches. Both compute paths themselves: all shortest ones, hashed.
Sources: ``scratch/common.h`` of astra-network-ns3 (8fd3604); ``network_frontend/ns3/common.h`` and
``inputs/topo/gen_Topo_Template.py`` of SimAI's ASTRA-sim (cef83f9).
"""

import json
from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import (
    Joined,
    by_host,
    number,
    parallel_joined,
    refuse_hostless,
    refuse_planes,
    tell_ports,
)
from topoloom.fabric.exports.registry import ExportRequest, Files, export

#: Addresses are derived from 16 bits of the node number.
_MOST_NODES = 1 << 16


@export("ns3", "topology of ASTRA-sim's ns-3: network.txt, logical_dims.json", tables=False, timed=True, rates=True)
def ns3(request: ExportRequest) -> Files:
    """network.txt, and logical_dims.json with all processors in one dimension."""
    topology = request.topology
    refuse_hostless(topology)
    refuse_planes(topology, "ASTRA-sim's ns-3")
    tell_ports(topology, "a separate processor")
    text = ns3_text(request)
    return {
        "network.txt": text,
        "logical_dims.json": json.dumps({"logical-dims": [str(topology.endpoints.size)]}) + "\n",
    }


def ns3_text(request: ExportRequest) -> str:
    """The topology text: ``nodes switches links``, the numbers of the switches, then the cables.

    Raises
    ------
    InputError
        There are more nodes than ns-3 has addresses.

    Examples
    --------
    >>> from topoloom.fabric.fabric import planned_fabric
    >>> from topoloom.model.topology import Topology
    >>> print(ns3_text(ExportRequest(planned_fabric(Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])))), end="")
    4 2 3
    2 3
    0 2 400Gbps 25ns 0
    1 3 400Gbps 25ns 0
    2 3 400Gbps 25ns 0
    """
    topology = request.topology
    npus = topology.endpoints.size
    nodes = npus + topology.switches
    _refuse_many(request, nodes)
    links = parallel_joined(request, "ASTRA-sim's ns-3")
    ids = " ".join(map(str, range(npus, nodes)))
    lines = [f"{nodes} {topology.switches} {npus + len(links.pairs)}", ids]
    lines += [line for _, line in _host_lines(request, npus)]
    lines += _switch_lines(request, links, npus)
    return "\n".join(lines) + "\n"


@export("simai", "topology of SimAI's ns-3, hosts as servers with an NVSwitch", tables=False, timed=True, rates=True)
def simai(request: ExportRequest) -> Files:
    """network.txt: a host is a server, its ports are GPUs, joined by an NVSwitch if there are several.

    Raises
    ------
    InputError
        Hosts have different numbers of ports, the network is not connected, or there are more nodes than ns-3 has addresses.
    """
    topology, settings = request.topology, request.settings
    refuse_hostless(topology)
    ports = np.bincount(topology.host)
    each = int(ports[0])
    if (ports != each).any():
        raise InputError(
            f"{topology.name}: hosts have {ports.min()} to {ports.max()} ports; SimAI needs the same number in all"
        )
    if each == 1:
        refuse_planes(topology, "SimAI, without NVSwitches,")
    gpus, nvswitches = topology.endpoints.size, topology.hosts if each > 1 else 0
    base = gpus + nvswitches
    nodes = base + topology.switches
    _refuse_many(request, nodes)
    links = parallel_joined(request, "SimAI's ns-3")
    inside = f"{number(settings.nvlink_gbps)}Gbps {number(settings.nvlink_ns)}ns 0"
    cables = gpus + len(links.pairs) + (gpus if nvswitches else 0)
    gpu = "NONE" if settings.gpu == "none" else settings.gpu
    lines = [f"{nodes} {each} {nvswitches} {topology.switches} {cables} {gpu}", " ".join(map(str, range(gpus, nodes)))]
    for place, line in _host_lines(request, base):
        if nvswitches:
            lines.append(f"{place} {gpus + place // each} {inside}")
        lines.append(line)
    lines += _switch_lines(request, links, base)
    return {"network.txt": "\n".join(lines) + "\n"}


def _refuse_many(request: ExportRequest, nodes: int) -> None:
    if nodes > _MOST_NODES:
        raise InputError(f"{request.topology.name}: {nodes} nodes; this ns-3 has addresses for {_MOST_NODES}")


def _host_lines(request: ExportRequest, base: int) -> Iterator[tuple[int, str]]:
    """The number and the line of each processor; switches are numbered from `base`."""
    rate, delay = request.host_gbps, request.host_ns
    for place, e in enumerate(by_host(request.topology).tolist()):
        amounts = f"{number(float(rate[e]))}Gbps {number(float(delay[e]))}ns"
        yield place, f"{place} {base + request.topology.endpoints[e]} {amounts} 0"


def _switch_lines(request: ExportRequest, links: Joined, base: int) -> list[str]:
    rows = zip(links.pairs.tolist(), links.rate_gbps.tolist(), links.delay_ns.tolist(), strict=True)
    return [f"{base + u} {base + v} {number(rate)}Gbps {number(ns)}ns 0" for (u, v), rate, ns in rows]
