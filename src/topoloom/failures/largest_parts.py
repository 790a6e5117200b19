"""The largest connected part of each plane after losses."""

from collections.abc import Sequence

import numpy as np

from topoloom.graph.connectivity import components
from topoloom.graph.planes import Plane
from topoloom.model.topology import Topology


def largest_parts(
    topology: Topology, planes: Sequence[Plane], alive: np.ndarray, keep: np.ndarray, lit: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The connected parts of what is left, and the switches of the largest part of each plane.

    Parameters
    ----------
    topology : Topology
        Before the losses.
    planes : sequence of Plane
        Its planes.
    alive : bool[switches]
    keep : bool[links]
        The links that are left, between switches that are alive.
    lit : bool[hosts], optional
        The hosts that have power; all when omitted.

    Returns
    -------
    part : int[switches]
        The part of each switch.
    main : bool[switches]
        The part with the most hosts (switches, where no host is left); among equals the first.

    Examples
    --------
    >>> from topoloom.graph.planes import planes_of
    >>> from topoloom.topologies.spec import build
    >>> chain = build("ring:n=5,hosts=1")
    >>> alive = np.array([True, False, True, True, False])
    >>> largest_parts(chain, planes_of(chain), alive, alive[chain.links].all(axis=1))[1].tolist()
    [False, False, True, True, False]
    """
    # Only the links decide which parts there are.
    part = components(Topology(links=topology.links[keep], switches=topology.switches))
    main = np.zeros(topology.switches, np.bool_)
    for plane in planes:
        switches = plane.switches[alive[plane.switches]]
        if not switches.size:
            continue
        endpoints = plane.endpoints if lit is None else plane.endpoints[lit[topology.host[plane.endpoints]]]
        endpoints = endpoints[alive[topology.endpoints[endpoints]]]
        # A host with several ports in a part counts once.
        of_hosts = np.unique(np.stack([part[topology.endpoints[endpoints]], topology.host[endpoints]]), axis=1)[0]
        counted = of_hosts if of_hosts.size else part[switches]
        main[switches] = part[switches] == int(np.bincount(counted).argmax())
    return part, main
