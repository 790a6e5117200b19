"""The connections of a machine: what each network joins; this depends on the racks and on other networks' switches, too."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import switch_feeds_w, switch_kinds
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.machine.attaching import attached
from topoloom.machine.devices import DeviceGroup, HostKind, groups_of_hosts, hosts_by_kind
from topoloom.machine.faults import MachineError
from topoloom.machine.naming import named_devices, names_of_switches, with_distinct_ports
from topoloom.machine.optics import Optics
from topoloom.machine.racks import MachineRacks, NetworkSwitches, machine_racks
from topoloom.machine.requirement import EVERYTHING, MachineNetwork, MachineRequirement
from topoloom.machine.uplinked import homes_of_switches, racks_of_switches, switches_and_zones, unlinked
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import HostType, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.housed import common_limits, slots_of_racks

#: Most rounds until racks and the devices of all networks agree.
_MOST_ROUNDS = 12
#: The port of a switch for management.
MANAGEMENT_PORT = "mgmt"


@dataclass(frozen=True, eq=False)
class Places:
    """Where the devices of a network stand: the rack and the lowest unit of each."""

    rack: np.ndarray
    unit: np.ndarray


@dataclass(frozen=True, eq=False)
class Room:
    """A network before its devices are connected.

    Attributes
    ----------
    topology : Topology
        With all its places for ports as endpoints; of a network with an uplink, its switches are counted later.
    blocks : dict of str to bool[switches]
        The leaf switches of each block, where it is described by blocks.
    """

    topology: Topology
    blocks: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Connections:
    """What each network joins, and the racks of all.

    Attributes
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
    parts : dict of str to Parts
        The catalogue of each network, reduced to its switch.
    topologies : dict of str to Topology
        The hosts of each are the devices of its groups, in order.
    groups : dict of str to tuple of DeviceGroup
    switch_names : dict of str to tuple of str
    racks : MachineRacks
    """

    requirement: MachineRequirement
    kinds: tuple[HostKind, ...]
    parts: Mapping[str, Parts]
    topologies: Mapping[str, Topology]
    groups: Mapping[str, tuple[DeviceGroup, ...]]
    switch_names: Mapping[str, tuple[str, ...]]
    racks: MachineRacks

    def terms(self, name: str) -> Terms:
        """The terms of a network's bill."""
        plan = self.requirement.plan(name)
        rate = None if self.topologies[name].mixed else plan.rate_gbps
        return Terms(parts=self.parts[name], rate_gbps=rate, host_cables=True)

    def switch_u(self, name: str) -> float | np.ndarray:
        """The height of the switches of a network, units."""
        heights = demands_of_switches(
            self.topologies[name], self.parts[name], self.requirement.plan(name), self.requirement
        )[:, 0]
        return float(heights[0]) if (heights == heights[0]).all() else heights

    def places(self, name: str) -> Places:
        """Where the devices of a network stand, in the order of its hosts."""
        placed = [_places_of(group, self.kinds, list(self.topologies), self.racks) for group in self.groups[name]]
        rack, unit = (np.concatenate(column) for column in zip(*placed, strict=True))
        return Places(rack.astype(np.int64), unit.astype(float))


