"""Files for the bulk import of NetBox: sites, racks, devices, interfaces, cables, and the objects to which they refer.

The columns, the required ones and their allowed values are those of NetBox's import forms (checked against 4.6.8
and 4.0; https://github.com/netbox-community/netbox, netbox/dcim/forms/bulk_import.py and netbox/dcim/choices.py).
"""

import math
from collections.abc import Sequence

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.netbox_breakouts import breakout_files
from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.formats.cables import host_ports
from topoloom.placement.hosts.housing import host_names

#: A rack in NetBox has at most 100 units; racks without a known height usually have 42.
_MOST_UNITS, _USUAL_UNITS = 100, 42
_MAKER, _SWITCH_ROLE, _HOST_ROLE = "Generic", "Fabric switch", "Host"

#: NetBox's cable type for each medium, and a colour chosen here; other media have no type.
_TYPES = {
    "electric": "dac-passive",
    "copper": "dac-passive",
    "passive copper": "dac-passive",
    "active copper": "dac-active",
    "fibre": "aoc",
    "optical": "aoc",
}
_COLOURS = {"dac-passive": "424242", "dac-active": "795548", "aoc": "00bcd4"}


def netbox_files(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The files by name, in the order in which NetBox must import them.

    Switch 17 is the device ``S17``, host 5 the device ``H5`` (only if the cables of hosts are listed); port 12 is the
    interface ``P12``. Hosts in separate racks have their names, racks, units and ports. A switch above the 100 units of a
    rack is in the rack without a position. If cables carry several links, the files of `breakout_files` follow.
    """
    interfaces, cables = _interfaces(cabling, labels), _cables(cabling, labels)
    site = cabling.layout.floor.name.strip() or "topoloom"
    model = f"{cabling.layout.topology.radix}-port switch"
    return {
        "sites.csv": _row(name=site, slug=_slug(site), status="planned"),
        "manufacturers.csv": _row(name=_MAKER, slug=_slug(_MAKER)),
        "device-roles.csv": _rows(
            name=[_SWITCH_ROLE, _HOST_ROLE],
            slug=["fabric-switch", "host"],
            color=["00bcd4", "9e9e9e"],
            vm_role=["false", "false"],
        ),
        "device-types.csv": _rows(
            manufacturer=[_MAKER, _MAKER],
            model=[model, "Host"],
            slug=[_slug(model), "host"],
            u_height=["1", _units(cabling)],
            is_full_depth=["true", "false"],
        ),
        "racks.csv": _racks(cabling, site),
        "devices.csv": _devices(cabling, site, model),
        "interfaces.csv": csv_table(interfaces),
        "cables.csv": csv_table(cables),
        **breakout_files(cabling, labels, interfaces, cables),
    }


def _racks(cabling: Cabling, site: str) -> str:
    layout = cabling.layout
    tall = _USUAL_UNITS if layout.housing is None else round(layout.housing.rack.u)
    units = np.clip(np.bincount(layout.rack, minlength=layout.racks), min(tall, _MOST_UNITS), _MOST_UNITS)
    return _rows(
        site=[site] * layout.racks,
        name=list(layout.rack_names),
        status=["planned"] * layout.racks,
        width=["19"] * layout.racks,
        u_height=numbers(units),
    )


def _devices(cabling: Cabling, site: str, model: str) -> str:
    layout = cabling.layout
    n = layout.topology.switches
    k = layout.topology.hosts if cabling.with_hosts else 0
    names = layout.rack_names
    placed = (layout.height <= _MOST_UNITS).tolist()
    standing = k and layout.housing is not None
    whole = standing and float(_units(cabling)) >= 1
    units = [f"{unit:g}" for unit in layout.host_unit.tolist()] if whole else [""] * k
    return _rows(
        name=[f"S{i}" for i in range(n)] + _hosts(cabling)[:k],
        role=[_SWITCH_ROLE] * n + [_HOST_ROLE] * k,
        manufacturer=[_MAKER] * (n + k),
        device_type=[model] * n + ["Host"] * k,
        status=["planned"] * (n + k),
        site=[site] * (n + k),
        rack=[names[i] for i in layout.rack.tolist()]
        + ([names[i] for i in layout.host_rack.tolist()] if standing else [""] * k),
        position=[str(u) if here else "" for u, here in zip(layout.height.tolist(), placed, strict=True)] + units,
        face=["front" if here else "" for here in placed] + (["front"] if whole else [""]) * k,
    )


def _hosts(cabling: Cabling) -> list[str]:
    """The device name of each host."""
    housing, count = cabling.layout.housing, cabling.layout.topology.hosts
    return [f"H{i}" for i in range(count)] if housing is None else host_names(housing.host, count)


def _host_port(labels: Labels, host: int, port: int) -> str:
    """The interface name of a host's port: its device name, where hosts are described."""
    return labels.devices[host][port - 1] if labels.devices else f"P{port}"


def _units(cabling: Cabling) -> str:
    """The height of a host, in steps of half a unit as in NetBox; 0 if not known."""
    housing = cabling.layout.housing
    return "0" if housing is None else f"{math.floor(2 * housing.host.units) / 2:g}"


def _interfaces(cabling: Cabling, labels: Labels) -> dict[str, list[str]]:
    """Every port that the fabric uses, including those to hosts whose cables are not listed."""
    topology = cabling.layout.topology
    used = topology.degrees + topology.endpoints_at
    device = [f"S{i}" for i, count in enumerate(used.tolist()) for _ in range(count)]
    port = [f"P{i}" for i in (np.arange(used.sum()) - np.repeat(np.cumsum(used) - used, used) + 1).tolist()]
    if cabling.with_hosts:
        names = _hosts(cabling)
        device += [names[i] for i in topology.host.tolist()]
        numbers_in_host = host_ports(topology.host).tolist()
        port += [_host_port(labels, host, i) for host, i in zip(topology.host.tolist(), numbers_in_host, strict=True)]
    return {
        "device": device,
        "name": port,
        # Ethernet or InfiniBand, and the kind of plug: a cabling does not know them.
        "type": ["other"] * len(device),
        "speed": [str(round(rate * 1e6)) for rate in _port_rates(cabling, used).tolist()],
    }


def _port_rates(cabling: Cabling, used: np.ndarray) -> np.ndarray:
    """The rate of each interface, Gb/s: `used` ports of each switch, then those of the hosts whose cables are listed."""
    topology, hosts = cabling.layout.topology, cabling.with_hosts
    count = int(used.sum()) + (topology.endpoints.size if hosts else 0)
    rates = topology.endpoint_rate_gbps
    if cabling.rate_gbps is not None or rates is None:
        return np.full(count, cabling.rate_gbps)
    first = np.cumsum(used) - used
    of_switches = np.full(int(used.sum()), np.nan)
    for side in (0, 1):
        at_switch = ~cabling.to_host if side else np.ones(len(cabling), bool)
        ends, ports = cabling.ends[at_switch, side], cabling.port[at_switch, side]
        within = ports <= used[ends]
        of_switches[(first[ends] + ports - 1)[within]] = cabling.rates_gbps[at_switch][within]
    if not hosts:
        # Hosts have the ports that no listed cable has, in their order.
        of_switches[np.isnan(of_switches)] = rates
    return np.concatenate([of_switches, rates]) if hosts else of_switches


def _cables(cabling: Cabling, labels: Labels) -> dict[str, list[str]]:
    """One row per cable, in the order of work."""
    count = len(cabling)
    ends, ports = cabling.ends.T.tolist(), cabling.port.T.tolist()
    hosts, to_host = _hosts(cabling) if cabling.with_hosts else [], cabling.to_host.tolist()
    types = [_TYPES.get(medium, "") for medium in cabling.medium.tolist()]
    return {
        "side_a_device": [f"S{end}" for end in ends[0]],
        "side_a_type": ["dcim.interface"] * count,
        "side_a_name": [f"P{port}" for port in ports[0]],
        "side_b_device": [hosts[end] if host else f"S{end}" for host, end in zip(to_host, ends[1], strict=True)],
        "side_b_type": ["dcim.interface"] * count,
        "side_b_name": [
            _host_port(labels, end, port) if host else f"P{port}"
            for host, end, port in zip(to_host, ends[1], ports[1], strict=True)
        ],
        "type": types,
        "status": ["planned"] * count,
        "label": labels.cable,
        "color": [_COLOURS.get(kind, "") for kind in types],
        # NetBox keeps two decimals.
        "length": numbers(cabling.bought.stock_m, 2),
        "length_unit": ["m"] * count,
    }


def _rows(**columns: Sequence[str]) -> str:
    return csv_table({name: texts(cells, guard=False) for name, cells in columns.items()})


def _row(**cells: str) -> str:
    return _rows(**{name: [cell] for name, cell in cells.items()})


def _slug(text: str) -> str:
    """A name in the form of NetBox's slugs: lower-case letters, digits and hyphens."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text.lower())
    return "-".join(filter(None, plain.split("-"))) or "topoloom"
