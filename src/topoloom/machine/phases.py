"""The phases of a machine: what is there after each, at its final place and in its final port, and what each phase buys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from topoloom.core.errors import check_type
from topoloom.fabric.fabric_parts import plane_of
from topoloom.graph.connectivity import components
from topoloom.machine.connecting import demands_of_switches
from topoloom.machine.devices import HostKind, hosts_by_kind
from topoloom.machine.machine import HOW, Machine
from topoloom.machine.network_parts import part_of_network
from topoloom.machine.racks import MachineRacks
from topoloom.machine.requirement import MachinePhase
from topoloom.network import Network
from topoloom.placement.hosts.stack import host_units

_NEVER = np.iinfo(np.int64).max


@dataclass(eq=False)
class _Arrival:
    """The phase in which each device comes, from 0.

    Attributes
    ----------
    host : int64[hosts]
        By the numbers of hosts in the machine.
    switch : dict of str to int64[switches]
        By the names of networks.
    rack : int64[racks]
    """

    host: np.ndarray
    switch: dict[str, np.ndarray]
    rack: np.ndarray


def hosts_after(phases: Sequence[MachinePhase], kind: str, count: int) -> list[int]:
    """The hosts of a kind that are there after each phase: a kind that a phase does not name stays; the first has all of it.

    Parameters
    ----------
    phases : sequence of MachinePhase
    kind : str
    count : int
        All hosts of the kind.

    Returns
    -------
    list of int
        One number per phase.
    """
    counts: list[int] = []
    for phase in phases:
        counts.append(phase.hosts.get(kind, counts[-1] if counts else count))
    return counts


def machine_phases(machine: Machine) -> tuple[Machine, ...]:
    """The machine after each of its phases: every device and cable is where it is in the whole machine, which is the last.

    A switch with hosts comes with the first of them, another with its first neighbour, a switch of a management network with
    the first device on it, a rack and its further devices with the first host or switch in it. Where a network would not be
    connected, as a torus without some of its switches, all its switches come at once.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    tuple of Machine
        One per `[[phase]]`; empty without.
    """
    check_type(machine, Machine, "machine_phases", HOW)
    phases = machine.requirement.phase
    if not phases:
        return ()
    arrival = _arrival(machine)
    return (*(_after(machine, arrival, number) for number in range(len(phases) - 1)), machine)


def _arrival(machine: Machine) -> _Arrival:
    phases, racks = machine.requirement.phase, machine.racks
    host = np.zeros(machine.hosts, np.int64)
    for kind, hosts in hosts_by_kind(machine.kinds):
        counts = hosts_after(phases, kind.plan.name, len(kind.names))
        host[hosts.start : hosts.stop] = np.searchsorted(counts, np.arange(len(hosts)), side="right")
    arrival = _Arrival(host, {}, np.full(len(racks), _NEVER))
    np.minimum.at(arrival.rack, racks.host, host)
    plans = machine.requirement.network
    # Switches without links of their own come with the devices on them, among them the racks' devices.
    for plan in sorted(plans, key=lambda each: bool(each.uplink)):
        number = list(machine.networks).index(plan.name)
        switch = arrival.switch[plan.name] = _of_switches(machine, plan.name, arrival)
        np.minimum.at(arrival.rack, racks.switch[number], switch)
    return arrival


def _of_devices(machine: Machine, name: str, arrival: _Arrival) -> np.ndarray:
    """The phase of each device on a network, in the order of its hosts; `_NEVER` where it is not known yet."""
    numbers = {kind.plan.name: hosts for kind, hosts in hosts_by_kind(machine.kinds)}
    columns = []
    for group in machine.groups[name]:
        if group.origin == "host":
            own = numbers[group.of]
            columns.append(arrival.host[own.start : own.stop])
        elif group.origin == "switch":
            columns.append(arrival.switch.get(group.of, np.full(len(group.names), _NEVER)))
        else:
            columns.append(
                np.array([arrival.rack[rack] for rack, each, _ in machine.racks.devices if each.name == group.of])
            )
    return np.concatenate(columns)


def _of_switches(machine: Machine, name: str, arrival: _Arrival) -> np.ndarray:
    """The phase of each switch of a network."""
    topology = machine.networks[name].topology
    phase = np.full(topology.switches, _NEVER)
    devices = _of_devices(machine, name, arrival)
    if not machine.requirement.plan(name).uplink:
        # Switches of other networks and devices of racks follow these switches.
        hosts = np.concatenate([np.full(len(group.names), group.origin == "host") for group in machine.groups[name]])
        devices = np.where(hosts, devices, _NEVER)
    np.minimum.at(phase, topology.endpoints, devices[topology.host])
    u, v = topology.links.T
    while (phase == _NEVER).any():
        before = phase.copy()
        near = np.full(topology.switches, _NEVER)
        np.minimum.at(near, u, before[v])
        np.minimum.at(near, v, before[u])
        phase = np.where(before == _NEVER, near, before)
        if (phase == before).all():
            phase[phase == _NEVER] = 0
    for number in range(len(machine.requirement.phase) - 1):
        present = np.flatnonzero(phase <= number)
        links = np.flatnonzero((phase[topology.links] <= number).all(axis=1))
        part = plane_of(topology, present, np.zeros(0, np.int64), links, name).topology
        whole_parts = np.unique(components(topology)[present]).size
        if present.size and np.unique(components(part)).size > whole_parts:
            return np.zeros(topology.switches, np.int64)
    return phase


def _after(machine: Machine, arrival: _Arrival, number: int) -> Machine:
    """The machine after a phase."""
    racks = machine.racks
    present = arrival.rack <= number
    rack_number = np.cumsum(present) - 1
    has_host = arrival.host <= number
    kinds = tuple(_kinds(machine, has_host))
    counts = {kind.plan.name: len(kind.names) for kind in kinds}
    networks, groups, switches, units = {}, {}, [], []
    for at, name in enumerate(machine.networks):
        own = np.flatnonzero(arrival.switch[name] <= number)
        if not own.size:
            continue
        networks[name] = _part(machine, name, arrival, own, number)
        devices = frozenset(networks[name].fabric.host_names)
        groups[name] = tuple(
            replace(group, names=names)
            for group in machine.groups[name]
            if (names := tuple(each for each in group.names if each in devices))
        )
        switches.append(rack_number[racks.switch[at][own]].astype(np.int32))
        units.append(racks.switch_unit[at][own])
    requirement = msgspec.structs.replace(
        machine.requirement,
        host=tuple(
            msgspec.structs.replace(plan, count=counts[plan.name])
            for plan in machine.requirement.host
            if plan.name in counts
        ),
        network=tuple(plan for plan in machine.requirement.network if plan.name in networks),
        phase=(),
        title=f"{machine.requirement.title}: {machine.requirement.phase[number].name}",
    )
    part = MachineRacks(
        rack_number[racks.host[has_host]].astype(np.int32),
        racks.host_unit[has_host],
        tuple(switches),
        tuple(units),
        tuple((int(rack_number[rack]), device, unit) for rack, device, unit in racks.devices if present[rack]),
        (racks.load - _absent(machine, arrival, number))[present],
    )
    return Machine(requirement, kinds, networks, groups, part, machine.floor, machine.slots, machine.slot[present])


def _kinds(machine: Machine, has_host: np.ndarray) -> Iterator[HostKind]:
    for kind, hosts in hosts_by_kind(machine.kinds):
        count = int(has_host[hosts.start : hosts.stop].sum())
        if count:
            plan = msgspec.structs.replace(kind.plan, count=count)
            yield HostKind(plan, kind.server, kind.names[:count])


def _part(machine: Machine, name: str, arrival: _Arrival, switches: np.ndarray, number: int) -> Network:
    """A network after a phase, with the ports of the whole."""
    network = machine.networks[name]
    topology, phase = network.topology, arrival.switch[name]
    devices = _of_devices(machine, name, arrival) <= number
    endpoints = np.flatnonzero(devices[topology.host] & (phase[topology.endpoints] <= number))
    links = np.flatnonzero((phase[topology.links] <= number).all(axis=1))
    return part_of_network(network, switches, endpoints, links)


def _absent(machine: Machine, arrival: _Arrival, number: int) -> np.ndarray:
    """What the devices that are not there yet take of their racks, float64[racks, 4]: units, W, kg, m³/h."""
    absent = np.zeros((len(machine.racks), 4))
    for kind, hosts in hosts_by_kind(machine.kinds):
        later = np.arange(hosts.start, hosts.stop)[arrival.host[hosts.start : hosts.stop] > number]
        plan = kind.plan
        each = [host_units(kind.units), plan.power_w, plan.weight_kg or 0.0, plan.air_m3h or 0.0]
        np.add.at(absent, machine.racks.host[later], each)
    for at, (name, network) in enumerate(machine.networks.items()):
        later = np.flatnonzero(arrival.switch[name] > number)
        plan_of = machine.requirement.plan(name)
        each_switch = demands_of_switches(network.topology, network.terms.catalogue, plan_of, machine.requirement)
        np.add.at(absent, machine.racks.switch[at][later], each_switch[later])
    return absent
