"""The k shortest loop-free paths of each pair of switches, of which a flow takes one by its hash."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.routing.choices import MOST_STATES
from topoloom.routing.engines.spraypoint import LOSSLESS
from topoloom.routing.groups.making import interned
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, PAIR, Routing, empty_ports
from topoloom.topologies.spec import Integer

#: Destinations per block.
_BLOCK = 64
_STREAM = 33


@engine(
    "ksp",
    "the k shortest loop-free paths of each pair, one per flow, as tunnels or segments set them up",
    safe=False,
    bytes_a_pair=600,
    k=Integer(1, 64, "paths of each pair", default=8),
    longer=Integer(0, 8, "most hops more than the shortest path", default=4),
    lossless=LOSSLESS,
)
def ksp(request: RoutingRequest, k: int, longer: int, lossless: str) -> Routing:
    """Groups of k members at the source, one per path; then one next hop per state, the number of the rest of the path.

    Paths have no switch twice. Of paths with equal hops, those over different links of the source come first, and a random
    order of the links decides. Pairs with fewer than k paths of at most `longer` hops more than the shortest have these.
    Different paths that have the same rest from a switch on share its state, so that states are few.

    Parameters
    ----------
    request : RoutingRequest
    k : int
        Paths of each pair.
    longer : int
        Most hops more than the shortest path.
    lossless : "no" or "yes"

    Returns
    -------
    Routing
        Without a verification; its plain tables are shortest paths.

    Raises
    ------
    InputError
        Some switches have no path to others, or a switch has too many different rests of paths to a destination.
    """
    from topoloom.graph.distances import distances_from
    from topoloom.routing.groups.kernels.k_shortest import paths_to

    topology, n = request.topology, request.topology.switches
    (first, to, _), degrees = topology.csr, topology.degrees.astype(np.uint64)
    width, draws = np.zeros((n, n), np.int64), Draws(request.seed, _STREAM)
    port, after = np.zeros((n, k), np.uint16), np.zeros((n, k), np.uint8)
    ports, members, states, every = empty_ports(topology), [np.zeros(0, np.uint16)], [np.zeros(0, np.uint8)], []
    request.work.begin(n, "destinations")
    for begin in range(0, n if n > 1 else 0, _BLOCK):
        for d, distance in enumerate(distances_from(topology, np.arange(begin, min(n, begin + _BLOCK)), 1), begin):
            request.work.check()
            if (distance < 0).any():
                raise InputError(f"{topology.name}: not connected; engine ksp needs a path between all switches")
            rests = np.empty((k * int((distance + longer).sum()), 4), np.int64)
            begins = (draws.words(n) % degrees).astype(np.int64)
            count = paths_to(first, to, d, distance, begins, longer, MOST_STATES, width[d], port, after, rests)
            if count < 0:
                raise InputError(
                    f"{topology.name}: engine ksp: paths to switch {d} go on from some switch in more than"
                    f" {MOST_STATES - 1} ways, and packets have as many states; use fewer paths (k={k}), or longer=0"
                )
            taken = np.arange(k) < width[d][:, None]
            members.append(port[taken])
            states.append(after[taken])
            ports[d] = np.where(taken[:, 0], port[:, 0], np.iinfo(ports.dtype).max)
            place = (rests[:count, 1] * n + d) * n + rests[:count, 0]
            every.append(np.stack([place, rests[:count, 2], rests[:count, 3]]))
            request.work.advance(1)
    place, out, then = np.concatenate([np.zeros((3, 0), np.int64), *every], axis=1)
    order = np.argsort(place)
    widths = np.zeros((1 + int(place.max(initial=0)) // max(1, n * n), n, n), np.int64)
    widths[0] = width
    widths.reshape(-1)[place] = 1
    return Routing(
        topology,
        "ksp",
        ports,
        virtual_channel_rule=HOP if lossless == "yes" else PAIR,
        choice=interned(
            widths,
            np.concatenate([*members, out[order].astype(np.uint16)]),
            np.concatenate([*states, then[order].astype(np.uint8)]),
        ),
    )
