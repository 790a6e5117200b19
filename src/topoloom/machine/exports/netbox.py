"""NetBox for a whole machine: each device once, with its interfaces on all networks, in the racks of all."""

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.netbox import NetworkTables, bulk_files, cable_columns, network_tables, site_name
from topoloom.cabling.netbox_breakouts import carriers, has_several, plain_breakouts
from topoloom.cabling.netbox_devices import (
    DEVICE_ROLE,
    HOST_ROLE,
    MOST_UNITS,
    SWITCH_ROLE,
    Devices,
    DeviceType,
    host_type,
    position_in,
    rack_columns,
    rack_device_type,
    switch_types,
)
from topoloom.core.staging import Content
from topoloom.cost.facility import power_words
from topoloom.machine.cables import MachineCable, cablings, machine_cables
from topoloom.machine.contents import placed_devices
from topoloom.machine.facility import machine_facility
from topoloom.machine.machine import Machine

_ROLES = {"switch": SWITCH_ROLE, "host": HOST_ROLE, "device": DEVICE_ROLE}


def import_files(machine: Machine) -> dict[str, Content]:
    """The files by name, in the order in which NetBox must import them, as `topoloom.cabling.netbox` describes them.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict of str to str or bytes
    """
    done = cablings(machine)
    several = any(has_several(cabling, carriers(cabling)) for cabling, _ in done.values())
    tables = [network_tables(cabling, labels, several=several) for cabling, labels in done.values()]
    pairs = [each for each in machine_cables(machine) if each.network not in done]
    if pairs:
        tables.append(_pairs(machine, pairs, several=several))
    rule = machine.requirement.rack
    power = [power_words(supply) for supply in machine_facility(machine, tested=False).racks]
    racks = rack_columns(site_name(machine.floor.name), machine.rack_names, round(rule.u), rule, power)
    return {
        **bulk_files(machine.floor.name, _devices(machine, [cabling for cabling, _ in done.values()]), racks, tables)
    }


def _devices(machine: Machine, done: list[Cabling]) -> Devices:
    """All devices; their types are those of the catalogues."""
    servers = {server.name: server for cabling in done for server in cabling.bought.parts.server}
    hosts = [
        host_type(kind.body(), servers.get(kind.plan.product or kind.plan.name))
        for kind in machine.kinds
        for _ in kind.names
    ]
    switches = [kind for cabling in done for kind in switch_types(cabling)]
    others = [rack_device_type(device) for _, device, _ in machine.racks.devices]
    kinds: list[DeviceType] = [*hosts, *switches, *others]
    devices, tall = Devices([], [], [], [], []), min(MOST_UNITS, machine.requirement.rack.u)
    for placed, kind in zip(placed_devices(machine), kinds, strict=True):
        device = placed.standing
        position = None if device.unit is None else position_in(device.unit, kind.u, tall)
        devices.add(device.name, _ROLES[device.kind], kind, machine.rack_names[placed.rack], position)
    return devices


def _pairs(machine: Machine, pairs: list[MachineCable], *, several: bool) -> NetworkTables:
    """The interfaces and the cables between pairs of hosts."""
    catalogues = [network.terms.catalogue for network in machine.networks.values()]
    sold = {product.title: product for parts in catalogues for product in parts.cable}
    a_ends, b_ends = ([(each.a.name, each.a.port) for each in pairs], [(each.b.name, each.b.port) for each in pairs])
    interfaces = {
        "device": [device for side in (a_ends, b_ends) for device, _ in side],
        "name": [port for side in (a_ends, b_ends) for _, port in side],
        "type": ["other"] * 2 * len(pairs),
        "speed": [str(round(each.rate_gbps * 1e6)) for _ in "ab" for each in pairs],
    }
    cables = cable_columns(
        a_ends,
        b_ends,
        [sold[each.product] for each in pairs],
        [each.number for each in pairs],
        np.array([each.stock_m for each in pairs]),
    )
    return NetworkTables(interfaces, cables, plain_breakouts(interfaces, cables) if several else None)
