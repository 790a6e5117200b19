"""The growth of an existing machine by more hosts: their ports, places and cables, and what must be bought."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError, check_type
from topoloom.cost.bill import sum_of_known
from topoloom.cost.facility import Facility
from topoloom.cost.items import Item, ItemKey
from topoloom.cost.parts import Parts
from topoloom.designer.offers import worst_taper
from topoloom.machine.bill import MachineBill, price_machine
from topoloom.machine.choices import network_parts
from topoloom.machine.connecting import Connections, demands_of_switches, groups_on, hosts_at
from topoloom.machine.devices import DeviceGroup, HostKind, hosts_by_kind
from topoloom.machine.facility import machine_facility, room_limits
from topoloom.machine.growing.additions import grown_kinds
from topoloom.machine.growing.expansion import MachineExpansion, NetworkGrowth
from topoloom.machine.growing.floors import GrownFloor, room_for
from topoloom.machine.growing.grown_network import fabric_with_added, grown_topology
from topoloom.machine.growing.places import NewPlaces, NewSwitches, new_places, racks_in_order
from topoloom.machine.growing.ports import KnownPlaces, NewPorts, new_ports
from topoloom.machine.lists import listed_cables, listed_devices
from topoloom.machine.machine import HOW, Machine, network_in_slots, optics_of
from topoloom.machine.naming import name_stems, named_devices, with_distinct_ports
from topoloom.machine.optics import Optics
from topoloom.machine.racks import MachineRacks
from topoloom.machine.report import limits_in_use
from topoloom.machine.requirement import MachineRequirement
from topoloom.machine.uplinked import racks_of_switches
from topoloom.model.results import Provenance
from topoloom.model.topology import Topology
from topoloom.network import Network

#: Most rounds until ports, switches and racks agree.
_MOST_ROUNDS = 12


def expand_machine(machine: Machine, into: MachineRequirement) -> MachineExpansion:
    """Add hosts to an existing machine: nothing that exists is moved, renamed or unplugged.

    New hosts are connected as those of their kind are: to free ports of the same leaf switches, then to further leaf switches
    with the same links, where the switches above them have free ports. They stand in free units of racks with their kind, then
    in new racks. Networks with an uplink get switches as they are needed; every new switch, rack device and host gets its port
    for management.

    Parameters
    ----------
    machine : Machine
    into : MachineRequirement
        Its machine file with more hosts of some kinds, or with further kinds.

    Returns
    -------
    MachineExpansion

    Raises
    ------
    InputError
        The file changes what exists, a network has no free ports for the new hosts, or the room no place for new racks; a rack
        or the machine exceeds a limit.
    """
    check_type(machine, Machine, "expand_machine", HOW)
    check_type(into, MachineRequirement, "expand_machine", "read_machine_file(path) reads one")
    kinds = grown_kinds(machine, into)
    parts = {network.name: network_parts(into, network) for network in into.network}
    plan, grown, room = _within_racks(machine, into, kinds, parts)
    bill, before = price_machine(grown, orders=True), price_machine(_at_terms_of(machine, grown), orders=True)
    _check_limits(grown, bill, room)
    items = _difference([*_items(before)], [*_items(bill)])
    devices, cables = set(listed_devices(machine)), set(listed_cables(machine))
    count = len(machine.racks)
    hosts = Counter({kind.plan.name: len(kind.names) for kind in kinds})
    hosts.subtract({kind.plan.name: len(kind.names) for kind in machine.kinds})
    return MachineExpansion(
        into.title,
        dict(+hosts),
        tuple(_growth(machine, grown, name, plan.ports[name]) for name in grown.networks),
        grown.rack_names[count:],
        tuple(grown.rack_names[rack] for rack in _filled(machine, grown)),
        tuple(device for device in listed_devices(grown) if device not in devices),
        tuple(cable for cable in listed_cables(grown) if cable not in cables),
        sum_of_known(item.to_order * item.unit_low_usd for item in items),
        sum_of_known(item.to_order * item.unit_high_usd for item in items),
        tuple(items),
        bill.currency,
        grown,
        Provenance.of_run(name=into.title),
    )


def _within_racks(
    machine: Machine, into: MachineRequirement, kinds: tuple[HostKind, ...], parts: Mapping[str, Parts]
) -> tuple["_Plan", Machine, Facility]:
    """The plan, the grown machine and its room, within the limits of racks.

    An existing rack that would exceed one with what is put into it is left as it is; what transceivers and cables add to the
    power of devices in new racks is known when all is connected.
    """
    closed: frozenset[int] = frozenset()
    optics = optics_of(machine)
    while True:
        plan = _planned(machine, into, kinds, parts, closed, optics)
        grown = _grown(machine, into, kinds, parts, plan)
        room = machine_facility(grown, tested=False)
        beyond = {each.where for each in room_limits(grown, room) if each.exceeded}
        more = {rack for rack in _filled(machine, grown) if f"rack {grown.rack_names[rack]}" in beyond}
        needed = optics_of(grown)
        if not beyond or (more <= closed and not needed.exceeds(optics)):
            return plan, grown, room
        closed, optics = closed | more, needed.at_least(optics)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is added, when ports, switches and racks agree."""

    groups: Mapping[str, tuple[DeviceGroup, ...]]
    ports: Mapping[str, NewPorts]
    topologies: Mapping[str, tuple[Topology, np.ndarray, np.ndarray]]
    switch_names: Mapping[str, tuple[str, ...]]
    places: NewPlaces
    room: GrownFloor


