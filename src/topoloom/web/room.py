"""A room: a network or a machine on its floor, with sums, limits and data for pictures, as racks change their places."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.core.errors import InputError
from topoloom.cost.bill import Bill, price
from topoloom.cost.choose import host_ends, reach_use
from topoloom.cost.facility import Supply, facility_of, power_of
from topoloom.cost.facility_limits import limited_sums
from topoloom.cost.facility_sums import rack_sums
from topoloom.cost.switch_kinds import cages_of_ends, kinds_if_sold
from topoloom.designer.requirement_tables import DesignLimits
from topoloom.machine.bill import MachineBill, price_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.machine import Machine
from topoloom.machine.moving import moved_machine
from topoloom.machine.report import LimitUse, fullest, limits_in_use
from topoloom.model.link_rates import own_rates
from topoloom.model.results import Provenance, json_value
from topoloom.network import Network
from topoloom.network.moving import moved_network
from topoloom.placement.floors.slots import Slots
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.rack_device import FacilityRule
from topoloom.placement.layout.layout import Layout
from topoloom.report.elevation_data import elevation_data, machine_elevation_data
from topoloom.report.floor_data import floor_data, machine_floor_data

#: The limits of a requirement that the places of racks decide, with their units; others follow from paths and tables.
_OF_PLACES = {
    "longest_cable_m": "m",
    "cost_usd": "",
    "cost_per_host_usd": "per host",
    "power_w": "W",
    "power_per_host_w": "W per host",
    "racks": "racks",
}


class ShownRoom(Protocol):
    """A network or a machine on its floor."""

    title: str
    own_layout: bool

    @property
    def sums(self) -> dict[str, Any]: ...

    @property
    def slots(self) -> Slots: ...

    @property
    def layouts(self) -> Sequence[Layout]: ...

    @property
    def racks(self) -> int: ...

    @property
    def bill(self) -> Bill | MachineBill: ...

    @property
    def unchecked(self) -> list[str]: ...

    def moved(self, moves: Sequence[Sequence[str]]) -> "ShownRoom": ...

    def limits(self) -> Iterator[LimitUse]: ...

    def picture(self) -> dict[str, Any]: ...

    def elevations(self) -> dict[str, Any]: ...


@dataclass(eq=False)
class NetworkRoom:
    """A network with a layout, as a room."""

    network: Network
    own_layout: bool = True
    title: str = field(init=False)

    def __post_init__(self) -> None:
        self.title = self.network.topology.name

    @cached_property
    def sums(self) -> dict[str, Any]:
        """Lengths, cost and limits, as `room_sums`."""
        return room_sums(self)

    @cached_property
    def layout(self) -> Layout:
        """The places of its racks."""
        return self.network.part(Layout)

    @property
    def slots(self) -> Slots:
        """All places."""
        return self.layout.slots

    @property
    def layouts(self) -> Sequence[Layout]:
        """The layout of its one network."""
        return [self.layout]

    @property
    def racks(self) -> int:
        """Number of racks."""
        return self.layout.racks

    @cached_property
    def bill(self) -> Bill:
        """The bill by the network's own terms."""
        return price(self.network)

    @property
    def unchecked(self) -> list[str]:
        """The limits of the requirement that follow from more than the places of racks."""
        stated = (self.network.requirements or {}).get("limits") or {}
        return [key for key in stated if stated[key] is not None and key not in _OF_PLACES and key in _STATED]

    def moved(self, moves: Sequence[Sequence[str]]) -> "NetworkRoom":
        """The room with racks in other slots."""
        return NetworkRoom(moved_network(self.network, moves), self.own_layout) if moves else self

    @cached_property
    def _cabling(self) -> Cabling:
        return cable(self.network)

    @cached_property
    def _supplies(self) -> tuple[tuple[Supply, ...], tuple[Supply, ...], Supply]:
        housing = self.layout.housing
        rule = FacilityRule() if housing is None else housing.facility
        sums = rack_sums(self.layout, self.network.terms.on(self.network.topology, "facility"), rule)
        made = facility_of(
            sums, self.slots, self.layout.used, RackRule(), rule, Provenance.of_run(name=""), tested=False
        )
        return made.racks, made.rows_of_floor, made.total

    def limits(self) -> Iterator[LimitUse]:
        """Yield the limits of the requirement, of the cables' products, of racks, and of the facility."""
        yield from self._of_requirement()
        yield from self._of_reach()
        layout, housing = self.layout, self.layout.housing
        for column, (key, counts) in enumerate(
            (("switches", layout.switches_in_rack), ("hosts", layout.hosts_in_rack))
        ):
            most = self.slots.limits[layout.used, column]
            if np.isfinite(most).any():
                rack = int((counts / most).argmax())
                name = f"rack {layout.rack_names[rack]}"
                yield LimitUse(f"{key} of a place", name, float(counts[rack]), float(most[rack]), key)
        rule, facility = (RackRule(), FacilityRule()) if housing is None else (housing.rack, housing.facility)
        # The racks of a machine hold more than this network.
        if housing is None or not housing.shared:
            yield from fullest(limited_sums(rule, self.slots.limits[layout.used, 2], *self._supplies, facility))

    def _of_requirement(self) -> Iterator[LimitUse]:
        stated = (self.network.requirements or {}).get("limits") or {}
        for key, unit in _OF_PLACES.items():
            most = stated.get(key)
            if most is None:
                continue
            if key == "longest_cable_m":
                value: float | None = self.layout.longest_m
            elif key == "racks":
                value = float(self.racks)
            else:
                value = _known(getattr(self.bill, key))
            if "usd" in key:
                unit = f"{self.bill.currency} {unit}".strip()
            yield LimitUse(f"[limits] {key}", "network", value, float(most), unit)

    def _of_reach(self) -> Iterator[LimitUse]:
        """The cable that takes most of the reach of the products that fit it."""
        layout, topology, names = self.layout, self.network.topology, self.layout.rack_names
        terms = self.network.terms.on(topology, "reach")
        parts, rate = terms.catalogue, terms.rate_on(topology)
        cages = cages_of_ends(topology, parts, rate, kinds_if_sold(topology, terms)) or (None, None)
        of_links, of_hosts = own_rates(topology, rate)
        use = reach_use(parts, layout.length_m, layout.between, of_links, topology.links, cages=cages[0])
        if use is not None:
            a, b = layout.rack[topology.links[use[0]]].tolist()
            yield from _reach("cables between switches", names[a], names[b], float(layout.length_m[use[0]]), use[1])
        if layout.host_slot is not None:
            ends = host_ends(layout)
            use = reach_use(
                *(parts, layout.host_length_m, layout.host_between, of_hosts, ends.boxes, "host", ends, cages[1])
            )
            if use is not None:
                a, b = layout.rack[topology.endpoints[use[0]]], layout.host_rack[topology.host[use[0]]]
                yield from _reach("cables to hosts", names[a], names[b], float(layout.host_length_m[use[0]]), use[1])

    def picture(self) -> dict[str, Any]:
        """The floor as the viewer draws it."""
        return floor_data(self._cabling, power_of(self._supplies[0]), ports=False)

    def elevations(self) -> dict[str, Any]:
        """Every device and cable."""
        return elevation_data(self.network, self._cabling)


