"""Files for the bulk import of NetBox: sites, racks, devices, interfaces, cables, and the objects to which they refer.

The columns, the required ones and their allowed values are those of NetBox's import forms (checked against 4.6.8
and 4.0; https://github.com/netbox-community/netbox, netbox/dcim/forms/bulk_import.py and netbox/dcim/choices.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.netbox_breakouts import (
    Breakouts,
    breakout_files,
    breakouts,
    carriers,
    has_several,
    joined_columns,
)
from topoloom.cabling.netbox_choices import COLOURS, cable_type, host_interface_type, interface_type
from topoloom.cabling.netbox_devices import (
    Devices,
    device_files,
    devices_of,
    host_device_names,
    interface_name,
    native_types,
    rack_columns,
    rack_height,
    slugs,
    switch_device_names,
)
from topoloom.cabling.netbox_panels import fibre_objects, object_columns, object_rest, panel_port_files, plain_columns
from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.cost.cable_products import CableProduct
from topoloom.cost.choose import host_ends
from topoloom.cost.facility import rack_power
from topoloom.formats.cables import host_ports


def netbox_files(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The files by name, in the order in which NetBox must import them.

    Switch 17 is the device ``S17``, host 5 the device ``H5`` (only if the cables of hosts are listed); port 12 is the
    interface ``P12``. Devices and ports of a network that is cabled have their real names. Hosts in separate racks have
    their names, racks, units and ports, and further devices of racks stand in them. A switch above the 100 units of a rack is
    in the rack without a position. Panels are devices with front and rear ports, and cords and trunks are cables. If cables
    carry several links, the files of `breakout_files` follow.
    """
    layout, housing = cabling.layout, cabling.layout.housing
    site = layout.floor.name
    power = rack_power(layout, cabling.terms)
    racks = rack_columns(
        site_name(site),
        layout.rack_names,
        rack_height(cabling),
        None if housing is None else housing.rack,
        None if power is None else power.words,
    )
    return bulk_files(site, devices_of(cabling), racks, [network_tables(cabling, labels)])


@dataclass(frozen=True)
class NetworkTables:
    """The tables of a network to import.

    Attributes
    ----------
    interfaces, cables : dict of str to list of str
        Columns.
    breakouts : Breakouts or None
        The same with cables of several links; None if every cable has one.
    panel_ports : dict of str to str
        The files of the ports of panels, by name.
    """

    interfaces: dict[str, list[str]]
    cables: dict[str, list[str]]
    breakouts: Breakouts | None
    panel_ports: dict[str, str] = field(default_factory=dict)


def network_tables(cabling: Cabling, labels: Labels, *, several: bool = False) -> NetworkTables:
    """The interfaces and the cables of a network.

    Parameters
    ----------
    cabling : Cabling
    labels : Labels
    several : bool
        Whether to give breakouts even where every cable has one link.

    Returns
    -------
    NetworkTables
    """
    interfaces, cables = _interfaces(cabling, labels), _cables(cabling, labels)
    groups, fibres = carriers(cabling), fibre_objects(cabling, labels, interfaces)
    own = several or has_several(cabling, groups) or any(len(fibre.ends) > 1 for fibre in fibres)
    objects = breakouts(cabling, groups, interfaces, cables) if own else None
    if cabling.layout.plant is None:
        return NetworkTables(interfaces, cables, objects)
    alone = np.flatnonzero(~cabling.through).tolist()
    plain = {name: [cells[row] for row in alone] for name, cells in cables.items()}
    if objects is not None:
        joined = joined_columns([object_columns(fibres), objects.cables])
        objects = Breakouts(objects.interfaces, joined, object_rest(fibres) + objects.rest)
    return NetworkTables(interfaces, joined_columns([plain_columns(fibres), plain]), objects, panel_port_files(cabling))


