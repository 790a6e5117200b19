"""Setup of a chain for a traffic goal: first few hops, then even loads, then exchanges chosen by prices."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.model.topology import Topology
from topoloom.optimizer.rules import GraphRules, moves_of
from topoloom.optimizer.searches.chain_setup import ChainBudget
from topoloom.optimizer.searches.chains import Chain, TwoPhases
from topoloom.optimizer.searches.even_search import EvenSearch, lift_of
from topoloom.optimizer.searches.hop_search import HopSearch
from topoloom.optimizer.searches.price_search import PriceSearch
from topoloom.optimizer.searches.successive_halving import SearchMethod, SuccessiveHalving
from topoloom.optimizer.structures.even_starts import even_candidates
from topoloom.optimizer.structures.starts import candidates, order_share
from topoloom.optimizer.traffic_goals import TrafficGoal
from topoloom.throughput.traffic import hosts_on

#: Shares of the budget for few hops together with even loads, and of these for few hops.
_HOPS, _EVEN = 0.5, 0.6
#: Temperatures of the search for even loads, for a graph that already has few hops.
_COOL = (0.02, 0.0005)
#: Nanoseconds of a move: for hops, a constant and a value per slot and block of sources; for loads, per slot and switch; of a
#: measurement, per slot and switch, of a flow and of a permutation.
_HOP_NS, _HOP_SLOT_NS, _EVEN_NS, _PRICE_NS, _TUB_NS = 2_000, 2.0, 4.0, 1_000.0, 50.0
#: Most switches for the search for even loads, and for exchanges by prices.
_MOST_EVEN, _MOST_PRICED = 2048, 512
#: The numbers of the first random streams of the second and third phase.
_SECOND, _THIRD = 1 << 20, 1 << 21


@dataclass(frozen=True, eq=False)
class TrafficChains:
    """The problem of the chains for a traffic goal.

    Attributes
    ----------
    topology : Topology
    rules : GraphRules
    goal : TrafficGoal
    seed : int
    budget : ChainBudget
    least : (float, float)
        Lower bounds on diameter and total hops.
    structures : list of list of SearchMethod
        The structures that each chain tries; empty: chains start from the topology.
    """

    topology: Topology
    rules: GraphRules
    goal: TrafficGoal
    seed: int
    budget: ChainBudget
    least: tuple[float, float]
    structures: list[list[SearchMethod]]

    def chain(self, number: int) -> Chain:
        """Return chain `number`, not yet started."""
        if self.structures:
            methods = self.structures[number % len(self.structures)]
            moves, until = self.budget.first(1.0)
            return SuccessiveHalving(methods, self.seed, number, (0.0, 0.0), moves, until, self.budget.work)
        slots, n = self.topology.switches * int(self.topology.degrees.max()), self.topology.switches
        hop_ns = _HOP_NS + _HOP_SLOT_NS * slots * -(-n // 512)
        even = max(1, round(_EVEN_NS * n * slots / hop_ns))
        price_ns = _TUB_NS if self.goal.name == "permutation" else _PRICE_NS
        price = max(1, round(price_ns * n * slots / hop_ns))
        if self.budget.spent or self.budget.seconds:
            # A resumed graph already has few hops and even loads.
            return self._priced(number, self.topology.links, self.budget.budget(), price)
        evenly = self.goal.name != "permutation" and n <= _MOST_EVEN
        share = 1.0 if n > _MOST_PRICED else _HOPS
        first: Chain = HopSearch(
            moves_of(self.topology, self.rules),
            Draws(self.seed, number),
            self.budget.budget(share * _EVEN if evenly else share),
            self.least,
        )
        if evenly:
            hops = first

            def evened(links: np.ndarray) -> Chain:
                graph = self.topology.replace(links=links)
                rest = ChainBudget(max(1, self.budget.moves - hops.moves), self.budget.until, work=self.budget.work)
                half = rest.budget(_HOPS if n <= _MOST_PRICED else 1.0)
                return EvenSearch(
                    *lift_of(graph),
                    hosts_on(graph),
                    Draws(self.seed, _SECOND + number),
                    half,
                    self.rules,
                    *_COOL,
                    each=even,
                )

            first = TwoPhases(hops, evened, first_share=_EVEN)
        if n > _MOST_PRICED:
            return first
        before = first

        def priced(links: np.ndarray) -> Chain:
            return self._priced(number, links, self.budget.rest(before.moves), price)

        return TwoPhases(before, priced, first_share=_HOPS)

    def _priced(self, number: int, links: np.ndarray, budget: Budget, each: int) -> PriceSearch:
        graph = self.topology.replace(links=links)
        return PriceSearch(graph, self.rules, self.goal, Draws(self.seed, _THIRD + number), budget, each)


def traffic_structures(
    topology: Topology, goal: TrafficGoal, threads: int, seconds: float | None, moves: int
) -> list[list[SearchMethod]]:
    """The structures that each chain tries: for permutations those with few hops, otherwise those with even loads.

    Parameters
    ----------
    topology : Topology
    goal : TrafficGoal
    threads : int
    seconds : float or None
    moves : int
        Moves per chain, without a time budget.

    Returns
    -------
    list of list of SearchMethod
        One list per thread.

    Raises
    ------
    InputError
        No regular graph has the order and degree.
    """
    make = candidates if goal.name == "permutation" else even_candidates
    methods = make(topology.switches, int(topology.degrees.max()), threads, seconds, moves)
    return [order_share(methods, number, threads) for number in range(threads)]