def connected(
    requirement: MachineRequirement,
    kinds: tuple[HostKind, ...],
    parts: Mapping[str, Parts],
    rooms: Mapping[str, Room],
    floor: Floor,
    optics: Optics,
) -> Connections:
    """The networks with all their devices, and the racks of all.

    The devices of a management network depend on the number of switches and racks, and these on its own switches: both are
    planned again until they agree.

    Parameters
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
    parts : mapping of str to Parts
        The catalogue of each network.
    rooms : mapping of str to Room
        Each network without an uplink, with places for its devices.
    floor : Floor
        Its slots name the racks, and these their devices.
    optics : Optics
        What transceivers and cables add to the power of each device.

    Returns
    -------
    Connections

    Raises
    ------
    InputError
        A network has no devices, or no places for them; a rack holds no host or switch; the rounds do not end.
    """
    names = [network.name for network in requirement.network]
    racks: MachineRacks | None = None
    # A network with an uplink has as few switches as its ports need, which are counted in the first round.
    room_of = {name: rooms[name].topology for name in names if name in rooms}
    switch_names = {
        network.name: names_of_switches(network.name, room_of.get(network.name) or unlinked(network.leaves or 1, 1))
        for network in requirement.network
    }
    seen: tuple[object, ...] | None = None
    for _ in range(_MOST_ROUNDS):
        topologies, groups, inside = {}, {}, {}
        devices = _rack_devices(racks, floor)
        for network in requirement.network:
            own = tuple(groups_on(requirement, kinds, network, switch_names, devices))
            inside[network.name] = racks_of_switches(kinds, network, racks)
            if not own:
                raise MachineError(
                    f"network '{network.name}' has no hosts; name it in the `ports` of a [[host]], or give it `serves`",
                    "network",
                    network.name,
                )
            near, zones = None, None
            if racks is not None and (network.place == "rack" or inside[network.name].size):
                near = np.concatenate([_places_of(group, kinds, names, racks)[0] for group in own])
            if network.name in rooms:
                room = rooms[network.name]
            else:
                switches, zones = switches_and_zones(
                    requirement, network, own, parts[network.name], near, inside[network.name]
                )
                room = Room(switches)
            topologies[network.name] = attached(
                room.topology,
                own,
                network.name,
                network.rate_gbps,
                dict(room.blocks),
                near,
                ports_of_switch(network, parts[network.name]),
                zones,
            )
            groups[network.name] = own
        switch_names = {name: names_of_switches(name, topology) for name, topology in topologies.items()}
        standing = [
            NetworkSwitches(
                network.name,
                network.place,
                demands_of_switches(topologies[network.name], parts[network.name], network, requirement)
                + np.array([0.0, optics.switches_w.get(network.name, 0.0), 0.0, 0.0]),
                hosts_at(topologies[network.name], groups[network.name], kinds),
                homes_of_switches(topologies[network.name].switches, inside[network.name], racks),
            )
            for network in requirement.network
        ]
        racks = machine_racks(kinds, within_floor(requirement.rack, floor), standing, optics.hosts_w)
        state = (
            switch_names,
            len(racks),
            racks.host.tobytes() if any(own.size for own in inside.values()) else b"",
            [group.names for name in names for group in groups[name]],
        )
        if state == seen:
            heights = {of.name: float(of.demands[:, 0].min()) for of in standing}
            return Connections(
                requirement, kinds, parts, topologies, with_distinct_ports(groups, heights), switch_names, racks
            )
        seen = state
    raise InputError(
        "the racks and the devices of the management networks do not agree; give `leaves` in their [[network]]"
    )


def groups_on(
    requirement: MachineRequirement,
    kinds: tuple[HostKind, ...],
    network: MachineNetwork,
    switch_names: Mapping[str, tuple[str, ...]],
    devices: Iterable[tuple[RackDevice, tuple[str, ...]]],
) -> Iterator[DeviceGroup]:
    """Yield the devices of a network: its hosts, what it serves, and the switches of networks with an uplink to it.

    Parameters
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
    network : MachineNetwork
    switch_names : mapping of str to tuple of str
        The switches of each network.
    devices : iterable of (RackDevice, tuple of str)
        The further devices of racks by kind, with the name of each.

    Yields
    ------
    DeviceGroup
    """
    yield from groups_of_hosts(kinds, network)
    rate = network.rate_gbps
    for kind in kinds:
        if network.name not in kind.plan.ports and _serves(network, kind.plan.name):
            host = kind.body(nics=1, rate_gbps=rate, devices=("BMC",))
            yield DeviceGroup(kind.plan.name, "host", kind.plan.name, host, kind.names, 1, rate)
    for other in requirement.network:
        names = switch_names[other.name]
        # The uplinks of a switch are further ports of the same device.
        if names and _serves(network, other.name) and other.uplink != network.name:
            yield DeviceGroup(
                f"switches of {other.name}",
                "switch",
                other.name,
                _box("switch", (MANAGEMENT_PORT,), rate),
                names,
                1,
                rate,
            )
    for device, names in devices:
        if device.ports and _serves(network, device.name):
            box = _box(device.name, _numbered("net", device.ports), rate, device.u)
            yield DeviceGroup(device.name, "device", device.name, box, names, device.ports, rate)
    for other in requirement.network:
        if other.uplink == network.name:
            names = switch_names[other.name]
            up_gbps = requirement.uplink_gbps(other)
            ports = (MANAGEMENT_PORT,) * _serves(network, other.name)
            ports += tuple(f"up{number}" for number in range(1, other.uplinks + 1))
            yield DeviceGroup(
                *(f"uplinks of {other.name}", "switch", other.name, _box("switch", ports, up_gbps)),
                *(names, len(ports), up_gbps),
            )


def _serves(network: MachineNetwork, name: str) -> bool:
    return network.serves == EVERYTHING or name in network.serves


def _numbered(stem: str, count: int) -> tuple[str, ...]:
    """Names of ports; a single one has no number."""
    return (stem,) if count == 1 else tuple(f"{stem}{number}" for number in range(1, count + 1))


