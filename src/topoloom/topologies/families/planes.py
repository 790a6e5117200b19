"""Hosts with several network ports: planes, which no link connects; rails, with one leaf per port; and ports on one switch."""

from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integer, check_size, transform


@transform(
    "planes",
    count=Integer(1, 1024, "planes; every host has a port in each"),
    source="Qian et al., Alibaba HPN, SIGCOMM 2024; Zhao et al., Insights into DeepSeek-V3, ISCA 2025",
)
def planes(topology: Topology, count: int) -> Topology:
    """Make `count` copies of the network; every host has its ports in each copy, and no link connects two copies.

    Returns
    -------
    Topology
        Plane by plane, with a label ``plane``; a label ``group`` is numbered through all planes.

    Raises
    ------
    InputError
        Too many switches, or planes of planes.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("fat-tree:hosts=2048,k=64+planes:count=8")
    Topology(fat-tree(k=64,hosts=2048)+planes:count=8: 768 switches, 16384 links, 2048 hosts)
    """
    return _side_by_side(topology, count, "plane")


@transform(
    "rail-only",
    rails=Integer(2, 1024, "interfaces of a host, each on a separate network"),
    source="Wang et al., Rail-only: a low-cost high-performance network for training LLMs, arXiv 2307.12169",
)
def rail_only(topology: Topology, rails: int) -> Topology:
    """One network per rail, and no link between rails: traffic between rails first uses the internal links of a host.

    Returns
    -------
    Topology
        Rail by rail, with a label ``rail``.

    Raises
    ------
    InputError
        Too many switches, or rails of rails.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("fat-tree:k=64,hosts=128+rail-only:rails=8")
    Topology(fat-tree(k=64,hosts=128)+rail-only:rails=8: 48 switches, 1024 links, 128 hosts)
    """
    return _side_by_side(topology, rails, "rail")


def _side_by_side(topology: Topology, count: int, what: str) -> Topology:
    """Make copies of a network, numbered by a label; all copies have the same hosts."""
    n = topology.switches
    if what in topology.labels:
        raise InputError(f"{topology.name} has {what}s already; give their number once")
    sizes = Facts(n * count, links=len(topology.links) * count, hosts=topology.endpoints.size * count)
    check_size(f"{topology.name}: {count} {what}s", sizes)
    plane = np.repeat(np.arange(count), n)
    labels = {key: np.tile(values, count) for key, values in topology.labels.items()}
    group = topology.labels.get("group")
    if group is not None and group.dtype.kind == "i":
        labels["group"] = labels["group"] + plane * (int(group.max()) + 1)
    shift = np.arange(count)[:, None] * n
    rates: dict[str, Any] = {key: np.tile(values, count) for key, values in topology.rates_of().items()}
    return Topology(
        links=np.concatenate([topology.links + step for step in shift.ravel()]),
        switches=n * count,
        endpoints=(topology.endpoints + shift).ravel(),
        host=np.tile(topology.host, count),
        labels=labels | {what: plane},
        **rates,
    )


@transform(
    "rails",
    nics=Integer(1, 1024, "network interfaces of a host"),
    ports=Integer(1, 16, "ports of each interface, each on a different leaf (2: dual ToR)", default=1),
    source="NVIDIA DGX SuperPOD RA-11333-001, Network Fabrics: NIC r of every host of a unit goes to leaf r of the unit",
)
def rails(topology: Topology, nics: int, ports: int) -> Topology:
    """Assign the ports of the leaves to hosts with several interfaces: each port of a host is on a different leaf of its unit.

    Leaves are taken in order, `nics` x `ports` leaves per unit; host j of a unit has port j of each of its leaves. Interfaces
    of one rail in a unit reach each other through their leaf; switches and links do not change.

    Returns
    -------
    Topology
        The number of hosts divided by ``nics`` x ``ports``, unit by unit.

    Raises
    ------
    InputError
        Leaves or ports that do not fill whole units.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> pod = build("fat-tree:hosts=1024,k=64+rails:nics=8")
    >>> pod
    Topology(fat-tree(k=64,hosts=1024)+rails:nics=8,ports=1: 48 switches, 1024 links, 128 hosts)
    >>> pod.endpoints[pod.host == 33].tolist()
    [8, 9, 10, 11, 12, 13, 14, 15]
    """
    each, leaves = nics * ports, np.flatnonzero(topology.endpoints_at)
    counts = topology.endpoints_at[leaves]
    if topology.hosts != topology.endpoints.size:
        raise InputError(f"{topology.name}: its hosts already have several ports; rails needs hosts with one port")
    if leaves.size == 0 or leaves.size % each:
        raise InputError(
            f"{topology.name}: {leaves.size} switches with hosts do not fill units of {each} (one leaf for each of"
            f" {nics} interfaces{f' of {ports} ports' if ports > 1 else ''}); use"
            f" {-(-max(1, leaves.size) // each) * each} leaves"
        )
    if topology.endpoints.size % each:
        raise InputError(
            f"{topology.name}: {topology.endpoints.size} ports are not a whole number of hosts with {each} ports"
        )
    hosts, units = topology.endpoints.size // each, leaves.size // each
    most = int(counts.max())
    if hosts > units * most:
        raise InputError(f"{topology.name}: {hosts} hosts do not fit {units} units of {most}")  # uneven leaves
    # Full units first; the last one has the rest, as in reference architectures.
    size = np.minimum(most, np.maximum(0, hosts - most * np.arange(units)))
    of_leaf = np.repeat(size, each)
    first = np.repeat(np.cumsum(size) - size, each)
    within = np.arange(topology.endpoints.size) - np.repeat(np.cumsum(of_leaf) - of_leaf, of_leaf)
    return topology.replace(endpoints=np.repeat(leaves, of_leaf), host=np.repeat(first, of_leaf) + within)


@transform(
    "nics",
    count=Integer(1, 1024, "interfaces of a host, all on its switch"),
    source="Meta's 24K cluster: a ToR serves all interfaces of its rack's hosts (Llama 3, arXiv 2407.21783, 3.3.1)",
)
def nics(topology: Topology, count: int) -> Topology:
    """Hosts with several interfaces on the same switch: `count` consecutive ports of a switch belong to one host.

    Returns
    -------
    Topology
        Fewer hosts; the same switches, links and endpoints.

    Raises
    ------
    InputError
        The ports of a switch are not a whole number of hosts.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("slimfly:q=5,hosts=4+nics:count=2").hosts
    100
    """
    if topology.hosts != topology.endpoints.size:
        raise InputError(f"{topology.name}: its hosts already have several ports; nics needs hosts with one port")
    odd = np.flatnonzero(topology.endpoints_at % count)
    if odd.size:
        raise InputError(
            f"{topology.name}: switch {odd[0]} has {topology.endpoints_at[odd[0]]} host ports, not a whole number of hosts with"
            f" {count} ports"
        )
    return topology.replace(endpoints=topology.endpoints, host=np.arange(topology.endpoints.size) // count)
