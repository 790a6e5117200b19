"""The search of `optimize`: all chains here or on an executor, or one chain for another machine."""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import msgspec
import numpy as np

from topoloom.core.calls import Call, Shared, anywhere
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import ENDLESS, run_searches
from topoloom.core.threads import cores
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.graph.geometry import Geometry, geometry_of, longest_link
from topoloom.graph.path_lengths import path_lengths
from topoloom.model.link_rates import only_rate, refuse_mixed
from topoloom.model.results import provenance_of
from topoloom.model.topology import Topology
from topoloom.optimizer.checks import check_budget, check_options
from topoloom.optimizer.goals import Goal, LatencyBounds, latency_bounds, parse_goal, weigh
from topoloom.optimizer.limits import limits
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.objective_register import Objective, own_objective
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.rules import GraphRules, links_inside, racks_of, spending_within, within_length
from topoloom.optimizer.searches.chain_setup import (
    ChainBudget,
    ChainSetup,
    compile_hop_kernels,
    compile_weighted_kernels,
)
from topoloom.optimizer.searches.chains import Chain, Reporter
from topoloom.optimizer.searches.ended_chain import BestChain, EndedChain, best_of_calls, identity_of
from topoloom.optimizer.searches.function_search import FunctionSearch
from topoloom.optimizer.searches.successive_halving import MOST_MOVES, SearchMethod
from topoloom.optimizer.searches.traffic_chain import TrafficChains, traffic_structures
from topoloom.optimizer.structures.mirror_symmetry import symmetric_start
from topoloom.optimizer.structures.starts import candidates, order_share
from topoloom.optimizer.traffic_goals import NAMES, TrafficGoal, traffic_values
from topoloom.throughput.traffic import hosts_on
from topoloom.topologies.spec import family_of

#: The suffix of a result's name.
_MARK = ", optimized"
#: The default budget: nanoseconds of a chain, and the model of a move's time (constant, and per slot and block of sources),
#: which give the number of moves.
_DEFAULT_NS, _MOVE_NS, _SLOT_NS = 10_000_000_000, 2_000, 2.0
#: With a time budget, a chain ends after this many moves per link, or orbit of links, and another begins with other random
#: numbers: on small graphs, many searches find more than one long search (10 x 10: 22 of 10^6 moves against one of 2 10^7).
_ROUND = 40_000
#: Fewest rounds in a chain's budget for which the best structures are used as starts repeatedly.
_REPEATS = 4
#: The default budget of moves for an objective that is a function: Python functions take about a millisecond.
_CALLS = 10_000
#: Fewest switches of a grid that starts with symmetry; and of a grid that, with a time budget, starts with symmetry every other
#: time, because neither start is always better.
_LEAST_SYMMETRIC, _LEAST_BY_TURNS = 200, 36


@anywhere
def chain_anywhere(*, number: int, given: dict[str, Any], work: Work, jobs: int | None) -> EndedChain:
    """Run one chain of a search on any machine.

    Parameters
    ----------
    number : int
        Of the chain, which decides its random numbers.
    given : dict
        The arguments of `optimize`, with the number of all chains.
    work : Work
    jobs : int or None
        A chain runs in one thread, whatever this is; replicas of tempering in as many as there are.

    Returns
    -------
    EndedChain

    Raises
    ------
    InputError
        As `optimize`.
    """
    return cast("EndedChain", searched_graph(**given, work=work, only=number))


