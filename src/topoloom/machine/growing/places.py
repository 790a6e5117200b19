"""Places for what a machine gets: free units of its racks first, then new racks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from topoloom.machine.connecting import within_floor
from topoloom.machine.devices import HostKind, hosts_by_kind
from topoloom.machine.growing.space import Space
from topoloom.machine.machine import Machine
from topoloom.machine.optics import Optics
from topoloom.machine.racks import MachineRacks, NetworkSwitches, host_demands, machine_racks
from topoloom.machine.requirement import MachineRequirement
from topoloom.machine.uplinked import homes_of_switches
from topoloom.placement.hosts.stack import host_units


@dataclass(frozen=True, eq=False)
class NewSwitches:
    """The new switches of a network, for their places.

    Attributes
    ----------
    demands : float64[switches, 4]
        Units, W, kg and m³/h of each.
    hosts : list of int64[n]
        The hosts at each, by their numbers in the grown machine.
    inside : int64[n]
        The racks of hosts in which the first of them stand, by their numbers among the new racks.
    """

    demands: np.ndarray
    hosts: list[np.ndarray]
    inside: np.ndarray


@dataclass(frozen=True, eq=False)
class NewPlaces:
    """The racks of a grown machine.

    Attributes
    ----------
    racks : MachineRacks
        The existing ones, with what is added to them, then the new ones.
    new : MachineRacks or None
        The new racks alone, with the hosts that stand in them.
    new_kinds : tuple of HostKind
        The kinds of these hosts.
    """

    racks: MachineRacks
    new: MachineRacks | None
    new_kinds: tuple[HostKind, ...]


def new_places(
    machine: Machine,
    into: MachineRequirement,
    kinds: tuple[HostKind, ...],
    switches: Mapping[str, NewSwitches],
    before: MachineRacks | None,
    closed: frozenset[int],
    optics: Optics,
) -> NewPlaces:
    """Places for the new hosts and switches; what exists stays where it is.

    A new host goes to a rack with hosts of its kind that has free units, power and load; a host without racks of its own to a
    network rack. A new switch goes to a network rack where switches of its network stand, else to another one. What finds no
    place gets new racks, which are filled as those of a new machine; a switch whose hosts are in new racks stands with them.

    Parameters
    ----------
    machine : Machine
    into : MachineRequirement
        Its limits of racks hold.
    kinds : tuple of HostKind
        Of the grown machine.
    switches : mapping of str to NewSwitches
        By the name of the network, in the order of the file.
    before : MachineRacks or None
        The new racks as planned in the round before.
    closed : frozenset of int
        Existing racks into which nothing is put.
    optics : Optics
        What transceivers and cables add to the power of each device, where racks have a limit of power.

    Returns
    -------
    NewPlaces

    Raises
    ------
    InputError
        A rack does not hold one host, one rack-scale system, or one switch.
    """
    rule = within_floor(into.rack, machine.floor)
    optics = Optics() if np.isinf(rule.supply_w) else optics
    switches = {
        name: replace(new_of, demands=new_of.demands + np.array([0.0, optics.switches_w.get(name, 0.0), 0.0, 0.0]))
        for name, new_of in switches.items()
    }
    space = Space(machine, rule, closed)
    existing = {kind.plan.name: hosts for kind, hosts in hosts_by_kind(machine.kinds)}
    own_racks = {kind.plan.name for kind in kinds if kind.plan.own_racks}
    total = sum(len(kind.names) for kind in kinds)
    rack, unit = np.full(total, -1, np.int32), np.ones(total)
    homeless: list[HostKind] = []
    number_of = np.full(total, -1)  # of a host among those in new racks
    for kind, hosts in hosts_by_kind(kinds):
        old = existing.get(kind.plan.name, range(0))
        first = hosts.start + len(old)
        rack[hosts.start : first], unit[hosts.start : first] = (machine.racks.host[old], machine.racks.host_unit[old])
        demands = host_demands(kind, optics.hosts_w.get(kind.plan.name, 0.0))
        new = range(first, hosts.stop)
        if not (kind.plan.unit_hosts or 1) > 1:
            for at in _racks_for(kind, space, own_racks):
                while new and (kind.plan.rack_hosts is None or space.hosts_in(at) < kind.plan.rack_hosts):
                    lowest = space.put_host(at, kind.plan.name, host_units(kind.units), demands)
                    if lowest is None:
                        break
                    rack[new[0]], unit[new[0]] = at, lowest
                    new = new[1:]
        if len(new):
            count = sum(len(each.names) for each in homeless)
            number_of[new.start : new.stop] = np.arange(count, count + len(new))
            plan = msgspec.structs.replace(kind.plan, count=len(new))
            homeless.append(replace(kind, plan=plan, names=kind.names[len(kind.names) - len(new) :]))
    standing = [_placed_switches(name, switches[name], into, space, own_racks, rack) for name in switches]
    some = [
        NetworkSwitches(
            name,
            into.plan(name).place,
            new_of.demands[at < 0],
            [number_of[hosts[number_of[hosts] >= 0]] for hosts, lone in zip(new_of.hosts, at < 0, strict=True) if lone],
            homes_of_switches(int((at < 0).sum()), new_of.inside, before),
        )
        for (name, new_of), (at, _) in zip(switches.items(), standing, strict=True)
    ]
    stands = racks_in_order(machine, list(switches))
    if not homeless and not any(len(each.demands) for each in some):
        return NewPlaces(_joined(stands, space, rack, unit, standing, None, number_of), None, ())
    # The planner takes at least one kind, of which there may be no host.
    new_kinds = tuple(homeless) or (_without_hosts(kinds[0]),)
    planned = machine_racks(new_kinds, rule, some, optics.hosts_w)
    return NewPlaces(_joined(stands, space, rack, unit, standing, planned, number_of), planned, new_kinds)


def racks_in_order(machine: Machine, names: list[str]) -> MachineRacks:
    """The racks of a machine, with its networks in another order.

    Parameters
    ----------
    machine : Machine
    names : list of str
        Of all networks.
    """
    racks, own = machine.racks, list(machine.networks)
    order = [own.index(name) for name in names]
    return replace(
        racks,
        switch=tuple(racks.switch[number] for number in order),
        switch_unit=tuple(racks.switch_unit[number] for number in order),
    )


def _racks_for(kind: HostKind, space: Space, own_racks: set[str]) -> list[int]:
    """The existing racks that may take more hosts of a kind."""
    if kind.plan.own_racks:
        return [at for at, kinds in enumerate(space.kinds) if kinds == {kind.plan.name}]
    return [at for at, kinds in enumerate(space.kinds) if not kinds & own_racks]


def _placed_switches(
    name: str, new: NewSwitches, into: MachineRequirement, space: Space, own_racks: set[str], host_rack: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rack and the unit of each new switch of a network that finds a place in existing racks; -1 for the others."""
    rack, unit = np.full(len(new.demands), -1, np.int32), np.ones(len(new.demands), np.int32)
    network_racks = [at for at, kinds in enumerate(space.kinds) if not kinds & own_racks]
    for switch in range(new.inside.size, len(rack)):
        at_hosts = host_rack[new.hosts[switch]]
        if at_hosts.size and 2 * (at_hosts < 0).sum() >= at_hosts.size:
            continue  # in or next to the new racks of its hosts
        stands_at = at_hosts[at_hosts >= 0]
        order = [int(np.bincount(stands_at).argmax())] if stands_at.size and into.plan(name).place == "rack" else []
        order += sorted(network_racks, key=lambda at: name not in space.networks[at])
        for at in order:
            lowest = space.put_switch(at, name, new.demands[switch])
            if lowest is not None:
                rack[switch], unit[switch] = at, lowest
                break
    return rack, unit


