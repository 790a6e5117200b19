"""The verb: tables for a topology by any engine, followed and proved before anybody gets them."""

from dataclasses import replace

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.graph.distances import hops
from topoloom.layout.layout import Layout
from topoloom.routing.judge.prove import prove
from topoloom.routing.parallel_cables import on_next_cables
from topoloom.routing.registry import Request, engines, find_engine
from topoloom.routing.routing import Routing
from topoloom.topology import Topology

#: Rows of tables that fit in memory: two tables of bytes of 32,768 squared are 2 GB.
_MOST_SWITCHES = 1 << 15


def route(
    topology: Topology,
    engine: str = "orders",
    *,
    lanes: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    layout: Layout | None = None,
    folder: str | None = None,
    check: int | None = None,
    host: tuple[int, int] | None = None,
) -> Routing:
    """Tables that send everything everywhere, and what the judge says of them.

    Parameters
    ----------
    topology : Topology
        Connected.
    engine : str
        ``orders``, the default, is free of deadlock on any graph; `topoloom route --help` lists all.
    lanes : int, optional
        At most so many virtual lanes; as many as the engine needs when left out.
    seed : int
    jobs : int, optional
        Threads; every core when left out. The same seed gives the same tables with any number of them.
    layout : Layout, optional
        Where the topology's switches stand; engine ``latency`` needs it.
    folder : str, optional
        Keep the tables in files there (``ports.npy``, ``lanes.npy``) instead of in memory: for more than 32,768 switches.
        Engines ``orders``, ``updown`` and ``minimal`` can; loads are evened in one round less.
    check : int, optional
        Follow the paths to so many destinations only, drawn by the seed: a sample, no proof.
    host : (int, int), optional
        Tables for some hosts of each switch only: every so many-th (the second) from one on (the first). Engine ``fat-tree``
        leads them over other paths than the switch's other hosts, any engine over other ones of parallel cables
        (`topoloom.host_routings`).

    Returns
    -------
    Routing
        With its verdict.

    Raises
    ------
    InputError
        No such engine; a topology in parts, or one that the engine cannot route; fewer lanes than the engine needs.

    Examples
    --------
    >>> from topoloom.spec import build
    >>> routed = route(build("slimfly:q=5"))
    >>> routed.verdict.lanes_used, routed.verdict.minimal, routed.verdict.deadlock_free
    (2, True, True)
    >>> routed.path(0, 49)
    [0, 4, 49]
    """
    chosen = find_engine(engine)
    if lanes is not None and lanes < 1:
        raise InputError(f"{topology.name}: lanes={lanes}; at least one is needed")
    if topology.switches > _MOST_SWITCHES and folder is None:
        raise InputError(
            f"{topology.name}: {topology.switches} switches; tables for up to {_MOST_SWITCHES} are kept in memory: name a"
            " folder for them (--tables)"
        )
    if folder is not None and not chosen.streams:
        names = ", ".join(name for name, record in engines().items() if record.streams)
        raise InputError(f"{topology.name}: engine {engine} keeps its tables in memory; in a folder: {names}")
    components = hops(topology, jobs).components
    if layout is not None and layout.topology != topology:
        raise InputError(
            f"{topology.name}: the layout is of {layout.topology.name}; give the layout of the same topology"
        )
    if components > 1:
        raise InputError(f"{topology.name}: {components} parts that no link joins; route each, or link them")
    routed = chosen.make(Request(topology, lanes, seed, jobs, layout, folder, host))
    if host is not None and not chosen.by_host:
        routed = on_next_cables(routed, host[0])
    some = None if check is None else np.sort(Draws(seed, 10).permutation(topology.switches)[:check])
    verdict = prove(routed, jobs, some)
    wrong = (
        verdict.fault
        or ("" if verdict.deadlock_free or not chosen.safe else f"channels wait in a cycle: {verdict.cycle}")
        or ("" if verdict.minimal or not routed.minimal else "paths are longer than promised")
    )
    if wrong:
        raise RuntimeError(f"engine {engine} on {topology.name}: {wrong}")  # our mistake, never the user's
    if lanes is not None and verdict.lanes_used > lanes:
        raise InputError(
            f"{topology.name}: lanes={lanes}, but engine {engine} needs {verdict.lanes_used}; engine orders takes any number"
        )
    return replace(routed, verdict=verdict)