@dataclass(eq=False)
class MachineRoom:
    """A machine, as a room."""

    machine: Machine
    own_layout: bool = True
    title: str = field(init=False)
    unchecked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.title = self.machine.requirement.title

    @cached_property
    def sums(self) -> dict[str, Any]:
        """Lengths, cost and limits, as `room_sums`."""
        return room_sums(self)

    @property
    def slots(self) -> Slots:
        """All places."""
        return self.machine.slots

    @property
    def layouts(self) -> Sequence[Layout]:
        """The layout of each network."""
        return [network.part(Layout) for network in self.machine.networks.values()]

    @property
    def racks(self) -> int:
        """Number of racks."""
        return len(self.machine.slot)

    @cached_property
    def bill(self) -> MachineBill:
        """The bill of all networks."""
        return price_machine(self.machine)

    def moved(self, moves: Sequence[Sequence[str]]) -> "MachineRoom":
        """The room with racks in other slots."""
        return MachineRoom(moved_machine(self.machine, moves)) if moves else self

    @cached_property
    def _facility(self) -> Any:
        return machine_facility(self.machine, tested=False)

    def limits(self) -> Iterator[LimitUse]:
        """Yield the limits that the machine file states, and the reach of the products of each network."""
        yield from limits_in_use(self.machine, self.bill, self._facility)[0]
        for name, network in self.machine.networks.items():
            for use in NetworkRoom(network)._of_reach():
                yield LimitUse(f"{name}: {use.limit}", use.where, use.value, use.most, use.unit)

    def picture(self) -> dict[str, Any]:
        """The room as the viewer draws it."""
        cablings = {name: cable(network) for name, network in self.machine.networks.items()}
        return machine_floor_data(self.machine, cablings, power_of(self._facility.racks))

    def elevations(self) -> dict[str, Any]:
        """Every device and cable."""
        return machine_elevation_data(self.machine)


_STATED = frozenset(DesignLimits.__struct_fields__)


def _reach(what: str, a: str, b: str, length_m: float, most_m: float) -> Iterator[LimitUse]:
    if math.isfinite(most_m):
        yield LimitUse(f"reach of {what}", f"{a} to {b}", length_m, most_m, "m")


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def room_sums(room: ShownRoom) -> dict[str, Any]:
    """Lengths, cost and limits of a room.

    Parameters
    ----------
    room : ShownRoom

    Returns
    -------
    dict
        ``total_m`` and ``longest_m`` of the cables between switches, ``host_total_m`` and ``host_longest_m`` of those to hosts
        in racks (null without any), ``cost_usd``, ``limits``; ``fault`` is the sentence of the bill that cannot be made.
    """
    layouts = room.layouts
    sums: dict[str, Any] = {
        "racks": room.racks,
        "total_m": sum(layout.total_m for layout in layouts),
        "longest_m": max(layout.longest_m for layout in layouts),
        "host_total_m": None,
        "host_longest_m": None,
        "cost_usd": None,
        "currency": "",
        "power_w": None,
        "unpriced": [],
        "fault": "",
    }
    if all(layout.host_slot is not None for layout in layouts):
        sums["host_total_m"] = sum(layout.host_total_m or 0.0 for layout in layouts)
        sums["host_longest_m"] = max(layout.host_longest_m or 0.0 for layout in layouts)
    uses: list[LimitUse] = []
    try:
        bill = room.bill
        sums |= {"cost_usd": _known(bill.cost_usd), "currency": bill.currency, "power_w": _known(bill.power_w)}
        sums["unpriced"] = list(bill.unpriced)
    except InputError as error:
        sums["fault"] = str(error)
    try:
        uses.extend(room.limits())
    except InputError as error:
        sums["fault"] = sums["fault"] or str(error)
    sums["limits"] = [_limit(use) for use in uses]
    sums["unchecked"] = room.unchecked
    return sums


def _limit(use: LimitUse) -> dict[str, Any]:
    """A limit, whether it holds, and its value; it is not known whether one holds without a value, or with a lower bound."""
    ok = False if use.exceeded else None if use.value is None or use.unknown else True
    return {**json_value(vars(use)), "ok": ok}
