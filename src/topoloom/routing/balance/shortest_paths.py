"""All shortest ways of all pairs of a small topology, one by one."""

import numpy as np

from topoloom.errors import InputError
from topoloom.graph.distances import distance_matrix
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import carriers_of
from topoloom.topology import Topology

#: A way: its channels, from the first hop to the last.
Way = tuple[int, ...]
#: More ways than this are too many for a proof.
MOST_WAYS = 40_000


class ShortestWays:
    """The shortest ways of the ordered pairs of a topology, and what they load.

    Attributes
    ----------
    channels : Channels
    carriers : bool[n]
        Switches between which data goes: other pairs load nothing.
    ways : dict of (int, int) to list of ways
        From source and destination, which differ.
    """

    def __init__(self, topology: Topology) -> None:
        """Find them.

        Raises
        ------
        InputError
            The topology is in parts, or there are more than 40,000 ways.
        """
        self.channels: Channels = channels_of(topology)
        self.carriers = carriers_of(topology)
        self.ways: dict[tuple[int, int], list[Way]] = {}
        self._link, self._by_link = topology.csr[2], len(topology.links)
        n, first, to = topology.switches, self.channels.first.tolist(), self.channels.to.tolist()
        far = distance_matrix(topology).astype(np.int64)
        if (far < 0).any():
            raise InputError(f"{topology.name}: not every switch reaches every other; link its parts first")
        total = 0
        for d in range(n):
            hops = far[d].tolist()
            found: dict[int, list[Way]] = {d: [()]}
            for s in sorted(range(n), key=hops.__getitem__):
                if s == d:
                    continue
                found[s] = [
                    (c, *rest)
                    for c in range(first[s], first[s + 1])
                    if hops[to[c]] + 1 == hops[s]
                    for rest in found[to[c]]
                ]
                total += len(found[s])
                if total > MOST_WAYS:
                    raise InputError(
                        f"{topology.name}: more than {MOST_WAYS} shortest ways; that is too many for a proof"
                    )
                self.ways[s, d] = found[s]

    def back(self, way: Way) -> Way:
        """The same way from its end to its beginning."""
        return tuple(int(self.channels.back[c]) for c in reversed(way))

    def switches(self, way: Way) -> list[int]:
        """The switches that a way passes through, its ends left out."""
        return [int(self.channels.to[c]) for c in way[:-1]]

    def loaded(self, way: Way, by_channels: bool, directed: bool) -> list[int]:
        """What a way loads: the switches inside, or its channels, or its links where no direction counts."""
        if not self.carriers[[self.channels.origin[way[0]], self.channels.to[way[-1]]]].all():
            return []
        if not by_channels:
            return self.switches(way)
        return list(way) if directed else [int(self._link[c]) for c in way]

    def sizes(self, by_channels: bool, directed: bool) -> int:
        """How many loads there are."""
        if not by_channels:
            return self.channels.first.size - 1
        return self.channels.to.size if directed else self._by_link
