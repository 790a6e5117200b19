"""Files for the bulk import of NetBox: sites, racks, devices, interfaces, cables, and the objects to which they refer.

The columns, the required ones and their allowed values are those of NetBox's import forms (checked against 4.6.8
and 4.0; https://github.com/netbox-community/netbox, netbox/dcim/forms/bulk_import.py and netbox/dcim/choices.py).
"""

from itertools import islice

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.netbox_breakouts import breakout_files
from topoloom.cabling.netbox_choices import COLOURS, cable_type, host_interface_type, interface_type
from topoloom.cabling.netbox_devices import device_files, host_device_names, native_types, slugs, switch_device_names
from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.cost.choose import host_ends
from topoloom.formats.cables import host_ports


def netbox_files(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The files by name, in the order in which NetBox must import them.

    Switch 17 is the device ``S17``, host 5 the device ``H5`` (only if the cables of hosts are listed); port 12 is the
    interface ``P12``. Devices and ports of a network that is cabled have their real names. Hosts in separate racks have
    their names, racks, units and ports, and further devices of racks stand in them. A switch above the 100 units of a rack is
    in the rack without a position. If cables carry several links, the files of `breakout_files` follow.
    """
    interfaces, cables = _interfaces(cabling, labels), _cables(cabling, labels)
    site = cabling.layout.floor.name.strip() or "topoloom"
    (slug,) = slugs([site])
    return {
        "sites.csv": csv_table({"name": texts([site], guard=False), "slug": [slug], "status": ["planned"]}),
        **device_files(cabling, site),
        "interfaces.csv": _table(interfaces),
        "cables.csv": _table(cables),
        **breakout_files(cabling, labels, interfaces, cables),
    }


def _table(columns: dict[str, list[str]]) -> str:
    """A file to import: cells that need it are quoted, and none is changed."""
    return csv_table({name: texts(cells, guard=False) for name, cells in columns.items()})


def _port(cabling: Cabling, switch: int, port: int) -> str:
    """The interface name of a switch's port: its own name, if it has one."""
    return ("" if cabling.names is None else cabling.names.port_name(switch, port)) or f"P{port}"


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
    port = [_port(cabling, switch, number) for switch, number in used.tolist()]
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
    count = len(cabling)
    ends, ports = cabling.ends.T.tolist(), cabling.port.T.tolist()
    hosts, to_host = host_device_names(cabling) if cabling.with_hosts else [], cabling.to_host.tolist()
    called = switch_device_names(cabling)
    of_product = [cable_type(product) for product in cabling.bought.parts.cable]
    types = [of_product[product] for product in cabling.bought.product.tolist()]
    return {
        "side_a_device": [called[end] for end in ends[0]],
        "side_a_type": ["dcim.interface"] * count,
        "side_a_name": [_port(cabling, end, port) for end, port in zip(ends[0], ports[0], strict=True)],
        "side_b_device": [hosts[end] if host else called[end] for host, end in zip(to_host, ends[1], strict=True)],
        "side_b_type": ["dcim.interface"] * count,
        "side_b_name": [
            _host_port(cabling, labels, end, port) if host else _port(cabling, end, port)
            for host, end, port in zip(to_host, ends[1], ports[1], strict=True)
        ],
        "type": types,
        "status": ["planned"] * count,
        "label": labels.cable,
        "color": [COLOURS.get(kind, "") for kind in types],
        # NetBox keeps two decimals.
        "length": numbers(cabling.bought.stock_m, 2),
        "length_unit": ["m"] * count,
    }