def bulk_files(
    site: str, devices: Devices, racks: Mapping[str, Sequence[str]], tables: Sequence[NetworkTables]
) -> dict[str, str]:
    """The files by name, in the order of their import.

    Parameters
    ----------
    site : str
        The name of the floor.
    devices : Devices
    racks : mapping of str to sequence of str
        Columns.
    tables : sequence of NetworkTables
        Those of each network; all with breakouts, or none.

    Returns
    -------
    dict of str to str
    """
    site = site_name(site)
    (slug,) = slugs([site])
    with_breakouts = [table.breakouts for table in tables if table.breakouts is not None]
    return {
        "sites.csv": csv_table({"name": texts([site], guard=False), "slug": [slug], "status": ["planned"]}),
        **device_files(devices, racks, site),
        "interfaces.csv": _table(joined_columns([table.interfaces for table in tables])),
        **{name: text for table in tables for name, text in table.panel_ports.items()},
        "cables.csv": _table(joined_columns([table.cables for table in tables])),
        **(breakout_files(with_breakouts) if with_breakouts else {}),
    }


def site_name(floor: str) -> str:
    """The name of the site: that of the floor."""
    return floor.strip() or "topoloom"


def _table(columns: dict[str, list[str]]) -> str:
    """A file to import: cells that need it are quoted, and none is changed."""
    return csv_table({name: texts(cells, guard=False) for name, cells in columns.items()})


def _host_port(cabling: Cabling, labels: Labels, host: int, port: int) -> str:
    """The interface name of a host's port: its device name, where hosts are described, or its own name."""
    if labels.devices:
        return labels.devices[host][port - 1]
    return ("" if cabling.names is None else cabling.names.host_port_name(host, port)) or f"P{port}"


def _interfaces(cabling: Cabling, labels: Labels) -> dict[str, list[str]]:
    """Every port that the fabric uses, including those to hosts whose cables are not listed."""
    topology = cabling.layout.topology
    used = _used_ports(cabling)
    called = switch_device_names(cabling)
    device = [called[switch] for switch in used[:, 0].tolist()]
    port = [interface_name(cabling, switch, number) for switch, number in used.tolist()]
    if cabling.with_hosts:
        names = host_device_names(cabling)
        device += [names[i] for i in topology.host.tolist()]
        numbers_in_host = host_ports(topology.host).tolist()
        port += [
            _host_port(cabling, labels, host, i)
            for host, i in zip(topology.host.tolist(), numbers_in_host, strict=True)
        ]
    rates = _port_rates(cabling, used).tolist()
    switches = used[:, 0].tolist()
    of_switches = native_types(cabling, switches, rates[: len(switches)])
    types = [interface_type(own, rate) for own, rate in zip(of_switches, rates, strict=False)]
    if cabling.with_hosts:
        plugs = host_ends(cabling.layout)
        connectors = [None if not plugs.kinds else plugs.kinds[kind].connector for kind in plugs.kind.tolist()]
        opposite = native_types(cabling, topology.endpoints.tolist(), rates[len(switches) :])
        types += [
            host_interface_type(own, connector, rate)
            for own, connector, rate in zip(opposite, connectors, rates[len(of_switches) :], strict=True)
        ]
    speeds = [str(round(rate * 1e6)) for rate in rates]
    return {"device": device, "name": port, "type": types, "speed": speeds}


def _used_ports(cabling: Cabling) -> np.ndarray:
    """Switch and number of every used port, int64[ports, 2], in this order.

    Cables that stayed in their ports while a network grew leave gaps. Hosts whose cables are not listed have the lowest numbers
    that no listed cable has.
    """
    topology, fabric = cabling.layout.topology, cabling.fabric
    if fabric is not None and not cabling.with_hosts:
        at_hosts = np.stack([topology.endpoints, fabric.endpoint_ports], axis=1)
        of_links = np.stack([topology.links.ravel(), fabric.link_ports.ravel()], axis=1)
        return np.unique(np.concatenate([of_links, at_hosts]).astype(np.int64), axis=0)
    listed: list[set[int]] = [set() for _ in range(topology.switches)]
    at_switch = np.stack([np.ones(len(cabling), bool), ~cabling.to_host], axis=1)
    for switch, port in zip(cabling.ends[at_switch].tolist(), cabling.port[at_switch].tolist(), strict=True):
        listed[switch].add(port)
    rows = []
    for switch, count in enumerate((topology.degrees + topology.endpoints_at).tolist()):
        free = (number for number in range(1, count + 1) if number not in listed[switch])
        rest = islice(free, count - len(listed[switch]))
        rows += [(switch, number) for number in sorted({*listed[switch], *rest})]
    return np.array(rows, np.int64).reshape(-1, 2)


