"""Servers of a catalogue, and their network interfaces."""

from typing import Annotated, ClassVar

import msgspec

from topoloom.core.settings import setting
from topoloom.cost.products import Cited, Price, check_ranges, gbps, watts
from topoloom.cost.switch_products import Breakout
from topoloom.placement.hosts.housing import Connector, OtherPort
from topoloom.placement.hosts.rack_device import RackDevice


class NicProduct(Cited, frozen=True, kw_only=True):
    """A network interface."""

    group: ClassVar[str] = "parts [[nic]]"

    name: Annotated[str, setting("the product's name")]
    rate_gbps: Annotated[float, gbps("the rate of all its ports together")]
    ports: Annotated[int, setting("its ports", least=1, most=64)] = 1
    split: Annotated[tuple[Breakout, ...], setting("other modes: more ports at a lower rate")] = ()
    price_usd: Annotated[Price, setting("price of one; not known, if omitted", unit="USD")] | None = None
    power_w: Annotated[float, watts("power of one; part of its host's power where it is not known")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")


class ServerProduct(Cited, frozen=True, kw_only=True):
    """A server, which `[host] name` selects."""

    group: ClassVar[str] = "parts [[server]]"

    name: Annotated[str, setting("the product's name")]
    nics: Annotated[int, setting("network interfaces on this network", least=1, most=1024)]
    nic: Annotated[str, setting("the interface's product")] = ""
    nic_included: Annotated[bool, setting("its price includes its interfaces: no bill and no order has them")] = False
    rate_gbps: Annotated[float, gbps("the rate of an interface")] | None = None
    cages: Annotated[
        tuple[tuple[Annotated[int, msgspec.Meta(ge=0, le=1_000_000)], ...], ...],
        setting(
            "which ports share a cage, numbered from 0, interface by interface; one cage per interface, if omitted"
        ),
    ] = ()
    connector: Annotated[Connector | None, setting("what its cages take; any module, if omitted")] = None
    devices: Annotated[tuple[str, ...], setting("the device name of each interface")] = ()
    other_ports: Annotated[tuple[OtherPort, ...], setting("its ports on other networks")] = ()
    u: Annotated[float, setting("its height", unit="rack units", least=0, most=100)] | None = None
    power_w: Annotated[float, watts("its maximum power")] | None = None
    weight_kg: Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None = None
    typical_w: Annotated[float, watts("its typical power")] | None = None
    air_m3h: Annotated[float, setting("the air that its fans move", unit="m³/h", least=0, most=1e6)] | None = None
    liquid_share: Annotated[float, setting("the share of its heat that goes into liquid", least=0, most=1)] | None = (
        None
    )
    inlets: Annotated[int, setting("its power inlets", least=1, most=1000)] | None = None
    scale_up: Annotated[int, setting("accelerators that reach each other without this network", least=1)] = 1
    scale_up_gb_per_s: (
        Annotated[
            float,
            setting(
                "what one of these accelerators sends to the others, and receives, at once",
                unit="GB/s",
                above=0,
                most=1e6,
            ),
        ]
        | None
    ) = None
    rack_u: Annotated[float, setting("the height of its rack", unit="rack units", above=0, most=1000)] | None = None
    unit_hosts: (
        Annotated[int, setting("hosts of a rack-scale unit: 18 trays of an NVL72", least=1, most=100_000)] | None
    ) = None
    rack_device: Annotated[
        tuple[RackDevice, ...], setting("the further devices of its rack: power shelves, NVLink switch trays")
    ] = ()