def searched_graph(
    topology: Topology,
    objective: str | Goal | Objective | Callable[[Topology], float],
    *,
    length: int | None,
    lengths: LinkLengths | None,
    cap_m: float | None,
    cap_usd: float | None,
    parts: Parts | None,
    rate_gbps: float | None,
    keep: str | np.ndarray | None,
    fix: str | np.ndarray | None,
    start: str,
    target: int | None,
    symmetric: bool | None,
    tempering: bool,
    moves: int | None,
    seconds: float | None,
    seed: int,
    jobs: int | None,
    spent: tuple[int, float],
    work: Work,
    only: int | None = None,
) -> Optimized | EndedChain:
    """Carry out `optimize`; with `only`, the chain of this number alone, and its end is returned.

    Parameters
    ----------
    topology : Topology
    objective, length, lengths, cap_m, cap_usd, parts, rate_gbps, keep, fix, start, target, symmetric, tempering
        As for `optimize`.
    moves, seconds, seed, jobs, spent, work
        As for `optimize`.
    only : int, optional
        The number of a chain.

    Returns
    -------
    Optimized or EndedChain

    Raises
    ------
    InputError
        As `optimize`.
    """
    given = {name: value for name, value in locals().items() if name not in ("work", "only")}
    own_gbps = _rate_of_links(topology)
    rate_gbps = own_gbps if rate_gbps is None else rate_gbps
    if isinstance(objective, Goal) and objective.rate_gbps is None:
        objective = msgspec.structs.replace(objective, rate_gbps=own_gbps)
    hops_only = objective == "hops"
    traffic = next((TrafficGoal(name) for name in NAMES if objective == name), None)
    own = None if hops_only or traffic is not None else own_objective(objective)
    check_budget(topology, moves, seconds, spent)
    kind_of_goal = "hops" if hops_only else traffic.name if traffic is not None else "weights" if own is None else "own"
    check_options(start, symmetric, tempering, target, keep, kind_of_goal)
    geometry = geometry_of(topology) if cap_m is None else None
    rules, length = _rules(topology, geometry, length, lengths, cap_m, keep)
    if cap_usd is not None or fix is not None:
        if symmetric:
            raise InputError("symmetric: symmetric moves cannot keep cap_usd or fix; omit it")
        symmetric = False
    if fix is not None:
        rules = replace(rules, fixed=links_inside(topology, fix))
    if cap_usd is not None:
        floor_of = lengths or (None if geometry is None else LinkLengths.of_geometry(geometry))
        rules = replace(rules, spending=spending_within(topology, floor_of, cap_usd, parts, rate_gbps))
    bound = limits(topology, rules, geometry, length)
    threads = cores(1 if own is not None and jobs is None else jobs)
    count = 1 if tempering else threads
    tries = moves or (MOST_MOVES if seconds else _default_moves(topology) if own is None else _CALLS)
    counted = 0 if seconds else spent[0] // count
    again = seconds is not None and hops_only and start == "given" and not tempering
    symmetric_graph, structures, by_turns = None, [], False
    if start == "structured":
        structures = _structures(topology, rules, traffic, threads, seconds, tries)
    elif (
        traffic is None
        and own is None
        and spent == (0, 0.0)
        and (symmetric or (symmetric is None and not tempering and _may_be_symmetric(topology, keep, again)))
    ):
        # A resumed search continues from its graph.
        symmetric_graph = symmetric_start(topology, geometry, length, seed, must=bool(symmetric), turned=hops_only)
        by_turns = not symmetric and topology.switches < _LEAST_SYMMETRIC
    symmetries = 1 if symmetric_graph is None else len(symmetric_graph[1])
    began_from = "given" if symmetric_graph is None or by_turns else f"{symmetries}-fold symmetric"
    goal, floor, least, bounds = None, None, None, None
    if traffic is not None:
        compile_hop_kernels(topology, 1)
    elif not hops_only and own is None:
        goal = objective if isinstance(objective, Goal) else parse_goal(cast("str", objective))
        floor = lengths or _grid_lengths(topology, geometry)
        bounds = _latency_bounds(topology, floor, goal, rules)
        compile_weighted_kernels(goal)
    elif own is None:
        least = (bound.diameter, bound.hops)
        compile_hop_kernels(topology, symmetries)
    until = ENDLESS if seconds is None else time.monotonic() + seconds - spent[1]
    setup = ChainSetup(
        topology,
        rules,
        seed,
        ChainBudget(tries, until, counted, spent[1], work),
        symmetric_graph,
        structures if spent == (0, 0.0) else [],
        _ROUND if again else None,
        by_turns,
        _repeated_moves(topology, seconds, tries) if structures else 0,
    )

    def chain(number: int) -> Chain:
        if traffic is not None:
            allowed = setup.budget if number < count else ChainBudget(tries, until, work=work)
            fresh = [] if spent != (0, 0.0) else structures
            return TrafficChains(topology, rules, traffic, seed, allowed, (bound.diameter, bound.hops), fresh).chain(
                number
            )
        if own is not None:
            draws = Draws(seed, number)
            return FunctionSearch(topology, rules, own, draws, setup.budget.budget(), timed=seconds is not None)
        if goal is not None and floor is not None:
            return setup.weighted(number, goal, floor)
        # Only the first chains continue an earlier session; later ones start hot.
        chain_setup = setup if number < count else replace(setup, budget=ChainBudget(tries, until, work=work))
        return chain_setup.hops(number, (bound.diameter, bound.hops), target, threads if tempering else 0)

    if only is not None:
        watch = BestChain(least)
        run_searches(
            lambda turn: chain(only + turn * count), 1, threads if tempering else 1, until, watch=watch, work=work
        )
        return watch.ended
    reporter = Reporter(work, topology.switches, least, tries * count, seconds, spent, counted)
    if work.executor is None:
        best = run_searches(chain, count, threads, until, watch=reporter, work=work)
    else:
        best = best_of_calls(work.executor, _calls(topology, count, threads, given), reporter, work)
    moves_tried, seconds_taken, ended = reporter.moves, reporter.seconds, work.ended
    optimized = topology.replace(links=best, name=f"{topology.name.removesuffix(_MARK)}{_MARK}", spec=None)
    lengths_after = path_lengths(optimized, jobs)
    if hops_only and (symmetric_graph is not None or structures):
        # These searches started from other graphs: the given one may still be better.
        lengths_before = path_lengths(topology, jobs)
        if (lengths_before.components, lengths_before.diameter, lengths_before.aspl) < (
            lengths_after.components,
            lengths_after.diameter,
            lengths_after.aspl,
        ):
            optimized, lengths_after, began_from = optimized.replace(links=topology.links), lengths_before, "given"
    values = {} if goal is None or floor is None or bounds is None else _values(optimized, floor, goal, bounds)
    if traffic is not None:
        values, was = (traffic_values(graph, bound.aspl, jobs) for graph in (optimized, topology))
        if traffic.of(was) > traffic.of(values):
            optimized, values, began_from = optimized.replace(links=topology.links), was, "given"
            lengths_after, reporter.structure = path_lengths(topology, jobs), ""
    if own is not None:
        values = {"value": own.of_topology(optimized), "value_given": own.of_topology(topology)}
    if rules.spending is not None:
        values["cable_usd"] = rules.spending.usd(optimized.links)
    optimal = bool(values) and values.get("throughput", 0.0) >= values.get("throughput_bound", math.inf) * (1 - 1e-9)
    reached = reporter.reached or optimal
    named = own or traffic
    text = goal.text if goal is not None else "hops" if named is None else named.name
    priced = goal.parts if goal is not None else parts if rules.spending is not None else None
    settings = {
        "objective": text,
        "cap_ns": None if goal is None else goal.cap_ns,
        "length": length,
        "cap_m": cap_m,
        "cap_usd": cap_usd,
        "currency": None if priced is None else priced.currency,
        "keep": keep if keep is None or isinstance(keep, str) else "racks",
        "fix": fix if fix is None or isinstance(fix, str) else "links",
        "start": start,
        "target": target,
        "symmetric": symmetric,
        "tempering": tempering,
        "moves": moves,
        "seconds": seconds,
        "chains": count,
    } | ({} if own is None else {"function": own.place, "best": "most" if own.most else "least"})
    timings = {
        "moves": moves_tried,
        "seconds": seconds_taken,
        "moves_per_s": moves_tried / seconds_taken if seconds_taken > 0 else 0.0,
    }
    return Optimized(
        topology=optimized,
        objective=text,
        components=lengths_after.components,
        diameter=lengths_after.diameter,
        aspl=lengths_after.aspl,
        diameter_bound=bound.diameter,
        aspl_bound=bound.aspl,
        start=reporter.structure or began_from,
        reason="bound" if reached else "stopped" if ended != "done" else "time" if seconds else "moves",
        ended="done" if reached else ended,
        values=values,
        provenance=provenance_of(topology, seed=seed, settings=settings, timings=timings),
    )


