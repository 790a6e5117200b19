"""The contents of a machine's racks: every device with its unit, and the types of racks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from topoloom.cost.switch_kinds import kinds_bought
from topoloom.machine.devices import hosts_by_kind
from topoloom.machine.machine import Machine
from topoloom.network import Network
from topoloom.placement.hosts.stack import host_units
from topoloom.placement.layout.contents import RackType, Standing
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class PlacedDevice:
    """A device of a machine and its place.

    Attributes
    ----------
    standing : Standing
        With the kind of host or device as its product; "switch" for a switch.
    network : str
        Of a switch; empty for others.
    rack : int
    """

    standing: Standing
    network: str
    rack: int


def placed_devices(machine: Machine) -> Iterator[PlacedDevice]:
    """Yield the hosts of each kind, the switches of each network, and the further devices of racks.

    Parameters
    ----------
    machine : Machine
    """
    for kind, hosts in hosts_by_kind(machine.kinds):
        for name, host in zip(kind.names, hosts, strict=True):
            unit, rack = float(machine.racks.host_unit[host]), int(machine.racks.host[host])
            yield PlacedDevice(Standing("host", name, kind.plan.name, unit, host_units(kind.units)), "", rack)
    for number, (network, opened) in enumerate(machine.networks.items()):
        layout, names = opened.part(Layout), opened.fabric.switch_names
        racks, units = machine.racks.switch[number].tolist(), machine.racks.switch_unit[number].tolist()
        for name, rack, lowest, height in zip(names, racks, units, layout.switch_units.tolist(), strict=True):
            yield PlacedDevice(Standing("switch", name, "switch", float(lowest), height), network, rack)
    called = machine.racks.device_names(machine.rack_names)
    for name, (rack, device, lowest) in zip(called, machine.racks.devices, strict=True):
        yield PlacedDevice(Standing("device", name, device.name, lowest, float(device.u)), "", rack)


def contents_of_racks(machine: Machine) -> list[list[Standing]]:
    """The devices of each rack, switches with their product as their bill has it.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    list of list of Standing
        One per rack.
    """
    products = {name: iter(products_of_switches(machine.networks[name])) for name in machine.networks}
    racks: list[list[Standing]] = [[] for _ in range(len(machine.racks))]
    for placed in placed_devices(machine):
        standing = placed.standing
        if placed.network:
            standing = replace(standing, product=next(products[placed.network]))
        racks[placed.rack].append(standing)
    return racks


def products_of_switches(network: Network) -> list[str]:
    """The product of each switch of a network; "switch" where a line prices switches.

    Parameters
    ----------
    network : Network
    """
    out = ["switch"] * network.topology.switches
    for kind in kinds_bought(network.topology, network.terms):
        product = kind.product(network.terms.catalogue)
        for switch in kind.switches.tolist() if product is not None else ():
            out[switch] = product.name if product is not None else ""
    return out


def types_of_racks(machine: Machine, contents: list[list[Standing]]) -> list[RackType]:
    """The types of racks, in the order of their first racks: racks of a type hold the same products at the same units.

    Parameters
    ----------
    machine : Machine
    contents : list of list of Standing
        As `contents_of_racks` returns them.

    Returns
    -------
    list of RackType
    """
    racks_of: dict[tuple[tuple[str, str, float | None, float], ...], list[int]] = {}
    for rack, devices in enumerate(contents):
        key = tuple((device.kind, device.product, device.unit, device.units) for device in devices)
        racks_of.setdefault(key, []).append(rack)
    return [
        RackType(
            f"type {number}",
            tuple(racks),
            sum(kind == "switch" for kind, *_ in key),
            sum(kind == "host" for kind, *_ in key),
            float(machine.racks.load[racks[0], 0]),
        )
        for number, (key, racks) in enumerate(racks_of.items(), 1)
    ]
