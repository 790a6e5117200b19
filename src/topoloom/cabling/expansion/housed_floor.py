"""The floor of a growing network whose hosts stand in racks: new hosts and switches fill racks, then take free slots."""

from dataclasses import replace

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.hosts.racks import RackCapacity, units_of
from topoloom.placement.layout.layout import Layout


class HousedFloor(GrowingFloor):
    """The places of switches and hosts, and the free space of racks.

    Racks stay where they are. A unit is the hosts that share leaves, with these leaves. A new unit that fits into one rack goes
    to a rack with room for all of it, else to a free slot. Otherwise its leaves go to racks of leaves and its hosts to racks of
    hosts: of their own unit, of another, or in a free slot; among these, where their cables are shortest. Switches without
    hosts go to racks without hosts.

    Parameters
    ----------
    layout : Layout
        With hosts in racks.
    more : int
        The largest number of racks to be added.
    switch_w : float
        Power of a switch that a rack must supply, W.
    """

    def __init__(self, layout: Layout, more: int, switch_w: float) -> None:
        super().__init__(layout, more, switch_w)
        if layout.housing is None:
            raise InputError("this layout has no racks of hosts")
        self._housing = layout.housing
        kinds, kind = np.unique(self.slots.limits, axis=0, return_inverse=True)
        self._capacities = [RackCapacity.of(layout.housing, switch_w, limits) for limits in kinds]
        #: The capacity of each slot, by its number there.
        self._kind = kind.reshape(-1)
        #: Whether a rack of a capacity holds these numbers of switches and hosts.
        self._held: dict[tuple[int, int, int], bool] = {}
        self._switches = np.bincount(self._slot, minlength=len(self.slots))
        self._hosts = np.bincount(self._host_slot, minlength=len(self.slots))
        self._carriers = np.unique(layout.topology.endpoints)

    def demands(self, topology: Topology) -> np.ndarray:
        """Demand of each switch, float64[switches, 3]: one place, no hosts, which stand elsewhere, and its power in W."""
        demands = np.zeros((topology.switches, 3))
        demands[:, 0], demands[:, 2] = 1, self._switch_w
        return demands

    def stand(self, slot: int, loads: np.ndarray) -> None:
        """Put the next new switches into a slot."""
        super().stand(slot, loads)
        self._switches[slot] += len(loads)

    def candidates(self, loads: np.ndarray, group: int | None = None) -> np.ndarray:
        """The slots that can hold all these new switches without hosts: racks without hosts, else free slots; int64[...]."""
        return self._open(self._fits(len(loads), 0), (self._switches > 0) & (self._hosts == 0))

    def span(self, switch: int, host: int) -> tuple[float, bool]:
        """The length in m of the cable between a switch and a host, and whether it runs between racks."""
        at, to = self._slot[switch], self._host_slot[host]
        return float(self.length_m(at, to)), bool(at != to)

    def settle(self, topology: Topology, chosen: dict[int, int]) -> None:
        """Put all switches and hosts of `topology` without a slot into slots; a method must not have `chosen` any.

        Raises
        ------
        InputError
            The floor is full.
        """
        if chosen:
            raise InputError(
                "method splice-near chooses racks of switches, but hosts have racks here; use method splice"
            )
        slot, host_slot = np.full(topology.switches, -1), np.full(topology.hosts, -1)
        slot[: self._slot.size], host_slot[: self._host_slot.size] = self._slot, self._host_slot
        ends = np.concatenate([topology.links, topology.links[:, ::-1]])
        if topology.hosts:
            for leaves, hosts in units_of(topology):
                if (slot[leaves] < 0).any() or (host_slot[hosts] < 0).any():
                    self._unit(leaves, hosts, slot, host_slot, ends)
        for switch in np.flatnonzero(slot < 0).tolist():
            slots = self.candidates(np.ones((1, 3)))
            self._place(switch, slots, self._near(ends, slot, np.array([switch])), slot)
        self._slot, self._host_slot = slot, host_slot

    def layout(self, topology: Topology, rows: int, plant: Plant | None = None) -> Layout:
        """The layout, with hosts in racks, on the floor without the empty rows (or columns) added at its end.

        Parameters
        ----------
        topology : Topology
        rows : int
        plant : Plant, optional

        Returns
        -------
        Layout
        """
        return replace(super().layout(topology, rows, plant), housing=self._housing)

    def _unit(
        self, leaves: np.ndarray, hosts: np.ndarray, slot: np.ndarray, host_slot: np.ndarray, ends: np.ndarray
    ) -> None:
        """Put the new leaves and hosts of a unit into slots; `slot` and `host_slot` are updated."""
        new, guests = leaves[slot[leaves] < 0], hosts[host_slot[hosts] < 0]
        own = np.concatenate([slot[leaves], host_slot[hosts]])
        near = own[own >= 0] if (own >= 0).any() else self._near(ends, slot, leaves)
        rule = self._housing.rack.leaf
        if rule in ("auto", "tor") and new.size == leaves.size and guests.size == hosts.size:
            together = self._open(self._fits(new.size, guests.size), (self._switches > 0) & (self._hosts > 0))
            if together.size:
                place = self._nearest(together, near)
                slot[new], host_slot[guests] = place, place
                self._switches[place] += new.size
                self._hosts[place] += guests.size
                return
        for leaf in new.tolist():
            self._place(leaf, self._open(self._fits(1, 0), (self._switches > 0) & (self._hosts == 0)), near, slot)
            near = slot[leaves[slot[leaves] >= 0]]
        while guests.size:
            fits = self._fits(0, 1)
            mates = np.zeros(len(self.slots), bool)
            standing = host_slot[hosts]
            mates[standing[standing >= 0]] = True
            slots = np.flatnonzero(fits & mates)
            slots = slots if slots.size else self._open(fits, (self._hosts > 0) & (self._switches == 0))
            if not slots.size:
                raise self._full(f"{guests.size} hosts")
            place = self._nearest(slots, near)
            count = 1
            while count < guests.size and self._holds(place, 0, count + 1):
                count += 1
            host_slot[guests[:count]] = place
            self._hosts[place] += count
            guests = guests[count:]

    def _fits(self, switches: int, hosts: int) -> np.ndarray:
        """Whether each slot has room for that many more switches and hosts, bool[slots]."""
        contents = np.stack([self._kind, self._switches, self._hosts], axis=1)
        _, first, number = np.unique(contents, axis=0, return_index=True, return_inverse=True)
        return np.array([self._holds(slot, switches, hosts) for slot in first.tolist()])[number.reshape(-1)]

    def _holds(self, slot: int, switches: int, hosts: int) -> bool:
        """Whether a slot has room for that many more switches and hosts: the same limits as where racks are planned."""
        asked = int(self._kind[slot]), int(self._switches[slot]) + switches, int(self._hosts[slot]) + hosts
        if asked not in self._held:
            self._held[asked] = self._capacities[asked[0]].holds(*asked[1:])
        return self._held[asked]

    def _open(self, fits: np.ndarray, preferred: np.ndarray) -> np.ndarray:
        """The slots with room that hold a rack of the preferred kind; else the free ones; int64[...]."""
        free = (self._switches == 0) & (self._hosts == 0)
        free[self._panel_slot] = False
        return np.flatnonzero(fits & preferred) if (fits & preferred).any() else np.flatnonzero(fits & free)

    def _nearest(self, slots: np.ndarray, near: np.ndarray) -> int:
        """The slot with the shortest cables to the slots `near`; the first of equal ones."""
        every, count = np.unique(near, return_counts=True)
        total_m = self.length_m(slots[:, None], every[None, :]) @ count
        return int(slots[np.round(total_m, 6).argmin()])

    def _place(self, switch: int, slots: np.ndarray, near: np.ndarray, slot: np.ndarray) -> None:  # type: ignore[override]
        """Put a switch into the slot nearest to `near`; `slot` is updated."""
        if not slots.size:
            raise self._full(f"switch {switch}")
        slot[switch] = self._nearest(slots, near)
        self._switches[slot[switch]] += 1

    def _near(self, ends: np.ndarray, slot: np.ndarray, switches: np.ndarray) -> np.ndarray:
        """The slots to which the cords or links of switches lead, int64[...]."""
        return self._cords_of(switches, _neighbours(ends, slot, switches))

    def _full(self, what: str) -> InputError:
        return InputError(
            f"floor '{self.floor.name}': no rack has room for {what}, and no slot is free; give a floor with more rows or"
            " slots, or racks that hold more"
        )


def _neighbours(ends: np.ndarray, slot: np.ndarray, switches: np.ndarray) -> np.ndarray:
    """The slots of the switches to which some are linked, one per cable, int64[...]; all slots in use if none has a slot."""
    near = slot[ends[np.isin(ends[:, 0], switches), 1]]
    near = near[near >= 0]
    return near if near.size else np.unique(slot[slot >= 0])
