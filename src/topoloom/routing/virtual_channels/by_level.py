"""Virtual channels by levels: in each virtual channel, every channel has one of a few levels, which rise along all paths in it.

A packet only waits for channels of higher levels, so no packets wait for each other in a cycle, and no chain of waiting packets
is longer than the number of levels. With an order of all channels (LASH, engine ``orders``), fewer virtual channels suffice,
but chains may be as long as the order: near saturation, one blocked packet then delays a large part of the network.
``benchmarks/levels.py`` measures both.
"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import carriers_of
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

#: Default number of virtual channels: most InfiniBand switches have 8 data VLs.
VIRTUAL_CHANNELS = 8
#: Most switches with hosts: the path of each pair takes at least 25 bytes.
MOST_CARRIERS = 4096
#: Most hops of a path.
_MOST_HOPS = 16
#: Most rounds over the channels of a virtual channel; rounds end if fewer than this share of channels change; and passes over
#: all virtual channels.
_ROUNDS, _SETTLED, _PASSES = 12, 0.005, 6
#: If more than these shares of pairs are not served, after half of the virtual channels and after all, more levels are tried
#: immediately.
_HALFWAY, _HOPELESS = 0.1, 0.005
#: Paths of three hops and more need many levels: the first attempt has this number per hop.
_LEVELS_A_HOP = 8


def vcs_by_level(request: RoutingRequest, ports: np.ndarray, engine: str) -> tuple[np.ndarray, int]:
    """Give each pair a virtual channel, with as few levels as the search finds.

    Parameters
    ----------
    request : RoutingRequest
        All its `virtual_channels` are used; `VIRTUAL_CHANNELS` if it gives no number.
    ports : uint8 or uint16[n, n]
        Tables whose paths arrive.
    engine : str
        For messages.

    Returns
    -------
    (uint8[n, n], int)
        virtual_channels[d, s]: the virtual channel of packets from s to d; and the number of levels.

    Raises
    ------
    InputError
        Too many virtual channels, too many switches, paths that are too long, or pairs that no virtual channel serves.
    Stopped
        The request's work was stopped.
    """
    topology, virtual_channels = request.topology, request.virtual_channels or VIRTUAL_CHANNELS
    carriers = np.flatnonzero(carriers_of(topology)).astype(np.int64)
    if not 1 <= virtual_channels <= MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{topology.name}: virtual_channels={virtual_channels}; engine {engine} takes 1 to {MOST_VIRTUAL_CHANNELS}"
        )
    if carriers.size > MOST_CARRIERS:
        raise InputError(
            f"{topology.name}: {carriers.size:,} switches with hosts; engine {engine} plans up to {MOST_CARRIERS:,}"
            " (engine orders routes any network)"
        )
    pairs = _Pairs.of(channels_of(topology), ports, carriers, request.work)
    if pairs is None:
        raise InputError(
            f"{topology.name}: its paths have more than {_MOST_HOPS} hops, too many for engine {engine}; use engine orders"
        )
    # With as many levels as channels, a virtual channel is an order of them.
    levels = max(1, pairs.longest) * (_LEVELS_A_HOP if pairs.longest > 2 else 1)
    while True:
        rising = _rising_vcs(pairs, virtual_channels, levels, request.seed, request.work)
        if rising.any(axis=0).all():
            return _spread(pairs, rising, topology.switches, carriers, request.seed), levels
        if levels >= min(pairs.channels, 1 << 15):
            few = "1 virtual channel does" if virtual_channels == 1 else f"{virtual_channels} virtual channels do"
            raise InputError(
                f"{topology.name}: {few} not serve all pairs; give engine {engine} more virtual channels, or use engine orders"
            )
        levels += max(1, levels // 2)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs with the channels of their paths, and the pairs that take each channel (`walk_pairs`, `list_members`)."""

    paths: np.ndarray
    length: np.ndarray
    begin: np.ndarray
    members: np.ndarray

    @classmethod
    def of(cls, channels: Channels, ports: np.ndarray, carriers: np.ndarray, work: Work) -> "_Pairs | None":
        """Return all pairs; None if a path is too long."""
        from topoloom.routing.virtual_channels.kernels.levels import walk_pairs

        count = carriers.size**2
        length = np.zeros(count, np.uint8)
        # Most networks of this engine have short paths: memory for long ones is allocated only if needed.
        for room in (4, _MOST_HOPS):
            paths = np.empty((count, room), np.int32)
            longest = walk_pairs(channels.first, channels.to, ports, carriers, paths, length, work.flag)
            work.check()
            if longest >= 0:
                return cls._listed(paths, length, channels.to.size)
        return None

    @classmethod
    def _listed(cls, paths: np.ndarray, length: np.ndarray, channels: int) -> "_Pairs":
        from topoloom.routing.virtual_channels.kernels.levels import list_members

        begin = np.zeros(channels + 1, np.int64)
        members = np.empty(int(length.sum(dtype=np.int64)), np.int32)
        list_members(paths, length, begin, members)
        return cls(paths, length, begin, members)

    def only(self, wanted: np.ndarray) -> "_Pairs":
        """Return the wanted pairs only."""
        if wanted.all():
            return self
        return self._listed(self.paths[wanted], self.length[wanted], self.begin.size - 1)

    @property
    def longest(self) -> int:
        """Hops of the longest path."""
        return int(self.length.max(initial=0))

    @property
    def channels(self) -> int:
        """The number of channels."""
        return int(self.begin.size) - 1


