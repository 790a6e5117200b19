"""Orders of the switches, one for each virtual channel, and the tables whose paths are legal in one of them."""

import mmap
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.graph.path_lengths import path_lengths
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of, turn_rows
from topoloom.routing.routing import Routing, empty_ports, host_weights, new_table, port_type
from topoloom.routing.trees.parallel import make_trees
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.virtual_channels.by_pair import place_pairs

#: Number of sampled destinations whose paths weigh the orders.
_SAMPLE = 3072
#: Weight of a turn that no pair needs, relative to the mean of all: it decides between equals.
_BASE = 0.02
#: Attempts to grow a tree around its stuck switches before it uses virtual channel 0 only.
_TRIES = 24
#: Up to this many switches, trees with stuck switches are grown again. In larger networks stuck switches are served in place:
#: 64 trees of 65,536 switches take 0.4 s instead of 3.2 s.
_LARGEST_REGROWN = 1 << 15
#: Largest share of orphan pairs (served by no order) that are placed one by one.
_FEW_ORPHANS = 0.02
#: Most channels visited to place pairs, as a multiple of all channels.
_EFFORT = 300
#: Number of destinations whose trees estimate this share first.
_PROBES = 64
#: Most trees made together if paths may be longer: the bits of a word.
_TURN = 64
#: Parts of the destinations whose pairs are spread over virtual channels in parallel.
_PARTS = 64
#: Rounds in which trees are rebuilt for even loads.
_ROUNDS = 1