def _planned(
    machine: Machine,
    into: MachineRequirement,
    kinds: tuple[HostKind, ...],
    parts: Mapping[str, Parts],
    closed: frozenset[int],
    optics: Optics,
) -> _Plan:
    """The ports and places of all that is added; each round knows the switches and racks of the one before.

    Nothing is put into the racks `closed`.
    """
    names = [network.name for network in into.network]
    existing = {name: machine.networks[name].fabric.switch_names for name in names}
    switch_names, racks = dict(existing), racks_in_order(machine, names)
    room, places = room_for(machine, into.floor.floor(), racks), None
    ports: dict[str, NewPorts] = {}
    placed = machine.kinds  # the hosts whose racks are known
    seen: object = None
    for _ in range(_MOST_ROUNDS):
        rack_names = [room.slots.names[slot] for slot in room.slot.tolist()]
        devices = named_devices(racks, rack_names)
        groups, topologies, switches, all_ports = {}, {}, {}, dict(ports)
        for plan in into.network:
            own = groups[plan.name] = tuple(groups_on(into, kinds, plan, switch_names, devices))
            network = machine.networks[plan.name]
            _check_devices(plan.name, network, own)
            inside = _inside(places, plan.name, into)
            standing = _standing(placed, plan.name, names, switch_names, own, racks, room)
            least = max(inside.size + (plan.leaves or 0) - (machine.requirement.plan(plan.name).leaves or 0), 0)
            if plan.name in ports:
                least = max(least, len(ports[plan.name].copies))
            all_ports[plan.name] = new_ports(network, plan, parts[plan.name], own, standing, least)
            copies = all_ports[plan.name].copies
            topologies[plan.name] = grown_topology(network, own, all_ports[plan.name], plan.rate_gbps)
            topology = topologies[plan.name][0]
            first = network.topology.switches
            switches[plan.name] = NewSwitches(
                demands_of_switches(topology, parts[plan.name], plan, into)[first:],
                hosts_at(topology, own, kinds)[first:],
                inside,
            )
            switch_names[plan.name] = (*existing[plan.name], *_new_names(plan.name, network, copies))
        ports = all_ports
        places = new_places(machine, into, kinds, switches, None if places is None else places.new, closed, optics)
        racks, placed = places.racks, kinds
        room = room_for(machine, into.floor.floor(), racks)
        devices_of = [group.names for name in names for group in groups[name]]
        state = (switch_names.copy(), racks.host.tobytes(), len(racks), devices_of)
        if state == seen:
            return _Plan(groups, ports, topologies, switch_names, places, room)
        seen = state
    raise InputError(
        f"machine '{into.title}': its new racks and the ports of its management networks do not agree; add fewer hosts"
    )


def _check_devices(name: str, network: Network, groups: tuple[DeviceGroup, ...]) -> None:
    """Refuse a file by which an existing device has no port on a network any more, or another number of them."""
    planned = {device: group.ports for group in groups for device in group.names}
    has = np.bincount(network.topology.host, minlength=network.topology.hosts)
    for device, count in zip(network.fabric.host_names, has.tolist(), strict=True):
        if planned.get(device, 0) != count:
            raise InputError(
                f"network '{name}': {device} has {count} port{'s' * (count != 1)} on it, and by the file"
                f" {planned.get(device, 0)}; an existing machine keeps its ports"
            )


def _inside(places: NewPlaces | None, name: str, into: MachineRequirement) -> np.ndarray:
    """The racks, by their numbers among the new ones, in which new switches of a network stand by `rack_switches`."""
    if places is None or places.new is None:
        return np.zeros(0, np.int64)
    return racks_of_switches(places.new_kinds, into.plan(name), places.new)


def _standing(
    placed: tuple[HostKind, ...],
    name: str,
    names: list[str],
    switch_names: Mapping[str, tuple[str, ...]],
    groups: tuple[DeviceGroup, ...],
    racks: MachineRacks,
    room: GrownFloor,
) -> KnownPlaces:
    """Where devices and switches stand, as far as it is known in a round."""
    at: dict[str, int] = {}
    for kind, hosts in hosts_by_kind(placed):
        at |= dict(zip(kind.names, room.slot[racks.host[hosts]].tolist(), strict=True))
    for number, each in enumerate(names):
        of_network = room.slot[racks.switch[number]].tolist()
        at |= dict(zip(switch_names[each], of_network, strict=False))
    called = racks.device_names([room.slots.names[slot] for slot in room.slot.tolist()])
    at |= {device: int(room.slot[rack]) for device, (rack, _, _) in zip(called, racks.devices, strict=True)}
    own_racks = {kind.plan.name for kind in placed if name in kind.plan.rack_switches}
    inside: dict[int, tuple[int, ...]] = {}
    if own_racks:
        slots = {at[host] for group in groups if group.of in own_racks for host in group.names if host in at}
        for switch, each in enumerate(switch_names[name]):
            slot = at.get(each, -1)
            if slot in slots:
                inside[slot] = (*inside.get(slot, ()), switch)
    return KnownPlaces(at, room.slots.apart_m, inside, switch_names[name])


