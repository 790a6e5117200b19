"""htsim: the ``.topo`` file of its fat trees, and a connection matrix ``.cm`` if a traffic pattern is given.

Source: ``sim/datacenter/fat_tree_topology.cpp`` and ``connection_matrix.cpp`` of csg-htsim (841d9e7). Nodes are numbered pod
by pod, leaf by leaf.
"""

from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import nodes_of_hosts, refuse_hostless
from topoloom.fabric.exports._trees import ExportTree, tree_of
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.throughput.traffic.register import traffic_of
from topoloom.throughput.traffic.traffic import LISTS, ROUND, UNIFORM, Traffic

_MOST_CONNECTIONS = 1 << 20


@export(
    "htsim",
    "fat tree for htsim (-topo), and its traffic (-tm)",
    tables=False,
    sometimes=("traffic.cm", "hosts.csv"),
    timed=True,
    one_rate="htsim's oversubscription of a tier is a number of cables, all of one rate",
)
def htsim(request: ExportRequest) -> Files:
    """network.topo; traffic.cm if ``traffic`` is set; hosts.csv if htsim numbers the hosts differently."""
    refuse_hostless(request.topology)
    tree = tree_of(request.topology, "htsim")
    files = {"network.topo": htsim_text(request, tree)}
    node = tree.places(request.topology)
    numbers = nodes_of_hosts(node)
    if numbers is not None:
        files["hosts.csv"] = numbers
    if request.settings.traffic:
        files["traffic.cm"] = matrix_text(request, node)
    return files


def htsim_text(request: ExportRequest, tree: ExportTree) -> str:
    """The header, then one section per tier.

    Raises
    ------
    InputError
        The network has one level, the bandwidth down is not a whole multiple of that up, or a rate is not a whole Gb/s.
    """
    topology, settings = request.topology, request.settings
    tiers = len(tree.down)
    if tiers < 2:
        raise InputError(f"{topology.name}: one switch; htsim supports fat trees of two or three tiers")
    rate = _whole(topology.name, settings.rate_gbps, "rate_gbps")
    rates = [_whole(topology.name, settings.host_gbps, "host_rate_gbps"), *[rate] * (tiers - 1)]
    pod = topology.hosts if tiers == 2 else int((tree.pod == 0).sum()) * tree.down[0]
    lines = [f"Nodes {topology.hosts}", f"Tiers {tiers}", f"Podsize {pod}"]
    delays = _delays(request, tree)
    # Number of cables from a switch of each tier to all its children.
    down = [count * (1 if tier == 0 else tree.cables[tier - 1]) for tier, count in enumerate(tree.down)]
    for tier in range(tiers):
        lines += ["", f"Tier {tier}", f"Downlink_speed_Gbps {rates[tier]}", f"Radix_Down {down[tier]}"]
        if tier < tiers - 1:
            up = tree.up[tier] * tree.cables[tier]
            if down[tier] % up or rates[tier] != rates[tier + 1]:
                raise InputError(
                    f"{topology.name}: tier {tier} has {down[tier]} cables of {rates[tier]} Gb/s down and {up} of"
                    f" {rates[tier + 1]} up; htsim needs one rate, and a whole multiple of the cables up as cables down"
                )
            lines += [f"Radix_Up {up}", f"Oversubscribed {down[tier] // up}"]
        lines += [f"Downlink_Latency_ns {delays[tier]}", f"Switch_Latency_ns {round(settings.switch_ns)}"]
        if tier:
            lines.append(f"Bundle {tree.cables[tier - 1]}")
    return "\n".join(lines) + "\n"


def _delays(request: ExportRequest, tree: ExportTree) -> list[int]:
    """The mean delay of the cables down from each tier, in whole nanoseconds, at least 1."""
    of_link = tree.level[request.topology.links].min(axis=1)
    means = [request.host_ns.mean(), *(request.link_ns[of_link == tier].mean() for tier in range(len(tree.up)))]
    return [max(1, round(float(mean))) for mean in means]


def _whole(name: str, rate: float, setting: str) -> int:
    if rate != round(rate):
        raise InputError(f"{name}: {setting}={rate:g}; htsim reads whole numbers of Gb/s")
    return round(rate)


def matrix_text(request: ExportRequest, node: np.ndarray) -> str:
    """One connection from each host to each of its destinations, all at time 0.

    Parameters
    ----------
    request : ExportRequest
    node : int64[hosts]
        htsim's number of each host.

    Raises
    ------
    InputError
        The pattern is not a list of partners, or has more than a million connections.
    """
    settings = request.settings
    traffic = traffic_of(settings.traffic, request.topology, settings.seed)
    if not isinstance(traffic, Traffic):
        raise InputError(
            f"traffic {settings.traffic}: htsim's matrix holds pairs of hosts without times; choose a pattern"
        )
    pairs = list(_pairs(traffic))
    lines = [f"Nodes {request.topology.hosts}", f"Connections {len(pairs)}"]
    lines += [
        f"{node[a]}->{node[b]} id {number} start 0 size {settings.message_bytes}"
        for number, (a, b) in enumerate(pairs, 1)
    ]
    return "\n".join(lines) + "\n"


def _pairs(traffic: Traffic) -> Iterator[tuple[int, int]]:
    """Pairs of sender and receiver, by host."""
    n = traffic.hosts
    if traffic.kind == LISTS and traffic.share == 1:
        if traffic.to.size > _MOST_CONNECTIONS:
            raise InputError(f"traffic {traffic.name}: {traffic.to.size} connections; at most {_MOST_CONNECTIONS}")
        for host in range(n):
            for other in sorted(set(traffic.to[traffic.first[host] : traffic.first[host + 1]].tolist())):
                if other != host:
                    yield host, other
    elif traffic.kind in (UNIFORM, ROUND):
        if n * (n - 1) > _MOST_CONNECTIONS:
            raise InputError(f"traffic {traffic.name}: {n * (n - 1)} connections; at most {_MOST_CONNECTIONS}")
        yield from ((a, b) for a in range(n) for b in range(n) if a != b)
    else:
        raise InputError(f"traffic {traffic.name}: htsim needs a pattern with a list of destinations per host")
