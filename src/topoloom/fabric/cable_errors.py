"""Counted errors of each cable, from the ports at both of its ends."""

from collections.abc import Iterable, Mapping

import numpy as np

from topoloom.fabric.comparison import Cable, CableErrors, Plug, Words
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.port_counters import PortCounters


def counted_at(
    fabric: Fabric, counters: PortCounters, switch: np.ndarray, host: np.ndarray
) -> Mapping[Plug, dict[str, int]]:
    """The nonzero error counters of every port with a cable.

    Parameters
    ----------
    fabric : Fabric
    counters : PortCounters
    switch, host : int64[switches], int64[hosts]
        The node numbers of the fabric's switches and hosts in the comparison.

    Returns
    -------
    mapping of (node, port) to dict of str to int
    """
    topology = fabric.topology
    guids, lids = fabric.switch_guids.tolist(), fabric.switch_lids.tolist()
    counters_of: dict[Plug, dict[str, int]] = {}
    switches = np.concatenate([topology.links.ravel(), topology.endpoints]).tolist()
    ports = np.concatenate([fabric.link_ports.ravel(), fabric.endpoint_ports]).tolist()
    for s, port in zip(switches, ports, strict=True):
        counters_of[int(switch[s]), port] = counters.of(((guids[s], port),), (lids[s], port))
    nodes, own = fabric.host_guids.tolist(), fabric.port_guids.tolist()
    for e, (h, port) in enumerate(zip(topology.host.tolist(), fabric.host_ports.tolist(), strict=True)):
        # Each adapter of a machine with several has a single port, number 1, whatever number the machine gives it.
        guid_ports = ((own[e], port), (own[e], 1), (nodes[h], port))
        counters_of[int(host[h]), port] = counters.of(guid_ports, (int(fabric.port_lids[e]), port))
    return {plug: counted for plug, counted in counters_of.items() if counted}


def cable_errors(
    at: Mapping[Plug, dict[str, int]], cables: Iterable[Cable], words: Words
) -> list[tuple[Cable, CableErrors]]:
    """The cables whose ports counted errors, most errors first.

    Parameters
    ----------
    at : mapping of (node, port) to dict of str to int
        As `counted_at` returns it.
    cables : iterable of Cable
        The cables that are present.
    words : Words

    Returns
    -------
    list of (Cable, CableErrors)
    """
    counted_cables = []
    for cable in cables:
        counted = at.get(cable[0], {}), at.get(cable[1], {})
        if counted[0] or counted[1]:
            ends = words.plugged(*cable[0]), words.plugged(*cable[1])
            counted_cables.append((cable, CableErrors(ends, counted, words.errors(cable, counted))))
    return sorted(counted_cables, key=lambda entry: -sum(sum(end.values()) for end in entry[1].counted))
