"""Clusters of switches into as few racks as can hold them."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: A sum of loads over its limit by less than this share of it is rounded, not over.
_ROUNDING = 1e-9
#: Loads below this share of a rack are small: they fill racks in any order, so links alone decide.
_SMALL = 1 / 8


def pack(topology: Topology, cluster: np.ndarray, loads: np.ndarray, most: np.ndarray, racks: int) -> np.ndarray:
    """The rack of every switch, int32[switches], from clusters of any size.

    The largest clusters come first, each whole in the rack with the most links to it that has room for it; what fits
    nowhere is taken apart and goes where `settle` puts it.

    Parameters
    ----------
    topology : Topology
    cluster : int[switches]
        The cluster of every switch, under any numbers.
    loads : float64[switches, k]
        What each switch takes of each limited resource; column 0 is 1, its place.
    most : float64[k]
        What a rack holds of each; inf for no limit.
    racks : int
        The most racks that there may be.

    Returns
    -------
    int32[switches]
        Racks are numbered in the order of their first switches.

    Raises
    ------
    InputError
        The switches do not fit so many racks, as far as could be found.

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
    """Put into `count` racks what is in none (-1) or in one too full; whether that worked. Changes `rack`, int32[n].

    Out of racks that are too full go switches with the most links to another rack, less those inside. Then the
    switch with the most links to one rack with room goes there, and so on; those that take an eighth of a rack or
    more go first. Where no rack has room, a switch makes room by moving, at the least loss of links.

    Parameters
    ----------
    topology : Topology
        The network.
    rack : int32[switches]
        The rack of every switch, -1 for none yet; changed in place.
    loads : float64[switches, resources]
        What each switch takes of a rack: height, power and so on.
    most : float64[resources]
        What a rack has of each.
    count : int
        Racks.

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
    """What `attempt` makes of the fewest racks with which it succeeds, numbered in the order of their first switches.

    It is tried with as many as the loads need at the least, then with more by one or 3%, up to `racks`.

    Parameters
    ----------
    topology : Topology
        The network.
    loads : float64[switches, resources]
        What each switch takes of a rack: height, power and so on.
    most : float64[resources]
        What a rack has of each.
    racks : int
        The most that may be used.
    attempt : callable (int) to int[switches] or None
        Tries it with so many racks: the rack of every switch, or None where that did not work.

    Returns
    -------
    int32[switches]
        The rack of every switch.

    Raises
    ------
    InputError
        A limit is not above 0, a switch overfills a rack alone, or no attempt succeeds (it then says what was needed).
    """
    # What no switch takes may be limited to nothing.
    taken = loads.any(axis=0)
    loads, most = loads[:, taken], most[taken]
    if not (most > 0).all():
        raise InputError(f"a rack that holds {most.min():g} of something holds nothing; every limit must be above 0")
    if (loads > most).any():
        switch, resource = np.argwhere(loads > most)[0]
        raise InputError(
            f"{topology.name}: switch {switch} takes {loads[switch, resource]:g} of what a rack has {most[resource]:g} of;"
            " raise that limit"
        )
    count = needed = _needed(loads, rounded_up(most))
    while count <= racks:
        rack = attempt(count)
        if rack is not None:
            _, first, inverse = np.unique(rack, return_index=True, return_inverse=True)
            return np.argsort(np.argsort(first)).astype(np.int32)[inverse]
        count = min(count + 1 + count // 32, max(racks, count + 1))
    raise InputError(
        f"{topology.name}: its {topology.switches} switches need {needed} racks or more, and did not fit {racks};"
        " allow more racks, or raise the limits of each"
    )


def _needed(loads: np.ndarray, most: np.ndarray) -> int:
    """A bound: the racks for all loads, for those of over half a rack, and for all as small as the smallest."""
    needed = 1
    for load, limit in zip(loads.T, most, strict=True):
        some = load[load > 0]
        if some.size and np.isfinite(limit):
            least = [some.sum() / limit, (some > limit / 2).sum(), some.size / (limit // some.min())]
            needed = max(needed, int(np.ceil(max(least))))
    return needed


def rounded_up(most: np.ndarray) -> np.ndarray:
    """Limits that sums of loads are compared with: a little higher, for sums are rounded."""
    return most * (1 + _ROUNDING)


def links_between(topology: Topology, rack: np.ndarray) -> int:
    """The links between different racks; parallel links count one by one."""
    ends = rack[topology.links]
    return int((ends[:, 0] != ends[:, 1]).sum())
