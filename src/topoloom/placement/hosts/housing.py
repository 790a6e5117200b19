"""The description of hosts and racks: the tables `[host]` and `[rack]` of a requirement or of a separate file."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable, read_toml
from topoloom.placement.hosts.rack_device import FacilityRule, RackDevice

_MOST_W = 1e7

#: What a cage, or a socket of co-packaged optics, takes. An OSFP cage takes modules with fins (switches cooled by air) or flat
#: ones (interfaces, and switches cooled by liquid); the two are not interchangeable.
Connector = Literal[
    "OSFP finned",
    "OSFP flat",
    "QSFP-DD",
    "QSFP112",
    "QSFP56",
    "QSFP28",
    "SFP28",
    "MPO-12 socket",
    "MMC-12 socket",
    "RJ45",
]


class OtherPort(TomlTable, frozen=True):
    """A port of a host that is not on the compute network: for storage, in-band or out-of-band management."""

    group: ClassVar[str] = "[[host.other_ports]]"

    use: Annotated[str, setting("what it is for: `storage`, `in-band`, `BMC`")]
    device: Annotated[str, setting("its device name")] = ""
    rate_gbps: Annotated[float, setting("its rate", unit="Gb/s", above=0, most=1e6)] | None = None
    connector: Annotated[Connector | None, setting("its cage")] = None


HostUnits = (
    Annotated[
        float,
        setting(
            "its height; below 1 where several hosts share a unit. Racks of hosts need it",
            unit="rack units",
            least=0,
            most=100,
        ),
    ]
    | None
)
HostPower = Annotated[float, setting("its maximum power", unit="W", least=0, most=_MOST_W)]
HostWeight = Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None
HostTypicalPower = Annotated[float, setting("its typical power", unit="W", least=0, most=_MOST_W)] | None
HostAir = Annotated[float, setting("the air that its fans move", unit="m³/h", least=0, most=1e6)] | None
HostLiquidShare = Annotated[float, setting("the share of its heat that goes into liquid", least=0, most=1)]
HostInlets = Annotated[int, setting("its power inlets", least=1, most=1000)] | None
ScaleUpSize = Annotated[
    int, setting("accelerators that reach each other without this network: 8 in a server, 72 in a rack", least=1)
]
ScaleUpRate = (
    Annotated[
        float,
        setting(
            "what one of these accelerators sends to the others, and receives, at once; collectives inside a host take"
            " no time without it",
            unit="GB/s",
            above=0,
            most=1e6,
        ),
    ]
    | None
)
HostPrefix = Annotated[str, setting("the prefix of host names: `node` gives `node0001`")]


class HostType(TomlTable, frozen=True):
    """A host: its size, its power, and its interfaces on the network."""

    group: ClassVar[str] = "[host]"

    name: Annotated[
        str, setting("its name; if it is a server of the parts catalogue, that supplies the omitted keys")
    ] = "host"
    nics: (
        Annotated[
            int, setting("network interfaces; if omitted, as many as the network has per host", least=1, most=1024)
        ]
        | None
    ) = None
    ports: Annotated[int, setting("ports of each interface: 2 for a NIC split in two", least=1, most=64)] = 1
    rate_gbps: (
        Annotated[
            float,
            setting("the rate of each of these ports; that of the links, if omitted", unit="Gb/s", above=0, most=1e6),
        ]
        | None
    ) = None
    nic: Annotated[str, setting("the interface's product, in the parts catalogue")] = ""
    nic_included: Annotated[
        bool, setting("the host's price includes its interfaces: no bill and no order has them")
    ] = False
    cages: Annotated[
        tuple[tuple[Annotated[int, msgspec.Meta(ge=0, le=1_000_000)], ...], ...],
        setting(
            "which ports share a cage, and so a module: `[[7, 4], [6, 5], [2, 1], [3, 0]]`, ports numbered from 0, interface by"
            " interface; if omitted, each interface has one cage for its ports"
        ),
    ] = ()
    connector: Annotated[Connector | None, setting("what its cages take; any module, if omitted")] = None
    devices: Annotated[
        tuple[str, ...],
        setting("the device name of each interface, or of each port; `device` and a number, if omitted"),
    ] = ()
    other_ports: Annotated[
        tuple[OtherPort, ...],
        setting("its ports on other networks; they are reported, but neither cabled nor billed here"),
    ] = ()
    u: HostUnits = None
    power_w: HostPower = 0.0
    weight_kg: HostWeight = None
    typical_w: HostTypicalPower = None
    air_m3h: HostAir = None
    liquid_share: HostLiquidShare = 0.0
    inlets: HostInlets = None
    scale_up: ScaleUpSize = 1
    scale_up_gb_per_s: ScaleUpRate = None
    node: HostPrefix = "node"
    device: Annotated[str, setting("the prefix of port names without `devices`: `mlx5_` gives `node0001:mlx5_3`")] = (
        "mlx5_"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        ports = sorted(port for cage in self.cages for port in cage)
        if self.cages and ports != list(range(len(ports))):
            raise ValueError("cages: name each port once, numbered from 0: [[0, 1], [2, 3]]")
        if not all(self.cages):
            raise ValueError("cages: a cage without ports; name the ports of each")
        if len(set(self.devices)) < len(self.devices):
            raise ValueError("devices: two interfaces have the same name; give unique names")
        several = None if self.nics is None else self.nics * self.ports
        if several is not None and self.cages and len(ports) != several:
            raise ValueError(
                f"cages: they have {len(ports)} ports, but the host has {several} ({self.nics} x {self.ports}); name each once"
            )
        if several is not None and self.devices and len(self.devices) not in (self.nics, several):
            raise ValueError(
                f"devices: {len(self.devices)} names for {self.nics} interfaces; give one per interface or port"
            )

    @property
    def units(self) -> float:
        """Its height in rack units.

        Raises
        ------
        InputError
            The height is not known.
        """
        if self.u is None:
            raise InputError(
                f"the height of the host '{self.name}' is not known: give `u` in [host]; racks of hosts need it"
            )
        return self.u


class RackRule(TomlTable, frozen=True):
    """The capacity of a rack, and where the leaf switches of the hosts stand."""

    group: ClassVar[str] = "[rack]"

    u: Annotated[float, setting("its height", unit="rack units", above=0, most=1000)] = 42.0
    power_w: (
        Annotated[
            float, setting("its maximum power, with all that stands in it; no limit, if omitted", unit="W", above=0)
        ]
        | None
    ) = None
    hosts: (
        Annotated[
            int, setting("most hosts in one rack, in addition to the limits of height and power", least=1, most=100_000)
        ]
        | None
    ) = None
    switches: (
        Annotated[int, setting("most switches in one rack, in addition to the limits of height and power", least=1)]
        | None
    ) = None
    unit_hosts: (
        Annotated[
            int,
            setting(
                "hosts of a rack-scale unit, which stays in one rack: 18 trays of an NVL72; if omitted, each host stands alone",
                least=1,
                most=100_000,
            ),
        ]
        | None
    ) = None
    device: Annotated[
        tuple[RackDevice, ...], setting("further devices in each rack: power shelves, NVLink switch trays, ...")
    ] = ()
    switch_u: Annotated[
        float, setting("the height of a switch whose product does not give it", unit="rack units", above=0, most=100)
    ] = 1.0
    switch_kg: (
        Annotated[float, setting("the weight of a switch whose product does not give it", unit="kg", above=0, most=1e5)]
        | None
    ) = None
    switch_air_m3h: (
        Annotated[
            float, setting("the airflow of a switch whose product does not give it", unit="m³/h", above=0, most=1e6)
        ]
        | None
    ) = None
    empty_kg: Annotated[float, setting("the weight of an empty rack", unit="kg", least=0, most=1e5)] | None = None
    load_kg: Annotated[float, setting("the greatest weight of its devices", unit="kg", above=0, most=1e6)] | None = None
    air_m3h: (
        Annotated[float, setting("the most air that it is supplied with", unit="m³/h", above=0, most=1e7)] | None
    ) = None
    feeds: Annotated[
        int, setting("power feeds; if one of several fails, the others carry the whole rack", least=1, most=16)
    ] = 2
    feed_w: Annotated[float, setting("the maximum power of one feed", unit="W", above=0, most=_MOST_W)] | None = None
    row: Annotated[
        int, setting("most racks of hosts around one group of their leaf switches", least=1, most=10_000)
    ] = 8
    leaf: Annotated[
        Literal["auto", "tor", "mor", "eor"],
        setting(
            "where leaf switches stand: on top of the rack of their hosts, in the middle of the row, or at its end; `auto` is"
            " `tor` where all hosts of a leaf fit into one rack with it, else `mor`"
        ),
    ] = "auto"
    price_usd: (
        Annotated[float, setting("price of one rack with its power distribution", unit="USD", least=0)] | None
    ) = None

    @property
    def supply_w(self) -> float:
        """The power that a rack may take, W: `power_w`, or what its feeds carry when one of several fails; inf: no limit."""
        feeds = math.inf if self.feed_w is None else max(1, self.feeds - 1) * self.feed_w
        return min(feeds, math.inf if self.power_w is None else self.power_w)


class OtherHosts(TomlTable, frozen=True):
    """A further kind of hosts of a network, whose numbers follow those of the kinds before it."""

    group: ClassVar[str] = "[[others]]"

    hosts: Annotated[int, setting("how many of them the network has", least=1, most=1 << 24)]
    host: Annotated[HostType, setting("this kind")]
    unit_hosts: (
        Annotated[int, setting("those of a rack-scale unit, as in [rack] for the first kind", least=1, most=100_000)]
        | None
    ) = None


class Housing(TomlTable, frozen=True):
    """Hosts and their racks."""

    group: ClassVar[str] = "hosts file"

    host: Annotated[HostType, setting("the hosts")] = HostType()
    rack: Annotated[RackRule, setting("the racks")] = RackRule()
    facility: Annotated[FacilityRule, setting("the power and the cooling of the machine room")] = FacilityRule()
    others: Annotated[
        tuple[OtherHosts, ...], setting("further kinds of hosts; they have the highest numbers, in this order")
    ] = ()
    shared: Annotated[
        bool, setting("the racks are those of a machine, which other networks share: its bill has them")
    ] = False
    names: Annotated[
        tuple[str, ...], setting("the name of every host; those of its list, or `node` and a number, if omitted")
    ] = ()

    def kinds(self, hosts: int) -> list[tuple[HostType, range]]:
        """The kinds of hosts, and the numbers of the hosts of each.

        Parameters
        ----------
        hosts : int
            All hosts of the network.

        Raises
        ------
        InputError
            There are fewer hosts than those of the further kinds.
        """
        of_others = sum(other.hosts for other in self.others)
        if of_others > hosts:
            raise InputError(f"[[others]] are {of_others:,} hosts, but the network has {hosts:,}; give fewer")
        kinds, first = [(self.host, range(hosts - of_others))], hosts - of_others
        for other in self.others:
            kinds.append((other.host, range(first, first + other.hosts)))
            first += other.hosts
        return kinds

    @property
    def unit_sizes(self) -> tuple[int | None, ...]:
        """The hosts of a rack-scale unit of each kind; None: its hosts stand alone."""
        return (self.rack.unit_hosts, *(other.unit_hosts for other in self.others))

    def units(self, hosts: int) -> list[range]:
        """The hosts of each rack-scale unit: successive ones of a kind that fill whole units.

        Parameters
        ----------
        hosts : int
            All hosts of the network.

        Raises
        ------
        InputError
            As `kinds`.

        Examples
        --------
        >>> Housing(rack=RackRule(unit_hosts=18)).units(36)
        [range(0, 18), range(18, 36)]
        """
        return [
            own[first : first + size]
            for size, (_, own) in zip(self.unit_sizes, self.kinds(hosts), strict=True)
            if size is not None and len(own) % size == 0
            for first in range(0, len(own), size)
        ]


def housing_of_some(housing: Housing, keep: Sequence[bool]) -> Housing:
    """The housing of some of the hosts, without the kinds of which none stays.

    Parameters
    ----------
    housing : Housing
    keep : sequence of bool
        Of each host; at least one stays.

    Returns
    -------
    Housing
    """
    kinds = [
        OtherHosts(hosts=count, host=host, unit_hosts=size)
        for (host, numbers), size in zip(housing.kinds(len(keep)), housing.unit_sizes, strict=True)
        if (count := sum(keep[numbers.start : numbers.stop]))
    ]
    names = tuple(name for name, stays in zip(housing.names, keep, strict=False) if stays)
    rack = msgspec.structs.replace(housing.rack, unit_hosts=kinds[0].unit_hosts)
    return msgspec.structs.replace(housing, host=kinds[0].host, rack=rack, others=tuple(kinds[1:]), names=names)


def read_housing(path: str | Path) -> Housing:
    """The tables ``[host]`` and ``[rack]`` of a TOML file.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    return read_toml(path, Housing)


def host_names(housing: Housing, count: int) -> list[str]:
    """The names of this number of hosts: ``node0001``, counted from 1 in each kind, with at least four digits.

    Examples
    --------
    >>> host_names(Housing(), 2)
    ['node0001', 'node0002']
    """
    if housing.names:
        return list(housing.names)
    names = []
    for host, hosts in housing.kinds(count):
        digits = max(4, len(str(len(hosts))))
        names += [f"{host.node}{number:0{digits}d}" for number in range(1, len(hosts) + 1)]
    return names
