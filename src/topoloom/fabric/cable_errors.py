"""Counted errors beside the cables that they belong to: what the ports at both ends of each cable say."""

from collections.abc import Iterable, Mapping

import numpy as np

from topoloom.fabric.comparison import Cable, CableErrors, Plug, Plugged, Words
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.port_counters import PortCounters


def counted_at(
    fabric: Fabric, counters: PortCounters, switch: np.ndarray, host: np.ndarray
) -> Mapping[Plug, dict[str, int]]:
    """The counters that are not 0 of every port with a cable.

    Parameters
    ----------
    fabric : Fabric
    counters : PortCounters
    switch, host : int64[switches], int64[hosts]
        The numbers that its switches and hosts have in the comparison.

    Returns
    -------
    mapping of (node, port) to dict of str to int
    """
    topology = fabric.topology
    guids, lids = fabric.switch_guids.tolist(), fabric.switch_lids.tolist()
    found: dict[Plug, dict[str, int]] = {}
    switches = np.concatenate([topology.links.ravel(), topology.endpoints]).tolist()
    ports = np.concatenate([fabric.link_ports.ravel(), fabric.endpoint_ports]).tolist()
    for s, port in zip(switches, ports, strict=True):
        found[int(switch[s]), port] = counters.of(((guids[s], port),), (lids[s], port))
    nodes, own = fabric.host_guids.tolist(), fabric.port_guids.tolist()
    for e, (h, port) in enumerate(zip(topology.host.tolist(), fabric.host_ports.tolist(), strict=True)):
        # An adapter of several in a machine has one port, number 1, whatever the machine calls it.
        guid_ports = ((own[e], port), (own[e], 1), (nodes[h], port))
        found[int(host[h]), port] = counters.of(guid_ports, (int(fabric.port_lids[e]), port))
    return {plug: counted for plug, counted in found.items() if counted}


def cable_errors(
    at: Mapping[Plug, dict[str, int]], cables: Iterable[Cable], words: Words
) -> list[tuple[Cable, CableErrors]]:
    """The cables whose ports counted errors, those with most first.

    Parameters
    ----------
    at : mapping of (node, port) to dict of str to int
        As `counted_at` gives it.
    cables : iterable of Cable
        Those that are there.
    words : Words

    Returns
    -------
    list of (Cable, CableErrors)
    """
    found = []
    for cable in cables:
        counted = at.get(cable[0], {}), at.get(cable[1], {})
        if counted[0] or counted[1]:
            (one, one_port), (other, other_port) = cable
            ends = Plugged(words.names[one], one_port), Plugged(words.names[other], other_port)
            found.append((cable, CableErrors(ends, counted, words.errors(cable, counted))))
    return sorted(found, key=lambda one: -sum(sum(end.values()) for end in one[1].counted))
