"""Every device of a room with its rack and units, and every cable with both ends, as columns: elevations, ports and search."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels, fibre_ports, label
from topoloom.cabling.netbox_devices import host_device_names, switch_device_names, switch_products
from topoloom.cost.facility_sums import switch_figures
from topoloom.cost.switch_kinds import switch_kinds
from topoloom.machine.cables import machine_cables
from topoloom.machine.contents import placed_devices, products_of_switches
from topoloom.machine.devices import hosts_by_kind
from topoloom.machine.machine import Machine
from topoloom.network import Network
from topoloom.placement.hosts.stack import host_units
from topoloom.placement.layout.contents import rack_units
from topoloom.report.scripting import short_number

#: The kinds of devices, by their numbers in the data.
KINDS = ("host", "switch", "device")
_NO_UNITS = "Every host stands with its switch, in no unit of its own: the placement has racks for switches only."


class _Columns:
    """Devices and cables while they are collected; texts that occur often are numbered."""

    def __init__(self, racks: Sequence[str]) -> None:
        self.racks = list(racks)
        self.products: dict[str, int] = {}
        self.sold: dict[str, int] = {}
        self.networks: dict[str, int] = {}
        self.devices: list[tuple[Any, ...]] = []
        self.cables: list[tuple[Any, ...]] = []

    def device(
        self,
        kind: str,
        name: str,
        product: str,
        rack: int,
        unit: float | None,
        units: float,
        watts: float | None,
        network: str = "",
        number: int = -1,
    ) -> int:
        """Add a device; returns its number."""
        of_network = self.networks.setdefault(network, len(self.networks)) if network or number >= 0 else -1
        self.devices.append(
            (
                KINDS.index(kind),
                name,
                self.products.setdefault(product, len(self.products)),
                rack,
                unit,
                units,
                None if watts is None else short_number(watts, 5),
                of_network,
                number,
            )
        )
        return len(self.devices) - 1

    def cable(
        self, number: str, a: int, a_port: str, b: int, b_port: str, length_m: float, product: str, network: str
    ) -> None:
        """Add a cable; the product is empty where the cable is not in the list."""
        self.cables.append(
            (
                number,
                a,
                a_port,
                b,
                b_port,
                short_number(length_m, 5),
                self.sold.setdefault(product, len(self.sold)),
                self.networks.setdefault(network, len(self.networks)),
            )
        )

    def record(self, units: int, note: str) -> dict[str, Any]:
        return {
            "schema": "topoloom/elevations/1",
            "units": units,
            "note": note,
            "racks": self.racks,
            "kinds": list(KINDS),
            "products": list(self.products),
            "networks": list(self.networks),
            "sold": list(self.sold),
            "devices": _named(
                ("kind", "name", "product", "rack", "unit", "units", "watts", "network", "number"), self.devices
            ),
            "cables": _named(("number", "a", "a_port", "b", "b_port", "length_m", "product", "network"), self.cables),
        }


def _named(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Any]]:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def elevation_data(network: Network, cabling: Cabling) -> dict[str, Any]:
    """The devices and the cables of a network on its floor.

    Parameters
    ----------
    network : Network
        With a layout.
    cabling : Cabling
        Its cables.

    Returns
    -------
    dict
        ``devices`` and ``cables`` as columns. A device has its kind, product and rack by number, its lowest unit (null where
        it has none), its height, and its maximum power in W (null where it is not known); a switch also its network and its
        number in it. A cable has the numbers of its two devices.
    """
    layout, labels = cabling.layout, label(cabling)
    columns = _Columns(layout.rack_names)
    names, products = switch_device_names(cabling), switch_products(layout.topology, cabling.terms)
    (watts, words), switches = _facts_of_switches(network), []
    for switch, (rack, unit, height) in enumerate(
        zip(layout.rack.tolist(), layout.height.tolist(), layout.switch_units.tolist(), strict=True)
    ):
        product = products[switch]
        sold = words[switch] if product is None else product.name
        switches.append(columns.device("switch", names[switch], sold, rack, unit, height, watts[switch], "", switch))
    hosts = _hosts(columns, cabling, dict(zip(names, switches, strict=True)))
    further: dict[str, int] = {}
    for rack in range(layout.racks):
        for name, device, unit in layout.devices_in(rack):
            further[name] = columns.device("device", name, device.name, rack, unit, device.u, device.power_w)
    _cables(columns, cabling, labels, switches, hosts)
    if layout.plant is not None:
        _cords_and_trunks(columns, cabling, labels, [*switches, *(further[name] for name in layout.plant.names)])
    return columns.record(rack_units(layout), "" if layout.host_slot is not None else _NO_UNITS)


def _facts_of_switches(network: Network) -> tuple[list[float | None], list[str]]:
    """The maximum power of each switch, W, None where it is not known; and what it is, in words: ``48 ports``."""
    terms = network.terms.on(network.topology, "elevations")
    watts: list[float | None] = [None] * network.topology.switches
    words = [""] * network.topology.switches
    for kind in switch_kinds(network.topology, terms):
        most = switch_figures(kind, terms.catalogue).max_w
        for switch in kind.switches.tolist():
            watts[switch], words[switch] = most, kind.words
    return watts, words


def _hosts(columns: _Columns, cabling: Cabling, switches: Mapping[str, int]) -> list[int]:
    """Add the hosts; those without racks of their own stand with their switches, in no unit."""
    layout, names = cabling.layout, host_device_names(cabling)
    racks, housing = layout.host_rack.tolist(), layout.housing
    if housing is None or layout.host_slot is None:
        return [columns.device("host", name, "", rack, None, 0, None) for name, rack in zip(names, racks, strict=True)]
    units, out = layout.host_unit.tolist(), []
    for kind, numbers in housing.kinds(layout.topology.hosts):
        for host in numbers:
            # In a machine, the management ports of a network's own switches are on it, too.
            if housing.shared and names[host] in switches:
                out.append(switches[names[host]])
                continue
            unit, power = units[host] if kind.units else None, kind.power_w or None
            height = host_units(kind.units)
            out.append(columns.device("host", names[host], kind.name, racks[host], unit, height, power))
    return out


def _cables(columns: _Columns, cabling: Cabling, labels: Labels, switches: Sequence[int], hosts: Sequence[int]) -> None:
    """Add the cables of the list, and those of hosts that it does not contain."""
    names, topology = cabling.names, cabling.layout.topology
    titles = [product.title for product in cabling.bought.parts.cable]

    def port(switch: int, number: int) -> str:
        return str(number) if names is None else names.port(switch, number)

    def at_host(host: int, number: int) -> str:
        if names is not None and not labels.hosts:
            return names.host_port(host, number)
        return labels.devices[host][number - 1] if labels.devices else str(number)

    # Cords and trunks are the cables of links through panels.
    rows = zip(
        cabling.through.tolist(),
        labels.cable,
        cabling.ends.tolist(),
        cabling.port.tolist(),
        cabling.to_host.tolist(),
        cabling.length_m.tolist(),
        cabling.bought.product.tolist(),
        strict=True,
    )
    for through, number, (a, b), (a_port, b_port), host, length_m, product in rows:
        if through:
            continue
        other_end = (hosts[b], at_host(b, b_port)) if host else (switches[b], port(b, b_port))
        columns.cable(number, switches[a], port(a, a_port), *other_end, length_m, titles[product], "")
    if not cabling.with_hosts:
        at_hosts = topology.endpoint_ports if cabling.fabric is None else cabling.fabric.endpoint_ports
        places = np.zeros(topology.hosts, np.int64)
        inside_m = cabling.layout.floor.inside_m
        for a, b, number in zip(topology.endpoints.tolist(), topology.host.tolist(), at_hosts.tolist(), strict=True):
            places[b] += 1
            columns.cable("", switches[a], port(a, number), hosts[b], at_host(b, int(places[b])), inside_m, "", "")


def _cords_and_trunks(columns: _Columns, cabling: Cabling, labels: Labels, devices: Sequence[int]) -> None:
    """Add the cords and trunks; `devices` are the numbers of the switches, then those of the panels."""
    laid, plant = cabling.laid, cabling.layout.plant
    if plant is None:
        return
    rows = np.flatnonzero(~laid.own)
    ends = laid.ends(plant)[:, :, 0].tolist(), fibre_ports(cabling, labels)
    sold = [plant.fibres[kind].name for kind in plant.fibre[laid.fibre[rows]].tolist()]
    for row, (a, b), (a_port, b_port), product in zip(rows.tolist(), *ends, sold, strict=True):
        number = labels.laid[row][0]
        columns.cable(number, devices[a], a_port, devices[b], b_port, laid.length_m[row], product, "")


def machine_elevation_data(machine: Machine) -> dict[str, Any]:
    """The devices and the cables of all networks of a machine, as `elevation_data` has those of one.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict
    """
    columns = _Columns(machine.rack_names)
    watts_of: dict[str, float | None] = {
        kind.plan.name: kind.body().power_w or None for kind, _ in hosts_by_kind(machine.kinds)
    }
    watts_of |= {device.name: device.power_w for _, device, _ in machine.racks.devices}
    sold = {name: products_of_switches(network) for name, network in machine.networks.items()}
    power = {name: _facts_of_switches(network)[0] for name, network in machine.networks.items()}
    numbers, device_of = dict.fromkeys(machine.networks, 0), dict[str, int]()
    for placed in placed_devices(machine):
        standing, network_name = placed.standing, placed.network
        product, number, watts = standing.product, -1, watts_of.get(standing.product)
        if network_name:
            number = numbers[network_name]
            numbers[network_name] += 1
            product, watts = sold[network_name][number], power[network_name][number]
        device_of[standing.name] = columns.device(
            *(standing.kind, standing.name, product, placed.rack, standing.unit, standing.units, watts),
            network_name,
            number,
        )
    for each in machine_cables(machine):
        a, b = device_of[each.a.name], device_of[each.b.name]
        columns.cable(each.number, a, each.a.port, b, each.b.port, each.length_m, each.product, each.network)
    units = max(round(machine.requirement.rack.u), int(np.ceil(machine.racks.load[:, 0].max(initial=0.0))))
    return columns.record(units, "")