def _new_names(name: str, network: Network, copies: tuple[int, ...]) -> list[str]:
    """The names of new switches: those of the switches that they are copies of, with the next numbers."""
    existing, stems = network.fabric.switch_names, name_stems(name, network.topology)
    taken, names = set(existing), list[str]()
    for copy in copies:
        stem = stems[copy]
        digits, number = len(existing[copy]) - len(stem), 1
        while (called := f"{stem}{number:0{digits}d}") in taken:
            number += 1
        taken.add(called)
        names.append(called)
    return names


def _grown(
    machine: Machine, into: MachineRequirement, kinds: tuple[HostKind, ...], parts: Mapping[str, Parts], plan: _Plan
) -> Machine:
    racks, room = plan.places.racks, plan.room
    topologies = {name: topology for name, (topology, _, _) in plan.topologies.items()}
    heights = {
        name: float(demands_of_switches(topology, parts[name], into.plan(name), into)[:, 0].min())
        for name, topology in topologies.items()
    }
    groups = with_distinct_ports(plan.groups, heights)
    connections = Connections(into, kinds, parts, topologies, groups, plan.switch_names, racks)
    networks = {}
    for name, (_, link_order, order) in plan.topologies.items():
        planned = network_in_slots(connections, name, room.floor, room.slots, room.slot)
        fabric = fabric_with_added(machine.networks[name], planned.fabric, plan.ports[name], link_order, order)
        networks[name] = _with(planned, "fabric", fabric)
    return Machine(into, kinds, networks, groups, racks, room.floor, room.slots, room.slot)


def _with(network: Network, key: str, value: Any) -> Network:
    reader: Callable[[], Any] = lambda: value  # noqa: E731
    return replace(network, known={**network.known, key: reader})


def _at_terms_of(machine: Machine, grown: Machine) -> Machine:
    """The existing machine at the prices of the file, so that only what is added differs."""
    networks = {
        name: _with(network, "terms", network.terms.changed(parts=grown.networks[name].terms.parts))
        for name, network in machine.networks.items()
    }
    into = grown.requirement
    requirement = msgspec.structs.replace(machine.requirement, spares=into.spares, rack=into.rack, phase=())
    return replace(machine, requirement=requirement, networks=networks)


def _check_limits(grown: Machine, bill: MachineBill, room: Facility) -> None:
    """Refuse growth beyond a limit of the file: of the machine, of a rack, a row or the room."""
    limits, exceeded = limits_in_use(grown, bill, room)
    if exceeded:
        raise InputError(exceeded)
    for use in limits:
        if use.exceeded:
            raise InputError(
                f"{use.limit} = {use.most:,.0f}: with the new hosts, {use.where} has {use.value:,.0f} {use.unit};"
                " add fewer hosts, or raise the limit"
            )


def _items(bill: MachineBill) -> Iterator[Item]:
    for each in bill.bills:
        yield from each.items
    yield from bill.items


def _difference(before: Iterable[Item], after: Iterable[Item]) -> list[Item]:
    """What is bought in addition, spares included: the items of the one bill without those of the other."""
    counts, spares = Counter[ItemKey](), Counter[ItemKey]()
    for item in before:
        counts[item.key] += item.count
        spares[item.key] += item.spares
    first: dict[ItemKey, Item] = {}
    total, total_spares = Counter[ItemKey](), Counter[ItemKey]()
    for item in after:
        key = item.key
        if key not in first or item.spares:
            first[key] = item
        total[key] += item.count
        total_spares[key] += item.spares
    more = (
        replace(item, count=max(0, total[key] - counts[key]), spares=max(0, total_spares[key] - spares[key]))
        for key, item in first.items()
    )
    return [item if item.spares else replace(item, spare_rule="") for item in more if item.to_order]


def _filled(machine: Machine, grown: Machine) -> list[int]:
    """The existing racks with new hosts or switches."""
    before, after = machine.racks.contents[:, :2], grown.racks.contents[: len(machine.racks), :2]
    return np.flatnonzero((after > before).any(axis=1)).tolist()


def _growth(machine: Machine, grown: Machine, name: str, ports: NewPorts) -> NetworkGrowth:
    before, after = machine.networks[name].topology, grown.networks[name].topology
    return NetworkGrowth(
        name,
        after.hosts - before.hosts,
        after.endpoints.size - before.endpoints.size,
        after.switches - before.switches,
        len(after.links) - len(before.links),
        ports.free,
        worst_taper(before),
        worst_taper(after),
    )
