"""The verifier of tables of directed networks: the same walk and the same search for cycles, with distances along arcs."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import check_type
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.routing.directed_routing import DirectedRouting
from topoloom.routing.verification.verification import Verification
from topoloom.routing.verification.verify import followed_tables


def verify_directed(routing: DirectedRouting, jobs: int | None = None, *, work: Work | None = None) -> Verification:
    """Follow the tables of a directed network from every switch to every other, and search the channel dependencies for cycles.

    Parameters
    ----------
    routing : DirectedRouting
        Tables from `directed_route`, or your own.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress of followed destinations.

    Returns
    -------
    Verification
        As of `verify_routing`; a channel is an arc, paths are minimal by the hops along arcs, and `channel_load` is that of
        each arc, int64[m].

    Raises
    ------
    InputError
        More virtual channels than the verifier supports.
    Stopped
        `work` was stopped before all paths were followed.
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set

    check_type(routing, DirectedRouting, "verify_directed", "directed_route(network) makes one")
    network = routing.network
    offsets, tails, _ = network.in_csr

    def fewest(some: np.ndarray) -> np.ndarray:
        away, queue = np.empty((some.size, network.switches), np.int32), np.empty(network.switches, np.int32)
        for place in range(some.size):
            distances_from_set(offsets, tails, some[place : place + 1], away[place], queue)
        return away

    verification = followed_tables(routing.carried, jobs, None, Work() if work is None else work, fewest)
    loads = verification.channel_load[routing.carrier.channel]
    return replace(verification, channel_load=loads, provenance=provenance_of(network, engine=routing.engine))
