"""Tables for each host of a switch, as InfiniBand gives every host an address of its own."""

from dataclasses import replace

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.routing.registry import find_engine
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.topology import Topology


def host_routings(
    topology: Topology, engine: str, count: int, *, seed: int = 1, jobs: int | None = None
) -> tuple[Routing, ...]:
    """So many tables: host i of each switch, counted from 0, is led by table i modulo `count`.

    Engine ``fat-tree`` takes the digits of the host's number, as d-mod-k does (Zahavi et al., CCPE 22(2), 2010): the hosts of a
    switch are led through different ancestors. Other engines draw each table from a seed of its own, and of parallel cables
    between two switches each table takes the next one.

    Raises
    ------
    InputError
        A count below 1, and whatever `route` refuses.
    """
    if count < 1:
        raise InputError(f"{count} tables for the hosts of a switch: at least one is needed")
    first = route(topology, engine, seed=seed, jobs=jobs, host=(0, count) if count > 1 else None)
    seeds = [Draws(seed, number).word() >> 33 for number in range(1, count)]
    others = [route(topology, engine, seed=own, jobs=jobs, host=(number, count)) for number, own in enumerate(seeds, 1)]
    if not find_engine(engine).by_host:
        others = [_on_next_cables(routing, number) for number, routing in enumerate(others, 1)]
    return first, *others


def _on_next_cables(routing: Routing, step: int) -> Routing:
    """The same ways from switch to switch, on cables so many further on among parallel ones.

    All channels between two switches trade places alike, so that what is free of deadlock stays so.
    """
    channels, ports = routing.channels, routing.ports
    begins = np.r_[True, (np.diff(channels.to) != 0) | (np.diff(channels.origin) != 0)]
    begin = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    width = np.bincount(begin, minlength=begin.size)[begin]
    place = np.arange(begin.size)
    port = begin + (place - begin + step) % width - channels.first[channels.origin]
    known = ports != routing.none
    at = np.where(known, channels.first[:-1][None, :] + ports, 0)
    return replace(routing, ports=np.where(known, port[at], routing.none).astype(ports.dtype))
