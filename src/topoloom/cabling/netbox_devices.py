"""Device types and devices for NetBox: the products of the catalogue, and where each piece stands."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.netbox_choices import native_type
from topoloom.core.csv_files import csv_table, texts
from topoloom.cost.host_products import ServerProduct
from topoloom.cost.switch_kinds import switch_kinds
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.model.topology import Topology
from topoloom.placement.fibre.summary import PanelDevice
from topoloom.placement.hosts.housing import HostType, RackRule, host_names
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.hosts.stack import host_units
from topoloom.placement.layout.contents import rack_units

#: A rack in NetBox has at most 100 units, and a part number at most 50 characters.
MOST_UNITS, _MOST_CHARACTERS = 100, 50
#: The manufacturer of a device whose maker is not known.
MAKER = "Generic"
SWITCH_ROLE, HOST_ROLE, DEVICE_ROLE, PANEL_ROLE = "Fabric switch", "Host", "Rack device", "Fibre panel"


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

    def add(self, name: str, role: str, kind: DeviceType, rack: str, position: float | None) -> None:
        """Add a device.

        Parameters
        ----------
        name, role : str
        kind : DeviceType
        rack : str
            Empty where it has none.
        position : float or None
            Its lowest unit.
        """
        for column, value in zip(vars(self).values(), (name, role, kind, rack, position), strict=True):
            column.append(value)


def switch_products(topology: Topology, terms: Terms) -> list[SwitchProduct | None]:
    """The product of every switch; None where a line prices switches.

    Parameters
    ----------
    topology : Topology
    terms : Terms
        With the catalogue.
    """
    out: list[SwitchProduct | None] = [None] * topology.switches
    for kind in switch_kinds(topology, terms):
        product = kind.product(terms.catalogue)
        for switch in kind.switches.tolist():
            out[switch] = product
    return out


def switch_device_names(cabling: Cabling) -> Sequence[str]:
    """The device name of each switch."""
    names = cabling.names
    if cabling.fabric is not None and _of_machine(cabling):
        return cabling.fabric.switch_names
    return [f"S{i}" for i in range(cabling.layout.topology.switches)] if names is None else names.switches


def interface_name(cabling: Cabling, switch: int, port: int) -> str:
    """The interface name of a switch's port: its own name, if it has one, else ``P12``.

    Parameters
    ----------
    cabling : Cabling
    switch, port : int

    Returns
    -------
    str
    """
    return ("" if cabling.names is None else cabling.names.port_name(switch, port)) or f"P{port}"


def host_device_names(cabling: Cabling) -> Sequence[str]:
    """The device name of each host."""
    if cabling.fabric is not None and _of_machine(cabling):
        return cabling.fabric.host_names
    if cabling.names is not None:
        return cabling.names.hosts
    housing, count = cabling.layout.housing, cabling.layout.topology.hosts
    return [f"H{i}" for i in range(count)] if housing is None else host_names(housing, count)


def _of_machine(cabling: Cabling) -> bool:
    """Whether it is a network of a machine: a switch whose management port is on its own network is one device."""
    return cabling.layout.housing is not None and cabling.layout.housing.shared


def devices_of(cabling: Cabling) -> Devices:
    """All switches, the hosts whose cables are listed, and the further devices of racks."""
    layout, names = cabling.layout, cabling.layout.rack_names
    n, tall = layout.topology.switches, rack_height(cabling)
    columns = Devices(
        [*switch_device_names(cabling)],
        [SWITCH_ROLE] * n,
        switch_types(cabling),
        [names[rack] for rack in layout.rack.tolist()],
        [
            unit if unit + u - 1 <= tall else None
            for unit, u in zip(layout.height.tolist(), layout.switch_units.tolist(), strict=True)
        ],
    )
    if cabling.with_hosts:
        _add_hosts(cabling, columns)
    if layout.housing is not None or layout.plant is not None:
        _add_rack_devices(cabling, columns)
    return columns


def rack_height(cabling: Cabling) -> int:
    """The height of the racks, at most what NetBox allows."""
    return min(MOST_UNITS, rack_units(cabling.layout))


def switch_types(cabling: Cabling) -> list[DeviceType]:
    """The type of each switch."""
    layout, products = cabling.layout, switch_products(cabling.layout.topology, cabling.terms)
    plain = DeviceType(MAKER, f"{layout.topology.radix}-port switch", "", layout.stack.switch_u, None)
    types = {product: plain if product is None else _switch(product) for product in set(products)}
    return [types[product] for product in products]


def _switch(product: SwitchProduct) -> DeviceType:
    return DeviceType(product.vendor or MAKER, product.name, product.part_number, product.u or 1.0, product.weight_kg)


def _add_hosts(cabling: Cabling, columns: Devices) -> None:
    layout, k = cabling.layout, cabling.layout.topology.hosts
    names, own = host_device_names(cabling), set(columns.name)
    if layout.housing is None:
        plain = DeviceType(MAKER, "Host", "", 0.0, None)
        for name in names:
            columns.add(name, HOST_ROLE, plain, "", None)
        return
    tall, racks, units = rack_height(cabling), layout.host_rack.tolist(), layout.host_unit.tolist()
    for host, hosts in layout.housing.kinds(k):
        sold = (server for server in cabling.bought.parts.server if server.name == host.name)
        kind = host_type(host, next(sold, None))
        for number in hosts:
            if names[number] not in own:
                rack = layout.rack_names[racks[number]]
                columns.add(names[number], HOST_ROLE, kind, rack, position_in(units[number], kind.u, tall))


def host_type(host: HostType, sold: ServerProduct | None) -> DeviceType:
    """The type of a kind of hosts, with the maker and the part number of its server.

    Parameters
    ----------
    host : HostType
    sold : ServerProduct or None
        Its product in the catalogue.
    """
    maker, number = (MAKER, "") if sold is None else (sold.vendor or MAKER, sold.part_number)
    # Several hosts that share a unit have no position of their own.
    u = host_units(host.units) if host.units >= 1 else math.floor(2 * host.units) / 2
    return DeviceType(maker, host.name, number, u, host.weight_kg)


def rack_device_type(device: RackDevice | PanelDevice) -> DeviceType:
    """The type of a further device of a rack; one that shares a unit with others has no height."""
    u = math.floor(2 * device.u) / 2
    return DeviceType(device.vendor or MAKER, device.name, device.part_number, u, device.weight_kg)


def position_in(unit: float, u: float, tall: float) -> float | None:
    """The position of a device in a rack; None for one without a unit of its own, and above the rack.

    Parameters
    ----------
    unit : float
        Its lowest unit.
    u : float
        Its height.
    tall : float
        The height of the rack.

    Returns
    -------
    float or None
    """
    return unit if u >= 1 and unit + u - 1 <= tall else None


def _add_rack_devices(cabling: Cabling, columns: Devices) -> None:
    layout = cabling.layout
    for rack, rack_name in enumerate(layout.rack_names):
        for name, device, unit in layout.devices_in(rack):
            kind = rack_device_type(device)
            role = PANEL_ROLE if isinstance(device, PanelDevice) else DEVICE_ROLE
            columns.add(name, role, kind, rack_name, unit if kind.u == device.u else None)


def device_files(devices: Devices, racks: Mapping[str, Sequence[str]], site: str) -> dict[str, str]:
    """The files of manufacturers, roles, device types, racks and devices, by name.

    Parameters
    ----------
    devices : Devices
    racks : mapping of str to sequence of str
        The columns of the racks.
    site : str
        The name of the site.

    Returns
    -------
    dict of str to str
    """
    kinds = list(dict.fromkeys(devices.kind))
    models = dict(zip(kinds, _models(kinds), strict=True))
    makers = list(dict.fromkeys(kind.maker for kind in kinds))
    colours = {SWITCH_ROLE: "00bcd4", HOST_ROLE: "9e9e9e", DEVICE_ROLE: "607d8b", PANEL_ROLE: "ffeb3b"}
    roles = [role for role in colours if role in devices.role or role in (SWITCH_ROLE, HOST_ROLE)]
    return {
        "manufacturers.csv": _rows(name=makers, slug=slugs(makers)),
        "device-roles.csv": _rows(
            name=roles, slug=slugs(roles), color=[colours[role] for role in roles], vm_role=["false"] * len(roles)
        ),
        "device-types.csv": _rows(
            manufacturer=[kind.maker for kind in kinds],
            model=list(models.values()),
            slug=slugs([f"{kind.maker} {name}" if kind.maker != MAKER else name for kind, name in models.items()]),
            part_number=[kind.part_number[:_MOST_CHARACTERS] for kind in kinds],
            u_height=[f"{kind.u:g}" for kind in kinds],
            is_full_depth=["true" if kind.u >= 1 else "false" for kind in kinds],
            weight=["" if not kind.weight_kg else f"{kind.weight_kg:.2f}" for kind in kinds],
            weight_unit=["kg" if kind.weight_kg else "" for kind in kinds],
        ),
        "racks.csv": _rows(**racks),
        "devices.csv": _rows(
            name=devices.name,
            role=devices.role,
            manufacturer=[kind.maker for kind in devices.kind],
            device_type=[models[kind] for kind in devices.kind],
            status=["planned"] * len(devices.name),
            site=[site] * len(devices.name),
            rack=devices.rack,
            position=["" if unit is None else f"{unit:g}" for unit in devices.position],
            face=["" if unit is None else "front" for unit in devices.position],
        ),
    }


def _models(kinds: Sequence[DeviceType]) -> list[str]:
    """The model of each type; those of one name that differ get a number."""
    seen: Counter[tuple[str, str]] = Counter()
    models = []
    for kind in kinds:
        key = kind.maker.lower(), kind.model.lower()
        seen[key] += 1
        models.append(kind.model if seen[key] == 1 else f"{kind.model} #{seen[key]}")
    return models


def rack_columns(
    site: str, names: Sequence[str], units: int, rule: RackRule | None, power: Sequence[str] | None
) -> dict[str, Sequence[str]]:
    """The columns of the racks.

    Parameters
    ----------
    site : str
    names : sequence of str
        The name of each rack.
    units : int
        The height of each; more than NetBox allows is cut.
    rule : RackRule or None
        Its weights, if known.
    power : sequence of str or None
        The power of each rack in words, if known.

    Returns
    -------
    dict of str to sequence of str
    """
    racks = len(names)
    columns: dict[str, Sequence[str]] = {
        "site": [site] * racks,
        "name": list(names),
        "status": ["planned"] * racks,
        "width": ["19"] * racks,
        "u_height": [str(min(MOST_UNITS, units))] * racks,
    }
    if rule is not None and (rule.load_kg or rule.empty_kg):
        columns["weight"] = [f"{rule.empty_kg:.2f}" if rule.empty_kg else ""] * racks
        columns["max_weight"] = [str(math.floor(rule.load_kg)) if rule.load_kg else ""] * racks
        columns["weight_unit"] = ["kg"] * racks
    columns["description"] = (
        [""] * racks if power is None else [f"maximum power: {words.removeprefix('power ')}" for words in power]
    )
    return columns


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
    products = switch_products(cabling.layout.topology, cabling.terms)
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
