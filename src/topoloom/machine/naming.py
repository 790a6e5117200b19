"""The names of what a machine has in addition to its hosts: switches, further devices of racks, and ports."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from topoloom.machine.devices import DeviceGroup
from topoloom.machine.racks import MachineRacks
from topoloom.model.topology import Topology
from topoloom.placement.hosts.rack_device import RackDevice

#: The names of switches by their level in a tree.
_LEVELS = ("leaf", "spine", "core")


def names_of_switches(name: str, topology: Topology) -> tuple[str, ...]:
    """The names of a network's switches: ``compute-leaf01``, ``compute-spine01``, by their blocks or their levels.

    Parameters
    ----------
    name : str
        Of the network.
    topology : Topology

    Returns
    -------
    tuple of str
    """
    stems = name_stems(name, topology)
    totals = Counter(stems)
    seen: dict[str, int] = {}
    names = []
    for stem in stems:
        seen[stem] = seen.get(stem, 0) + 1
        names.append(f"{stem}{seen[stem]:0{max(2, len(str(totals[stem])))}d}")
    return tuple(names)


def name_stems(name: str, topology: Topology) -> list[str]:
    """The name of each switch without its number: ``compute-leaf``.

    Parameters
    ----------
    name : str
        Of the network.
    topology : Topology

    Returns
    -------
    list of str
    """
    level, block = topology.labels.get("level"), topology.labels.get("block")
    if block is not None:
        return [f"{name}-{str(at).replace(' ', '-')}" for at in block.tolist()]
    if level is None:
        return [f"{name}-switch"] * topology.switches
    return [f"{name}-{_LEVELS[min(int(at), 2)]}" for at in level]


def named_devices(racks: MachineRacks, rack_names: Sequence[str]) -> list[tuple[RackDevice, tuple[str, ...]]]:
    """The further devices of racks by kind, with the name of each: its rack, its kind and its number in the rack.

    Parameters
    ----------
    racks : MachineRacks
    rack_names : sequence of str
        The name of each rack.

    Returns
    -------
    list of (RackDevice, tuple of str)
    """
    names: dict[str, list[str]] = {}
    devices: dict[str, RackDevice] = {}
    for (_, device, _), name in zip(racks.devices, racks.device_names(rack_names), strict=True):
        devices.setdefault(device.name, device)
        names.setdefault(device.name, []).append(name)
    return [(device, tuple(names[name])) for name, device in devices.items()]


def with_distinct_ports(
    groups: Mapping[str, tuple[DeviceGroup, ...]], heights: Mapping[str, float]
) -> dict[str, tuple[DeviceGroup, ...]]:
    """The groups with the height of switches, and with port names that no other port of a device has.

    Parameters
    ----------
    groups : mapping of str to tuple of DeviceGroup
    heights : mapping of str to float
        That of the switches of each network: of the lowest, where they differ.
    """
    used: dict[tuple[str, str], set[str]] = {}
    described: dict[str, tuple[DeviceGroup, ...]] = {}
    for network, some in groups.items():
        own = []
        for group in some:
            ports = used.setdefault((group.origin, group.of), set())
            names = tuple(f"{network}-{name}" if name in ports else name for name in group.host.devices)
            ports |= set(names)
            u = heights[group.of] if group.origin == "switch" else group.host.u
            own.append(replace(group, host=msgspec.structs.replace(group.host, u=u, devices=names)))
        described[network] = tuple(own)
    return described