def _calls(topology: Topology, count: int, threads: int, given: dict[str, Any]) -> Iterator[Call]:
    """The chains of a search as calls."""
    arguments = given | {"jobs": threads}
    texts = [topology.digest, *(identity_of(arguments[name]) for name in sorted(arguments) if name != "topology")]
    shared = {"given": Shared(hashlib.sha256("\n".join(texts).encode()).hexdigest(), arguments)}
    return (
        Call(chain_anywhere, f"{topology.name}: chain {number}", {"number": number}, shared) for number in range(count)
    )


def _rate_of_links(topology: Topology) -> float | None:
    """The common rate of all links, Gb/s; None without rates. Hosts may have others, because no move changes their ports.

    Raises
    ------
    InputError
        Links have several rates: a move would give a switch a port of another rate.
    """
    if topology.link_rate_gbps is None or not topology.link_rate_gbps.size:
        return None
    rate = only_rate(topology.link_rate_gbps)
    if rate is None:
        refuse_mixed(topology, "optimize")
    return rate


def _may_be_symmetric(topology: Topology, keep: str | np.ndarray | None, again: bool) -> bool:
    """Whether a symmetric start may replace the topology: yes for random grids of the catalogue, never for files."""
    try:
        family_and_values = family_of(topology.spec) if topology.spec else None
    except InputError:  # a file may have the spec of a family that this version does not know
        family_and_values = None
    family = "" if family_and_values is None else family_and_values[0].name
    least = _LEAST_BY_TURNS if again else _LEAST_SYMMETRIC
    return family in {"grid", "diagrid"} and topology.switches >= least and keep is None


