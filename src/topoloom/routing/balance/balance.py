"""The operations `balance_routing` and `balance_paths`: shortest paths with even loads, and a bound on how even loads can
be.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Ended, Work
from topoloom.graph.connectivity import component_count, in_parts
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.routing.balance.evenness import even_squares, least_squares, unevenness
from topoloom.routing.balance.exact import Programme
from topoloom.routing.balance.search import even_trees
from topoloom.routing.balance.shortest_paths import Path, ShortestPaths
from topoloom.routing.rated import equal_links
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.verification.verification import Verification
from topoloom.routing.verification.verify import verify_routing

#: What can be made even: pairs that pass through switches, or pairs over channels.
VERTICES, EDGES = "vertices", "edges"
#: Tables and the search's copy of them fit in memory.
_MOST_SWITCHES = 1 << 15


@dataclass(frozen=True, eq=False, repr=False)
class EvenLoads:
    """Loads of shortest paths, and bounds on how even the loads of any shortest paths can be.

    Attributes
    ----------
    objective : "vertices" or "edges"
    directed : bool
        Whether loads count ordered pairs; otherwise unordered pairs, whose two directions use the same path.
    load : int64[n], int64[2 m] or int64[m]
        The pairs of switches with hosts (of all switches where none has hosts) that pass through each switch (its own pairs do
        not count), or over each channel, or over each link where not directed. Where links differ in rate, a link of k times
        the rate counts as k parallel links, and `load` has the pairs over each of these.
    bound : float
        A lower bound on `value` for every choice of shortest paths of the requested kind.
    least_max : int
        A lower bound on the largest load.
    """

    objective: str
    directed: bool
    load: np.ndarray
    bound: float
    least_max: int

    @property
    def value(self) -> float:
        """The sum of the squared differences of the loads from their mean (Xu 2019, eq. 1); 0 if all loads are equal."""
        return unevenness(self.load)

    @property
    def gap(self) -> float:
        """The difference between `value` and `bound`; 0 if these loads are verified to be the most even."""
        return max(0.0, self.value - self.bound)

    @property
    def optimal(self) -> bool:
        """Whether these loads are verified to be the most even: two sums of squares of the same total differ by at least 2."""
        return self.gap < 1.0


@dataclass(frozen=True, eq=False, repr=False)
class BalancedRouting(EvenLoads, Result):
    """Tables with even loads.

    Attributes
    ----------
    routing : Routing
        With its verification, unless the work was stopped before the verifier had followed the tables.
    ended : "done", "deadline" or "interrupted"
        Why the search ended; the tables are the best that it reached.
    """

    record_name = "balanced-routing"
    record_version = 2
    derived = ("value", "gap", "optimal", "verification")
    unrecorded = ("routing",)

    routing: Routing
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def verification(self) -> Verification | None:
        """The verification of the routing."""
        return self.routing.verification

    def __repr__(self) -> str:
        return f"BalancedRouting({self.objective} of {self.routing.topology.name}: {_shown(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class BalancedPaths(EvenLoads, Result):
    """One path per pair; tables with one next hop per destination may not be able to hold these paths.

    Attributes
    ----------
    paths : dict of (int, int) to tuple of int
        The switches of the path of every ordered pair, by (source, destination).
    """

    record_name = "balanced-paths"
    record_version = 2
    derived = ("value", "gap", "optimal")
    unrecorded = ("paths",)

    paths: dict[tuple[int, int], tuple[int, ...]]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per ordered pair: ``source``, ``destination``, ``hops``, and the ``switches`` of its path."""
        return [
            {"source": s, "destination": d, "hops": len(path) - 1, "switches": " ".join(map(str, path))}
            for (s, d), path in self.paths.items()
        ]

    def __repr__(self) -> str:
        return f"BalancedPaths({self.objective}: {_shown(self)})"


def _shown(loads: EvenLoads) -> str:
    load = loads.load if loads.load.size else np.zeros(1, np.int64)
    return f"loads {load.min()} to {load.max()}, value {loads.value:g}, bound {loads.bound:g}"


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
    """Make tables of shortest paths whose loads are as even as the search finds: least sum of squares, then least largest load.

    Parameters
    ----------
    topology : NetworkSource
        Connected, of at most 32,768 switches.
    objective : "vertices" or "edges"
        Even loads of the switches, or of the channels. Where links differ in rate, a channel of k times the rate gets k times
        the load.
    exact : bool
        Also verify on small topologies that no loads are more even: an integer programme closes the gap that the search leaves.
    directed : bool
        False: both directions of a pair use the same path. Requires exact=True.
    seconds : float
        Time limit of the integer programme; `gap` is what is open when the time is over.
    rounds : int, optional
        Cooling rounds of the search; a fixed effort when omitted.
    seed : int
    jobs : int, optional
        Threads; they change the time only, not the result.
    work : Work, optional
        Receives the progress of trees, rounds and prices. If it is stopped once tables exist, the best ones so far are
        returned.

    Returns
    -------
    BalancedRouting

    Raises
    ------
    InputError
        An unknown objective; a disconnected topology; too many switches, or too many paths for exact=True.
    Stopped
        `work` was stopped before tables existed.

    Notes
    -----
    Deadlock is not considered; the verification states whether it is possible.

    Source: Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks (Xu 2019), 2.3. There each
    pair has a separate path: `balance_paths`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = balance_routing(build("jellyfish:n=256,degree=8"))
    >>> int(found.load.min()), int(found.load.max()), found.optimal
    (481, 482, True)
    """
    work, began = Work() if work is None else work, time.monotonic()
    topology = _checked(topology, objective, "balance_routing")
    if rounds is not None and rounds < 0:
        raise InputError(f"rounds={rounds}; the search takes 0 or more")
    if topology.switches > _MOST_SWITCHES:
        raise InputError(f"{topology.name}: {topology.switches} switches; this method takes at most {_MOST_SWITCHES}")
    if not directed and not exact:
        raise InputError("directed=False requires exact=True")
    equal = equal_links(topology) if objective == EDGES else None
    network = topology if equal is None else equal.copy
    even = None
    if directed:
        ports, load = even_trees(network, objective == EDGES, seed, rounds, jobs, work=work)
        even = _even_loads(objective, True, load, least_squares(network, objective == EDGES, load, jobs, work=work))
    optimal = even is not None and even.optimal and even.load.max(initial=0) <= even.least_max
    if even is None or (exact and not optimal and not work.stopped):
        try:
            paths = ShortestPaths(network)
        except InputError:
            if even is None or not even.optimal:
                raise
        else:
            chosen, even = _solved(
                topology, paths, objective, directed=directed, trees=True, seconds=seconds, searched=even, work=work
            )
            if chosen is not None:
                ports = _tables(network, paths, chosen)
    ports = ports if equal is None else equal.ports(ports)
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
    return BalancedRouting(**vars(even), routing=routing, ended=work.ended, provenance=provenance)


