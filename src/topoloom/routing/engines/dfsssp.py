"""DFSSSP: balanced shortest paths, all in one lane, whose cycles are broken by moving pairs up. A baseline."""

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.routing.channels import channels_of, turn_places
from topoloom.routing.lanes.by_pair import MOST_LANES
from topoloom.routing.registry import Request, engine
from topoloom.routing.routing import Routing, carriers_of, empty_ports
from topoloom.routing.trees.shortest import fill_minimal


@engine("dfsssp", "deadlock-free SSSP: cycles broken at their weakest turn, lane by lane; a baseline", safe=True)
def dfsssp(request: Request) -> Routing:
    """Shortest paths balanced once, and lanes filled from the first: what closes cycles in one moves to the next.

    Source: Domke, Hoefler and Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS 2011.

    Raises
    ------
    InputError
        More lanes are needed than there may be.
    """
    from topoloom.routing.lanes.kernels.dfsssp import break_cycles, count_turns

    topology, channels = request.topology, channels_of(request.topology)
    n, most = topology.switches, min(request.lanes or MOST_LANES, MOST_LANES)
    ports, lane = empty_ports(topology), np.zeros((n, n), np.uint8)
    fill_minimal(topology, Draws(request.seed).permutation(n), ports, 0, request.jobs)
    turn_first, carries = turn_places(channels), carriers_of(topology)
    count = np.zeros(turn_first[-1], np.int64)
    for number in range(most):
        where = channels.first, channels.to, channels.back, turn_first, ports, lane, number, carries, count
        count_turns(*where)
        if not break_cycles(*where):
            return Routing(topology, "dfsssp", ports, lane, minimal=True)
    raise InputError(
        f"{topology.name}: the paths of engine dfsssp need more than {most} lanes; engine orders does with any number"
    )
