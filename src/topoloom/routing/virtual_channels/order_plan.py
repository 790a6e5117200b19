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

#: Orders are weighed on the paths to so many destinations.
_SAMPLE = 3072
#: Weight of a turn that no pair waits for, in means of all: it decides where nothing else does.
_BASE = 0.02
#: Times that a tree is grown around what is stuck before it is left to virtual channel 0.
_TRIES = 24
#: Up to so many switches the tree is grown again; beyond them stuck switches are served in place: 64 trees of 65,536 switches
#: in 0.4 s instead of 3.2.
_LARGEST_REGROWN = 1 << 15
#: Share of pairs that no order serves up to which it is worth placing them one by one.
_FEW_ORPHANS = 0.02
#: Channels looked at when pairs are placed, in units of all channels, before that is given up.
_EFFORT = 300
#: Whether it is, is seen on the trees of so many destinations first.
_PROBES = 64
#: Most trees made at a time where paths may be longer: the bits of a word.
_TURN = 64
#: Parts of the destinations whose pairs are spread over virtual channels side by side.
_PARTS = 64
#: Times that trees are made again for even loads.
_ROUNDS = 1


class OrderPlan:
    """Orders of a topology's switches, made one after the other, and the tables that come of some of them.

    Each is chosen so that it serves the pairs that those before leave (`virtual_channels.kernels.orders`), and forbids turns at
    a switch of the largest rank of three. With an order and its reverse all paths of two hops are legal: two virtual channels
    do for every network of diameter 2. Everything depends on the seed alone, not on the threads.

    Parameters
    ----------
    topology : Topology
        Connected.
    seed : int
    jobs : int or None
        Threads; every core when None.
    folder : str or None
        Where tables are kept that do not fit in memory.
    work : Work
        Told of the trees that are made; its `check` raises `Stopped` between them.
    engine : str
        The name that the tables bear.
    spread : bool
        A pair takes by turns any order that serves it, not the first: virtual channels are used more alike, and more pairs by
        more virtual channels.
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
        """All paths shortest, in as few virtual channels as are found, at most so many; None if they were too few."""
        from topoloom.routing.trees.kernels.vc_trees import shortest_trees

        n = self._topology.switches
        best, used = None, most + 1
        for count in range(1, most + 1):
            if len(self._ranks) < count:
                self._ranks.append(self._next(self._ranks))
            some = self._order[:_PROBES]
            if self._trees(self._ranks[:count], shortest_trees, some, 0)[2] > _FEW_ORPHANS * some.size * n:
                continue
            ports, vc, orphans = self._trees(self._ranks[:count], shortest_trees, self._order, _ROUNDS)
            vcs_left = used - 1 - count
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
        """All pairs in so many virtual channels, some by longer paths.

        Parameters
        ----------
        virtual_channels : int
            An order of the switches each.
        root : int, optional
            Where the first order begins; a switch of most links when omitted.
        """
        from topoloom.routing.trees.kernels.wide_trees import trees_within

        # In the first order all switches fall to the same one, so it alone serves every pair by some path.
        ranks = [self._by_hops(root)]
        while len(ranks) < virtual_channels:
            ranks.append(self._next(ranks))
        turn = max(1, min(_TURN, self._topology.switches // 8))
        # In one virtual channel most paths meet at the lowest switch: making them again would even little.
        rounds = 0 if self._folder or virtual_channels == 1 else _ROUNDS
        back = self._channels.back if self._topology.switches > _LARGEST_REGROWN else np.empty(0, np.int32)
        ports, vc, _ = self._trees(ranks, trees_within, self._order, rounds, self._work.flag, _TRIES, back, turn=turn)
        self._spread_over(ports, vc, ranks)
        return Routing(self._topology, self._engine, ports, vc)

    def _spread_over(self, ports: np.ndarray, vc: np.ndarray, ranks: list[np.ndarray]) -> None:
        """Spread the pairs over these orders, if that is wanted; `vc` is changed in place."""
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
        """Shortest trees of the sample, by which orders are weighed."""
        # Only the sample's rows are written and read, so no memory is taken for the others.
        paths = _apart(self._topology.switches, port_type(self._topology))
        fill_minimal(self._topology, self._sample, paths, 0, self._jobs, work=self._work)
        return paths

    def _next(self, ranks: list[np.ndarray]) -> np.ndarray:
        """One more order: for the pairs that those before leave."""
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
            found = np.zeros(channels.turn_first[-1])
            for number in numbers:
                weigh(
                    channels.first, channels.to, turn_row, paths, blocks[number], rises, len(ranks), self._pairs, found
                )
            return found

        # Whole numbers, so that their sum is the same in any order.
        self._work.begin(len(blocks), "blocks of paths weighed")
        weight = np.sum(over_cores(weigh_turns, len(blocks), self._jobs, self._work), axis=0)
        self._work.check()
        weight += _BASE * (weight.mean() if weight.any() else 1.0)
        ties = self._ties.uniform(n) * 1e-3
        return np.asarray(ranked(channels.first, channels.to, channels.back, self._channels.turn_first, weight, ties))

    def _by_hops(self, root: int | None) -> np.ndarray:
        """An order by hops from a root, or a switch with the most links."""
        root = int(self._topology.degrees.argmax()) if root is None else root
        far = distances_from(self._topology, [root], 1)[0]
        rank = np.empty(far.size, np.int32)
        rank[np.lexsort((self._ties.permutation(far.size), far))] = np.arange(far.size)
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
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Ports and virtual channels of trees in these orders, and what the kernel counts."""
        channels, rises = self._channels, self._rises(ranks)
        ports = empty_ports(self._topology, self._folder)
        vc = new_table(self._topology, np.uint8, self._folder, "virtual_channels.npy")

        def make(some: np.ndarray, load: np.ndarray, again: bool) -> int:
            return kernel(
                channels.first, channels.to, rises, len(ranks), some, ports, vc, load, again, self._pairs, *more
            )

        load = np.zeros(channels.to.size, np.int64)
        counted = make_trees(destinations, load, make, rounds, self._jobs, turn, work=self._work)
        return ports, vc, counted

    def _place(self, ports: np.ndarray, vc: np.ndarray, lowest: int, virtual_channels: int) -> bool:
        """Give pairs that no order serves virtual channels of their own, at most so many; whether that was enough."""
        order = Draws(self._seed, 4).permutation(self._topology.switches)
        effort = _EFFORT * self._channels.to.size
        return place_pairs(
            self._topology, ports, vc, order, virtual_channels, lowest=lowest, effort=effort, work=self._work
        )


def _apart(n: int, kind: type) -> np.ndarray:
    """A table [n, n] of which a row takes memory once it is written; in huge pages its neighbours would, too."""
    if not hasattr(mmap, "MADV_NOHUGEPAGE"):
        return np.empty((n, n), kind)
    pages = mmap.mmap(-1, n * n * np.dtype(kind).itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, kind).reshape(n, n)
