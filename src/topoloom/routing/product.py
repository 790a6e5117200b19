"""Routing of Cartesian products: one coordinate after the other, each by the tables of its factor."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.product import cartesian_product
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.route import route
from topoloom.routing.routing import HOP, SWITCH, Routing, empty_ports
from topoloom.routing.verification.verify import verify_routing

#: The verifier keeps virtual channels as the bits of a 64-bit word.
_MOST_VIRTUAL_CHANNELS = 64


def product_factors(topology: Topology) -> list[Topology]:
    """The factors of a Cartesian product; the first one has the coordinate that changes slowest.

    Raises
    ------
    InputError
        The topology is not a product with the labels factor0, factor1, ... of `graph.product`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> [factor.switches for factor in product_factors(build("product:(petersen)*(hypercube:n=3)"))]
    [10, 8]
    """
    labels: list[np.ndarray] = []
    while f"factor{len(labels)}" in topology.labels:
        labels.append(topology.labels[f"factor{len(labels)}"])
    sizes = [int(label.max()) + 1 for label in labels if label.dtype.kind == "i"]
    if len(labels) < 2 or len(sizes) < len(labels) or prod(sizes) != topology.switches:
        raise InputError(
            f"{topology.name}: not a Cartesian product with labels factor0, factor1; build one with product:(SPEC)*(SPEC)"
        )
    factors, stride = [], topology.switches
    for number, size in enumerate(sizes):
        stride //= size
        # The copy of the factor where all other coordinates are 0.
        inside = (topology.links % stride == 0).all(axis=1) & (topology.links < size * stride).all(axis=1)
        name = f"factor {number} of {topology.name}"
        factors.append(Topology(links=topology.links[inside] // stride, switches=size, name=name))
    again = cartesian_product(factors)
    same = np.array_equal(again.links, topology.links)
    if not same or any(not np.array_equal(again.labels[key], topology.labels[key]) for key in again.labels):
        raise InputError(
            f"{topology.name}: it has the labels of a Cartesian product, but not the links; use engine orders"
        )
    return factors


def product_routing(
    topology: NetworkSource,
    engines: Sequence[str | Routing] | str = "orders",
    *,
    virtual_channels: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Routing:
    """Make tables for a Cartesian product: paths of the first factor correct the first coordinate, then the next factor
    follows.

    Parameters
    ----------
    topology : NetworkSource
        A product with labels of its factors, as `product:` makes them.
    engines : str, or one str or Routing per factor
        The engine of each factor; a `Routing` is used without changes.
    virtual_channels : int, optional
        Most virtual channels; factors that are routed here get fewer.
    seed, jobs, work
        As for `route`.

    Returns
    -------
    Routing
        With its verification; shortest and deadlock-free if the tables of the factors are.

    Raises
    ------
    InputError
        Not a product; not one engine per factor; a `Routing` of another topology, or one that does not reach every pair; too
        few virtual channels.
    Stopped
        `work` was stopped before the tables were made and verified.

    Notes
    -----
    The load of switch (u, v) is n2 load1(u) + n1 load2(v) + (n1 - 1) (n2 - 1); the last term counts the pairs that turn there
    from the first coordinate to the second. So the loads are equal if those of the factors are.

    Every combination of the factors' virtual channels is a separate virtual channel. In one virtual channel, packets that move
    along a coordinate use one virtual channel of that factor, and no packet returns to an earlier coordinate: no cycle of
    waiting packets is possible.

    Source: Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks (Xu 2019), proposition 1.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> routed = product_routing(build("product:(petersen)*(petersen)"), "balanced")
    >>> int(routed.verification.switch_load.min()), int(routed.verification.switch_load.max())  # 10 * 6 + 10 * 6 + 9 * 9
    (201, 201)
    """
    topology = taken(topology, Topology, "product_routing")
    work = Work() if work is None else work
    factors = product_factors(topology)
    if virtual_channels is not None and virtual_channels < 1:
        raise InputError(f"{topology.name}: virtual_channels={virtual_channels}; at least one is needed")
    chosen: list[str | Routing] = [engines] * len(factors) if isinstance(engines, str) else list(engines)
    if len(chosen) != len(factors):
        raise InputError(f"{topology.name}: {len(chosen)} engines for {len(factors)} factors; give one, or one each")
    parts = []
    for factor, how in zip(factors, chosen, strict=True):
        if isinstance(how, str):
            parts.append(route(factor, how, seed=seed, jobs=jobs, work=work))
        elif how.topology.switches != factor.switches or not np.array_equal(how.topology.links, factor.links):
            raise InputError(f"{topology.name}: {how!r} is not a routing of {factor.name}")
        elif how.choice is not None or how.virtual_channel_rule == SWITCH:
            raise InputError(
                f"{topology.name}: in {how!r} packets choose, or change virtual channels;"
                " give tables with one virtual channel per pair"
            )
        elif fault := (how.verification or verify_routing(how, jobs, work=work)).fault:
            raise InputError(f"{topology.name}: in {how!r} {fault}")
        else:
            parts.append(how)
    _fewer_vcs(topology, parts, chosen, virtual_channels, seed, jobs, work)
    strides = [prod(factor.switches for factor in factors[number + 1 :]) for number in range(len(factors))]
    places = [
        np.arange(topology.switches) // stride % part.topology.switches
        for stride, part in zip(strides, parts, strict=True)
    ]
    routed = Routing(
        topology,
        "product of " + " and ".join(part.engine for part in parts),
        _ports(topology, parts, strides, places, work),
        minimal=all(part.minimal for part in parts),
    )
    if any(part.virtual_channel_rule == HOP for part in parts):
        routed = replace(routed, virtual_channel_rule=HOP)
    elif any(part.virtual_channels is not None for part in parts):
        routed = replace(routed, virtual_channels=_virtual_channels(topology, parts, places))
    verification = verify_routing(routed, jobs, work=work)
    if virtual_channels is not None and verification.virtual_channels_used > virtual_channels:
        raise InputError(
            f"{topology.name}: virtual_channels={virtual_channels}, but one virtual channel per hop needs"
            f" {verification.virtual_channels_used}; give at least {verification.virtual_channels_used}"
        )
    provenance = provenance_of(
        topology, engine=routed.engine, seed=seed, settings={"virtual_channels": virtual_channels}
    )
    return replace(routed, verification=verification, provenance=provenance)


def _used(part: Routing) -> int:
    return 1 if part.virtual_channels is None else int(part.virtual_channels.max()) + 1


def _fewer_vcs(
    topology: Topology,
    parts: list[Routing],
    chosen: list[str | Routing],
    virtual_channels: int | None,
    seed: int,
    jobs: int | None,
    work: Work,
) -> None:
    """Route factors again with fewer virtual channels, those with most first, until the number of combinations is small
    enough.
    """
    most = min(virtual_channels or _MOST_VIRTUAL_CHANNELS, _MOST_VIRTUAL_CHANNELS)
    while (needed := prod(map(_used, parts))) > most:
        number = max(range(len(parts)), key=lambda i: _used(parts[i]) if isinstance(chosen[i], str) else 0)
        how, fewer = chosen[number], _used(parts[number]) - 1
        if not isinstance(how, str) or fewer < 1:
            raise InputError(
                f"{topology.name}: virtual_channels={most}, but the factors' virtual channels make {needed} combinations"
            )
        parts[number] = route(parts[number].topology, how, virtual_channels=fewer, seed=seed, jobs=jobs, work=work)


def _ports(
    topology: Topology, parts: list[Routing], strides: list[int], places: list[np.ndarray], work: Work
) -> np.ndarray:
    """The tables: the port of the first coordinate that differs from the destination's."""
    n, channels = topology.switches, channels_of(topology)
    first, to = channels.first, channels.to
    ports, switch = empty_ports(topology), np.arange(n)
    key = np.repeat(switch, np.diff(first)) * n + to  # ascending
    # For each factor, switch and port of the factor: the product's port.
    port_of = []
    for part, stride, place in zip(parts, strides, places, strict=True):
        begin, along = part.channels.first, part.channels.to.astype(np.int64)
        degree = np.diff(begin)
        table = np.zeros((n, int(degree.max(initial=0))), ports.dtype)
        for port in range(table.shape[1]):
            here = np.flatnonzero(degree[place] > port)
            channel = begin[place[here]] + port
            goal = here + (along[channel] - place[here]) * stride
            origin = part.channels.origin.astype(np.int64) * part.topology.switches + along
            parallel = channel - np.searchsorted(origin, origin[channel])  # index among parallel links
            table[here, port] = np.searchsorted(key, here * n + goal) + parallel - first[here]
        port_of.append(table)
    work.begin(n, "destinations")
    for d in range(n):
        work.check()
        work.advance()
        row = ports[d]
        for part, place, table in reversed(list(zip(parts, places, port_of, strict=True))):
            wrong = np.flatnonzero(place != place[d])
            row[wrong] = table[wrong, part.ports[place[d], place[wrong]]]
    return ports


def _virtual_channels(topology: Topology, parts: list[Routing], places: list[np.ndarray]) -> np.ndarray:
    """The virtual channel of each pair: the combination of its virtual channels in the factors; only combinations that occur
    are
    numbered, from 0.
    """
    n = topology.switches
    vc = np.zeros((n, n), np.uint8)
    for part, place in zip(parts, places, strict=True):
        vc *= np.uint8(_used(part))
        if part.virtual_channels is not None:
            for d in range(n):
                vc[d] += np.where(place == place[d], 0, part.virtual_channels[place[d], place]).astype(np.uint8)
    occurs = np.zeros(256, np.bool_)
    for row in vc:
        occurs[row] = True
    number = np.cumsum(occurs).astype(np.uint8) - np.uint8(1)
    for row in vc:
        row[:] = number[row]
    return vc
