"""The lists of a machine: all devices with their places, and all cables with both ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.fabric.fabric import number_in_host
from topoloom.machine.contents import placed_devices
from topoloom.machine.machine import Machine
from topoloom.placement.hosts.ports import host_ports_as_built
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A host, a switch or a further device of a rack.

    Attributes
    ----------
    name, kind : str
        The kind of host or device; "switch" for a switch.
    network : str
        Of a switch; empty for others.
    rack : str
    unit : float or None
        Its lowest unit.
    units : float
        Its height.
    """

    name: str
    kind: str
    network: str
    rack: str
    unit: float | None
    units: float


@dataclass(frozen=True, slots=True)
class CableEntry:
    """A cable: its network, both devices with ports and racks, rate and length.

    Attributes
    ----------
    network, a_device, a_port, a_rack, b_device, b_port, b_rack : str
    rate_gbps, length_m : float
    """

    network: str
    a_device: str
    a_port: str
    a_rack: str
    b_device: str
    b_port: str
    b_rack: str
    rate_gbps: float
    length_m: float


def listed_devices(machine: Machine) -> Iterator[DeviceEntry]:
    """Yield the hosts of each kind, the switches of each network, and the further devices of racks.

    Parameters
    ----------
    machine : Machine
    """
    for placed in placed_devices(machine):
        own, rack = placed.standing, machine.rack_names[placed.rack]
        yield DeviceEntry(own.name, own.product, placed.network, rack, own.unit, own.units)


def listed_cables(machine: Machine) -> Iterator[CableEntry]:
    """Yield the cables of every network, first those between its switches.

    Parameters
    ----------
    machine : Machine
    """
    for name, network in machine.networks.items():
        layout, fabric, topology = network.part(Layout), network.fabric, network.topology
        racks = layout.rack_names
        rate = machine.requirement.plan(name).rate_gbps
        links, ends = topology.links, topology.endpoints
        of_links = np.full(len(links), rate) if topology.link_rate_gbps is None else topology.link_rate_gbps
        of_ends = np.full(len(ends), rate) if topology.endpoint_rate_gbps is None else topology.endpoint_rate_gbps
        a = [*links[:, 0].tolist(), *ends.tolist()]
        b_racks = [*layout.rack[links[:, 1]].tolist(), *layout.host_rack[topology.host].tolist()]
        columns = zip(
            (fabric.switch_names[at] for at in a),
            map(str, [*fabric.link_ports[:, 0].tolist(), *fabric.endpoint_ports.tolist()]),
            (racks[layout.rack[at]] for at in a),
            [*(fabric.switch_names[at] for at in links[:, 1]), *(fabric.host_names[at] for at in topology.host)],
            [*map(str, fabric.link_ports[:, 1].tolist()), *_host_ports(layout)],
            (racks[at] for at in b_racks),
            np.concatenate([of_links, of_ends]).tolist(),
            np.concatenate([layout.length_m, layout.host_length_m]).tolist(),
            strict=True,
        )
        yield from (CableEntry(name, *column) for column in columns)


def devices_csv(machine: Machine) -> str:
    """One row per device: its name, what it is, its network if it is a switch, its rack, its lowest unit and its height."""
    return devices_table(list(listed_devices(machine)))


def devices_table(devices: Sequence[DeviceEntry]) -> str:
    """As `devices_csv`, of some devices."""
    return csv_table(
        {
            "name": texts(device.name for device in devices),
            "kind": texts(device.kind for device in devices),
            "network": texts(device.network for device in devices),
            "rack": texts(device.rack for device in devices),
            "unit": numbers(np.array([np.nan if device.unit is None else device.unit for device in devices], float), 2),
            "units": numbers(np.array([device.units for device in devices], float), 2),
        }
    )


def machine_cables_csv(machine: Machine) -> str:
    """One row per cable of every network: its network, both devices with ports and racks, rate and length."""
    return cables_table(list(listed_cables(machine)))


def cables_table(cables: Sequence[CableEntry]) -> str:
    """As `machine_cables_csv`, of some cables."""
    named = ("network", "a_device", "a_port", "a_rack", "b_device", "b_port", "b_rack")
    columns = {key: texts(getattr(cable, key) for cable in cables) for key in named}
    measured = {
        key: numbers(np.array([getattr(cable, key) for cable in cables], float)) for key in ("rate_gbps", "length_m")
    }
    return csv_table(columns | measured)


def _host_ports(layout: Layout) -> list[str]:
    """The name of each endpoint's port at its device; its number where the device has no names of ports."""
    if layout.housing is None:
        return list(map(str, number_in_host(layout.topology).tolist()))
    ports = host_ports_as_built(layout.topology, layout.housing)
    return [
        ports.kinds[kind].names[number] if ports.kinds[kind].host.devices else str(number + 1)
        for kind, number in zip(ports.kind.tolist(), ports.number.tolist(), strict=True)
    ]