def _box(name: str, ports: tuple[str, ...], rate_gbps: float, u: float = 1.0) -> HostType:
    """A device that is no host, with the names of its ports on a network; others count its power."""
    return HostType(name=name, nics=len(ports), rate_gbps=rate_gbps, devices=ports, u=u)


def _rack_devices(racks: MachineRacks | None, floor: Floor) -> list[tuple[RackDevice, tuple[str, ...]]]:
    """The further devices of all racks by kind, with the name of each."""
    if racks is None:
        return []
    slots, slot = slots_of_racks(floor, racks.contents)
    return named_devices(racks, [slots.names[at] for at in slot.tolist()])


def within_floor(rule: RackRule, floor: Floor) -> RackRule:
    """The rule of racks with the limits of the floor's places, where these are lower.

    Parameters
    ----------
    rule : RackRule
    floor : Floor
    """
    switches, hosts, watts = common_limits(floor).tolist()
    lower: dict[str, float] = {}
    for key, limit in (("switches", switches), ("hosts", hosts), ("power_w", watts)):
        own = getattr(rule, key)
        # A limit of 0 hosts is that of a place for switches only.
        if limit and math.isfinite(limit) and (own is None or limit < own):
            lower[key] = limit if key == "power_w" else int(limit)
    return msgspec.structs.replace(rule, **lower)


def ports_of_switch(network: MachineNetwork, parts: Parts) -> int:
    """The ports of a switch at the network's rate; 0 where they are not known."""
    product = parts.switch.product[0] if network.switch.product and parts.switch.product else None
    return network.switch.radix or (0 if product is None else product.ports_at(network.rate_gbps))


def demands_of_switches(
    topology: Topology, parts: Parts, network: MachineNetwork, requirement: MachineRequirement
) -> np.ndarray:
    """What each switch takes of its rack, float64[switches, 4]: units, W, kg, m³/h; 0 where a figure is not known.

    Parameters
    ----------
    topology : Topology
    parts : Parts
        The catalogue of the network.
    network : MachineNetwork
    requirement : MachineRequirement
        With the figures of switches whose product does not give them.

    Returns
    -------
    float64[switches, 4]
    """
    rule = requirement.rack
    demands = np.tile([rule.switch_u, 0.0, rule.switch_kg or 0.0, rule.switch_air_m3h or 0.0], (topology.switches, 1))
    terms = Terms(parts=parts, rate_gbps=None if topology.mixed else network.rate_gbps)
    demands[:, 1] = switch_feeds_w(topology, parts, network.rate_gbps)
    for kind in switch_kinds(topology, terms):
        product: SwitchProduct | None = kind.product(parts)
        if product is None:
            continue
        for column, value in ((0, product.u), (2, product.weight_kg), (3, product.air_m3h)):
            if value is not None:
                demands[kind.switches, column] = value
    return demands


def hosts_at(topology: Topology, groups: tuple[DeviceGroup, ...], kinds: tuple[HostKind, ...]) -> list[np.ndarray]:
    """The machine's hosts with a port at each switch.

    Parameters
    ----------
    topology : Topology
        Its hosts are the devices of the groups, in order.
    groups : tuple of DeviceGroup
    kinds : tuple of HostKind

    Returns
    -------
    list of int64[n]
        One per switch.
    """
    numbers = {kind.plan.name: hosts for kind, hosts in hosts_by_kind(kinds)}
    number = np.concatenate(
        [np.array(numbers[group.of]) if group.origin == "host" else np.full(len(group.names), -1) for group in groups]
    )
    of_port = number[topology.host]
    edges = np.searchsorted(topology.endpoints, np.arange(1, topology.switches))
    return [some[some >= 0] for some in np.split(of_port, edges)]


def _places_of(
    group: DeviceGroup, kinds: tuple[HostKind, ...], names: list[str], racks: MachineRacks
) -> tuple[np.ndarray, np.ndarray]:
    """The rack and the unit of each device of a group."""
    if group.origin == "host":
        own = next(hosts for kind, hosts in hosts_by_kind(kinds) if kind.plan.name == group.of)
        return racks.host[own], racks.host_unit[own]
    if group.origin == "switch":
        number = names.index(group.of)
        rack, unit = racks.switch[number], racks.switch_unit[number]
    else:
        of_name = [(at, 1 if unit is None else unit) for at, device, unit in racks.devices if device.name == group.of]
        rack, unit = (np.array(column) for column in zip(*of_name, strict=True))
    # In the first rounds, the racks are those of fewer devices.
    take = np.arange(len(group.names)) % len(rack)
    return rack[take], unit[take]
