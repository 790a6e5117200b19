"""Layouts: a topology on a floor, with the slot of every switch and the length of every cable."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.core.work import Ended
from topoloom.figures.print_formats import StyleName, WidthName
from topoloom.figures.style import Axes
from topoloom.model.results import Filed, Provenance
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.summary import PanelDevice, PassiveParts, panel_units, passive_parts
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.hosts.stack import Stack, host_units, piled, switch_units
from topoloom.placement.layout.stated import Stated, placed_units, with_stated

#: A record lists the rack of every switch for networks up to this size; the folder of a layout always lists it.
_MOST_NAMED = 4096


@dataclass(frozen=True, eq=False)
class Layout(Filed):
    """The slot of every switch and the length of every cable: immutable, equal by content.

    `save` writes a folder, and `load` reads one: the cables as `topoloom.cable` lists them with the default catalogue, and the
    floor (docs/how-to/order-and-label-cables.md). A record alone cannot be read back.

    Attributes
    ----------
    topology : Topology
    floor : Floor
        The rules.
    slots : Slots
        The places of the floor.
    slot : int32[switches]
        The slot of each switch's rack.
    made : str
        How the layout was made: cluster, map, seed.
    length_bound_m : float
        A lower bound on the total cable length for these slots and limits; 0 where it was not computed.
    ended : "done", "deadline" or "interrupted"
        "done" if the searches were completed; otherwise why `work` ended them early.
    housing : Housing, optional
        The hosts and their racks; None where every host stands with its switch.
    host_slot : int32[hosts], optional
        The slot of each host's rack; None where every host stands with its switch.
    switch_u : float or float64[switches]
        The height of a switch in units, where hosts have no racks; else `housing.rack` has it. Or that of each switch, where
        they differ.
    stated : Stated, optional
        Lengths and units that the source of a cabled network states, in place of those of the floor.
    host_at : float64[hosts], optional
        The lowest unit of each host in its rack, where a machine decided it: its other networks use the same racks.
    plant : Plant, optional
        The panels, cords and trunks that links pass through; None where every link is a cable of its own.
    """

    record_name = "layout"
    record_version = 3
    written_by = "topoloom.cabling.files.save_layout"
    read_by = "topoloom.cabling.files.load_layout"
    unrecorded = ("floor", "slots", "slot", "housing", "host_slot", "switch_u", "stated", "host_at", "plant")
    derived = (
        "floor_name",
        "places",
        "racks",
        "switches_per_rack",
        "links",
        "links_between",
        "rack_pairs",
        "total_m",
        "mean_length_m",
        "least_mean_m",
        "mean_between_m",
        "longest_m",
        "rack_of_switch",
        "host_cables",
        "host_total_m",
        "host_longest_m",
        "hosts_per_rack",
        "passive",
    )

    topology: Topology
    floor: Floor
    slots: Slots
    slot: np.ndarray
    made: str = ""
    length_bound_m: float = 0.0
    ended: Ended = "done"
    housing: Housing | None = None
    host_slot: np.ndarray | None = None
    switch_u: float | np.ndarray = 1.0
    stated: Stated | None = None
    host_at: np.ndarray | None = None
    plant: Plant | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def __post_init__(self) -> None:
        if self.plant is not None:
            # Its lengths are those of this floor, also after a rack was moved.
            object.__setattr__(self, "plant", self.plant.placed(self.slots, self.floor, np.asarray(self.slot)))
        for name in ("slot", "host_slot"):
            if getattr(self, name) is not None:
                slot = np.array(getattr(self, name), np.int32)
                slot.flags.writeable = False
                object.__setattr__(self, name, slot)
        if isinstance(self.switch_u, np.ndarray):
            own = np.array(self.switch_u, np.float64)
            own.flags.writeable = False
            object.__setattr__(self, "switch_u", own)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return (
            self.topology == other.topology
            and self.rack_names == other.rack_names
            and np.array_equal(self.rack, other.rack)
            and np.array_equal(self.length_m, other.length_m)
            and self.housing == other.housing
            and np.array_equal(self.host_length_m, other.host_length_m)
            and self.plant == other.plant
        )

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> list[dict[str, Any]]:
        """One row per link: the switches ``a`` and ``b``, their racks, and the length of the cable."""
        names = self.rack_names
        columns = (self.topology.links.tolist(), self.rack[self.topology.links].tolist(), self.length_m.tolist())
        return [
            {"a": a, "b": b, "a_rack": names[at], "b_rack": names[to], "length_m": length_m}
            for (a, b), (at, to), length_m in zip(*columns, strict=True)
        ]

    def plot(
        self, ax: "Axes | None" = None, *, style: StyleName | None = None, width: WidthName | None = None
    ) -> "Axes":
        """The floor from above, x to the right and y upwards: racks, darker the more cables leave them, and bundles.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A new figure when omitted.
        style, width
            Refused: such a picture has a scale of its own.

        Returns
        -------
        Axes

        Raises
        ------
        InputError
            `style` or `width` is given.
        """
        from topoloom.figures.floor_plan import plan_alone
        from topoloom.figures.print_formats import refuse_print

        refuse_print(style, width)
        return plan_alone(self, ax)

    @property
    def floor_name(self) -> str:
        """The name of the floor."""
        return self.floor.name

    @property
    def passive(self) -> PassiveParts | None:
        """The panels, cords and trunks in figures; None where every link is a cable of its own."""
        return None if self.plant is None else passive_parts(self.plant, self.slot)

    @property
    def places(self) -> int:
        """Number of slots of the floor."""
        return len(self.slots)

    @property
    def switches_per_rack(self) -> int:
        """Number of switches in the fullest rack."""
        return int(np.bincount(self.rack).max(initial=0))

    @property
    def links(self) -> int:
        """Number of cables between switches."""
        return len(self.topology.links)

    @property
    def links_between(self) -> int:
        """Number of cables between switches of different racks."""
        return int(self.between.sum())

    @property
    def rack_pairs(self) -> int:
        """Number of pairs of racks with cables between them, that is, of bundles."""
        return len(self.bundles[0])

    @property
    def least_mean_m(self) -> float | None:
        """A lower bound on the mean length for these slots and limits; None where it was not computed."""
        return self.length_bound_m / self.links if self.length_bound_m and self.links else None

    @property
    def rack_of_switch(self) -> list[str] | None:
        """The name of each switch's rack; None for more than 4,096 switches."""
        if self.topology.switches > _MOST_NAMED:
            return None
        return [self.rack_names[rack] for rack in self.rack.tolist()]

    @cached_property
    def used(self) -> np.ndarray:
        """The slots with a rack, int64[racks], in increasing order."""
        holding = [self.slot]
        holding += [] if self.host_slot is None else [self.host_slot]
        holding += [] if self.plant is None else [self.plant.slot]
        return np.unique(np.concatenate(holding))

    @property
    def racks(self) -> int:
        """Number of racks."""
        return len(self.used)

    @cached_property
    def rack(self) -> np.ndarray:
        """The rack of every switch, int32[switches], numbered from 0 in the order of their slots."""
        return np.searchsorted(self.used, self.slot).astype(np.int32)

    @cached_property
    def host_rack(self) -> np.ndarray:
        """The rack of every host, int32[hosts]: its own, or that of the switch at its first port."""
        if self.host_slot is not None:
            return np.searchsorted(self.used, self.host_slot).astype(np.int32)
        _, first = np.unique(self.topology.host, return_index=True)
        return np.asarray(self.rack[self.topology.endpoints[first]])

    @cached_property
    def stack(self) -> Stack:
        """The order of devices in a rack, and their heights: of switches, that of the tallest."""
        if self.housing is not None:
            return Stack.of(self.housing)
        return Stack(0.0, switch_units(float(np.max(self.switch_u))))

    @cached_property
    def switch_units(self) -> np.ndarray:
        """The units that each switch occupies, float64[switches]."""
        if not isinstance(self.switch_u, np.ndarray):
            return np.full(self.topology.switches, self.stack.switch_u, np.float64)
        heights, number = np.unique(self.switch_u, return_inverse=True)
        return np.array([switch_units(u) for u in heights.tolist()])[number.reshape(-1)]

    @cached_property
    def _piled(self) -> tuple[np.ndarray, np.ndarray]:
        """The units below each switch, above the hosts of its rack; and the units of all switches of each rack."""
        if isinstance(self.switch_u, np.ndarray):
            return piled(self.switch_units, self.rack, self.racks)
        each = self.stack.switch_u
        below = np.floor(_ranks(self.rack, self.racks) * each + 1e-9).astype(np.int64)
        return below, self.switches_in_rack * each

    @property
    def switches_u(self) -> np.ndarray:
        """The units of all switches of each rack, float64[racks]."""
        return self._piled[1]

    @cached_property
    def rack_u(self) -> np.ndarray:
        """The units in use of each rack, up to the top of its highest device, float64[racks]."""
        if self.plant is None:
            return self._devices_u
        own_u = np.bincount(np.searchsorted(self.used, self.plant.slot), self.plant.units, self.racks)
        return np.where(own_u > 0, np.ceil(self._devices_u) + own_u, self._devices_u)

    @cached_property
    def _devices_u(self) -> np.ndarray:
        """As `rack_u`, without panels."""
        if self.housing is not None and self.host_at is not None:
            top = np.zeros(self.racks)
            np.maximum.at(top, self.rack, self.height - 1 + self.switch_units)
            for kind, hosts in self.housing.kinds(self.topology.hosts):
                np.maximum.at(top, self.host_rack[hosts], self.host_at[hosts] - 1 + host_units(kind.units))
            return top
        columns = self.switches_in_rack.tolist(), self.hosts_in_rack.tolist(), self.switches_u.tolist()
        contents = list(zip(*columns, strict=True))
        height = {each: self.stack.height(*each) for each in set(contents)}
        used = np.array([height[each] for each in contents])
        if self._stated_unit is not None:
            np.maximum.at(used, self.rack, self._stated_unit - 1 + self.switch_units)
        return used

    def devices_in(self, rack: int) -> list[tuple[str, RackDevice | PanelDevice, float | None]]:
        """The name, the kind and the lowest unit of each further device of a rack; none in racks that a machine shares.

        Parameters
        ----------
        rack : int
        """
        if self.housing is not None and self.housing.shared:
            return self._panels_in(rack)
        counts = int(self.switches_in_rack[rack]), int(self.hosts_in_rack[rack]), float(self.switches_u[rack])
        numbers: Counter[str] = Counter()
        devices: list[tuple[str, RackDevice | PanelDevice, float | None]] = self._panels_in(rack)
        for device, unit in zip(self.stack.present(counts[1]), self.stack.device_units(*counts), strict=True):
            numbers[device.name] += 1
            devices.append((f"{self.rack_names[rack]} {device.name} {numbers[device.name]}", device, unit))
        return devices

    def _panels_in(self, rack: int) -> list[tuple[str, RackDevice | PanelDevice, float | None]]:
        """The panels of a rack, above all other devices."""
        if self.plant is None:
            return []
        return list(panel_units(self.plant, int(self.used[rack]), float(self._devices_u[rack])))

    @cached_property
    def hosts_in_rack(self) -> np.ndarray:
        """Number of hosts that stand in each rack, int64[racks]; 0 where hosts stand with their switches."""
        if self.host_slot is None:
            return np.zeros(self.racks, np.int64)
        return np.bincount(self.host_rack, minlength=self.racks)

    @cached_property
    def switches_in_rack(self) -> np.ndarray:
        """Number of switches in each rack, int64[racks]."""
        return np.bincount(self.rack, minlength=self.racks)

    @cached_property
    def host_unit(self) -> np.ndarray:
        """The lowest unit of every host in its rack, float64[hosts], from 1; meaningful only where hosts stand in racks."""
        if self.host_at is not None:
            return self.host_at
        rank = _ranks(self.host_rack, self.racks)
        return np.asarray(self.stack.host_bottoms(int(rank.max(initial=-1)) + 1)[rank])

    @cached_property
    def host_between(self) -> np.ndarray:
        """Whether the cable of each endpoint runs between racks, bool[endpoints]."""
        topology = self.topology
        if self.host_slot is None:
            return np.zeros(topology.endpoints.size, bool)
        return np.asarray(self.slot[topology.endpoints] != self.host_slot[topology.host])

    @cached_property
    def host_length_m(self) -> np.ndarray:
        """The length of the cable of each endpoint, float64[endpoints]: inside a rack, or from a leaf to the host's rack."""
        topology = self.topology
        if self.host_slot is None:
            own_m = np.full(topology.endpoints.size, self.floor.inside_m)
        else:
            apart_m = self.slots.apart_m(self.slot[topology.endpoints], self.host_slot[topology.host])
            own_m = self.floor.cable_m(apart_m, self.host_between)
        return own_m if self.stated is None else with_stated(own_m, self.stated.host_m)

    @property
    def host_cables(self) -> int | None:
        """Number of cables to hosts that stand in racks; None where hosts stand with their switches."""
        return None if self.host_slot is None else self.topology.endpoints.size

    @property
    def host_total_m(self) -> float | None:
        """Total length of cables to hosts in racks, m; None where hosts stand with their switches."""
        return None if self.host_slot is None else float(self.host_length_m.sum())

    @property
    def host_longest_m(self) -> float | None:
        """Length of the longest cable to a host in a rack, m; None where hosts stand with their switches."""
        return None if self.host_slot is None else float(self.host_length_m.max(initial=0.0))

    @property
    def hosts_per_rack(self) -> int | None:
        """Number of hosts in the fullest rack; None where hosts stand with their switches."""
        return None if self.host_slot is None else int(np.bincount(self.host_rack).max(initial=0))

    @cached_property
    def rack_names(self) -> tuple[str, ...]:
        """The name of each rack, which is that of its slot."""
        return tuple(self.slots.names[slot] for slot in self.used.tolist())

    @cached_property
    def place_m(self) -> np.ndarray:
        """The (x, y) of each rack, float64[racks, 2], in metres."""
        return np.asarray(self.slots.place_m[self.used])

    @cached_property
    def height(self) -> np.ndarray:
        """The lowest unit of each switch in its rack, int32[switches], from 1 at the bottom, in the order of the switches.

        In a rack with hosts, switches stand above them.
        """
        counts = self.hosts_in_rack
        base = {count: self.stack.switch_base(count) for count in np.unique(counts).tolist()}
        below = np.array([base[count] for count in counts.tolist()], np.int64)
        height = np.asarray(below[self.rack] + self._piled[0] + 1, np.int32)
        return height if self._stated_unit is None else with_stated(height, self._stated_unit)

    @cached_property
    def _stated_unit(self) -> np.ndarray | None:
        """The unit of each switch in racks where units are stated, int32[switches], 0 elsewhere; None where none is stated."""
        if self.stated is None or not self.stated.unit.any():
            return None
        return placed_units(self.stated, self.switch_units, self.rack, self.rack_names)

    @cached_property
    def between(self) -> np.ndarray:
        """Whether each link runs between racks, bool[links]."""
        ends = self.slot[self.topology.links]
        return np.asarray(ends[:, 0] != ends[:, 1])

    @cached_property
    def length_m(self) -> np.ndarray:
        """The length of each link's cable, float64[links].

        As the source of the network states it; else inside a rack `floor.inside_m`, and between racks the distance of their
        slots plus `floor.overhead_end_m` at each end.
        """
        ends = self.slot[self.topology.links]
        own_m = self.floor.cable_m(self.slots.apart_m(ends[:, 0], ends[:, 1]), self.between)
        if self.plant is not None:
            own_m[self.plant.through] = self.plant.link_m
        return own_m if self.stated is None else with_stated(own_m, self.stated.link_m)

    @property
    def cabled_alone(self) -> np.ndarray:
        """Whether each link is a cable of its own, bool[links]; the others pass through panels."""
        return np.ones(len(self.topology.links), bool) if self.plant is None else ~self.plant.through

    @cached_property
    def link_ports(self) -> np.ndarray:
        """The ports of each link at both its switches, int32[links, 2], from 1: as panels have them, else the topology."""
        own = self.topology.link_ports
        return own if self.plant is None else np.where(self.plant.ports > 0, self.plant.ports, own)

    @property
    def total_m(self) -> float:
        """Total length of the cables between switches, m."""
        return float(self.length_m.sum())

    @property
    def mean_length_m(self) -> float:
        """Mean length of the cables between switches, m; 0 without any."""
        return float(self.length_m.mean()) if self.length_m.size else 0.0

    @property
    def mean_between_m(self) -> float:
        """Mean length of the cables between racks, m; 0 without any."""
        return float(self.length_m[self.between].mean()) if self.between.any() else 0.0

    @property
    def longest_m(self) -> float:
        """Length of the longest cable between switches, m; 0 without any."""
        return float(self.length_m.max()) if self.length_m.size else 0.0

    @cached_property
    def bundles(self) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of racks with cables, int32[pairs, 2], lower first, sorted; and their numbers of cables, int64[pairs].

        A bundle is all cables between two racks, which are pulled together: those of links, and cords and trunks.
        """
        ends = self.rack[self.topology.links[self.between & self.cabled_alone]]
        if self.plant is not None:
            slots = self.plant.slots_of_ends(self.slot)
            racks = np.searchsorted(self.used, slots[slots[:, 0] != slots[:, 1]])
            ends = np.concatenate([ends, racks.astype(np.int32)])
        pairs, cables = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
        return pairs.reshape(-1, 2), cables


def _ranks(rack: np.ndarray, racks: int) -> np.ndarray:
    """The number of each member among those of its rack, int64[members], in their order."""
    order = np.argsort(rack, kind="stable")
    rank = np.empty(rack.size, np.int64)
    rank[order] = np.arange(rack.size) - np.searchsorted(rack[order], np.arange(racks))[rack[order]]
    return rank
