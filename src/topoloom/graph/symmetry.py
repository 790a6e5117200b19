"""Symmetries of a network: permutations of its switches that keep every link, and their orbits.

Only one element of an orbit needs to be measured: a network of 4,096 equivalent switches is measured from one of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology

#: Most colourings of a search, and most consecutive switches without a symmetry before a level ends.
_COLOURINGS, _UNLIKE = 4096, 60
#: Two odd constants that mix bits (SplitMix64).
_MIX, _MORE = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The symmetries of a network that were found: generators of a group, possibly of a subgroup of all symmetries.

    Attributes
    ----------
    maps : int32[k, n]
        Switch v is mapped to maps[i, v]; every link is mapped to a link of the same rate, with the same number of parallel
        links. Empty: none was found.
    """

    maps: np.ndarray

    @cached_property
    def switch_orbits(self) -> np.ndarray:
        """The orbit of each switch, int64[n], numbered in order of first switches."""
        n = self.maps.shape[1]
        return _merged(n, np.tile(np.arange(n), len(self.maps)), self.maps.ravel())

    def arc_orbits(self, origin: np.ndarray, to: np.ndarray, *, both_ways: bool) -> np.ndarray:
        """The orbit of each arc.

        Parameters
        ----------
        origin, to : int64[a]
            The arcs, sorted by origin and then by target, without duplicates.
        both_ways : bool
            Whether an arc and its reverse are in one orbit.

        Returns
        -------
        int64[a]
            Numbered in order of first arcs.
        """
        n = self.maps.shape[1]
        key = origin * n + to
        before, after = [], []
        for image in self.maps.astype(np.int64):
            before.append(np.arange(key.size))
            after.append(np.searchsorted(key, image[origin] * n + image[to]))
        if both_ways:
            before.append(np.arange(key.size))
            after.append(np.searchsorted(key, to * n + origin))
        if not before:
            return np.arange(key.size)
        return _merged(key.size, np.concatenate(before), np.concatenate(after))

    def keeping(self, switch: np.ndarray) -> "Symmetries":
        """The maps that keep the value of every switch, `switch` (any[n])."""
        return Symmetries(self.maps[[bool((switch[image] == switch).all()) for image in self.maps]])


def symmetries(topology: Topology, colour: np.ndarray | None = None) -> Symmetries:
    """Find symmetries of a network by colour refinement (McKay's method, without its canonical form).

    Parameters
    ----------
    topology : Topology
        Parallel links count, and links of different rates are different.
    colour : int[n] or float64[n], optional
        Only switches of the same colour may be mapped to each other; when omitted, the number of hosts or, where rates differ,
        the rate of all their ports.

    Returns
    -------
    Symmetries
        Every map is checked link by link. The search ends early on networks whose switches all look different, so some
        symmetries may be missing; those found are correct.

    Notes
    -----
    One switch is marked, and colours are refined by neighbours' colours until they no longer change; if two switches still have
    the same colour, one of them is marked as well. The same sequence of marks that starts at another switch and gives the same
    colours is a map.
    Source: McKay and Piperno, Practical graph isomorphism, II, J. Symbolic Computation 60, 2014, section 2.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = symmetries(build("torus:dims=4x4x4"))
    >>> int(found.switch_orbits.max()) + 1
    1
    """
    n = topology.switches
    if colour is None:
        colour = capacities(topology).at_switches if topology.mixed else topology.endpoints_at
    search = _Search(topology, np.asarray(colour))
    maps = list(search.maps()) if len(topology.links) else []
    return Symmetries(np.array(maps, np.int32).reshape(-1, n))


