"""The part of a network that its first hosts need: what is built first of a network that is sized for later growth."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.populated import places_of_hosts
from topoloom.topologies.spec import Integer, transform


@transform(
    "part",
    hosts=Integer(1, 1 << 24, "hosts of the part; the places of hosts are filled one after the other"),
    source="NVIDIA DGX SuperPOD RA-11333-001, Network Fabrics: units are built whole, upper levels in their final size",
)
def part(topology: Topology, hosts: int) -> Topology:
    """The first `hosts` hosts of a network and the switches that they need: the network can grow without moving a cable.

    Places of hosts (a switch, or the leaves of a unit of rails, in all planes) are filled in order. In a tree, leaves without
    hosts are omitted, and switches above that serve none of the other leaves; all cables between the switches that stay are
    there, so each leaf has all its uplinks. In a network of groups of which any two are linked, whole groups without hosts are
    omitted. Any other network keeps all its switches, and its hosts are spread evenly over their places.

    Returns
    -------
    Topology
        Switches and hosts are renumbered in their order; labels and rates stay.

    Raises
    ------
    InputError
        The network has fewer hosts.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("fat-tree:k=64,hosts=2048+part:hosts=1000")
    Topology(fat-tree(k=64,hosts=2048)+part:hosts=1000: 64 switches, 1024 links, 1000 hosts)
    """
    if hosts > topology.hosts:
        raise InputError(
            f"{topology.name}: it has {topology.hosts:,} hosts, so its part cannot have {hosts:,}; use at most"
            f" {topology.hosts:,}, or a larger network"
        )
    arrival = Arrival(topology, (hosts, topology.hosts))
    stays = arrival.switch == 0
    if stays.all() and hosts == topology.hosts:
        return topology
    return subnetwork(topology, np.flatnonzero(stays), np.flatnonzero(arrival.host == 0))


def subnetwork(topology: Topology, switches: np.ndarray, hosts: np.ndarray) -> Topology:
    """The network of some switches and hosts, in the order given, with all links between these switches.

    Parameters
    ----------
    topology : Topology
    switches, hosts : int64[...]
        Their numbers; every port of these hosts is on one of these switches.

    Returns
    -------
    Topology
        Switch and host i are ``switches[i]`` and ``hosts[i]``; without a spec.
    """
    number, host_number = np.full(topology.switches, -1), np.full(topology.hosts, -1)
    number[switches], host_number[hosts] = np.arange(switches.size), np.arange(hosts.size)
    links = (number[topology.links] >= 0).all(axis=1)
    ports = host_number[topology.host] >= 0
    rates: dict[str, Any] = topology.rates_of(links, ports)
    return Topology(
        links=number[topology.links[links]],
        switches=switches.size,
        endpoints=number[topology.endpoints[ports]],
        host=host_number[topology.host[ports]],
        labels={name: values[switches] for name, values in topology.labels.items()},
        name=topology.name,
        **rates,
    )


class Arrival:
    """When each host and switch of a network comes, if its hosts come in phases and every phase has what its hosts need.

    Parameters
    ----------
    topology : Topology
        The network with all its hosts.
    hosts : sequence of int
        The hosts after each phase, growing; the last is all hosts.

    Attributes
    ----------
    kind : str
        ``tree``: leaves come with their hosts, and switches above them with their first leaf; ``groups``: groups come with
        their hosts; ``whole``: all switches come at once.
    switch, host : int64[switches], int64[hosts]
        The phase, from 0, of each switch and host.
    """

    def __init__(self, topology: Topology, hosts: Sequence[int]) -> None:
        place, position, _ = places_of_hosts(topology)
        last = len(hosts) - 1
        for kind, order in (
            ("tree", np.lexsort((position, place))),
            ("groups", np.lexsort((position, place))),
            ("whole", np.lexsort((place, position))),
        ):
            rank = np.empty(topology.hosts, np.int64)
            rank[order] = np.arange(topology.hosts)
            self.host = np.searchsorted(np.asarray(hosts), rank, side="right")
            first = np.full(topology.switches, last)
            np.minimum.at(first, topology.endpoints, self.host[topology.host])
            switch = _PHASE_OF[kind](topology, first)
            if switch is not None and _hold_together(topology, switch, last):
                self.kind, self.switch = kind, switch
                return


def _up_a_tree(topology: Topology, first: np.ndarray) -> np.ndarray | None:
    """The phase of each switch of a tree, whose label ``level`` is 0 at the leaves; None for other networks."""
    level = topology.labels.get("level")
    if level is None or level.dtype.kind != "i" or level.max() == level.min():
        return None
    carrying = topology.endpoints_at > 0
    if (level[carrying] != level.min()).any():
        return None
    ends = np.concatenate([topology.links, topology.links[:, ::-1]])
    lower, upper = level[ends].T
    phase = np.where(level == level.min(), first, first.max())
    for above in range(int(level.min()) + 1, int(level.max()) + 1):
        up = ends[(lower == above - 1) & (upper == above)]
        np.minimum.at(phase, up[:, 1], phase[up[:, 0]])
    return phase


def _of_groups(topology: Topology, first: np.ndarray) -> np.ndarray | None:
    """The phase of each switch if whole groups come with their hosts; None where some two groups are not linked."""
    group = topology.labels.get("group")
    if group is None or group.dtype.kind != "i":
        return None
    names, number = np.unique(group, return_inverse=True)
    number = number.reshape(-1)
    pairs = np.unique(np.sort(number[topology.links], axis=1), axis=0)
    between = int((pairs[:, 0] != pairs[:, 1]).sum())
    planes = topology.labels.get("plane", topology.labels.get("rail"))
    copies = 1 if planes is None else np.unique(planes).size
    each = names.size // copies
    if each < 2 or between != copies * (each * (each - 1) // 2):
        return None
    phase = np.full(names.size, first.max())
    np.minimum.at(phase, number, first)
    return np.asarray(phase[number]) if phase.any() else None


def _whole(topology: Topology, first: np.ndarray) -> np.ndarray:
    """The phase of each switch if all come at once."""
    return np.zeros_like(first)


_PHASE_OF = {"tree": _up_a_tree, "groups": _of_groups, "whole": _whole}


def _hold_together(topology: Topology, switch: np.ndarray, last: int) -> bool:
    """Whether every phase is as connected as the whole network: each of its planes is one component."""
    from topoloom.graph.connectivity import components

    whole = int(components(topology).max())
    for phase in range(last):
        here = np.flatnonzero(switch <= phase)
        if here.size == topology.switches:
            return True
        part_of = subnetwork(topology.without_rates(), here, np.empty(0, np.int64))
        if int(components(part_of).max()) != whole:
            return False
    return True