def _joined(
    racks: MachineRacks,
    space: Space,
    rack: np.ndarray,
    unit: np.ndarray,
    standing: list[tuple[np.ndarray, np.ndarray]],
    new: MachineRacks | None,
    number_of: np.ndarray,
) -> MachineRacks:
    """All racks: the new ones follow the existing ones."""
    count = len(racks)
    switch, switch_unit = [], []
    for number, (at, lowest) in enumerate(standing):
        at, lowest = at.copy(), lowest.copy()
        if new is not None:
            lone = at < 0
            at[lone], lowest[lone] = new.switch[number] + count, new.switch_unit[number]
        switch.append(np.concatenate([racks.switch[number], at]))
        switch_unit.append(np.concatenate([racks.switch_unit[number], lowest]))
    devices = racks.devices
    load = space.load
    if new is not None:
        homeless = number_of >= 0
        rack[homeless] = new.host[number_of[homeless]] + count
        unit[homeless] = new.host_unit[number_of[homeless]]
        devices += tuple((at + count, device, lowest) for at, device, lowest in new.devices)
        load = np.concatenate([load, new.load])
    return MachineRacks(rack, unit, tuple(switch), tuple(switch_unit), devices, load)


def _without_hosts(kind: HostKind) -> HostKind:
    return replace(kind, plan=msgspec.structs.replace(kind.plan, racks="network"), names=())
