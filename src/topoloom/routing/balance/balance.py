"""The operations `balance_routing` and `balance_paths`: shortest paths with even loads, and how even any could be."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Ended, Work
from topoloom.graph.connectivity import component_count
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.routing.balance.evenness import even_squares, least_squares, unevenness
from topoloom.routing.balance.exact import Programme
from topoloom.routing.balance.search import even_trees
from topoloom.routing.balance.shortest_paths import Path, ShortestPaths
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.verification.verification import Verification
from topoloom.routing.verification.verify import verify_routing

#: What can be made even: pairs that pass through switches, or pairs over channels.
VERTICES, EDGES = "vertices", "edges"
#: Tables and the search's copy of them fit in memory.
_MOST_SWITCHES = 1 << 15


@dataclass(frozen=True, eq=False, repr=False)
class EvenLoads:
    """Loads of shortest paths, and what is known of how even they could be.

    Attributes
    ----------
    objective : "vertices" or "edges"
    directed : bool
        Loads count ordered pairs; else unordered ones, whose path back is the path there reversed.
    load : int64[n], int64[2 m] or int64[m]
        Pairs of switches with hosts (of all, where there are no hosts) through each switch (neither from nor to it), or over
        each channel, or over each link where not directed.
    bound : float
        No choice of shortest paths (of the kind asked for) has a smaller `value`.
    least_max : int
        No choice has a smaller largest load.
    """

    objective: str
    directed: bool
    load: np.ndarray
    bound: float
    least_max: int

    @property
    def value(self) -> float:
        """The sum of the squared differences of the loads from their mean (Xu 2019, eq. 1); 0: all alike."""
        return unevenness(self.load)

    @property
    def gap(self) -> float:
        """By how much `value` is above `bound`; 0: proved the most even."""
        return max(0.0, self.value - self.bound)

    @property
    def proved(self) -> bool:
        """Whether nothing is more even: sums of squares of one total differ by 2 at least."""
        return self.gap < 1.0


@dataclass(frozen=True, eq=False, repr=False)
class BalancedRouting(EvenLoads, Result):
    """Tables with even loads.

    Attributes
    ----------
    routing : Routing
        With its verdict, unless the work was stopped before the verifier had followed the tables.
    ended : "done", "deadline" or "interrupted"
        How the search came to its end; the tables are the best that it had.
    """

    record_name = "balanced-routing"
    record_version = 2
    derived = ("value", "gap", "proved", "verification")
    unrecorded = ("routing",)

    routing: Routing
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def verification(self) -> Verification | None:
        """That of the routing."""
        return self.routing.verification

    def __repr__(self) -> str:
        return f"BalancedRouting({self.objective} of {self.routing.topology.name}: {_shown(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class BalancedPaths(EvenLoads, Result):
    """A path for each pair on its own, which tables with one next hop a destination may not be able to hold.

    Attributes
    ----------
    paths : dict of (int, int) to tuple of int
        The switches of the path of every ordered pair, by (source, destination).
    """

    record_name = "balanced-paths"
    derived = ("value", "gap", "proved")
    unrecorded = ("paths",)

    paths: dict[tuple[int, int], tuple[int, ...]]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row an ordered pair: ``source``, ``destination``, ``hops``, and the ``switches`` of its path."""
        return [
            {"source": s, "destination": d, "hops": len(path) - 1, "switches": " ".join(map(str, path))}
            for (s, d), path in self.paths.items()
        ]

    def __repr__(self) -> str:
        return f"BalancedPaths({self.objective}: {_shown(self)})"


def _shown(found: EvenLoads) -> str:
    load = found.load if found.load.size else np.zeros(1, np.int64)
    return f"loads {load.min()} to {load.max()}, value {found.value:g}, bound {found.bound:g}"


