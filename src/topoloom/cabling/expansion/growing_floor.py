"""The floor of a growing network: racks stay in place, and new switches go where their cables are short."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.floors.slots import NO_LIMIT
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.racks import switch_demands

#: Number of free slots to try for a new rack: those nearest to the slots in use.
_TRIED = 256


class GrowingFloor:
    """The places of switches, and the free space.

    A rack holds what its slot allows. New switches go to a rack of their group if one exists; on a floor without a limit of
    switches a new group gets a rack, and switches without groups fill racks in sequence. A floor whose size depends on its
    racks gets more rows (or columns, if its rows are given); existing slots keep their names and places.

    Parameters
    ----------
    layout : Layout
    more : int
        The largest number of switches to be added.
    switch_w : float
        Power of a switch in W, if the floor limits it.
    group : int64[switches] or None
        The groups of all future switches; None if they have none.
    """

    def __init__(self, layout: Layout, more: int, switch_w: float = 0.0, group: np.ndarray | None = None) -> None:
        self._switch_w, self._group, self._switch_u = switch_w, group, layout.switch_u
        self.floor, self.slots, self._slot = layout.floor, layout.slots, layout.slot.astype(np.int64)
        #: The slot of every host's rack; empty where hosts stand with their switches.
        self._host_slot = np.empty(0, np.int64) if layout.host_slot is None else layout.host_slot.astype(np.int64)
        #: The slot of every panel's rack.
        self._panel_slot = np.empty(0, np.int64) if layout.plant is None else layout.plant.slot.astype(np.int64)
        #: The slots to which the cords of a new switch lead, by its number; switches without an entry follow their links.
        self.cords_to: dict[int, np.ndarray] = {}
        self._columns, self._grown = layout.slots.columns, ""
        self._widen(more)
        self._limits = self.slots.limits.copy()
        #: Whether groups alone determine how many switches each rack holds.
        self._by_group = group is not None and not np.isfinite(self._limits[:, :2]).any()
        if group is None:
            hosts = self.floor.sequence_hosts
            usual = np.array([self.floor.sequence_rack, NO_LIMIT if hosts is None else hosts, NO_LIMIT])
            self._limits = np.where(np.isfinite(self._limits), self._limits, usual)
        self._used = np.zeros((len(self.slots), 3))
        np.add.at(self._used, self._slot, self.demands(layout.topology))

    def _widen(self, more: int) -> None:
        """Add space for `more` racks, if the floor can grow."""
        floor, slots = self.floor, self.slots
        if floor.fixed is not None or (floor.rows is not None and floor.columns is not None):
            return
        wanted = len(slots) + more
        if floor.rows is None:
            self._grown, self.floor = "rows", replace(floor, columns=slots.columns, rows=-(-wanted // slots.columns))
        else:
            columns = -(-wanted // slots.rows)
            self._grown, self.floor = "columns", replace(floor, columns=columns)
            self._slot = _widened(self._slot, slots.columns, columns)
            self._host_slot = _widened(self._host_slot, slots.columns, columns)
            self._panel_slot = _widened(self._panel_slot, slots.columns, columns)
        self.slots = self.floor.slots_for(1)

    @property
    def panel_slot(self) -> np.ndarray:
        """The slot of every panel, int64[panels]."""
        return self._panel_slot

    @property
    def panel_racks(self) -> np.ndarray:
        """The slots of racks that only panels stand in, int64[...]."""
        return np.setdiff1d(self._panel_slot, np.concatenate([self._slot, self._host_slot]))

    @property
    def free(self) -> np.ndarray:
        """The slots without a rack, int64[...]."""
        return np.setdiff1d(np.arange(len(self.slots)), list(self.in_use))

    def stand_panels(self, slots: np.ndarray) -> None:
        """Put the next new panels into slots."""
        self._panel_slot = np.concatenate([self._panel_slot, np.asarray(slots, np.int64)])

    @property
    def slot(self) -> np.ndarray:
        """The slot of every existing switch, int64[switches]."""
        return self._slot

    @property
    def in_use(self) -> set[int]:
        """The slots with a rack."""
        return set(self._slot.tolist()) | set(self._host_slot.tolist()) | set(self._panel_slot.tolist())

    def demands(self, topology: Topology) -> np.ndarray:
        """Demand of each switch, float64[switches, 3]: one place, its hosts, and its power in W."""
        return switch_demands(topology, self._switch_w)

    def span(self, switch: int, host: int) -> tuple[float, bool]:
        """The length in m of the cable between a switch and a host, and whether it runs between racks."""
        return self.floor.inside_m, False

    def length_m(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The length of a cable between slots in m, float64, shaped like `a` and `b`."""
        return self.floor.cable_m(self.slots.apart_m(a, b), np.asarray(a) != np.asarray(b))

    def candidates(self, loads: np.ndarray, group: int | None = None) -> np.ndarray:
        """The slots that can hold all these new switches, int64[...].

        Racks of their group; if none of these has space, other racks; if none of these either, free slots. `loads` is the
        demand of each of the switches, float64[switches, 3].
        """
        fits = (self._used + loads.sum(axis=0) <= self._limits + 1e-9).all(axis=1)
        fits[self.panel_racks] = False
        stands = self._used[:, 0] > 0
        if self._group is not None and group is not None:
            own = np.zeros(len(self.slots), bool)
            own[self._slot[self._group[: self._slot.size] == group]] = True
            if (fits & own).any():
                return np.flatnonzero(fits & own)
        if (fits & stands).any() and not self._by_group:
            return np.flatnonzero(fits & stands)
        free = np.flatnonzero(fits & ~stands)
        if free.size > _TRIED:
            used = np.flatnonzero(stands)
            # The middle of the existing racks is near to most of them.
            near = self.slots.apart_m(free[:, None], used[None, :]).min(axis=1)
            free = np.sort(free[np.argsort(near, kind="stable")[:_TRIED]])
        return free

    def pieces(self, loads: np.ndarray, group: np.ndarray | None = None) -> list[np.ndarray]:
        """New switches in their order, cut where another group begins and into sets that fit a rack: a list of indices.

        Raises
        ------
        InputError
            A single switch exceeds the limits of every slot.
        """
        most = self._limits.max(axis=0)
        pieces: list[np.ndarray] = []
        start, taken = 0, np.zeros(3)
        for i, load in enumerate(loads):
            if (load > most + 1e-9).any():
                raise InputError(
                    f"floor '{self.floor.name}': a new switch exceeds the limits of every rack; raise them"
                )
            other = group is not None and i > 0 and group[i] != group[i - 1]
            if other or (taken + load > most + 1e-9).any():
                if i > start:
                    pieces.append(np.arange(start, i))
                start, taken = i, np.zeros(3)
            taken = taken + load
        pieces.append(np.arange(start, len(loads)))
        return pieces

    def stand(self, slot: int, loads: np.ndarray) -> None:
        """Put the next new switches into a slot."""
        self._slot = np.concatenate([self._slot, np.full(len(loads), slot)])
        self._used[slot] += loads.sum(axis=0)

    def settle(self, topology: Topology, chosen: dict[int, int]) -> None:
        """Put all switches of `topology` without a slot into slots: `chosen`, or those with the shortest cables.

        Raises
        ------
        InputError
            The floor is full.
        """
        first = self._slot.size
        loads = self.demands(topology)[first:]
        ends = np.concatenate([topology.links, topology.links[:, ::-1]])
        groups = None if self._group is None else self._group[first : first + len(loads)]
        for piece in self.pieces(loads, groups) if len(loads) else []:
            switches = first + piece
            if int(switches[0]) in chosen:
                for switch in switches.tolist():
                    self.stand(chosen[switch], loads[[switch - first]])
                continue
            slots = self.candidates(loads[piece], self._group_of(switches))
            if slots.size:
                self._place(ends, switches, loads[piece], slots)
                continue
            # No slot has space for all of them together.
            for switch in switches.tolist():
                single, load = np.array([switch]), loads[[switch - first]]
                slots = self.candidates(load, self._group_of(single))
                if not slots.size:
                    raise InputError(
                        f"floor '{self.floor.name}': no space for switch {switch} of {topology.name}: all"
                        f" {len(self.slots)} slots are full; give a floor with more rows or slots, or let a rack hold more"
                    )
                self._place(ends, single, load, slots)

    def layout(self, topology: Topology, rows: int, plant: Plant | None = None) -> Layout:
        """The layout, on the floor without the empty rows (or columns) added at its end; `rows` existed before.

        Parameters
        ----------
        topology : Topology
        rows : int
        plant : Plant, optional
            Its panels are in the order in which they were placed.

        Returns
        -------
        Layout
        """
        floor, slots, slot, host_slot = self.floor, self.slots, self._slot, self._host_slot
        panel_slot = self._panel_slot
        used = np.concatenate([slot, host_slot, panel_slot])
        if self._grown == "rows":
            floor = replace(floor, rows=max(rows, int(used.max()) // slots.columns + 1))
        elif self._grown == "columns":
            columns = max(self._columns, int((used % slots.columns).max()) + 1)
            floor = replace(floor, columns=columns)
            slot = _widened(slot, slots.columns, columns)
            host_slot, panel_slot = (_widened(each, slots.columns, columns) for each in (host_slot, panel_slot))
        slots = slots if self._grown == "" else floor.slots_for(1)
        stands = host_slot.astype(np.int32) if host_slot.size else None
        plant = None if plant is None else replace(plant, slot=panel_slot)
        grown = Layout(topology, floor, slots, slot.astype(np.int32), made="grown", host_slot=stands, plant=plant)
        return replace(grown, switch_u=self._heights(topology.switches))

    def _heights(self, switches: int) -> float | np.ndarray:
        """The heights of all switches: existing ones keep theirs, and new ones are as high as the highest."""
        stands = self._switch_u
        if not isinstance(stands, np.ndarray):
            return stands
        return np.append(stands, np.full(switches - stands.size, stands.max()))

    def _place(self, ends: np.ndarray, switches: np.ndarray, loads: np.ndarray, slots: np.ndarray) -> None:
        """Put switches into the slot with the shortest total cable length."""
        near = ends[np.isin(ends[:, 0], switches), 1]
        near_slot = self._cords_of(switches, self._slot[near[near < self._slot.size]])
        total_m = self.length_m(slots[:, None], near_slot[None, :]).sum(axis=1)
        # Sums that differ only in their last digits are equal; then the first slot is chosen.
        self.stand(int(slots[np.round(total_m, 6).argmin()]), loads)

    def _cords_of(self, switches: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        """The slots to which the cords of switches lead, int64[...]; `otherwise` where these are not stated."""
        stated = [self.cords_to[switch] for switch in switches.tolist() if switch in self.cords_to]
        return np.concatenate(stated) if stated else otherwise

    def _group_of(self, switches: np.ndarray) -> int | None:
        return None if self._group is None else int(self._group[switches[0]])


def _widened(slot: np.ndarray, columns: int, now: int) -> np.ndarray:
    """The numbers of slots on a floor of `now` columns, which had `columns`; int64, shaped like `slot`."""
    row, column = np.divmod(slot, columns)
    return np.asarray(row * now + column)


def with_rows(layout: Layout, rows: int) -> Layout:
    """The same layout on a floor with more rows.

    Raises
    ------
    InputError
        The floor's slots are listed, or it would have fewer rows.
    """
    slots = layout.slots
    if layout.floor.fixed is not None or not slots.columns:
        raise InputError(f"floor '{layout.floor.name}': its slots are listed; add slots to its file instead of rows")
    if rows < slots.rows:
        raise InputError(f"floor '{layout.floor.name}': it has {slots.rows} rows; an existing network keeps them")
    floor = replace(layout.floor, rows=rows, columns=slots.columns)
    return replace(layout, floor=floor, slots=floor.slots_for(1), length_bound_m=0.0)
