"""Packing clusters of switches into as few racks as possible."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: A sum of loads that exceeds its limit by less than this share is a rounding error.
_ROUNDING = 1e-9
#: Switches with loads below this share of a rack are small: they are packed in any order, by their links alone.
_SMALL = 1 / 8


def pack(topology: Topology, cluster: np.ndarray, loads: np.ndarray, most: np.ndarray, racks: int) -> np.ndarray:
    """The rack of every switch, int32[switches], from clusters of any size.

    The largest clusters come first, each as a whole in the rack with the most links to it that has room for it; a cluster
    that fits nowhere is split up by `place_the_rest`.

    Parameters
    ----------
    topology : Topology
    cluster : int[switches]
        The cluster of every switch; the numbers are arbitrary.
    loads : float64[switches, k]
        Demand of each switch for each limited resource; column 0 is 1, its place.
    most : float64[k]
        Capacity of a rack for each resource; inf for no limit.
    racks : int
        Most racks to use.

    Returns
    -------
    int32[switches]
        Racks are numbered in the order of their first switches.

    Raises
    ------
    InputError
        The search found no packing into this many racks.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 6) for i in range(6)], switches=6)
    >>> pack(ring, np.array([0, 0, 1, 1, 2, 2]), np.ones((6, 1)), np.array([3.0]), racks=2).tolist()
    [0, 0, 1, 1, 1, 0]
    """
    from topoloom.placement.clustering.kernels.packing import pack_whole

    _, number, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    members = np.lexsort((number, -sizes[number]))
    ends = np.cumsum(np.sort(sizes)[::-1])
    offsets, neighbours, _ = topology.csr

    def attempt(count: int) -> np.ndarray | None:
        rack = np.full(topology.switches, -1, np.int32)
        room = np.tile(rounded_up(most), (count, 1))
        pack_whole(offsets, neighbours, members, ends, loads, room, rack)
        return rack if place_the_rest(topology, rack, loads, most, count) else None

    return fewest(topology, loads, most, racks, attempt)


def place_the_rest(topology: Topology, rack: np.ndarray, loads: np.ndarray, most: np.ndarray, count: int) -> bool:
    """Put switches that have no rack (-1), or are in an overfull one, into `count` racks; changes `rack`.

    Switches leave overfull racks first: those with the most links to another rack, less those inside. Then the switch with
    the most links to one rack with room goes there, and so on; switches that take an eighth of a rack or more go first.
    Where no rack has room, another switch moves to make room, at the least loss of links.

    Parameters
    ----------
    topology : Topology
        The network.
    rack : int32[switches]
        The rack of every switch, -1 for none yet; changed in place.
    loads : float64[switches, resources]
        Demand of each switch: height, power and so on.
    most : float64[resources]
        Capacity of a rack for each.
    count : int
        Number of racks.

    Returns
    -------
    bool
        Whether all switches are in racks, none of them too full.
    """
    from topoloom.placement.clustering.kernels.packing import evict, settle_all

    offsets, neighbours, _ = topology.csr
    room = np.tile(rounded_up(most), (count, 1))
    inside = rack >= 0
    np.subtract.at(room, rack[inside], loads[inside])
    evict(offsets, neighbours, loads, room, rack)
    size = ((loads / most).max(axis=1) / _SMALL).astype(np.int64)
    return bool(settle_all(offsets, neighbours, size, loads, room, rack))


def fewest(
    topology: Topology, loads: np.ndarray, most: np.ndarray, racks: int, attempt: Callable[[int], np.ndarray | None]
) -> np.ndarray:
    """The result of `attempt` for the fewest racks with which it succeeds, numbered in the order of their first switches.

    Starts with the number of racks that the loads require at least, then adds one or 3 % at a time, up to `racks`.

    Parameters
    ----------
    topology : Topology
        The network.
    loads : float64[switches, resources]
        Demand of each switch: height, power and so on.
    most : float64[resources]
        Capacity of a rack for each.
    racks : int
        Most racks to use.
    attempt : callable (int) to int[switches] or None
        Packs into this many racks: returns the rack of every switch, or None where that failed.

    Returns
    -------
    int32[switches]
        The rack of every switch.

    Raises
    ------
    InputError
        A limit is not above 0, a switch alone overfills a rack, or no attempt succeeds (the message gives the number needed).
    """
    # A resource that no switch needs may have the limit 0.
    taken = loads.any(axis=0)
    loads, most = loads[:, taken], most[taken]
    if not (most > 0).all():
        raise InputError(f"a limit of a rack is {most.min():g}; every limit must be above 0")
    if (loads > most).any():
        switch, resource = np.argwhere(loads > most)[0]
        raise InputError(
            f"{topology.name}: switch {switch} needs {loads[switch, resource]:g} of a resource, but a rack has"
            f" {most[resource]:g}; raise that limit"
        )
    count = needed = _needed(loads, rounded_up(most))
    while count <= racks:
        rack = attempt(count)
        if rack is not None:
            _, first, inverse = np.unique(rack, return_index=True, return_inverse=True)
            return np.argsort(np.argsort(first)).astype(np.int32)[inverse]
        count = min(count + 1 + count // 32, max(racks, count + 1))
    raise InputError(
        f"{topology.name}: its {topology.switches} switches need {needed} racks or more, and do not fit into {racks};"
        " allow more racks, or raise the limits of a rack"
    )


def _needed(loads: np.ndarray, most: np.ndarray) -> int:
    """A lower bound of the racks: by the sum of all loads, by the loads above half a rack, and by the smallest load."""
    needed = 1
    for load, limit in zip(loads.T, most, strict=True):
        some = load[load > 0]
        if some.size and np.isfinite(limit):
            least = [some.sum() / limit, (some > limit / 2).sum(), some.size / (limit // some.min())]
            needed = max(needed, int(np.ceil(max(least))))
    return needed


def rounded_up(most: np.ndarray) -> np.ndarray:
    """Limits for comparison with sums of loads: slightly higher, because sums are rounded."""
    return most * (1 + _ROUNDING)


def links_between(topology: Topology, rack: np.ndarray) -> int:
    """Number of links between different racks; parallel links count separately."""
    ends = rack[topology.links]
    return int((ends[:, 0] != ends[:, 1]).sum())
