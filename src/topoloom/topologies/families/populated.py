"""A network with fewer hosts than it has room for: whole hosts are removed, and their ports are idle."""

from itertools import pairwise

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Choice, Integer, transform


@transform(
    "populated",
    hosts=Integer(1, 1 << 24, "hosts that stay; the ports of the others are idle"),
    fill=Choice(
        ("even", "first"),
        "the same number of hosts in every unit, leaf or switch (even), or one after the other is filled (first);"
        " even when omitted",
        default=None,
    ),
    source="NVIDIA DGX SuperPOD RA-11333-001, Network Fabrics: whole units are built, and ports of missing hosts stay empty",
)
def populated(topology: Topology, hosts: int, fill: str | None = None) -> Topology:
    """Keep `hosts` of the hosts; every port of a removed host becomes idle, and switches and links do not change.

    A *place* is the set of switches that a host's ports are on: a switch, or the leaves of a unit of rails, in all planes.
    ``fill=even`` removes hosts from the places with most hosts until all have the same number; a remainder is spread evenly
    over the places in order. ``fill=first`` fills the places in order. In a place, the hosts with the lowest numbers stay.

    Returns
    -------
    Topology
        The same switches, links, labels and rates; the hosts that stay are renumbered in their order.

    Raises
    ------
    InputError
        The network has fewer hosts.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> pod = build("fat-tree:hosts=1024,k=64+rails:nics=8+populated:hosts=127")
    >>> pod
    Topology(fat-tree(k=64,hosts=1024)+rails:nics=8,ports=1+populated:hosts=127: 48 switches, 1024 links, 127 hosts)
    >>> pod.endpoints_at[:32:8].tolist()  # hosts of each of the four units
    [32, 32, 32, 31]
    """
    if hosts > topology.hosts:
        raise InputError(
            f"{topology.name}: it has {topology.hosts:,} hosts, so {hosts:,} cannot stay; use at most {topology.hosts:,},"
            " or a larger network"
        )
    place, position, sizes = places_of_hosts(topology)
    staying = _first(sizes, hosts) if fill == "first" else _even(sizes, hosts)
    stays = position < staying[place]
    number = np.cumsum(stays) - 1
    ports = stays[topology.host]
    return topology.replace(
        endpoints=topology.endpoints[ports], host=number[topology.host[ports]], **topology.rates_of(endpoints=ports)
    )


def places_of_hosts(topology: Topology) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each host's place and its position there, int64[hosts] each, and the hosts of each place, int64[places].

    Places are numbered by their first host.
    """
    order = np.lexsort((topology.endpoints, topology.host))
    switch, host = topology.endpoints[order].tolist(), topology.host[order]
    begin = np.searchsorted(host, np.arange(topology.hosts + 1)).tolist()
    numbers: dict[tuple[int, ...], int] = {}
    place = np.array(
        [numbers.setdefault(tuple(switch[first:last]), len(numbers)) for first, last in pairwise(begin)], np.int64
    )
    sizes = np.bincount(place)
    by_place = np.argsort(place, kind="stable")
    position = np.empty_like(place)
    position[by_place] = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, position, sizes


def _first(sizes: np.ndarray, hosts: int) -> np.ndarray:
    """Hosts that stay in each place when they are filled in order."""
    stay: np.ndarray = np.clip(hosts - (np.cumsum(sizes) - sizes), 0, sizes)
    return stay


def _even(sizes: np.ndarray, hosts: int) -> np.ndarray:
    """Hosts that stay in each place when the fullest give up theirs first, and the remainder is spread over the places."""
    low, high = 0, int(sizes.max())
    while low < high:  # the highest level to which every place can be filled
        level = (low + high + 1) // 2
        low, high = (level, high) if np.minimum(sizes, level).sum() <= hosts else (low, level - 1)
    stay: np.ndarray = np.minimum(sizes, low)
    larger = np.flatnonzero(sizes > low)
    rest = hosts - int(stay.sum())
    # One more in `rest` of the larger places, at equal distances, beginning with the first.
    stay[larger] += np.diff(-(-np.arange(larger.size + 1) * rest // max(1, larger.size)))
    return stay
