"""Trunks between racks, between rows, or to a central patch field: the links of two zones share trunks of many fibres."""

from dataclasses import dataclass

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.plant import Plant


def zone_plant(topology: Topology, zone: np.ndarray, slot_of_zone: np.ndarray, kit: Kit, method: str) -> Plant:
    """Trunks between zones, whose panels stand in a slot of each zone.

    The links of two zones fill trunks, the lowest first. A trunk of which less than half would be used is not laid: its links,
    and those within a zone, are cables of their own.

    Parameters
    ----------
    topology : Topology
    zone : int64[switches]
        The zone of each switch, from 0.
    slot_of_zone : int64[zones]
    kit : Kit
    method : str
    """
    ends = zone[topology.links]
    apart = np.flatnonzero(ends[:, 0] != ends[:, 1])
    low, high = np.sort(ends[apart], axis=1).T
    group = low * slot_of_zone.size + high
    runs = _Runs.of(group, kit.panel.front)
    links, run, place = apart[runs.member], runs.number, runs.place
    first_of_run = np.searchsorted(run, np.arange(runs.count))
    zones = np.stack([low, high], axis=1)[runs.member][first_of_run]
    n = topology.switches
    # Two panels per trunk: 2 t at the zone with the lower number, 2 t + 1 at the other.
    trunks = np.stack([_ports(n, 2 * np.arange(runs.count) + end, kit.panel.front) for end in (0, 1)], axis=1)
    ports = np.zeros((len(topology.links), 2), np.int64)
    ports[links] = topology.link_ports[links]
    cords = []
    for end in (0, 1):
        upper = ends[links, end] != zones[run, 0]
        switch = np.stack([topology.links[links, end], ports[links, end]], axis=1)
        cords.append(np.stack([switch, _ports(n, 2 * run + upper, place)], axis=1))
    return Plant(
        method=method,
        switches=n,
        link_pairs=kit.link_pairs,
        panels=(kit.panel,),
        fibres=(kit.cord, kit.trunk),
        panel=np.zeros(2 * runs.count),
        slot=slot_of_zone[zones].reshape(-1),
        fibre=np.repeat([0, 1], [2 * links.size, runs.count]),
        ends=np.concatenate([*cords, trunks]),
        links=topology.links,
        ports=ports,
    )


def field_plant(topology: Topology, slot: np.ndarray, field: np.ndarray, per_rack: int, kit: Kit) -> Plant:
    """Trunks from every rack to a central patch field, where cords join the links of any two racks.

    A change of the network then moves cords in the field only.

    Parameters
    ----------
    topology : Topology
    slot : int64[switches]
        The slot of each switch.
    field : int64[racks of the field]
        The slots of the field's racks.
    per_rack : int
        Panels per rack of the field; the last rack takes all that are left.
    kit : Kit
    """
    n, joined = topology.switches, topology.links
    apart = np.flatnonzero(slot[joined[:, 0]] != slot[joined[:, 1]])
    # The ends of all these links, at their racks: end 2 i + e is end e of the i-th.
    switch = joined[apart].reshape(-1).astype(np.int64)
    port = topology.link_ports[apart].reshape(-1)
    order = np.lexsort((port, switch, slot[switch]))
    runs = _Runs.of(slot[switch][order], kit.panel.front, least=1)
    run, place = np.empty(switch.size, np.int64), np.empty(switch.size, np.int64)
    at = order[runs.member]
    run[at], place[at] = runs.number, runs.place
    first_of_run = np.searchsorted(runs.number, np.arange(runs.count))
    of_rack = slot[switch[at]][first_of_run]
    in_field = field[np.minimum(np.arange(runs.count) // per_rack, field.size - 1)] if runs.count else np.zeros(0)
    trunks = np.stack([_ports(n, 2 * np.arange(runs.count) + end, kit.panel.front) for end in (0, 1)], axis=1)
    local = np.stack([np.stack([switch, port], axis=1), _ports(n, 2 * run, place)], axis=1)
    middle = _ports(n, 2 * run + 1, place).reshape(-1, 2, 2)
    ports = np.zeros((len(joined), 2), np.int64)
    ports[apart] = topology.link_ports[apart]
    return Plant(
        method="field",
        switches=n,
        link_pairs=kit.link_pairs,
        panels=(kit.panel,),
        fibres=(kit.cord, kit.trunk),
        panel=np.zeros(2 * runs.count),
        slot=np.stack([of_rack, in_field], axis=1).reshape(-1),
        fibre=np.repeat([0, 1], [local.shape[0] + middle.shape[0], runs.count]),
        ends=np.concatenate([local, middle, trunks]),
        links=joined,
        ports=ports,
    )


def _ports(switches: int, panel: np.ndarray, port: np.ndarray | int) -> np.ndarray:
    """Devices and ports, int64[panels, 2]."""
    return np.stack([switches + panel, np.broadcast_to(port, panel.shape)], axis=1)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Members of groups, cut into runs of a trunk each.

    Attributes
    ----------
    member : int64[n]
        The members that are on a trunk, run by run.
    number, place : int64[n]
        The run of each, and its place in it.
    count : int
        Number of runs.
    """

    member: np.ndarray
    number: np.ndarray
    place: np.ndarray
    count: int

    @classmethod
    def of(cls, group: np.ndarray, size: int, least: int | None = None) -> "_Runs":
        """Cut groups into runs of `size`; a last run of fewer than `least` (half of `size`) is dropped."""
        least = -(-size // 2) if least is None else least
        order = np.argsort(group, kind="stable")
        ordered = group[order]
        place = np.arange(order.size) - np.searchsorted(ordered, ordered)
        total = np.searchsorted(ordered, ordered, side="right") - np.searchsorted(ordered, ordered)
        in_run = np.minimum(total - place // size * size, size)
        on = in_run >= least
        order, place, ordered = order[on], place[on], ordered[on]
        starts = np.flatnonzero(place % size == 0)
        number = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
        return cls(order, number, place % size, int(starts.size))