class OrderPlan:
    """Orders of a topology's switches, made one after the other, and tables whose paths are legal in them.

    Each order is chosen to serve the pairs that the earlier ones do not serve (`virtual_channels.kernels.orders`); it forbids
    turns at the highest of three switches. With an order and its reverse, all paths of two hops are legal, so two virtual
    channels suffice for every network of diameter 2. The result depends on the seed only, not on the threads.

    Parameters
    ----------
    topology : Topology
        Connected.
    seed : int
    jobs : int or None
        Threads; every core when None.
    folder : str or None
        The folder for tables that do not fit in memory.
    work : Work
        Receives the progress of trees; its `check` raises `Stopped` between them.
    engine : str
        The engine's name in the tables.
    spread : bool
        Whether pairs use, in turn, all orders that serve them, not only the first: the load of virtual channels is more even.
    """

    def __init__(
        self,
        topology: Topology,
        seed: int,
        jobs: int | None,
        folder: str | None,
        work: Work,
        engine: str = "orders",
        *,
        spread: bool = False,
    ) -> None:
        self._engine, self._spread = engine, spread
        self._topology, self._seed, self._jobs, self._folder, self._work = topology, seed, jobs, folder, work
        self._two_hops = path_lengths(topology, jobs).diameter == 2
        self._channels = channels_of(topology)
        self._ties = Draws(seed, 1)
        self._pairs = host_weights(topology)
        drawn = Draws(seed, 2).permutation(topology.switches)
        self._sample = drawn[self._pairs[drawn] > 0][:_SAMPLE]
        self._order = Draws(seed, 3).permutation(topology.switches)
        self._ranks: list[np.ndarray] = []

    def shortest(self, most: int) -> Routing | None:
        """Make shortest paths only, in as few virtual channels as found, at most `most`; None if that is not enough."""
        from topoloom.routing.trees.kernels.vc_trees import shortest_trees

        n = self._topology.switches
        best, used = None, most + 1
        for count in range(1, most + 1):
            if len(self._ranks) < count:
                self._ranks.append(self._next(self._ranks))
            some = self._order[:_PROBES]
            if self._trees(self._ranks[:count], shortest_trees, some, 0)[2] > _FEW_ORPHANS * some.size * n:
                continue
            vcs_left = used - 1 - count
            # Without further virtual channels, a single orphan is one too many.
            most_orphans = None if vcs_left > 0 else 0
            ports, vc, orphans = self._trees(
                self._ranks[:count], shortest_trees, self._order, _ROUNDS, most=most_orphans
            )
            if orphans and vcs_left <= 0:
                break
            if not orphans or self._place(ports, vc, count, vcs_left):
                self._spread_over(ports, vc, self._ranks[:count])
                best = Routing(self._topology, self._engine, ports, vc, minimal=True)
                used = int(vc.max()) + 1
            if not orphans:
                break
        return best

    def within(self, virtual_channels: int, root: int | None = None) -> Routing:
        """Serve all pairs in `virtual_channels` virtual channels, some by longer paths.

        Parameters
        ----------
        virtual_channels : int
            Number of virtual channels; each has an order of the switches.
        root : int, optional
            Where the first order begins; a switch with the most links when omitted.
        """
        from topoloom.routing.trees.kernels.wide_trees import trees_within

        # In the first order, ranks fall from all switches to the root, so this order serves every pair by some path.
        ranks = [self._by_hops(root)]
        while len(ranks) < virtual_channels:
            ranks.append(self._next(ranks))
        turn = max(1, min(_TURN, self._topology.switches // 8))
        # In one virtual channel, most paths meet at the root: rebuilding trees would balance little.
        rounds = 0 if self._folder or virtual_channels == 1 else _ROUNDS
        back = self._channels.back if self._topology.switches > _LARGEST_REGROWN else np.empty(0, np.int32)
        ports, vc, _ = self._trees(ranks, trees_within, self._order, rounds, self._work.flag, _TRIES, back, turn=turn)
        self._spread_over(ports, vc, ranks)
        return Routing(self._topology, self._engine, ports, vc)

    def _spread_over(self, ports: np.ndarray, vc: np.ndarray, ranks: list[np.ndarray]) -> None:
        """Spread the pairs over these orders, if `spread` was given; `vc` is updated."""
        from topoloom.routing.trees.kernels.spread_vcs import spread_vcs

        if self._spread:
            channels, rises = self._channels, self._rises(ranks)

            none = int(np.iinfo(ports.dtype).max)

            def spread(parts: Iterator[int]) -> None:
                for part in parts:
                    some = np.arange(part, self._topology.switches, _PARTS)
                    spread_vcs(channels.first, channels.to, rises, len(ranks), some, none, ports, vc)

            over_cores(spread, _PARTS, self._jobs, self._work)

    @cached_property
    def _sample_trees(self) -> np.ndarray:
        """Shortest trees of the sampled destinations, which weigh the orders."""
        # Only the sample's rows are written and read, so no memory is taken for the others.
        paths = _apart(self._topology.switches, port_type(self._topology))
        fill_minimal(self._topology, self._sample, paths, 0, self._jobs, work=self._work)
        return paths

    def _next(self, ranks: list[np.ndarray]) -> np.ndarray:
        """Make one more order, for the pairs that the orders in `ranks` do not serve."""
        from topoloom.routing.virtual_channels.kernels.orders import ranked, weigh

        channels, n = self._channels, self._topology.switches
        if len(ranks) == 1 and self._two_hops:
            return np.asarray(n - 1 - ranks[0], np.int32)
        rises, paths, blocks = (
            self._rises(ranks),
            self._sample_trees,
            np.array_split(self._sample, -(-self._sample.size // 64) or 1),
        )

        turn_row = turn_rows(channels)

        def weigh_turns(numbers: Iterator[int]) -> np.ndarray:
            weights = np.zeros(channels.turn_first[-1])
            for number in numbers:
                weigh(
                    channels.first,
                    channels.to,
                    turn_row,
                    paths,
                    blocks[number],
                    rises,
                    len(ranks),
                    self._pairs,
                    weights,
                )
            return weights

        # Weights are whole numbers, so their sum does not depend on the order of addition.
        self._work.begin(len(blocks), "blocks of paths weighed")
        weight = np.sum(over_cores(weigh_turns, len(blocks), self._jobs, self._work), axis=0)
        self._work.check()
        weight += _BASE * (weight.mean() if weight.any() else 1.0)
        ties = self._ties.uniform(n) * 1e-3
        return np.asarray(ranked(channels.first, channels.to, channels.back, self._channels.turn_first, weight, ties))

    def _by_hops(self, root: int | None) -> np.ndarray:
        """An order by hops from the root (default: a switch with the most links)."""
        root = int(self._topology.degrees.argmax()) if root is None else root
        hops = distances_from(self._topology, [root], 1)[0]
        rank = np.empty(hops.size, np.int32)
        rank[np.lexsort((self._ties.permutation(hops.size), hops))] = np.arange(hops.size)
        return rank

    def _rises(self, ranks: list[np.ndarray]) -> np.ndarray:
        from topoloom.routing.virtual_channels.kernels.orders import rising

        shape = len(ranks), self._topology.switches
        return np.asarray(rising(self._channels.first, self._channels.to, np.array(ranks, np.int32).reshape(shape)))

    def _trees(
        self,
        ranks: list[np.ndarray],
        kernel: Callable[..., int],
        destinations: np.ndarray,
        rounds: int,
        *more: Any,
        turn: int = 8,
        most: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Return ports and virtual channels of trees in these orders, and the sum of the kernel's counts; trees are incomplete
        where it is larger than `most`.
        """
        channels, rises = self._channels, self._rises(ranks)
        ports = empty_ports(self._topology, self._folder)
        vc = new_table(self._topology, np.uint8, self._folder, "virtual_channels.npy")

        def make(some: np.ndarray, load: np.ndarray, again: bool) -> int:
            return kernel(
                channels.first, channels.to, rises, len(ranks), some, ports, vc, load, again, self._pairs, *more
            )

        load = np.zeros(channels.to.size, np.int64)
        counted = make_trees(destinations, load, make, rounds, self._jobs, turn, most=most, work=self._work)
        return ports, vc, counted

    def _place(self, ports: np.ndarray, vc: np.ndarray, lowest: int, virtual_channels: int) -> bool:
        """Give orphan pairs further virtual channels, at most `virtual_channels`; return whether that was enough."""
        order = Draws(self._seed, 4).permutation(self._topology.switches)
        effort = _EFFORT * self._channels.to.size
        return place_pairs(
            self._topology, ports, vc, order, virtual_channels, lowest=lowest, effort=effort, work=self._work
        )


def _apart(n: int, kind: type) -> np.ndarray:
    """A table [n, n] whose rows take memory only when written; huge pages would also allocate neighbouring rows."""
    if not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.empty((n, n), kind)
    pages = mmap.mmap(-1, n * n * np.dtype(kind).itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, kind).reshape(n, n)