class _Search:
    """The search for symmetries of one topology."""

    def __init__(self, topology: Topology, colour: np.ndarray) -> None:
        offsets, neighbours, link = topology.csr
        self._n = topology.switches
        # The kind of each channel by its rate, int64[2 m]; None where all links are alike.
        self._kind = None
        if topology.mixed and topology.link_rate_gbps is not None:
            self._kind = np.unique(topology.link_rate_gbps, return_inverse=True)[1].reshape(-1)[link].astype(np.int64)
        self._first, self._neighbour = offsets[:-1], neighbours
        self._isolated = np.diff(offsets) == 0
        ends = np.repeat(np.arange(self._n), np.diff(offsets)) * self._n + neighbours
        self._ends = ends
        self._links = np.sort(self._with_kind(ends))
        self._left = _COLOURINGS
        self._root = self._refined(_mixed(np.unique(colour, return_inverse=True)[1].astype(np.uint64) + np.uint64(1)))

    def maps(self) -> Iterator[np.ndarray]:
        """Yield generators, starting with those that fix the most switches."""
        path, colours = [], [self._root]
        while True:
            values, where, counts = np.unique(colours[-1], return_inverse=True, return_counts=True)
            if values.size == self._n:
                break
            # The first switch of the smallest class that has several.
            cell = int(np.argmin(np.where(counts > 1, counts, self._n + 1)))
            path.append(int(np.flatnonzero(where == cell)[0]))
            colours.append(self._marked(colours[-1], path[-1]))
            if len(path) > 64:
                return
        generators: list[np.ndarray] = []
        for level in range(len(path) - 1, -1, -1):
            alike = np.flatnonzero(colours[level] == colours[level][path[level]])
            unlike = 0
            for target in alike[np.argsort(_mixed(alike.astype(np.uint64)), kind="stable")].tolist():
                if target == path[level]:
                    continue
                images = np.concatenate(generators) if generators else np.empty(0, np.int64)
                orbit = _merged(self._n, np.tile(np.arange(self._n), len(generators)), images)
                if orbit[target] == orbit[path[level]]:
                    continue
                image = self._onto(colours, path, level, colours[level], target)
                unlike = 0 if image is not None else unlike + 1
                if image is not None:
                    generators.append(image)
                    yield image
                if self._left <= 0 or unlike >= _UNLIKE:
                    break

    def _onto(
        self, colours: list[np.ndarray], path: list[int], level: int, colour: np.ndarray, target: int
    ) -> np.ndarray | None:
        """Return a map that takes path[level] to `target`, and the switches marked earlier to their images in `colour`."""
        if self._left <= 0:
            return None
        image_colours = self._marked(colour, target)
        path_colours = colours[level + 1]
        order, other = np.argsort(path_colours, kind="stable"), np.argsort(image_colours, kind="stable")
        if (path_colours[order] != image_colours[other]).any():
            return None
        if level + 1 == len(path):
            image = np.empty(self._n, np.int64)
            image[order] = other
            n = self._n
            ends = self._with_kind(image[self._ends // n] * n + image[self._ends % n])
            links_kept = (np.sort(ends) == self._links).all()
            return image if links_kept and (self._root[image] == self._root).all() else None
        for further in np.flatnonzero(image_colours == path_colours[path[level + 1]]).tolist():
            image_ = self._onto(colours, path, level + 1, image_colours, further)
            if image_ is not None or self._left <= 0:
                return image_
        return None

    def _with_kind(self, ends: np.ndarray) -> np.ndarray:
        """One number for the two ends and the kind of each channel, int64[2 m]."""
        return ends if self._kind is None else ends * (int(self._kind.max(initial=0)) + 1) + self._kind

    def _marked(self, colour: np.ndarray, switch: int) -> np.ndarray:
        colour = colour.copy()
        colour[switch] = _mixed(colour[switch : switch + 1] ^ _MORE)[0]
        return self._refined(colour)

    def _refined(self, colour: np.ndarray) -> np.ndarray:
        """Refine colours by neighbours' colours until the number of colours stops growing."""
        self._left -= 1
        classes = np.unique(colour).size
        while classes < self._n:
            seen = _mixed(colour)[self._neighbour]
            if self._kind is not None:
                seen = _mixed(seen + self._kind.astype(np.uint64))
            sums = np.add.reduceat(np.append(seen, np.uint64(0)), np.minimum(self._first, self._neighbour.size))
            sums[self._isolated] = 0
            finer = _mixed(colour * _MORE + sums)
            now = np.unique(finer).size
            if now == classes:
                break
            colour, classes = finer, now
        return colour


def _mixed(words: np.ndarray) -> np.ndarray:
    """uint64 words whose bits are mixed (SplitMix64)."""
    z = words + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * _MIX
    z = (z ^ (z >> np.uint64(27))) * _MORE
    return np.asarray(z ^ (z >> np.uint64(31)))


def _merged(size: int, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The connected components of `size` items linked by pairs, int64[size], numbered in order of first items."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(source.size, np.int8), (source, target)), shape=(size, size))
    part = connected_components(graph, directed=False)[1]
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return np.asarray(rank[number])