def _rising_vcs(pairs: _Pairs, virtual_channels: int, levels: int, seed: int, work: Work) -> np.ndarray:
    """Find levels for every virtual channel, each for the pairs that no other one serves, in several passes; return which pairs
    rise in each, bool[virtual channels, pairs].
    """
    from topoloom.routing.virtual_channels.kernels.levels import mark_rising

    rising = np.zeros((virtual_channels, pairs.length.size), np.bool_)
    level = np.zeros((virtual_channels, pairs.channels), np.uint16)
    mark = np.empty(pairs.length.size, np.bool_)
    short = pairs.length < 2
    work.begin(None, f"virtual channels of {levels} levels")
    for turn in range(_PASSES):
        for vc in range(virtual_channels):
            draws = Draws(seed, 20 + vc + virtual_channels * turn)
            wanted = ~(np.delete(rising, vc, axis=0).any(axis=0) | short)
            needed = bool(wanted.any())
            # A virtual channel that is not needed any more spreads the pairs of the others.
            some = pairs.only(wanted if needed else ~short)
            begins = [(draws.permutation(pairs.channels) % levels).astype(np.uint16)]
            # Continue from its levels, or start again: keep the levels that serve more of the pairs that no other virtual
            # channel serves.
            for tried in [level[vc].copy(), *begins] if turn else begins:
                _settle(some, tried, levels, _ROUNDS if needed else _ROUNDS // 4, draws, work)
                mark_rising(pairs.paths, pairs.length, tried, mark)
                if not turn or np.count_nonzero(mark & wanted) >= np.count_nonzero(rising[vc] & wanted):
                    level[vc], rising[vc] = tried, mark
            if not turn and vc == virtual_channels // 2 and levels < pairs.channels:
                left = np.count_nonzero(~(rising.any(axis=0) | short))
                if left > _HALFWAY * pairs.length.size:
                    return rising
        left = np.count_nonzero(~(rising.any(axis=0) | short))
        if not left or (left > _HOPELESS * pairs.length.size and levels < pairs.channels):
            break
    return rising


def _settle(some: _Pairs, level: np.ndarray, levels: int, rounds: int, draws: Draws, work: Work) -> None:
    """Give every channel its best level, round after round, until few channels change.

    Parameters
    ----------
    some : _Pairs
        The pairs whose levels should rise.
    level : uint16[2 m]
        Changed.
    levels, rounds : int
    draws : Draws
        The order of the channels in each round.
    work : Work
    """
    from topoloom.routing.virtual_channels.kernels.levels import settle_levels

    gain = np.zeros(levels + 1, np.int64)
    for _ in range(rounds):
        work.check()
        order = draws.permutation(level.size)
        moved = settle_levels(some.paths, some.length, some.begin, some.members, order, gain, level, work.flag)
        if moved <= _SETTLED * level.size:
            break


def _spread(pairs: _Pairs, rising: np.ndarray, switches: int, carriers: np.ndarray, seed: int) -> np.ndarray:
    """Put each pair in one of the virtual channels that serve it, with even loads of the channels; uint8[n, n]."""
    from topoloom.routing.virtual_channels.kernels.levels import spread_pairs

    vc = np.zeros(pairs.length.size, np.uint8)
    load = np.zeros((rising.shape[0], pairs.channels), np.int64)
    spread_pairs(pairs.paths, pairs.length, rising, Draws(seed, 19).permutation(vc.size), load, vc)
    by_switch = np.zeros((switches, switches), np.uint8)
    by_switch[np.ix_(carriers, carriers)] = vc.reshape(carriers.size, carriers.size)
    np.fill_diagonal(by_switch, 0)
    return by_switch
