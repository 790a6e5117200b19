"""Setup of chains: a topology with its rules and symmetries, and a share of the budget for each phase."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import ENDLESS, Budget
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.optimizer.goals import Goal
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.rules import GraphRules, moves_of
from topoloom.optimizer.searches.chains import FIRST_SHARE, Chain, Tempering, TwoPhases
from topoloom.optimizer.searches.hop_search import COLD, HOT, LAST_WEIGHT, SOFT, WEIGHT, HopSearch
from topoloom.optimizer.searches.repeated import Repeated
from topoloom.optimizer.searches.successive_halving import SearchMethod, SuccessiveHalving
from topoloom.optimizer.structures.starts import COOL, RANDOM

#: Sweeps of random moves that mix a symmetric start (errata of Nakano 2016, 11: about 30 are enough).
_SWEEPS = 30
#: Replicas of tempering.
_REPLICAS = 8
#: Enough switches for rows of 512 bits, the widest for which kernels are compiled.
_WIDE = 300
#: The number of the first random stream of second phases.
_SECOND = 1 << 20
#: Most links per switch for which every other chain has a low cost of hops beyond the target.
_FEW_LINKS = 3
#: Share of a budget that searches structures, if the rest starts from the best ones repeatedly; and the number of these.
_SHARE_BEFORE_REPEATING, _LEADERS = 0.4, 2


@dataclass(frozen=True, eq=False)
class ChainBudget:
    """The budget of one chain: `moves` moves, or until time.monotonic() reaches `until`; `spent` moves before this session.

    The search ends if `work` is stopped.
    """

    moves: int
    until: float = ENDLESS
    spent: int = 0
    seconds: float = 0.0
    work: Work | None = None

    def first(self, share: float) -> tuple[int, float]:
        """The moves and the end time of the first `share` of the budget."""
        now = time.monotonic()
        return max(1, int(self.moves * share)), now + share * (self.until - now) if self.until < ENDLESS else ENDLESS

    def budget(self, share: float = 1.0) -> Budget:
        """The first `share`, as a budget."""
        moves, until = (self.moves, self.until) if share == 1 else self.first(share)
        return Budget(moves, until, self.spent, self.seconds, self.work)

    def rest(self, moves: int) -> Budget:
        """The budget that remains after `moves` moves."""
        return Budget(max(1, self.moves - moves), self.until, work=self.work)


@dataclass(frozen=True, eq=False)
class ChainSetup:
    """The problem of the chains: a topology with rules, and a symmetric start if there is one.

    Attributes
    ----------
    topology : Topology
    rules : GraphRules
    seed : int
    budget : ChainBudget
    symmetric : (Topology, int32[g, n]) or None
        A symmetric start, and its symmetries.
    candidates : list of list of SearchMethod
        The structures that each chain tries first; empty: none.
    round_moves : int, optional
        Moves of a chain per link, or orbit of links, before another chain replaces it; when omitted, the budget decides.
    by_turns : bool
        Whether only every other chain, from the second on, starts from the symmetric start.
    repeated_moves : int
        Moves of a run that starts again from the best structures; 0: no such runs.
    """

    topology: Topology
    rules: GraphRules
    seed: int
    budget: ChainBudget
    symmetric: tuple[Topology, np.ndarray] | None = None
    candidates: Sequence[list[SearchMethod]] = ()
    round_moves: int | None = None
    by_turns: bool = False
    repeated_moves: int = 0

    def hops(self, number: int, least: tuple[float, float], target: int | None, tempering: int = 0) -> Chain:
        """Return chain `number` for the fewest hops.

        Parameters
        ----------
        number : int
            The chain's number, from 0, which selects the start and the random stream.
        least : (float, float)
            Lower bounds on diameter and total hops: a chain that reaches them ends.
        target : int or None
            The target diameter; None: the search chooses one, never below `least`.
        tempering : int
            Threads for replicas at different temperatures (parallel tempering); 0: one search.

        Returns
        -------
        Chain
            Not yet started.
        """
        symmetric = None if self.by_turns and number % 2 == 0 else self.symmetric
        allowed = self._round(1 if symmetric is None else len(symmetric[1]))

        # Only where chains follow one another, so that a number of moves gives the same graph as before.
        soft = self.round_moves is not None and number % 2 == 1 and int(self.topology.degrees.max()) <= _FEW_LINKS
        weights = SOFT if soft else (WEIGHT, LAST_WEIGHT)

        def plain(stream: int, topology: Topology, budget: Budget, hot: float = HOT, cold: float = COLD) -> HopSearch:
            start, draws = moves_of(topology, self.rules), Draws(self.seed, stream)
            return HopSearch(start, draws, budget, least, target, hot, cold, weights=weights)

        if tempering:

            def replica(stream: int, budget: Budget) -> HopSearch:
                return plain(stream, self.topology, budget)

            budget = allowed.budget()
            return Tempering(replica, _REPLICAS, tempering, Draws(self.seed, _SECOND), budget)
        if symmetric is None and not self.candidates:
            return plain(number, self.topology, allowed.budget())
        first: Chain
        first_share, leaders = FIRST_SHARE, None
        if symmetric is not None:
            start, images = symmetric
            first = HopSearch(
                moves_of(start, self.rules),
                Draws(self.seed, number),
                allowed.budget(FIRST_SHARE),
                least,
                target,
                images=images,
                sweeps=_SWEEPS,
            )
            hot, cold = COLD, COLD / 3
        else:
            first_share = _SHARE_BEFORE_REPEATING if self.repeated_moves else FIRST_SHARE
            moves, until = allowed.first(first_share)
            methods = self.candidates[number % len(self.candidates)]
            first = halving = SuccessiveHalving(methods, self.seed, number, least, moves, until, allowed.work)
            leaders = halving if self.repeated_moves else None
            hot, cold = COOL

        def second(links: np.ndarray) -> Chain:
            budget = allowed.rest(first.moves)
            once = budget if leaders is None else budget.run(self.repeated_moves)
            run = plain(_SECOND + number, self.topology.replace(links=links), once, hot, cold)
            if leaders is None:
                return run
            rebuilt = [*leaders.leaders[:_LEADERS], *(method for method in methods if method.name == RANDOM)]
            stream = (_SECOND + number) << 32
            return Repeated(
                run, once, rebuilt, self.seed, stream, least, budget, self.repeated_moves, leaders.structure
            )

        structure = "" if symmetric is None else f"{len(symmetric[1])}-fold symmetric"
        return TwoPhases(first, second, structure, first_share)

    def _round(self, symmetries: int) -> ChainBudget:
        """The budget of a chain with this number of symmetries."""
        if self.round_moves is None:
            return self.budget
        return replace(self.budget, moves=max(1, self.round_moves * len(self.topology.links) // symmetries))

    def weighted(self, number: int, goal: Goal, lengths: LinkLengths) -> Chain:
        """Return chain `number` for a goal other than hops.

        Parameters
        ----------
        number : int
            The chain's number, from 0, which selects the random stream.
        goal : Goal
            The goal to minimise.
        lengths : LinkLengths
            The length of a link between any two switches.

        Returns
        -------
        Chain
            Not yet started.
        """
        from topoloom.optimizer.searches.weighted_search import WeightedSearch

        start, images, sweeps = self.topology, None, 0
        if self.symmetric is not None:
            (start, images), sweeps = self.symmetric, _SWEEPS
        budget = self.budget.budget()
        return WeightedSearch(
            moves_of(start, self.rules), lengths, goal, Draws(self.seed, number), budget, images, sweeps
        )


def compile_hop_kernels(topology: Topology, symmetries: int) -> None:
    """Compile the kernels for hops before the clock starts, on a small ring whose rows have the same width."""
    n = max(8, min(-(-topology.switches // symmetries), _WIDE))
    ring = Topology(links=np.array([(i, (i + 1) % n) for i in range(n)]), switches=n)
    HopSearch(moves_of(ring, GraphRules()), Draws(1), Budget(1)).compile_kernels(mixed=symmetries > 1)


def compile_weighted_kernels(goal: Goal) -> None:
    """Compile the kernels for goals other than hops."""
    from topoloom.graph.geometry import Geometry
    from topoloom.optimizer.searches.weighted_search import WeightedSearch

    geometry = Geometry.grid(3, 3)
    ring = Topology(
        links=np.array([(0, 1), (1, 2), (2, 5), (5, 8), (7, 8), (6, 7), (3, 6), (0, 3), (1, 4), (4, 5)]), switches=9
    )
    plain = Goal(mean=1.0, delays=goal.delays)
    WeightedSearch(moves_of(ring, GraphRules()), LinkLengths.of_geometry(geometry), plain, Draws(1), Budget(1)).step()
