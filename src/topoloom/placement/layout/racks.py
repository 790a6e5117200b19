"""Assigning switches to racks: in sequence, by the family's groups, by Walktrap or by METIS."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import rounded_up
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import NO_LIMIT
from topoloom.topologies.families.permute import rack_of

CLUSTERS = ("auto", "groups", "sequential", "walktrap", "metis")

#: The columns of `loads`, by their names in error messages.
RESOURCES = ("switches", "host ports", "W")


def switch_demands(topology: Topology, switch_w: float | np.ndarray = 0.0) -> np.ndarray:
    """Demand of each switch, float64[switches, 3]: one place, its hosts, and its power `switch_w` in watts."""
    loads = np.ones((topology.switches, 3))
    loads[:, 1] = topology.endpoints_at
    loads[:, 2] = switch_w
    return loads


def rack_capacity(floor: Floor) -> np.ndarray:
    """Capacity of a rack of the floor, float64[3]: switches, hosts, watts; inf without a limit."""
    limits = [floor.switches_per_rack, floor.hosts_per_rack, floor.power_w_per_rack]
    return rounded_up(np.array([NO_LIMIT if limit is None else float(limit) for limit in limits]))


def assign_racks(
    topology: Topology,
    floor: Floor,
    cluster: str = "auto",
    loads: np.ndarray | None = None,
    seed: int = 1,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> np.ndarray:
    """The rack of every switch, int32[switches], numbered from 0.

    `groups`: one rack per group of the family (label ``group``), more where a limit of the floor requires it; with a limit,
    small groups share a rack as long as whole groups fit. `sequential`: switches in their own order, distributed evenly
    (Koibuchi 2013 IV.C). `walktrap`, `metis`: clusters that each fit a rack. `auto`: groups where the family has them, else
    sequential.

    Parameters
    ----------
    topology : Topology
    floor : Floor
    cluster : str
    loads : float64[switches, 3], optional
        Demand of each switch (`switch_demands`).
    seed : int
        The seed of METIS.
    jobs : int, optional
        Number of threads of Walktrap.
    work : Work, optional

    Returns
    -------
    int32[switches]
        0 to racks - 1.

    Raises
    ------
    InputError
        The method is unknown; the topology has no groups; a single switch overfills a rack.
    Stopped
        `work` was stopped before the clusters were found.
    """
    if cluster not in CLUSTERS:
        raise InputError(f"cluster '{cluster}' is not known; it must be {', '.join(CLUSTERS)}")
    grouped = "group" in topology.labels
    if cluster == "groups" and not grouped:
        raise InputError(f"{topology.name} has no groups; use cluster='sequential'")
    loads = switch_demands(topology) if loads is None else loads
    most = rack_capacity(floor)
    _each_fits(floor, loads, most)
    if cluster in {"walktrap", "metis"}:
        return _clustered(topology, floor, cluster, loads, most, seed, jobs, work)
    if grouped and cluster != "sequential":
        order = np.argsort(topology.labels["group"], kind="stable")
        _, sizes = np.unique(topology.labels["group"], return_counts=True)
        limited = bool(np.isfinite(most).any())
    else:
        order = np.arange(topology.switches)
        count = _sequence_racks(topology, floor, loads, most)
        sizes = np.bincount(rack_of(topology.switches, count))
        limited = False
    return _filled(order, sizes, loads, most, limited)


def _filled(order: np.ndarray, sizes: np.ndarray, loads: np.ndarray, most: np.ndarray, limited: bool) -> np.ndarray:
    """Put groups of `sizes`, one after another in `order`, into racks; with `limited`, into one with room if there is one."""
    rack = np.empty(len(order), np.int32)
    current, start, used = -1, 0, np.zeros(loads.shape[1])
    for size in sizes.tolist():
        members = order[start : start + size]
        start += size
        pieces = _pieces(members, loads, most)
        needed = loads[members].sum(axis=0)
        if limited and current >= 0 and len(pieces) == 1 and (used + needed <= most).all():
            rack[members] = current
            used = used + needed
            continue
        for piece in pieces:
            current += 1
            rack[piece] = current
        used = loads[pieces[-1]].sum(axis=0)
    return rack


def _clustered(
    topology: Topology,
    floor: Floor,
    cluster: str,
    loads: np.ndarray,
    most: np.ndarray,
    seed: int,
    jobs: int | None,
    work: Work | None,
) -> np.ndarray:
    """The clusters of Walktrap or METIS; without limits, a rack holds as much as one in sequence."""
    from topoloom.placement.clustering.partition import metis
    from topoloom.placement.clustering.walktrap import walktrap

    most = most.copy()
    if not np.isfinite(most[0]):
        most[0] = floor.sequence_rack
    if not np.isfinite(most[1]) and floor.sequence_hosts is not None:
        most[1] = max(floor.sequence_hosts, loads[:, 1].max())
    if cluster == "walktrap":
        return walktrap(topology, loads, most, topology.switches, jobs=jobs, work=work)
    return metis(topology, loads, most, topology.switches, seed, work=work)


def _sequence_racks(topology: Topology, floor: Floor, loads: np.ndarray, most: np.ndarray) -> int:
    """Number of racks for switches in their own order: the fewest tried with which none is overfilled."""
    count = -(-topology.switches // (floor.switches_per_rack or floor.sequence_rack))
    room = most[1:].copy()
    if not np.isfinite(room[0]) and floor.sequence_hosts is not None:
        room[0] = floor.sequence_hosts
    taken = np.concatenate([np.zeros((1, 2)), np.cumsum(loads[:, 1:], axis=0)])
    while count < topology.switches:
        ends = np.cumsum(np.bincount(rack_of(topology.switches, count)))
        fullest = np.diff(taken[np.append(0, ends)], axis=0).max(axis=0)
        if (fullest <= room).all():
            break
        # Increase by half of the overload, or by one rack where that rounds to none.
        over = float((fullest[fullest > 0] / room[fullest > 0]).max())
        count = min(topology.switches, max(count + 1, int(count * over / 2)))
    return count


def _each_fits(floor: Floor, loads: np.ndarray, most: np.ndarray) -> None:
    """Raise an error for a switch that alone overfills a rack."""
    over = np.argwhere(loads > most)
    if over.size:
        switch, what = over[0].tolist()
        raise InputError(
            f"floor '{floor.name}': switch {switch} has {loads[switch, what]:g} {RESOURCES[what]}, but a rack holds"
            f" {most[what]:g}; raise the limit, or choose smaller switches"
        )


def _pieces(members: np.ndarray, loads: np.ndarray, most: np.ndarray) -> list[np.ndarray]:
    """A group, divided into as few equal racks as the limits allow."""
    # Switches with and without hosts are divided separately, so that no rack gets all the hosts.
    hosts = loads[members, 1]
    carrying, bare = members[hosts > 0], members[hosts == 0]
    count = max(1, int(_fewest_racks(loads[members].sum(axis=0), most)))
    while True:
        pairs = zip(np.array_split(carrying, count), reversed(np.array_split(bare, count)), strict=True)
        pieces = [np.concatenate(pair) for pair in pairs]
        if all((loads[piece].sum(axis=0) <= most).all() for piece in pieces):
            return pieces
        count += 1


def uniform_limits(floor: Floor, loads: np.ndarray) -> Iterator[tuple[Floor, np.ndarray]]:
    """For a floor of listed slots: uniform limits for planning racks, and the slots that meet them.

    Yields, for each distinct limit of the slots that enough slots meet, those that need the fewest racks first: the floor with
    these limits, and the slots, int64[...].

    Raises
    ------
    InputError
        All slots together hold too little.
    """
    slots = floor.fixed
    if slots is None:
        return
    capacity = rounded_up(slots.limits)
    _each_fits(floor, loads, capacity.max(axis=0))
    total = loads.sum(axis=0)
    for what, name in enumerate(RESOURCES):
        if total[what] > slots.limits[:, what].sum():
            raise InputError(
                f"floor '{floor.name}': its {len(slots)} slots hold {slots.limits[:, what].sum():g} {name}, but the topology"
                f" has {total[what]:g}; add slots or raise their limits"
            )
    kinds = np.unique(capacity, axis=0)
    wanted = [_fewest_racks(total, most) for most in kinds]
    for kind in np.argsort(wanted, kind="stable").tolist():
        most = kinds[kind]
        reaching = np.flatnonzero((capacity >= most).all(axis=1))
        if wanted[kind] <= len(reaching) and (loads <= most).all():
            places, hosts, power_w = (None if np.isinf(limit) else float(limit) for limit in most)
            yield (
                replace(
                    floor,
                    switches_per_rack=None if places is None else int(places),
                    hosts_per_rack=None if hosts is None else int(hosts),
                    power_w_per_rack=power_w,
                ),
                reaching,
            )


def _fewest_racks(total: np.ndarray, most: np.ndarray) -> float:
    """Least number of racks with capacity `most` for the sums `total`; inf where a needed resource has no capacity."""
    some = total > 0
    if (most[some] <= 0).any():
        return float("inf")
    return float(np.ceil((total[some] / most[some]).max() - 1e-9))


def fill_slots(floor: Floor, order: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """The slot of every switch, int32[switches]: in `order`, each in the first slot with room for it and its hosts.

    Switches with hosts go first; switches without hosts prefer slots that hold no hosts.

    Parameters
    ----------
    floor : Floor
        A floor with listed slots.
    order : int[switches]
        The switches, in the order in which they are placed.
    loads : float64[switches, 3]
        Places (1 each), hosts and watts, as in `Slots.limits`.

    Returns
    -------
    int32[switches]
        The slot of each switch.

    Raises
    ------
    InputError
        Some switches find no slot.
    """
    slots = floor.fixed
    if slots is None:
        raise InputError(f"floor '{floor.name}' has no listed slots")
    slot = np.full(len(order), -1, np.int32)
    room = rounded_up(slots.limits)
    hostless_first = np.argsort(slots.limits[:, 1] > 0, kind="stable")
    carrying = loads[order, 1] > 0
    for switches, sequence in ((order[carrying], np.arange(len(slots))), (order[~carrying], hostless_first)):
        for switch in switches.tolist():
            fits = (room[sequence] >= loads[switch]).all(axis=1)
            first = int(fits.argmax())
            if fits[first]:
                slot[switch] = sequence[first]
                room[sequence[first]] -= loads[switch]
    left = int((slot < 0).sum())
    if left:
        raise InputError(
            f"floor '{floor.name}': {left} of {len(order)} switches found no slot with room for them and their hosts;"
            " add slots or raise their limits"
        )
    return slot
