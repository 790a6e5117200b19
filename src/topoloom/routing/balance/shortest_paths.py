"""All shortest paths of all pairs of a small topology, one by one."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.distances import distance_matrix
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import carriers_of

#: A path: its channels, from the first hop to the last.
Path = tuple[int, ...]
#: More paths than this are too many for a proof.
MOST_PATHS = 40_000


class ShortestPaths:
    """The shortest paths of the ordered pairs of a topology, and what they load.

    Attributes
    ----------
    channels : Channels
    carriers : bool[n]
        Switches between which data goes: other pairs load nothing.
    paths : dict of (int, int) to list of paths
        From source and destination, which differ.
    """

    def __init__(self, topology: Topology) -> None:
        """Find them.

        Raises
        ------
        InputError
            The topology is in parts, or there are more than 40,000 paths.
        """
        self.channels: Channels = channels_of(topology)
        self.carriers = carriers_of(topology)
        self.paths: dict[tuple[int, int], list[Path]] = {}
        self._link, self._by_link = topology.csr[2], len(topology.links)
        n, first, to = topology.switches, self.channels.first.tolist(), self.channels.to.tolist()
        far = distance_matrix(topology).astype(np.int64)
        if (far < 0).any():
            raise InputError(f"{topology.name}: not every switch reaches every other; link its parts first")
        total = 0
        for d in range(n):
            hops = far[d].tolist()
            found: dict[int, list[Path]] = {d: [()]}
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
                if total > MOST_PATHS:
                    raise InputError(
                        f"{topology.name}: more than {MOST_PATHS} shortest paths; that is too many for a proof"
                    )
                self.paths[s, d] = found[s]

    def back(self, path: Path) -> Path:
        """The same path from its end to its beginning."""
        return tuple(int(self.channels.back[c]) for c in reversed(path))

    def switches(self, path: Path) -> list[int]:
        """The switches that a path passes through, its ends omitted."""
        return [int(self.channels.to[c]) for c in path[:-1]]

    def loaded(self, path: Path, by_channels: bool, directed: bool) -> list[int]:
        """What a path loads: the switches inside, or its channels, or its links where no direction counts.

        Parameters
        ----------
        path : tuple of int
            Channels, from the first hop to the last.
        by_channels : bool
            Whether channels (or links) are counted, and not switches.
        directed : bool
            Whether the two channels of a link are counted apart.

        Returns
        -------
        list of int
            Switches, channels or links; none where data does not go between the path's ends.
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
