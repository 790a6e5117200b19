"""Device types and devices for NetBox: the products of the catalogue, and where each piece stands."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.netbox_choices import native_type
from topoloom.core.csv_files import csv_table, texts
from topoloom.cost.facility import rack_power
from topoloom.cost.switch_kinds import switch_kinds
from topoloom.cost.switch_products import SwitchProduct
from topoloom.placement.hosts.housing import host_names
from topoloom.placement.hosts.stack import host_units
from topoloom.placement.layout.contents import rack_units

#: A rack in NetBox has at most 100 units, and a part number at most 50 characters.
_MOST_UNITS, _MOST_CHARACTERS = 100, 50
#: The manufacturer of a device whose maker is not known.
MAKER = "Generic"
SWITCH_ROLE, HOST_ROLE, DEVICE_ROLE = "Fabric switch", "Host", "Rack device"


@dataclass(frozen=True)
class DeviceType:
    """A product: its maker, model and part number, its height in units, and its weight in kg."""

    maker: str
    model: str
    part_number: str
    u: float
    weight_kg: float | None


@dataclass(frozen=True)
class Devices:
    """The devices as columns: name, role, type, rack (empty where it has none), and position (None without one)."""

    name: list[str]
    role: list[str]
    kind: list[DeviceType]
    rack: list[str]
    position: list[float | None]


def switch_products(cabling: Cabling) -> list[SwitchProduct | None]:
    """The product of every switch; None where a line prices switches."""
    out: list[SwitchProduct | None] = [None] * cabling.layout.topology.switches
    for kind in switch_kinds(cabling.layout.topology, cabling.terms):
        product = kind.product(cabling.bought.parts)
        for switch in kind.switches.tolist():
            out[switch] = product
    return out


def switch_device_names(cabling: Cabling) -> Sequence[str]:
    """The device name of each switch."""
    names = cabling.names
    return [f"S{i}" for i in range(cabling.layout.topology.switches)] if names is None else names.switches


def host_device_names(cabling: Cabling) -> Sequence[str]:
    """The device name of each host."""
    if cabling.names is not None:
        return cabling.names.hosts
    housing, count = cabling.layout.housing, cabling.layout.topology.hosts
    return [f"H{i}" for i in range(count)] if housing is None else host_names(housing, count)


def devices_of(cabling: Cabling) -> Devices:
    """All switches, the hosts whose cables are listed, and the further devices of racks."""
    layout, names = cabling.layout, cabling.layout.rack_names
    n, tall = layout.topology.switches, rack_height(cabling)
    plain = DeviceType(MAKER, f"{layout.topology.radix}-port switch", "", layout.stack.switch_u, None)
    types = {product: plain if product is None else _switch(product) for product in set(switch_products(cabling))}
    columns = Devices(
        [*switch_device_names(cabling)],
        [SWITCH_ROLE] * n,
        [types[product] for product in switch_products(cabling)],
        [names[rack] for rack in layout.rack.tolist()],
        [
            unit if unit + u - 1 <= tall else None
            for unit, u in zip(layout.height.tolist(), layout.switch_units.tolist(), strict=True)
        ],
    )
    if cabling.with_hosts:
        _add_hosts(cabling, columns)
    if layout.housing is not None:
        _add_rack_devices(cabling, columns)
    return columns


def rack_height(cabling: Cabling) -> int:
    """The height of the racks, at most what NetBox allows."""
    return min(_MOST_UNITS, rack_units(cabling.layout))


def _switch(product: SwitchProduct) -> DeviceType:
    return DeviceType(product.vendor or MAKER, product.name, product.part_number, product.u or 1.0, product.weight_kg)


def _add_hosts(cabling: Cabling, columns: Devices) -> None:
    layout, k = cabling.layout, cabling.layout.topology.hosts
    columns.name.extend(host_device_names(cabling))
    columns.role.extend([HOST_ROLE] * k)
    if layout.housing is None:
        columns.kind.extend([DeviceType(MAKER, "Host", "", 0.0, None)] * k)
        columns.rack.extend([""] * k)
        columns.position.extend([None] * k)
        return
    columns.rack.extend(layout.rack_names[rack] for rack in layout.host_rack.tolist())
    units = layout.host_unit.tolist()
    for host, hosts in layout.housing.kinds(k):
        sold = next((server for server in cabling.bought.parts.server if server.name == host.name), None)
        maker, number = (MAKER, "") if sold is None else (sold.vendor or MAKER, sold.part_number)
        # Several hosts that share a unit have no position of their own.
        u = host_units(host.units) if host.units >= 1 else math.floor(2 * host.units) / 2
        columns.kind.extend([DeviceType(maker, host.name, number, u, host.weight_kg)] * len(hosts))
        tall = rack_height(cabling)
        columns.position.extend(
            unit if u >= 1 and unit + u - 1 <= tall else None for unit in units[hosts.start : hosts.stop]
        )


def _add_rack_devices(cabling: Cabling, columns: Devices) -> None:
    layout, stack = cabling.layout, cabling.layout.stack
    counts = zip(
        layout.switches_in_rack.tolist(), layout.hosts_in_rack.tolist(), layout.switches_u.tolist(), strict=True
    )
    for rack, (switches, hosts, switches_u) in zip(layout.rack_names, counts, strict=True):
        numbers: dict[str, int] = {}
        for device, unit in zip(stack.present(hosts), stack.device_units(switches, hosts, switches_u), strict=True):
            number = numbers[device.name] = numbers.get(device.name, 0) + 1
            columns.name.append(f"{rack} {device.name} {number}")
            columns.role.append(DEVICE_ROLE)
            kind = DeviceType(device.vendor or MAKER, device.name, device.part_number, device.u, device.weight_kg)
            columns.kind.append(kind)
            columns.rack.append(rack)
            columns.position.append(unit)


def device_files(cabling: Cabling, site: str) -> dict[str, str]:
    """The files of manufacturers, roles, device types, racks and devices, by name.

    Parameters
    ----------
    cabling : Cabling
    site : str
        The name of the site.

    Returns
    -------
    dict of str to str
    """
    devices = devices_of(cabling)
    kinds = list(dict.fromkeys(devices.kind))
    makers = list(dict.fromkeys(kind.maker for kind in kinds))
    roles = [role for role in (SWITCH_ROLE, HOST_ROLE, DEVICE_ROLE) if role in devices.role or role != DEVICE_ROLE]
    colours = {SWITCH_ROLE: "00bcd4", HOST_ROLE: "9e9e9e", DEVICE_ROLE: "607d8b"}
    return {
        "manufacturers.csv": _rows(name=makers, slug=slugs(makers)),
        "device-roles.csv": _rows(
            name=roles, slug=slugs(roles), color=[colours[role] for role in roles], vm_role=["false"] * len(roles)
        ),
        "device-types.csv": _rows(
            manufacturer=[kind.maker for kind in kinds],
            model=[kind.model for kind in kinds],
            slug=slugs([f"{kind.maker} {kind.model}" if kind.maker != MAKER else kind.model for kind in kinds]),
            part_number=[kind.part_number[:_MOST_CHARACTERS] for kind in kinds],
            u_height=[f"{kind.u:g}" for kind in kinds],
            is_full_depth=["true" if kind.u >= 1 else "false" for kind in kinds],
            weight=["" if not kind.weight_kg else f"{kind.weight_kg:.2f}" for kind in kinds],
            weight_unit=["kg" if kind.weight_kg else "" for kind in kinds],
        ),
        "racks.csv": _racks(cabling, site),
        "devices.csv": _rows(
            name=devices.name,
            role=devices.role,
            manufacturer=[kind.maker for kind in devices.kind],
            device_type=[kind.model for kind in devices.kind],
            status=["planned"] * len(devices.name),
            site=[site] * len(devices.name),
            rack=devices.rack,
            position=["" if unit is None else f"{unit:g}" for unit in devices.position],
            face=["" if unit is None else "front" for unit in devices.position],
        ),
    }


def _racks(cabling: Cabling, site: str) -> str:
    layout = cabling.layout
    columns: dict[str, Sequence[str]] = {
        "site": [site] * layout.racks,
        "name": list(layout.rack_names),
        "status": ["planned"] * layout.racks,
        "width": ["19"] * layout.racks,
        "u_height": [str(rack_height(cabling))] * layout.racks,
    }
    if layout.housing is not None and (layout.housing.rack.load_kg or layout.housing.rack.empty_kg):
        rack = layout.housing.rack
        columns["weight"] = [f"{rack.empty_kg:.2f}" if rack.empty_kg else ""] * layout.racks
        columns["max_weight"] = [str(math.floor(rack.load_kg)) if rack.load_kg else ""] * layout.racks
        columns["weight_unit"] = ["kg"] * layout.racks
    power = rack_power(layout, cabling.terms)
    columns["description"] = (
        [""] * layout.racks
        if power is None
        else [f"maximum power: {words.removeprefix('power ')}" for words in power.words]
    )
    return _rows(**columns)


def _rows(**columns: Sequence[str]) -> str:
    return csv_table({name: texts(cells, guard=False) for name, cells in columns.items()})


def slugs(names: Sequence[str]) -> list[str]:
    """Names in the form of NetBox's slugs, each once: lower-case letters, digits and hyphens."""
    out: list[str] = []
    for name in names:
        plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
        slug = "-".join(filter(None, plain.split("-")))[:90] or "topoloom"
        again = sum(other == slug or other.startswith(f"{slug}-again-") for other in out)
        out.append(f"{slug}-again-{again}" if again and slug in out else slug)
    return out


def positions(devices: Devices) -> dict[str, tuple[str, float | None]]:
    """The rack and the position of each device, by name."""
    return dict(zip(devices.name, zip(devices.rack, devices.position, strict=True), strict=True))


def native_types(cabling: Cabling, switches: Sequence[int], rates_gbps: Sequence[float]) -> list[str]:
    """The NetBox type of each of some switch ports.

    Parameters
    ----------
    cabling : Cabling
    switches : sequence of int
        The switch of each port.
    rates_gbps : sequence of float
        The rate of its link, Gb/s.

    Returns
    -------
    list of str
        Empty where the catalogue has none.
    """
    infiniband = any(product.netbox_type.startswith("infiniband-") for product in cabling.bought.parts.switch.product)
    products = switch_products(cabling)
    number_of = {id(product): switch for switch, product in enumerate(products)}
    types: dict[tuple[int, float], str] = {}
    out = []
    for switch, rate in zip(switches, rates_gbps, strict=True):
        product = products[switch]
        key = number_of[id(product)], rate
        if key not in types:
            types[key] = "" if product is None else native_type(product, infiniband=infiniband, rate_gbps=rate)
        out.append(types[key])
    return out
