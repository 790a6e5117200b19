"""Topology permutation: endpoints of links swapped at random so that every rack pair keeps its cables."""

import logging

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Choice, Integer, Seed, transform

log = logging.getLogger("topoloom")


@transform(
    "permute",
    mode=Choice(
        ("partial", "full"), "swap within racks and within rack pairs separately (partial), or together", "partial"
    ),
    rack=Integer(
        1,
        1 << 20,
        "most switches per rack, in order and evenly; when omitted, the family's groups, otherwise 16",
        default=None,
    ),
    doubles=Choice(
        ("drop", "keep"), "links that become parallel to another: kept, or dropped as in Koibuchi 2013", "keep"
    ),
    seed=Seed(),
    source="Koibuchi 2013 III.A; errata of Koibuchi 2013, 2, Koibuchi 2013, 3",
)
def permute(topology: Topology, mode: str, rack: int | None, doubles: str, seed: int) -> Topology:
    """Swap link ends at random so that the number of cables inside each rack and between any two stays the same.

    Two links a-b, c-d of one rack, or of one rack pair (a, c in the first rack, b, d in the second), become
    a-d, c-b. `full` also pairs a link inside a rack with one that leaves it, for every rack pair that has links.
    A link that becomes parallel to another is kept, which keeps every degree and every pair's count exactly; ``doubles=drop``
    drops it, as in Koibuchi 2013 (errata of Koibuchi 2013, 3: P-TORUS-4 loses 4.6 of 512 links), with the same hop counts. A
    disconnected result is drawn again.

    Returns
    -------
    Topology
        The same switches and hosts, other links.

    Raises
    ------
    InputError
        One rack would hold all switches, or 100 draws in a row were disconnected.
    """
    from topoloom.graph.connectivity import components

    home = _homes(topology, rack)
    if rack is not None and rack >= topology.switches:
        raise InputError(f"permute: rack={rack} holds all {topology.switches} switches; use a smaller rack")
    for attempt in range(100):
        changed = permuted_once(topology, home, mode, doubles, Draws(seed, attempt))
        if int(components(changed).max()) <= int(components(topology).max()):
            return changed
        log.warning("permute: draw %d is not connected; drawing again", attempt + 1)
    raise InputError("permute: 100 draws in a row are not connected; use smaller racks or mode=partial")


def permuted_once(topology: Topology, home: np.ndarray, mode: str, doubles: str, draws: Draws) -> Topology:
    """One draw of `permute`, which may be disconnected.

    Parameters
    ----------
    topology : Topology
    home : int64[switches]
        The rack of each switch, numbered from 0.
    mode, doubles : str
        As in `permute`.
    draws : Draws

    Returns
    -------
    Topology
    """
    links = _permuted(topology, mode, home, draws)
    if doubles == "drop":
        links = np.unique(np.sort(links, axis=1), axis=0)
    return topology.replace(links=links)


def rack_of(switches: int, racks: int) -> np.ndarray:
    """The rack of every switch, int64[switches]: in order and evenly, as Koibuchi 2013 IV.C clusters in sequence."""
    begins = np.arange(1, racks) * switches // racks
    return np.searchsorted(begins, np.arange(switches), side="right")


def _homes(topology: Topology, rack: int | None) -> np.ndarray:
    """The rack of every switch, int64[switches], numbered from 0."""
    if rack is None and "group" in topology.labels:
        return np.unique(topology.labels["group"], return_inverse=True)[1].reshape(-1)
    return rack_of(topology.switches, -(-topology.switches // (rack or 16)))


def _permuted(topology: Topology, mode: str, home: np.ndarray, draws: Draws) -> np.ndarray:
    from topoloom.topologies.families.kernels.random import swap_pass

    racks = int(home.max()) + 1
    links = topology.links.astype(np.int64)
    # The first end of a link is in the rack with the lower number.
    turned = home[links[:, 0]] > home[links[:, 1]]
    links[turned] = links[turned, ::-1]
    first, second = home[links].T
    pair, inside = first * racks + second, first == second
    state = draws.state()
    if mode == "partial":
        for members in _groups(pair, draws):
            swap_pass(links, members, state, inside)
        return links
    # In random order, so that no part of the floor is always mixed first.
    keys = np.unique(pair[~inside])
    for key in keys[draws.permutation(keys.size)].tolist():
        i, j = divmod(key, racks)
        members = np.flatnonzero((pair == key) | (pair == i * racks + i) | (pair == j * racks + j))
        _swap_mixed(links, members[draws.permutation(members.size)], i, home.tolist(), draws)
    return links


def _groups(pair: np.ndarray, draws: Draws) -> list[np.ndarray]:
    """The links of every rack (pair), each in random order."""
    order = np.lexsort((draws.words(pair.size), pair))
    return np.split(order, np.flatnonzero(np.diff(pair[order])) + 1)


def _swap_mixed(links: np.ndarray, order: np.ndarray, i: int, home: list[int], draws: Draws) -> None:
    """The fully random step for rack i and a later rack: consecutive links of `order` swap ends in place.

    `home` is the rack of every switch. Two links inside different racks do not change. A link inside a rack and one between the
    two are oriented so that one of each kind results; two links of the same kind are oriented at random (inside) or so that
    both start in i (between).
    """
    turn = draws.below(2, order.size).tolist()
    for position in range(0, order.size - 1, 2):
        first, second = int(order[position]), int(order[position + 1])
        (a, b), (c, d) = links[first].tolist(), links[second].tolist()
        kinds = (home[a] == home[b], home[c] == home[d])
        if kinds == (True, True):
            if home[a] != home[c]:
                continue
            if turn[position]:
                a, b = b, a
            if turn[position + 1]:
                c, d = d, c
        elif kinds == (False, False):
            a, b = (a, b) if home[a] == i else (b, a)
            c, d = (c, d) if home[c] == i else (d, c)
        else:
            # The swap exchanges b and d, which must be in the same rack to keep the kinds.
            if kinds[1]:
                first, second, a, b, c, d = second, first, c, d, a, b
            if turn[position]:
                a, b = b, a
            if home[d] != home[b]:
                c, d = d, c
        if len({a, b, c, d}) == 4:
            links[first] = a, d
            links[second] = c, b