def _rules(
    topology: Topology,
    geometry: Geometry | None,
    length: int | None,
    lengths: LinkLengths | None,
    cap_m: float | None,
    keep: str | np.ndarray | None,
) -> tuple[GraphRules, int | None]:
    """Return the rules of the moves, and the longest link of a grid."""
    near = None
    if lengths is not None and len(lengths) != topology.switches:
        raise InputError(
            f"{topology.name}: lengths for {len(lengths)} switches, but the network has {topology.switches};"
            " give its own lengths"
        )
    if cap_m is not None:
        if not 0 < cap_m < math.inf:
            raise InputError(f"cap_m={cap_m:g}: the longest cable must be a number of metres above 0")
        if lengths is None:
            raise InputError(
                f"{topology.name}: cap_m needs the lengths between switches; give a layout (length= is for grids)"
            )
        longest_m = float(lengths.between_m(*topology.links.T).max(initial=0.0))
        if longest_m > cap_m + 1e-9:
            raise InputError(
                f"{topology.name}: a cable of {longest_m:g} m is longer than cap_m={cap_m:g}; raise cap_m or change the layout"
            )
        near = lengths.within(cap_m)
    if length is not None and cap_m is not None:
        raise InputError("give length, in steps of a grid, or cap_m, in metres, not both")
    if length is not None and geometry is None:
        raise InputError(f"{topology.name}: length={length} needs switches on a grid (labels x, y or row, column)")
    if geometry is not None:
        near = within_length(topology, geometry, length)
        length = length or longest_link(topology, geometry)
    rack = None if keep is None else racks_of(topology, keep)
    return GraphRules(near, rack, geometry), length