def _port_rates(cabling: Cabling, used: np.ndarray) -> np.ndarray:
    """The rate of each interface, Gb/s: the `used` ports of switches, then those of the hosts whose cables are listed."""
    topology, hosts = cabling.layout.topology, cabling.with_hosts
    count = len(used) + (topology.endpoints.size if hosts else 0)
    rates = topology.endpoint_rate_gbps
    if cabling.rate_gbps is not None or rates is None:
        return np.full(count, cabling.rate_gbps)
    place = {(switch, number): row for row, (switch, number) in enumerate(used.tolist())}
    of_switches = np.full(len(used), np.nan)
    for side in (0, 1):
        at_switch = ~cabling.to_host if side else np.ones(len(cabling), bool)
        ends, ports = cabling.ends[at_switch, side].tolist(), cabling.port[at_switch, side].tolist()
        rows = [place[end, port] for end, port in zip(ends, ports, strict=True)]
        of_switches[rows] = cabling.rates_gbps[at_switch]
    if not hosts:
        # Hosts have the ports that no listed cable has, in their order.
        of_switches[np.isnan(of_switches)] = rates
    return np.concatenate([of_switches, rates]) if hosts else of_switches


def _cables(cabling: Cabling, labels: Labels) -> dict[str, list[str]]:
    """One row per cable, in the order of work."""
    ends, ports = cabling.ends.T.tolist(), cabling.port.T.tolist()
    hosts, to_host = host_device_names(cabling) if cabling.with_hosts else [], cabling.to_host.tolist()
    called, sold = switch_device_names(cabling), cabling.bought.parts.cable
    a_ends = [(called[end], interface_name(cabling, end, port)) for end, port in zip(ends[0], ports[0], strict=True)]
    b_ends = [
        (hosts[end], _host_port(cabling, labels, end, port))
        if host
        else (called[end], interface_name(cabling, end, port))
        for host, end, port in zip(to_host, ends[1], ports[1], strict=True)
    ]
    products = [sold[product] for product in cabling.bought.product.tolist()]
    return cable_columns(a_ends, b_ends, products, labels.cable, cabling.bought.stock_m)


def cable_columns(
    a_ends: Sequence[tuple[str, str]],
    b_ends: Sequence[tuple[str, str]],
    products: Sequence[CableProduct],
    labels: Sequence[str],
    stock_m: np.ndarray,
) -> dict[str, list[str]]:
    """The columns of cables, one row per cable.

    Parameters
    ----------
    a_ends, b_ends : sequence of (str, str)
        The device and the interface at each end.
    products : sequence of CableProduct
    labels : sequence of str
    stock_m : float64[cables]
        The length of each as bought.

    Returns
    -------
    dict of str to list of str
    """
    columns: dict[str, list[str]] = {}
    for side, ends in (("a", a_ends), ("b", b_ends)):
        columns[f"side_{side}_device"] = [device for device, _ in ends]
        columns[f"side_{side}_type"] = ["dcim.interface"] * len(ends)
        columns[f"side_{side}_name"] = [port for _, port in ends]
    of_product = {id(product): cable_type(product) for product in products}
    types = [of_product[id(product)] for product in products]
    return columns | {
        "type": types,
        "status": ["planned"] * len(types),
        "label": list(labels),
        "color": [COLOURS.get(kind, "") for kind in types],
        # NetBox keeps two decimals.
        "length": numbers(stock_m, 2),
        "length_unit": ["m"] * len(types),
    }
