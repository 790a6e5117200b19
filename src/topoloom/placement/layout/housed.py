"""Placement of racks with hosts: whole racks are placed on the floor, and host cables count like links."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import NO_LIMIT, Slots
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.hosts.racks import Racks, racks_of_units
from topoloom.placement.layout.mapping import map_racks
from topoloom.placement.layout.prices import Prices

#: Most racks that are searched; more stay in the order of their units, since the search would take minutes for little gain.
MOST_SEARCHED = 512


def planned_racks(
    topology: Topology, floor: Floor, housing: Housing, switch_w: float, switch_u: np.ndarray | None = None
) -> tuple[Racks, Slots, np.ndarray]:
    """The racks, the slots of the floor, and the slot of each rack in the order of the rows.

    Parameters
    ----------
    topology : Topology
    floor : Floor
    housing : Housing
    switch_w : float
        Power of a switch that a rack must supply, W.
    switch_u : float64[switches], optional
        The height of each switch, units, where they differ.

    Returns
    -------
    (Racks, Slots, int64[racks])

    Raises
    ------
    InputError
        A rack holds no host or switch, or the floor has too few slots for the racks.
    """
    racks = racks_of_units(topology, housing, switch_w, common_limits(floor), switch_u)
    slots, slot = slots_of_racks(floor, racks.loads(housing.host.power_w, switch_w, housing.rack.device))
    return racks, slots, slot


def slots_of_racks(floor: Floor, loads: np.ndarray, taken: np.ndarray | None = None) -> tuple[Slots, np.ndarray]:
    """The slots of a floor, and the slot of each rack in the order of its rows.

    Parameters
    ----------
    floor : Floor
    loads : float64[racks, 3]
        The switches, hosts and watts of each rack.
    taken : int64[n], optional
        Slots in which other racks stand.

    Returns
    -------
    (Slots, int64[racks])

    Raises
    ------
    InputError
        The floor has too few slots, or none with room for a rack.
    """
    taken = np.zeros(0, np.int64) if taken is None else taken
    slots = floor.slots_for(1 if floor.fixed is not None else len(loads) + taken.size)
    order = slots.serpentine()
    order = order[~np.isin(order, taken)]
    if floor.fixed is None:
        return slots, order[: len(loads)]
    hostless = order[slots.limits[order, 1] == 0]
    slot = np.full(len(loads), -1, np.int64)
    free = np.ones(len(slots), bool)
    for rack, load in enumerate(loads):
        # Racks without hosts go first to slots that hold no hosts.
        for offered in [hostless, order] if not load[1] else [order]:
            fits = free[offered] & (slots.limits[offered] * (1 + 1e-9) >= load).all(axis=1)
            if fits.any():
                slot[rack] = offered[int(fits.argmax())]
                free[slot[rack]] = False
                break
    left = int((slot < 0).sum())
    if left:
        worst = loads[int((slot < 0).argmax())]
        raise InputError(
            f"floor '{floor.name}': {left} of {len(loads)} racks find no slot with room for them (the first holds"
            f" {worst[0]:g} switches and {worst[1]:g} hosts, {worst[2]:,.0f} W); add slots or raise their limits"
        )
    return slots, slot


def common_limits(floor: Floor) -> np.ndarray:
    """The common limits of a place: for listed slots, the most frequent limits of those for hosts.

    Parameters
    ----------
    floor : Floor

    Returns
    -------
    float64[3]
        Switches, hosts, watts; inf without a limit.
    """
    if floor.fixed is None:
        limits = [floor.switches_per_rack, floor.hosts_per_rack, floor.power_w_per_rack]
        return np.array([NO_LIMIT if limit is None else float(limit) for limit in limits])
    carrying = floor.fixed.limits[floor.fixed.limits[:, 1] > 0]
    if not len(carrying):
        raise InputError(f"floor '{floor.name}': no slot may hold hosts; raise the limit of some")
    kinds, counts = np.unique(carrying, axis=0, return_counts=True)
    return np.asarray(kinds[int(counts.argmax())])


def searched(
    topology: Topology, racks: Racks, slots: Slots, slot: np.ndarray, prices: Prices, method: str, effort: Effort
) -> np.ndarray:
    """The slot of each rack, int64[racks], with the least cost of all cables, host cables included, that the search finds.

    Parameters
    ----------
    topology : Topology
    racks : Racks
    slots : Slots
    slot : int64[racks]
        The slots to start from; the result is never worse.
    prices : Prices
        The price of a cable between two slots.
    method : "anneal", "tabu" or "both"
    effort : Effort
        Seed, seconds or moves, and what can stop the search.

    Returns
    -------
    int64[racks]
        `slot` itself where slots have different limits.
    """
    # A host's rack becomes a switch of this network, so that its cables count as links do.
    n = topology.switches
    links = np.concatenate([topology.links, np.stack([topology.endpoints, n + racks.host[topology.host]], axis=1)])
    whole = Topology(links=links, switches=n + len(racks), name=topology.name)
    rack_of = np.concatenate([racks.switch, np.arange(len(racks))])
    if len(np.unique(slots.limits, axis=0)) > 1:
        return slot
    mapped = map_racks(whole, rack_of, slots, prices, method, effort)
    return mapped if prices.total(whole, mapped[rack_of]) < prices.total(whole, slot[rack_of]) else slot