def balance_routing(
    topology: NetworkSource,
    objective: str = VERTICES,
    *,
    exact: bool = False,
    directed: bool = True,
    seconds: float = 60.0,
    rounds: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> BalancedRouting:
    """Tables of shortest paths whose loads are as even as can be found: the least sum of squares, then the least largest load.

    Parameters
    ----------
    topology : NetworkSource
        Connected, of at most 32,768 switches.
    objective : "vertices" or "edges"
        Even loads of the switches, or of the channels.
    exact : bool
        Also prove it, on small topologies: an integer programme, for what the search leaves open.
    directed : bool
        False: the path back is the path there reversed. Needs exact=True.
    seconds : float
        For the proof; when they are over, the gap says what is left open.
    rounds : int, optional
        Rounds of the search's cooling; a fixed effort when omitted.
    seed : int
    jobs : int, optional
        Threads; nothing but the time depends on them.
    work : Work, optional
        Told of trees, rounds and prices. Stopped once there are tables, it leaves the best so far.

    Returns
    -------
    BalancedRouting

    Raises
    ------
    InputError
        Another objective; a topology in parts; too many switches, or, for the proof, too many paths.
    Stopped
        `work` was stopped before there were tables.

    Notes
    -----
    Nothing here looks at deadlock; the verdict says whether it is possible.

    Source: Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks (Xu 2019), 2.3, where
    every pair
    has a path of its own: `balance_paths`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = balance_routing(build("jellyfish:n=256,degree=8"))
    >>> int(found.load.min()), int(found.load.max()), found.proved
    (481, 482, True)
    """
    work, began = Work() if work is None else work, time.monotonic()
    topology = _checked(topology, objective, "balance_routing")
    if rounds is not None and rounds < 0:
        raise InputError(f"rounds={rounds}; the search takes 0 or more")
    if topology.switches > _MOST_SWITCHES:
        raise InputError(f"{topology.name}: {topology.switches} switches; tables for up to {_MOST_SWITCHES} are made")
    if not directed and not exact:
        raise InputError("directed=False is only solved with proof: give exact=True too")
    known = None
    if directed:
        ports, load = even_trees(topology, objective == EDGES, seed, rounds, jobs, work=work)
        known = _known(objective, True, load, least_squares(topology, objective == EDGES, load, jobs, work=work))
    optimal = known is not None and known.proved and known.load.max(initial=0) <= known.least_max
    if known is None or (exact and not optimal and not work.stopped):
        try:
            paths = ShortestPaths(topology)
        except InputError:
            if known is None or not known.proved:
                raise
        else:
            chosen, known = _solved(
                topology, paths, objective, directed=directed, trees=True, seconds=seconds, known=known, work=work
            )
            if chosen is not None:
                ports = _tables(topology, paths, chosen)
    routing = Routing(topology, f"balanced {objective}", ports, minimal=True)
    try:
        verification = verify_routing(routing, jobs, work=work)
    except Stopped:
        verification = None
    if verification is not None and (verification.fault or not verification.minimal):
        raise RuntimeError(f"{routing!r}: {verification.fault or 'paths are longer than promised'}")  # our mistake
    settings = {"objective": objective, "exact": exact, "directed": directed, "seconds": seconds, "rounds": rounds}
    timings = {"seconds": time.monotonic() - began}
    provenance = provenance_of(topology, engine=routing.engine, seed=seed, settings=settings, timings=timings)
    routing = replace(routing, verification=verification, provenance=provenance)
    return BalancedRouting(**vars(known), routing=routing, ended=work.ended, provenance=provenance)


def balance_paths(
    topology: NetworkSource,
    objective: str = VERTICES,
    *,
    directed: bool = True,
    seconds: float = 60.0,
    work: Work | None = None,
) -> BalancedPaths:
    """A shortest path for every pair on its own, so that loads are as even as can be: Xu 2019's own problem, solved exactly.

    Parameters
    ----------
    topology : NetworkSource
        Connected, of at most 40,000 shortest paths.
    objective, directed, seconds
        As for `balance_routing`.
    work : Work, optional
        Asked whether to go on.

    Returns
    -------
    BalancedPaths

    Raises
    ------
    InputError
        Another objective; a topology in parts; too many paths; nothing found in time.
    Stopped
        `work` was stopped before anything was found.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = balance_paths(build("optimal:n=16,degree=4"))
    >>> int(found.load.min()), int(found.load.max()), found.value, found.bound
    (10, 12, 11.0, 11.0)
    """
    work, began = Work() if work is None else work, time.monotonic()
    topology = _checked(topology, objective, "balance_paths")
    shortest = ShortestPaths(topology)
    chosen, found = _solved(
        topology, shortest, objective, directed=directed, trees=False, seconds=seconds, known=None, work=work
    )
    paths = {pair: (pair[0], *shortest.switches(path), pair[1]) for pair, path in (chosen or {}).items()}
    settings = {"objective": objective, "directed": directed, "seconds": seconds}
    provenance = provenance_of(topology, settings=settings, timings={"seconds": time.monotonic() - began})
    return BalancedPaths(**vars(found), paths=paths, provenance=provenance)


def _solved(
    topology: Topology,
    paths: ShortestPaths,
    objective: str,
    *,
    directed: bool,
    trees: bool,
    seconds: float,
    known: EvenLoads | None,
    work: Work,
) -> tuple[dict[tuple[int, int], Path] | None, EvenLoads]:
    """The better of what is known and what the solver finds, with the better bound; its paths if they are better."""
    programme = Programme(paths, by_channels=objective == EDGES, directed=directed, trees=trees)
    found = programme.solve(seconds, work)
    if found.load is None and known is None:
        work.check()
        raise InputError(f"{topology.name}: nothing was found in {seconds:g} seconds; give more")
    if known is None or (found.load is not None and _rank(found.load) < _rank(known.load)):
        best = _known(objective, directed, np.asarray(found.load), found.least_squares)
        return found.paths, best if known is None else replace(best, bound=max(best.bound, known.bound))
    bound = _known(objective, directed, known.load, found.least_squares).bound
    return None, replace(known, bound=max(bound, known.bound))


def _known(objective: str, directed: bool, load: np.ndarray, least: int) -> EvenLoads:
    """Loads, and what follows from a sum of squares that none can be below."""
    size, total = max(1, load.size), int(load.sum())
    least = max(least, even_squares(total, load.size))
    return EvenLoads(objective, directed, load, (least * size - total * total) / size, -(-total // size))


def _rank(load: np.ndarray) -> tuple[int, int]:
    """What is least: the sum of squares, then the largest."""
    return int(load @ load), int(load.max(initial=0))


def _tables(topology: Topology, paths: ShortestPaths, chosen: dict[tuple[int, int], Path]) -> np.ndarray:
    """The next hops of paths that tables can say."""
    ports = empty_ports(topology)
    for (source, destination), path in chosen.items():
        ports[destination, source] = path[0] - paths.channels.first[source]
    return ports


def _checked(source: NetworkSource, objective: str, taker: str) -> Topology:
    topology = taken(source, Topology, taker)
    refuse_mixed(topology, taker)
    if objective not in (VERTICES, EDGES):
        raise InputError(f"no objective '{objective}'; it is '{VERTICES}' or '{EDGES}'")
    parts = component_count(topology)
    if parts > 1:
        raise InputError(f"{topology.name}: {parts} parts that no link joins; route each, or link them")
    return topology
