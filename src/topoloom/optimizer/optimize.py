"""The operation `optimize`: the same switches and degrees, with the fewest hops, the least latency, power or cost."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.optimizer.goals import Goal
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.objective_register import Objective
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.search import searched_graph


def optimize(
    topology: NetworkSource,
    objective: str | Goal | Objective | Callable[[Topology], float] = "hops",
    *,
    length: int | None = None,
    lengths: LinkLengths | None = None,
    cap_m: float | None = None,
    cap_usd: float | None = None,
    parts: Parts | None = None,
    rate_gbps: float | None = None,
    keep: str | np.ndarray | None = None,
    fix: str | np.ndarray | None = None,
    start: str = "given",
    target: int | None = None,
    symmetric: bool | None = None,
    tempering: bool = False,
    moves: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    jobs: int | None = None,
    spent: tuple[int, float] = (0, 0.0),
    work: Work | None = None,
) -> Optimized:
    """Exchange ends of links to minimise the hops of a network, or another goal.

    Every switch keeps its degree, hosts and labels. The method is simulated annealing by 2-opt moves (Nakano 2016, III, step
    3), starting from the topology; build grids with ``sweeps=30`` for step 2.

    Parameters
    ----------
    topology : NetworkSource
    objective : "hops", "all-to-all", "permutation", "worst-case", Goal, Objective or callable
        "hops": components, then diameter, then ASPL. Otherwise the throughput of uniform traffic, the upper bound for the worst
        permutation, or both bounds for the worst traffic (`topoloom.optimizer.traffic_goals`). Or a goal, or the text of a goal
        without a cap and parts (`topoloom.optimizer.goals.parse_goal`). Or a function of a connected topology to a number,
        which is minimised; an `Objective`, which may be maximised, or take arrays, as functions compiled by Numba do; or the
        name of a registered one (`topoloom.optimizer.objective_register`). Every move calls the function.
    length : int, optional
        The longest link on a grid or diagrid (labels x, y or row, column), in steps; when omitted, that of the topology.
    lengths, cap_m : LinkLengths, float, optional
        The length of a link between any two switches, and the longest allowed cable, in metres.
    cap_usd : float, optional
        The largest cost of all cables together, in the currency of `parts`; the cables of the topology must not cost more.
    parts, rate_gbps : Parts, float, optional
        For `cap_usd`: the catalogue with the prices, and the rate of every link; when omitted, 40 Gb/s or the nearest rate with
        prices.
    keep : str or int[n], optional
        Keep the number of links between any two racks and inside each: the label with a switch's rack, or the racks.
    fix : str, int[n] or bool[m], optional
        Links that do not change, for example the copper cables inside racks: the label that both ends of such links share, the
        groups, or a mask of the links.
    start : "given" or "structured"
        "structured": search Cayley graphs, lifts and algebraic graphs of the same order and degree first (only without other
        rules), with most of the budget, and continue from the best. For "all-to-all" and "worst-case", search lifts with even
        loads, with the whole budget.
    target : int, optional
        The target diameter, with a penalty on pairs beyond it; chosen automatically when omitted.
    symmetric : bool, optional
        Whether to start from a new graph that is symmetric on the grid, so that one move acts as two or four. When omitted: yes
        if the topology is a random grid of the catalogue, which is not a better start.
    tempering : bool
        Replica exchange instead of independent chains.
    moves, seconds : int, float, optional
        Moves per chain, or wall time, in which small graphs are searched repeatedly. When both are omitted: moves for about ten
        seconds, or 10,000 moves for a function. The same number of moves in one thread gives the same graph on every machine.
    seed : int
    jobs : int, optional
        Threads, with one chain each; every core when omitted, and one for a function, which several threads would call at the
        same time.
    spent : (int, float)
        Moves and seconds of an earlier session that this one continues. They count against the budget, so the temperature
        continues too.
    work : Work, optional
        Receives a `BestSoFar` a few times per second. If it is stopped, the best graph so far is returned.

    Returns
    -------
    Optimized

    Raises
    ------
    InputError
        An invalid budget, goal or rule, or a rule that the topology violates.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = optimize(build("jellyfish:n=16,degree=3"), moves=20_000, jobs=1)
    >>> found.diameter, round(found.aspl, 4), found.reason
    (3, 2.2, 'bound')
    """
    given: dict[str, Any] = {
        "objective": objective,
        "length": length,
        "lengths": lengths,
        "cap_m": cap_m,
        "cap_usd": cap_usd,
        "parts": parts,
        "rate_gbps": rate_gbps,
        "keep": keep,
        "fix": fix,
        "start": start,
        "target": target,
        "symmetric": symmetric,
        "tempering": tempering,
        "moves": moves,
        "seconds": seconds,
        "seed": seed,
        "jobs": jobs,
        "spent": spent,
    }
    optimized = searched_graph(taken(topology, Topology, "optimize"), **given, work=Work() if work is None else work)
    return cast("Optimized", optimized)