def balance_paths(
    topology: NetworkSource,
    objective: str = VERTICES,
    *,
    directed: bool = True,
    seconds: float = 60.0,
    work: Work | None = None,
) -> BalancedPaths:
    """Choose one shortest path per pair so that loads are as even as possible: the problem of Xu 2019, solved exactly.

    Parameters
    ----------
    topology : NetworkSource
        Connected, of at most 40,000 shortest paths.
    objective, directed, seconds
        As for `balance_routing`.
    work : Work, optional
        If it is stopped, the search ends.

    Returns
    -------
    BalancedPaths

    Raises
    ------
    InputError
        An unknown objective; a disconnected topology; too many paths; no solution found in time.
    Stopped
        `work` was stopped before a solution was found.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = balance_paths(build("optimal:n=16,degree=4"))
    >>> int(found.load.min()), int(found.load.max()), found.value, found.bound
    (10, 12, 11.0, 11.0)
    """
    work, began = Work() if work is None else work, time.monotonic()
    topology = _checked(topology, objective, "balance_paths")
    equal = equal_links(topology) if objective == EDGES else None
    shortest = ShortestPaths(topology if equal is None else equal.copy)
    chosen, loads = _solved(
        topology, shortest, objective, directed=directed, trees=False, seconds=seconds, searched=None, work=work
    )
    paths = {pair: (pair[0], *shortest.switches(path), pair[1]) for pair, path in (chosen or {}).items()}
    settings = {"objective": objective, "directed": directed, "seconds": seconds}
    provenance = provenance_of(topology, settings=settings, timings={"seconds": time.monotonic() - began})
    return BalancedPaths(**vars(loads), paths=paths, provenance=provenance)


def _solved(
    topology: Topology,
    paths: ShortestPaths,
    objective: str,
    *,
    directed: bool,
    trees: bool,
    seconds: float,
    searched: EvenLoads | None,
    work: Work,
) -> tuple[dict[tuple[int, int], Path] | None, EvenLoads]:
    """Return the more even of `known` and the solver's loads, with the better bound; and the solver's paths if it is better."""
    programme = Programme(paths, by_channels=objective == EDGES, directed=directed, trees=trees)
    exact = programme.solve(seconds, work)
    if exact.load is None and searched is None:
        work.check()
        raise InputError(f"{topology.name}: no solution within {seconds:g} seconds; allow more seconds")
    if searched is None or (exact.load is not None and _rank(exact.load) < _rank(searched.load)):
        best = _even_loads(objective, directed, np.asarray(exact.load), exact.least_squares)
        return exact.paths, best if searched is None else replace(best, bound=max(best.bound, searched.bound))
    bound = _even_loads(objective, directed, searched.load, exact.least_squares).bound
    return None, replace(searched, bound=max(bound, searched.bound))


def _even_loads(objective: str, directed: bool, load: np.ndarray, least: int) -> EvenLoads:
    """The loads, with the bounds that follow from `least`, a lower bound on the sum of squares."""
    size, total = max(1, load.size), int(load.sum())
    least = max(least, even_squares(total, load.size))
    return EvenLoads(objective, directed, load, (least * size - total * total) / size, -(-total // size))


def _rank(load: np.ndarray) -> tuple[int, int]:
    """The key that the search minimises: the sum of squares, then the largest load."""
    return int(load @ load), int(load.max(initial=0))


def _tables(topology: Topology, paths: ShortestPaths, chosen: dict[tuple[int, int], Path]) -> np.ndarray:
    """The next hops of paths that fit into tables."""
    ports = empty_ports(topology)
    for (source, destination), path in chosen.items():
        ports[destination, source] = path[0] - paths.channels.first[source]
    return ports


def _checked(source: NetworkSource, objective: str, taker: str) -> Topology:
    topology = taken(source, Topology, taker)
    if objective not in (VERTICES, EDGES):
        raise InputError(f"no objective '{objective}'; choose '{VERTICES}' or '{EDGES}'")
    if component_count(topology) > 1:
        raise InputError(in_parts(topology))
    return topology