def _structures(
    topology: Topology, rules: GraphRules, traffic: TrafficGoal | None, threads: int, seconds: float | None, moves: int
) -> list[list[SearchMethod]]:
    """Return the structures that each chain tries first, if rules allow any link and degrees are equal."""
    degree = int(topology.degrees.max())
    if any(rule is not None for rule in (rules.near, rules.rack, rules.spending, rules.fixed)):
        raise InputError(f"{topology.name}: start='structured' may link any switches; omit length, cap, keep and fix")
    if int(topology.degrees.sum()) != topology.switches * degree - topology.switches * degree % 2:
        raise InputError(
            f"{topology.name}: start='structured' needs the same degree at every switch; use start='given'"
        )
    if traffic is not None:
        if np.ptp(hosts_on(topology)):
            raise InputError(
                f"{topology.name}: start='structured' needs the same number of hosts on every switch; use start='given'"
            )
        return traffic_structures(topology, traffic, threads, seconds, moves)
    methods = candidates(topology.switches, degree, threads, seconds, moves)
    return [order_share(methods, number, threads) for number in range(threads)]


def _grid_lengths(topology: Topology, geometry: Geometry | None) -> LinkLengths:
    if geometry is None:
        raise InputError(
            f"{topology.name}: this objective needs lengths: give a network on a grid, or lengths= of a layout"
        )
    return LinkLengths.of_geometry(geometry)


def _latency_bounds(topology: Topology, lengths: LinkLengths, goal: Goal, rules: GraphRules) -> LatencyBounds:
    """Compute the bounds on latency for the longest link that the rules allow.

    Raises
    ------
    InputError
        The goal's cap is below the bound.
    """
    longest_m = math.inf
    if rules.near is not None:
        offsets, near = rules.near
        ends = np.repeat(np.arange(topology.switches), np.diff(offsets))
        longest_m = float(lengths.between_m(ends, near).max(initial=0.0))
    bounds = latency_bounds(lengths, int(topology.degrees.max()), longest_m, goal.delays, both_ends=goal.both_ends)
    if goal.cap_ns is not None and goal.cap_ns < bounds.worst_ns:
        raise InputError(
            f"cap_ns={goal.cap_ns:g}: no network of this degree has a worst latency below {bounds.worst_ns:g} ns on this"
            " floor; raise cap_ns, or allow longer links"
        )
    return bounds


def _values(topology: Topology, lengths: LinkLengths, goal: Goal, bounds: LatencyBounds) -> dict[str, float]:
    """The values of the goal's terms, the bounds on latency and the cap; without values that no catalogue gives."""
    weighed = weigh(topology.links, lengths, goal)
    values = {
        "mean_ns": weighed.mean_ns,
        "mean_ns_bound": bounds.mean_ns,
        "worst_ns": weighed.worst_ns,
        "worst_ns_bound": bounds.worst_ns,
        "cable_w": weighed.cable_w,
        "cable_usd": weighed.cable_usd,
        "longest_m": weighed.longest_m,
        "mean_length_m": weighed.mean_length_m,
    }
    given = {key: value for key, value in values.items() if not math.isnan(value)}
    return given if goal.cap_ns is None else {**given, "cap_ns": goal.cap_ns}


def _repeated_moves(topology: Topology, seconds: float | None, moves: int) -> int:
    """Moves per repeated run, if a chain's budget allows several; otherwise 0."""
    round_moves, slots = _ROUND * len(topology.links), topology.switches * int(topology.degrees.max())
    allowed = moves if seconds is None else int(seconds * 1e9 / (_MOVE_NS + slots))
    return round_moves if allowed >= _REPEATS * round_moves else 0


def _default_moves(topology: Topology) -> int:
    slots = topology.switches * int(topology.degrees.max())
    return max(2000, int(_DEFAULT_NS / (_MOVE_NS + _SLOT_NS * slots * -(-topology.switches // 512))))
