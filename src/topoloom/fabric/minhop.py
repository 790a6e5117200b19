"""A model of OpenSM's engine minhop: the tables that a fabric has where nobody chose an engine."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import Fabric
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import channels_of


def minhop_tables(fabric: Fabric) -> np.ndarray:
    """The port of each switch towards each host port, as OpenSM's engine minhop chooses it.

    Each switch takes shortest paths, and of its ports on these the one with the fewest host ports so far; of equal ones the
    lowest. Host ports come in the order of their switches, those with most hosts first (then by GUID), and of their ports
    there. On the fabrics of the tests opensm 3.3.23 has the same entries.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    int16[switches, endpoints]
        Real ports; -1 where there is no path.

    Raises
    ------
    InputError
        The fabric has no hosts.
    """
    from topoloom.fabric.kernels.minhop import minhop_ports

    topology = fabric.topology
    n, home = topology.switches, topology.endpoints.astype(np.int64)
    if not home.size:
        raise InputError(f"{topology.name}: no hosts, so there is nothing to route to; add them, as in hosts=4")
    channels, real = channels_of(topology), fabric.channel_ports
    busy = np.flatnonzero(topology.endpoints_at)
    row = np.zeros(n, np.int64)
    row[busy] = np.arange(busy.size)
    order = np.lexsort((fabric.endpoint_ports, fabric.switch_guids[home], -topology.endpoints_at[home]))
    ports = np.full((n, home.size), -1, np.int16)
    minhop_ports(
        channels.first,
        np.lexsort((real, channels.origin)),
        channels.to,
        real,
        home,
        fabric.endpoint_ports.astype(np.int64),
        order,
        row,
        distances_from(topology, busy),
        np.zeros(channels.to.size, np.int64),
        ports,
    )
    return ports
