"""All shortest paths of all pairs of a small topology, as a list per pair."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.distances import distance_matrix
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import carriers_of

#: A path: its channels, from the first hop to the last.
Path = tuple[int, ...]
#: Most shortest paths for the integer programme.
MOST_PATHS = 40_000


class ShortestPaths:
    """The shortest paths of all ordered pairs of a topology, and the switches or channels that each loads.

    Attributes
    ----------
    channels : Channels
    carriers : bool[n]
        Switches that send and receive data; other pairs add no load.
    paths : dict of (int, int) to list of paths
        The shortest paths of each pair (source, destination) of different switches.
    """

    def __init__(self, topology: Topology) -> None:
        """Find them.

        Raises
        ------
        InputError
            The topology is not connected, or it has more than 40,000 shortest paths.
        """
        self.channels: Channels = channels_of(topology)
        self.carriers = carriers_of(topology)
        self.paths: dict[tuple[int, int], list[Path]] = {}
        self._link, self._by_link = topology.csr[2], len(topology.links)
        n, first, to = topology.switches, self.channels.first.tolist(), self.channels.to.tolist()
        distances = distance_matrix(topology).astype(np.int64)
        if (distances < 0).any():
            raise InputError(f"{topology.name}: not connected; add links between its parts")
        total = 0
        for d in range(n):
            hops = distances[d].tolist()
            paths_to_d: dict[int, list[Path]] = {d: [()]}
            for s in sorted(range(n), key=hops.__getitem__):
                if s == d:
                    continue
                paths_to_d[s] = [
                    (c, *rest)
                    for c in range(first[s], first[s + 1])
                    if hops[to[c]] + 1 == hops[s]
                    for rest in paths_to_d[to[c]]
                ]
                total += len(paths_to_d[s])
                if total > MOST_PATHS:
                    raise InputError(
                        f"{topology.name}: more than {MOST_PATHS} shortest paths; exact results need fewer"
                    )
                self.paths[s, d] = paths_to_d[s]

    def back(self, path: Path) -> Path:
        """The same path in the other direction."""
        return tuple(int(self.channels.back[c]) for c in reversed(path))

    def switches(self, path: Path) -> list[int]:
        """The switches that a path passes through, without its ends."""
        return [int(self.channels.to[c]) for c in path[:-1]]

    def loaded(self, path: Path, by_channels: bool, directed: bool) -> list[int]:
        """The items that a path loads: the switches between its ends, its channels, or (not directed) its links.

        Parameters
        ----------
        path : tuple of int
            Channels, from the first hop to the last.
        by_channels : bool
            Whether channels (or links) are counted; otherwise switches.
        directed : bool
            Whether the two channels of a link are counted separately.

        Returns
        -------
        list of int
            Switches, channels or links; empty if no data is sent between the path's ends.
        """
        if not self.carriers[[self.channels.origin[path[0]], self.channels.to[path[-1]]]].all():
            return []
        if not by_channels:
            return self.switches(path)
        return list(path) if directed else [int(self._link[c]) for c in path]

    def sizes(self, by_channels: bool, directed: bool) -> int:
        """How many loads there are."""
        if not by_channels:
            return self.channels.first.size - 1
        return self.channels.to.size if directed else self._by_link
