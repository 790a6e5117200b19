"""The operation `directed_route`: verified forwarding tables of a directed network."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.strong_components import strong_component_count
from topoloom.model.directed import DirectedTopology
from topoloom.model.results import provenance_of
from topoloom.model.sources import DirectedSource, directed_of
from topoloom.routing.directed_routing import DirectedRouting, carrier_of
from topoloom.routing.routing import HOP, SWITCH, carriers_of, host_weights
from topoloom.routing.trees.parallel import make_trees
from topoloom.routing.verification.directed import verify_directed
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS, place_pairs

#: Larger tables do not fit in memory.
_MOST_SWITCHES = 1 << 15
#: Rounds after the first, in which each tree is removed and rebuilt.
_ROUNDS = 3


@dataclass(frozen=True)
class _Request:
    network: DirectedTopology
    virtual_channels: int
    seed: int
    jobs: int | None
    work: Work


def directed_route(
    topology: DirectedSource,
    engine: str | None = None,
    *,
    virtual_channels: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> DirectedRouting:
    """Make forwarding tables for every switch and destination of a directed network, and verify them.

    Parameters
    ----------
    topology : DirectedSource
        Strongly connected, with at most 32,768 switches.
    engine : str, optional
        ``dor``: dimension order with datelines and two virtual channels, for unidirectional rings and tori. ``lash``: shortest
        paths with even loads, and a virtual channel for each pair. ``hop-vcs``: the same paths, with one virtual channel per
        hop. ``minimal``: the same paths in one virtual channel; deadlock is possible. When omitted, ``dor`` where it fits, else
        ``lash``.
    virtual_channels : int, optional
        Most virtual channels; as many as the engine needs when omitted, and at most 15 with ``lash``.
    seed : int
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress of trees and of verified destinations.

    Returns
    -------
    DirectedRouting
        With its verification.

    Raises
    ------
    InputError
        No such engine; a network that is not strongly connected, or that the engine cannot route; fewer virtual channels than
        the engine needs.
    Stopped
        `work` was stopped before the tables were made and verified.

    Notes
    -----
    Sources: Dally and Seitz, IEEE Transactions on Computers C-36(5), 1987 (datelines of unidirectional tori); Skeie, Lysne and
    Theiss, IPDPS 2002 (LASH); Gopal, 1985 (a virtual channel per hop).

    Examples
    --------
    >>> tables = directed_route("kautz-digraph:base=2,length=3")
    >>> tables.verification.minimal, tables.verification.deadlock_free, tables.path(0, 1)
    (True, True, [0, 4, 8, 1])
    >>> directed_route("unidirectional-ring:n=8").verification.virtual_channels_used
    2
    """
    network = directed_of(topology, "directed_route")
    work = Work() if work is None else work
    began = time.monotonic()
    if engine is not None and engine not in _ENGINES:
        raise InputError(f"no engine for directed networks named '{engine[:60]}' ({hint(engine[:60], _ENGINES)})")
    if network.switches > _MOST_SWITCHES:
        raise InputError(f"{network.name}: {network.switches} switches; tables are kept of at most {_MOST_SWITCHES}")
    if (parts := strong_component_count(network)) > 1:
        raise InputError(
            f"{network.name}: not strongly connected: {parts} strong components; add arcs, or route each of them"
        )
    if virtual_channels is not None and virtual_channels < 1:
        raise InputError(f"{network.name}: virtual_channels={virtual_channels}; at least one is needed")
    chosen = engine or ("lash" if _torus_dims(network) is None else "dor")
    most = MOST_VIRTUAL_CHANNELS if virtual_channels is None else min(virtual_channels, MOST_VIRTUAL_CHANNELS)
    routed = _ENGINES[chosen](_Request(network, most, seed, jobs, work))
    made = time.monotonic()
    verification = verify_directed(routed, jobs, work=work)
    if verification.fault or not verification.minimal or (verification.cycle and chosen != "minimal"):
        raise RuntimeError(f"engine {chosen} on {network.name}: {verification}")  # a bug of topoloom
    if virtual_channels is not None and verification.virtual_channels_used > virtual_channels:
        raise InputError(
            f"{network.name}: virtual_channels={virtual_channels}, but engine {chosen} needs"
            f" {verification.virtual_channels_used}"
        )
    provenance = provenance_of(
        network,
        engine=chosen,
        seed=seed,
        settings={"virtual_channels": virtual_channels, "directed": True},
        timings={"tables_s": made - began, "judge_s": time.monotonic() - made},
    )
    return replace(routed, verification=verification, provenance=provenance)


def _minimal(request: _Request) -> DirectedRouting:
    """Shortest paths, the pairs spread evenly over the arcs: the trees of engine `minimal`, along arcs."""
    from topoloom.routing.trees.kernels.trees import minimal_trees

    network, n = request.network, request.network.switches
    offsets, heads = network.out_csr
    into_first, into, _ = network.in_csr
    kind = np.uint8 if int(network.out_degrees.max()) < np.iinfo(np.uint8).max else np.uint16
    ports = np.full((n, n), np.iinfo(kind).max, kind)
    pairs = host_weights(carrier_of(network).topology)

    def make(some: np.ndarray, loads: np.ndarray, again: bool) -> int:
        minimal_trees(offsets, heads, into_first, into, some, ports, loads, again, pairs)
        return 0

    order = Draws(request.seed).permutation(n)
    make_trees(order, np.zeros(heads.size, np.int64), make, _ROUNDS, request.jobs, work=request.work)
    return DirectedRouting(network, "minimal", ports)


def _by_hop(request: _Request) -> DirectedRouting:
    """A packet uses virtual channel i on hop i, so it only waits for higher virtual channels."""
    return replace(_minimal(request), engine="hop-vcs", virtual_channel_rule=HOP)


def _by_pair(request: _Request) -> DirectedRouting:
    """Each pair of switches gets the first virtual channel that stays free of cycles."""
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    tables = _minimal(request)
    carried, network = tables.carried, request.network
    carries = carriers_of(carried.topology)
    vcs = np.zeros(carried.ports.shape, np.uint8)
    vcs[np.ix_(carries, carries)] = ORPHAN
    np.fill_diagonal(vcs, 0)
    order = Draws(request.seed, 5).permutation(network.switches)
    most = request.virtual_channels
    if not place_pairs(carried.topology, carried.ports, vcs, order, most, work=request.work):
        raise InputError(
            f"{network.name}: the paths of engine lash need more than {most} virtual channels; engine hop-vcs takes one per hop"
        )
    return DirectedRouting(network, "lash", tables.ports, vcs)


def _dimension_order(request: _Request) -> DirectedRouting:
    """Dimension after dimension, in virtual channel 1 until the path crosses the end of the ring, then in 0."""
    network, dims = request.network, _torus_dims(request.network)
    if dims is None:
        raise InputError(
            f"{network.name}: engine dor routes unidirectional rings and tori; this network is none; use engine lash"
        )
    n = network.switches
    number = np.arange(n).reshape(dims)
    offsets, heads = network.out_csr
    at = np.stack(np.unravel_index(np.arange(n), dims), axis=1)
    ports = np.full((n, n), np.iinfo(np.uint8).max, np.uint8)
    vcs = np.zeros((n, n), np.uint8)
    undecided = ~np.eye(n, dtype=bool)
    for axis, side in enumerate(dims):
        if side == 1:
            continue
        onward = np.roll(number, -1, axis).ravel()
        port = np.array([int(np.searchsorted(heads[offsets[s] : offsets[s + 1]], onward[s])) for s in range(n)])
        own, goal = at[:, axis][None, :], at[:, axis][:, None]
        moves = undecided & (own != goal)
        ports[moves] = np.broadcast_to(port[None, :], (n, n))[moves]
        vcs[moves] = np.broadcast_to(own > goal, (n, n))[moves]
        undecided &= ~moves
    return DirectedRouting(network, "dor", ports, vcs, SWITCH)


def _torus_dims(network: DirectedTopology) -> tuple[int, ...] | None:
    """The sides of a unidirectional torus or ring whose switches have the numbers of its family; None for other networks."""
    labels = [network.labels.get(f"x{axis}") for axis in range(len(network.labels))]
    coordinates = [label for label in labels if label is not None and label.dtype.kind == "i"]
    dims = tuple(int(label.max()) + 1 for label in coordinates) if coordinates else (network.switches,)
    if prod(dims) != network.switches or len(dims) > 32 or network.switches < 2:
        return None
    number = np.arange(network.switches).reshape(dims)
    rings = [np.roll(number, -1, axis).ravel() for axis, side in enumerate(dims) if side > 1]
    if len(network.arcs) != len(rings) * network.switches:
        return None
    arcs = np.concatenate([np.stack([number.ravel(), onward], axis=1) for onward in rings])
    arcs = arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]
    return dims if np.array_equal(arcs, network.arcs) else None


_ENGINES: dict[str, Callable[[_Request], DirectedRouting]] = {
    "dor": _dimension_order,
    "hop-vcs": _by_hop,
    "lash": _by_pair,
    "minimal": _minimal,
}
