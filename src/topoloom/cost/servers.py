"""Servers of a catalogue as hosts: the server that `[host] name` selects fills the keys that the host omits."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.cost.parts import Parts
from topoloom.cost.switch_products import SwitchProduct
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import HostType, Housing, RackRule, read_housing

#: The keys of a host that its server in the catalogue fills.
_FILLED = (
    "nics",
    "nic",
    "nic_included",
    "cages",
    "connector",
    "devices",
    "other_ports",
    "u",
    "power_w",
    "typical_w",
    "weight_kg",
    "air_m3h",
    "liquid_share",
    "inlets",
    "scale_up",
    "scale_up_gb_per_s",
)


def housing_of(given: str | Path | Housing, parts: Parts) -> Housing:
    """Hosts and racks from the name of a server, a TOML file, or a `Housing`; omitted values come from the catalogue.

    Parameters
    ----------
    given : str, path or Housing
        Values that a host omits are those of the server with its name; given values stay.
    parts : Parts

    Raises
    ------
    InputError
        The catalogue has no such server; or as in `read_housing`.

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> host = housing_of("DGX B200", load_parts("infiniband-2026")).host
    >>> host.nics, host.nic, host.u, host.power_w
    (8, 'ConnectX-7', 10.0, 14300.0)
    """
    servers = {sold.name: sold for sold in parts.server}
    if isinstance(given, Housing):
        housing = given
    elif Path(given).suffix == ".toml":
        housing = read_housing(given)
    elif str(given) in servers:
        housing = Housing(host=HostType(name=str(given)), rack=RackRule())
    else:
        raise InputError(
            f"the catalogue '{parts.name}' has no server '{given}' ({hint(str(given), servers) if servers else 'it has none'});"
            " or give the path of a .toml file with a table [host]"
        )
    if housing.others:
        raise InputError("[[others]]: hosts of several kinds stand in the racks of a machine; give one [host] here")
    server = servers.get(housing.host.name)
    if server is None:
        return housing
    defaults = HostType()
    filled = {
        key: getattr(server, key)
        for key in _FILLED
        if getattr(server, key) is not None and getattr(housing.host, key) == getattr(defaults, key)
    }
    # The cages and device names of the server are those of its own interfaces: other numbers of interfaces have others.
    nics: int = filled.get("nics", housing.host.nics) or 0
    ports = nics * housing.host.ports
    if sum(map(len, filled.get("cages", ()))) != ports:
        filled.pop("cages", None)
    if len(filled.get("devices", ())) not in (nics, ports):
        filled.pop("devices", None)
    if housing.host.nic not in ("", server.nic):  # interfaces that are bought for it
        filled.pop("nic_included", None)
    rule = RackRule()
    racked = {
        key: value
        for key, value in (("u", server.rack_u), ("unit_hosts", server.unit_hosts), ("device", server.rack_device))
        if value and getattr(housing.rack, key) == getattr(rule, key)
    }
    return msgspec.structs.replace(
        housing,
        host=msgspec.structs.replace(housing.host, **filled),
        rack=msgspec.structs.replace(housing.rack, **racked),
    )


def with_ports(housing: Housing, topology: Topology, parts: Parts, rate_gbps: float) -> Housing:
    """Hosts whose interfaces are split into as many ports as the network needs, where the product can be split so.

    A host with eight interfaces on a network of two planes with eight ports each has two ports per interface.

    Parameters
    ----------
    housing : Housing
        A host with a number of ports per interface is not changed.
    topology : Topology
    parts : Parts
    rate_gbps : float
        The rate of a port, Gb/s; in a network of several rates, each port has its own instead.
    """
    host, counts = housing.host, np.bincount(topology.host, minlength=topology.hosts)
    if host.nics is None or host.ports != 1 or not counts.size or (counts != counts[0]).any():
        return housing
    ports, over = divmod(int(counts[0]), host.nics)
    own = topology.endpoint_rate_gbps
    fastest = rate_gbps if not topology.mixed or own is None else float(own.max())
    modes = [mode for interface in parts.nic if interface.name == host.nic for mode in interface.split]
    if over or not any(mode.ports == ports and mode.rate_gbps >= fastest * (1 - 1e-9) for mode in modes):
        return housing
    return msgspec.structs.replace(housing, host=msgspec.structs.replace(host, ports=ports))


def with_switches(housing: Housing, products: Iterable[SwitchProduct | None]) -> Housing:
    """Hosts and racks with the greatest height, weight and airflow of the switch products, as far as they give them."""
    sold = [product for product in products if product is not None]
    given = {
        "switch_u": [product.u for product in sold],
        "switch_kg": [product.weight_kg for product in sold],
        "switch_air_m3h": [product.air_m3h for product in sold],
    }
    filled = {
        key: max(value for value in values if value is not None)
        for key, values in given.items()
        if any(value is not None for value in values)
    }
    return msgspec.structs.replace(housing, rack=msgspec.structs.replace(housing.rack, **filled))
