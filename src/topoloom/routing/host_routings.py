"""Tables for each host of a switch, as InfiniBand gives every host an address of its own."""

from topoloom.errors import InputError
from topoloom.layout.layout import Layout
from topoloom.random_streams import Draws
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.topology import Topology, checked_topology
from topoloom.work import Work


def host_routings(
    topology: Topology,
    engine: str,
    count: int,
    *,
    seed: int = 1,
    jobs: int | None = None,
    layout: Layout | None = None,
    work: Work | None = None,
) -> tuple[Routing, ...]:
    """So many tables: host i of each switch, counted from 0, is led by table i modulo `count`.

    Engine ``fat-tree`` takes the digits of the host's number, as d-mod-k does (Zahavi et al., CCPE 22(2), 2010): the hosts of a
    switch are led through different ancestors. Other engines draw each table from a seed of its own, and of parallel cables
    between two switches each table takes the next one.

    Parameters
    ----------
    topology : Topology
        Connected.
    engine : str
    count : int
        Tables, each of which serves every `count`-th host of a switch.
    seed, jobs, layout, work
        As for `route`.

    Returns
    -------
    tuple of Routing
        `count` of them, each with its verdict.

    Raises
    ------
    InputError
        A count below 1, and whatever `route` refuses.
    Stopped
        `work` was stopped before all tables stood.
    """
    checked_topology(topology, "host_routings")
    if count < 1:
        raise InputError(f"{count} tables for the hosts of a switch: at least one is needed")
    if count == 1:
        return (route(topology, engine, seed=seed, jobs=jobs, layout=layout, work=work),)
    seeds = [seed, *(Draws(seed, number).word() >> 33 for number in range(1, count))]
    return tuple(
        route(topology, engine, seed=table_seed, jobs=jobs, layout=layout, host=(number, count), work=work)
        for number, table_seed in enumerate(seeds)
    )
