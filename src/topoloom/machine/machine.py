"""Machine: hosts of several kinds and the networks that join them, in the racks of one room."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.facility_sums import optics_of_racks
from topoloom.cost.parts import Parts
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.port_names import UNKNOWN
from topoloom.machine.connecting import MANAGEMENT_PORT, Connections, Room, connected, ports_of_switch, within_floor
from topoloom.machine.devices import DeviceGroup, HostKind, hosts_by_kind
from topoloom.machine.optics import Optics
from topoloom.machine.racks import MachineRacks
from topoloom.machine.requirement import MachineRequirement
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.opening import as_network
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.hosts.housing import Housing, OtherHosts
from topoloom.placement.layout.housed import slots_of_racks
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.stated import Stated

#: How to get a machine, for messages.
HOW = "open_machine(folder) opens one"
_MADE = "the racks of the machine"
#: Most placements; each counts the transceivers and cables of the one before.
_MOST_TRIES = 4


@dataclass(frozen=True, eq=False)
class Machine:
    """Hosts of several kinds, the networks that join them, and the racks of all.

    Attributes
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
        Their hosts are numbered one after another.
    networks : mapping of str to Network
        Each with its layout in the common racks, its terms and the names of its devices.
    groups : mapping of str to tuple of DeviceGroup
        The devices on each network, in the order of its hosts.
    racks : MachineRacks
    floor : Floor
    slots : Slots
    slot : int64[racks]
        The slot of each rack.
    """

    requirement: MachineRequirement
    kinds: tuple[HostKind, ...]
    networks: Mapping[str, Network]
    groups: Mapping[str, tuple[DeviceGroup, ...]]
    racks: MachineRacks
    floor: Floor
    slots: Slots
    slot: np.ndarray

    @property
    def hosts(self) -> int:
        """All hosts, of all kinds."""
        return sum(len(kind.names) for kind in self.kinds)

    @property
    def switches(self) -> int:
        """The switches of all networks."""
        return sum(network.topology.switches for network in self.networks.values())

    @cached_property
    def rack_names(self) -> tuple[str, ...]:
        """The name of each rack, which is that of its slot."""
        return tuple(self.slots.names[slot] for slot in self.slot.tolist())


def placed_machine(
    requirement: MachineRequirement, kinds: tuple[HostKind, ...], parts: Mapping[str, Parts], rooms: Mapping[str, Room]
) -> Machine:
    """The machine of given networks, with every device in a rack and every rack in a slot of its floor.

    The products of cables follow from their lengths, thus from the racks. Where racks have a limit of power and take more with
    their transceivers, these are added to what each switch and host takes, and all is placed again.

    Parameters
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
    parts : mapping of str to Parts
        The catalogue of each network.
    rooms : mapping of str to Room
        Each network without an uplink, with places for its devices.

    Returns
    -------
    Machine

    Raises
    ------
    InputError
        A network has no places for its devices; a rack or the floor is too small.
    """
    floor = requirement.floor.floor()
    optics = Optics()
    for _ in range(_MOST_TRIES):
        machine = _in_slots(connected(requirement, kinds, parts, rooms, floor, optics), floor)
        if np.isinf(within_floor(requirement.rack, floor).supply_w):
            return machine
        more = optics_of(machine)
        if not more.exceeds(optics):
            return machine
        optics = more.at_least(optics)
    return machine


def optics_of(machine: Machine) -> Optics:
    """The power of transceivers and cables per device, in the rack where it is most; 0 where the catalogue lacks a part."""
    rack_at = {slot: rack for rack, slot in enumerate(machine.slot.tolist())}
    of_switches, at_hosts = dict[str, float](), np.zeros(len(machine.racks))
    for name, network in machine.networks.items():
        layout, terms = network.part(Layout), network.terms.on(network.topology, "placing")
        try:
            watts = optics_of_racks(layout, terms)
        except InputError:
            continue  # the bill names the part
        of_switches[name] = float((watts["switch"] / np.maximum(1, layout.switches_in_rack)).max(initial=0.0))
        at_hosts[[rack_at[slot] for slot in layout.used.tolist()]] += watts["host"]
    switches, hosts = machine.racks.contents[:, 0], machine.racks.contents[:, 1]
    # At the far ends of uplinks in a rack without hosts there are switches.
    lone = float((at_hosts * (hosts == 0) / np.maximum(1, switches)).max(initial=0.0))
    each = at_hosts / np.maximum(1, hosts)
    return Optics(
        {name: watts + lone for name, watts in of_switches.items()},
        {
            kind.plan.name: float(each[machine.racks.host[numbers]].max())
            for kind, numbers in hosts_by_kind(machine.kinds)
        },
    )


def _in_slots(connections: Connections, floor: Floor) -> Machine:
    """The machine with every rack in a slot of the floor."""
    racks = connections.racks
    slots, slot = slots_of_racks(floor, racks.contents)
    networks = {name: network_in_slots(connections, name, floor, slots, slot) for name in connections.topologies}
    return Machine(connections.requirement, connections.kinds, networks, connections.groups, racks, floor, slots, slot)


def _units(topology: Topology, unit: np.ndarray) -> Stated:
    """The units of switches, and no lengths."""
    return Stated(np.zeros(len(topology.links)), np.zeros(topology.endpoints.size), unit.astype(np.int32))


def _port_names(group: DeviceGroup) -> dict[int, str]:
    """The names of the ports of a switch: that for management; those of uplinks are not known."""
    if group.origin != "switch":
        return {}
    ports = range(1, group.ports + 1)
    return dict.fromkeys(ports, MANAGEMENT_PORT if group.host.devices == (MANAGEMENT_PORT,) else UNKNOWN)


def network_in_slots(connections: Connections, name: str, floor: Floor, slots: Slots, slot: np.ndarray) -> Network:
    """A network with its layout, its terms and its names.

    Parameters
    ----------
    connections : Connections
    name : str
    floor : Floor
    slots : Slots
    slot : int64[racks]
        The slot of each rack.
    """
    requirement, racks, groups = connections.requirement, connections.racks, connections.groups[name]
    topology = connections.topologies[name]
    number = list(connections.topologies).index(name)
    at = connections.places(name)
    first, *others = groups
    units = {kind.plan.name: kind.plan.unit_hosts for kind in connections.kinds}
    unit_of = [units[group.of] if group.origin == "host" else None for group in groups]
    housing = Housing(
        host=first.host,
        rack=msgspec.structs.replace(requirement.rack, unit_hosts=unit_of[0]),
        facility=requirement.facility,
        others=tuple(
            OtherHosts(hosts=len(group.names), host=group.host, unit_hosts=size)
            for group, size in zip(others, unit_of[1:], strict=True)
        ),
        shared=True,
        names=tuple(device for group in groups for device in group.names),
    )
    layout = Layout(
        topology,
        floor,
        slots,
        slot[racks.switch[number]],
        made=_MADE,
        housing=housing,
        host_slot=slot[at.rack],
        switch_u=connections.switch_u(name),
        stated=_units(topology, racks.switch_unit[number]),
        host_at=at.unit,
    )
    planned = planned_fabric(topology)
    ports = ports_of_switch(requirement.plan(name), connections.parts[name])
    fabric = replace(
        planned,
        switch_ports=np.maximum(planned.switch_ports, ports).astype(np.int32),
        switch_names=connections.switch_names[name],
        host_names=housing.names,
        host_port_names=tuple(names for group in groups for names in [_port_names(group)] * len(group.names)),
        switch_rack=np.array(layout.rack_names)[layout.rack],
        switch_unit=layout.height.astype(str),
        host_rack=np.array(layout.rack_names)[layout.host_rack],
        host_unit=np.array([f"{unit:g}" for unit in at.unit.tolist()]),
        made="the machine",
        guids_given=False,
    )
    network = as_network(topology)
    terms = connections.terms(name)
    readers: dict[str, Callable[[], Any]] = {"terms": lambda: terms, "layout": lambda: layout, "fabric": lambda: fabric}
    return replace(network, source=name, known=readers)
