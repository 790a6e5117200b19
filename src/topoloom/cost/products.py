"""The products of a catalogue: switches, cables, transceivers and more, with their prices (a number or a range) and power."""

import datetime
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.placement.hosts.housing import Connector, OtherPort
from topoloom.placement.hosts.rack_device import RackDevice

# The upper bound excludes inf and NaN, which TOML allows.
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_Signed = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]

#: A price in USD, or [lowest, highest] where the source gives a range. `check_ranges` checks the two numbers, because msgspec
#: (0.22) reads memory outside its bounds for a union of a bounded number and a tuple of fixed length.
Price = NotNegative | tuple[NotNegative, ...]
_Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]

#: The ports that a switch needs: their number at each rate, Gb/s.
PortCounts = Mapping[float, int]


def _rate(description: str) -> Any:
    return setting(description, unit="Gb/s", above=0, most=1e15)


def watts(description: str) -> Any:
    """The annotation of a key that holds a power in watts."""
    return setting(description, unit="W", least=0, most=1e15)


#: The materials of a cable; "any" where the source does not say.
Medium = Literal["electric", "copper", "passive copper", "active copper", "fibre", "optical", "any"]

#: The keys of a cable's price line.
LINE = ("base_usd", "per_metre_usd", "base_usd_per_gbps", "per_metre_usd_per_gbps")

#: Lengths that differ by less than this, in metres, are equal: sums of positions have rounding errors.
LENGTH_ERROR_M = 1e-9


def port_total(ports: int | PortCounts) -> int:
    """The number of ports, of all rates together."""
    return ports if isinstance(ports, int) else sum(ports.values())


def shown_ports(ports: int | PortCounts) -> str:
    """Ports in words, those of the lowest rate first.

    >>> shown_ports(64), shown_ports({400.0: 8, 100.0: 32})
    ('64', '32 x 100G + 8 x 400G')
    """
    if isinstance(ports, int):
        return str(ports)
    return " + ".join(f"{ports[rate]} x {rate:.10g}G" for rate in sorted(ports))


def low_high(price: Price | None) -> np.ndarray:
    """The lowest and the highest value of a price, float64[2]; 0 without a price."""
    return np.array(price if isinstance(price, tuple) else (price or 0.0,) * 2, float)


def check_ranges(struct: msgspec.Struct, *keys: str) -> None:
    """Raise `ValueError` for prices under these keys that are neither a number nor [lowest, highest]."""
    for key in keys:
        value = getattr(struct, key)
        for price in value if key == "prices_usd" else (value,):
            if isinstance(price, tuple) and (len(price) != 2 or price[0] > price[1]):
                shown = ", ".join(f"{usd:g}" for usd in price)
                raise ValueError(f"{key}: [{shown}] is not a range; give a number or [lowest, highest]")


#: How reliable a figure is; the built-in catalogues have no D (a guess, or a figure not read in the original).
Confidence = Literal["A", "B", "C", "D"]


class Cited(TomlTable, frozen=True, kw_only=True):
    """Base of a catalogue's products: the source of their figures."""

    group: ClassVar[str] = "parts"

    vendor: Annotated[str, setting("the manufacturer")] = ""
    part_number: Annotated[str, setting("the manufacturer's order number")] = ""
    source: Annotated[str, setting("the source of its figures; the catalogue's, if omitted")] = ""
    date: Annotated[datetime.date | None, setting("the date of the figures, or of reading them")] = None
    confidence: (
        Annotated[
            Confidence,
            setting(
                "A: the vendor's manual or reference architecture; B: curated public data; C: a single third-party page;"
                " D: a guess. The worst of its figures counts"
            ),
        ]
        | None
    ) = None
    seller: Annotated[str, setting("who quoted the price")] = ""
    quoted: Annotated[datetime.date | None, setting("the date of the quote")] = None
    valid_until: Annotated[datetime.date | None, setting("the last day of the quote; later, a warning names it")] = None
    lead_weeks: (
        Annotated[float, setting("the time from order to delivery", unit="weeks", least=0, most=10_000)] | None
    ) = None


class Breakout(TomlTable, frozen=True):
    """Another mode of ports: more of them at a lower rate."""

    group: ClassVar[str] = "parts switch.product.breakout"

    rate_gbps: Annotated[float, _rate("their rate")]
    ports: (
        Annotated[int, setting("how many ports, when all cages run in this mode", least=1, most=1_000_000)] | None
    ) = None
    legs: Annotated[int, setting("how many ports of one cage, instead of `ports`", least=1, most=64)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.ports is None) == (self.legs is None):
            raise ValueError("breakout: give ports (of all cages together) or legs (of one cage), and not both")


class PortGroup(TomlTable, frozen=True):
    """Ports of one kind of a switch that has several."""

    group: ClassVar[str] = "parts switch.product.ports"

    count: Annotated[int, setting("how many ports; each has its own cage", least=1, most=1_000_000)]
    rate_gbps: Annotated[float, _rate("their highest rate")]
    breakout: Annotated[
        tuple[Breakout, ...], setting("other modes of these ports: `{ legs = 4, rate_gbps = 25 }`")
    ] = ()


class SwitchProduct(Cited, frozen=True, kw_only=True):
    """A switch product: it is suitable for a switch that needs up to `ports` ports of up to `rate_gbps`.

    It draws `power_w`, plus `power_w_per_port` for every port in use; without pluggable optics, whose power is that of a
    `[[transceiver]]` or a cable.
    """

    group: ClassVar[str] = "parts [[switch.product]]"

    name: Annotated[str, setting("the product's name")]
    ports: Annotated[
        _Count | tuple[PortGroup, ...],
        setting(
            "how many ports; a switch with ports of several rates has a list,"
            " `[{ count = 48, rate_gbps = 25 }, { count = 6, rate_gbps = 100 }]`"
        ),
    ]
    power_w: Annotated[float, watts("power of one switch without its ports, or its total power")] | None = None
    power_max_w: (
        Annotated[float, watts("its maximum power, or that of its power supplies: what a rack must supply")] | None
    ) = None
    power_max_kind: Annotated[
        Literal["maximum", "power supply"],
        setting("whether `power_max_w` is the vendor's maximum or that of the power supplies"),
    ] = "maximum"
    u: Annotated[float, setting("its height", unit="rack units", above=0, most=100)] | None = None
    weight_kg: Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None = None
    air_m3h: Annotated[float, setting("the air that its fans move", unit="m³/h", above=0, most=1e6)] | None = None
    liquid_share: Annotated[float, setting("the share of its heat that goes into liquid", least=0, most=1)] = 0.0
    netbox_type: Annotated[
        str, setting("the type of its ports in NetBox, at their highest rate: `800gbase-x-osfp`, `infiniband-ndr`")
    ] = ""
    cages: (
        Annotated[
            int, setting("number of pluggable cages; if fewer than ports, ports share modules", least=1, most=1_000_000)
        ]
        | None
    ) = None
    cage_power_w: (
        Annotated[float, watts("the most power of a module in a cage; modules with more are refused")] | None
    ) = None
    breakout: Annotated[
        tuple[Breakout, ...],
        setting(
            "other modes of its ports: more ports at a lower rate, `{ legs = 2, rate_gbps = 400 }` per cage or"
            " `{ ports = 128, rate_gbps = 400 }` in all. Each cage runs in a mode of its own"
        ),
    ] = ()
    logical_ports: (
        Annotated[
            int, setting("the most ports of all its cages together, whatever their modes", least=1, most=1_000_000)
        ]
        | None
    ) = None
    price_usd: Annotated[Price, setting("price of one; required unless switches are `unpriced`", unit="USD")] | None = (
        None
    )
    power_w_per_port: Annotated[float, watts("power of a port in use")] = 0.0
    rate_gbps: Annotated[float, _rate("the highest link rate of its ports; any, if omitted")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")
        if isinstance(self.ports, int):
            if any(mode.legs is not None for mode in self.breakout) and not self.cages:
                raise ValueError("breakout: legs are ports of one cage; give the number of `cages`")
        elif not self.ports:
            raise ValueError("ports: the list is empty; give the number of ports, or a count and a rate of each kind")
        elif self.rate_gbps is not None or self.cages is not None or self.breakout:
            raise ValueError(
                "ports: with a list, rates and breakouts belong to its entries; remove those of the product"
            )

    @property
    def port_kinds(self) -> tuple["PortKind", ...]:
        """Its ports as cages and their modes, those of the lowest rate first."""
        return _port_kinds(self.ports, self.cages, self.rate_gbps, self.breakout)

    @property
    def fastest_gbps(self) -> float | None:
        """The highest rate of its ports; None where they take any."""
        fastest = self.port_kinds[-1].modes[0][0]
        return None if math.isinf(fastest) else fastest

    def ports_at(self, rate_gbps: float | None) -> int:
        """The number of its ports at that rate, in the best of its modes; 0 where it is too slow. At None: at any rate."""
        ports = sum(kind.ports_at(0.0 if rate_gbps is None else rate_gbps) for kind in self.port_kinds)
        return ports if self.logical_ports is None else min(ports, self.logical_ports)

    def serves(self, ports: int | PortCounts, rate_gbps: float | None = None) -> bool:
        """Whether it has at least these ports: a number at a rate, or the number at each rate, some cages in each mode."""
        if isinstance(ports, int):
            return self.ports_at(rate_gbps) >= ports
        return self.idle_ports(ports) is not None

    def idle_ports(self, ports: PortCounts) -> int | None:
        """The ports that stay free when these are in use; None where it lacks some of them.

        The fastest ports are placed first, each rate on the slowest cages that serve it; a cage with free ports serves slower
        ones too.
        """
        used = sum(ports.values())
        if self.logical_ports is not None and used > self.logical_ports:
            return None
        cages = [kind.cages for kind in self.port_kinds]
        idle = [0] * len(cages)
        for rate in sorted(ports, reverse=True):
            needed = ports[rate]
            for number, kind in enumerate(self.port_kinds):
                each = kind.legs_at(rate)
                taken = min(needed, idle[number]) if each else 0
                idle[number] -= taken
                needed -= taken
                if not needed or not each:
                    continue
                split = min(cages[number], -(-needed // each))
                cages[number] -= split
                idle[number] += max(0, split * each - needed)
                needed -= min(needed, split * each)
            if needed:
                return None
        # Several ports may share a cage in its own mode: a cage in use is then not the whole of these ports.
        free = sum(idle) + sum(count * kind.modes[0][1] for count, kind in zip(cages, self.port_kinds, strict=True))
        return free if self.logical_ports is None else min(free, self.logical_ports - used)

    @property
    def capacity_gbps(self) -> float:
        """The sum of the rates of its ports, Gb/s; infinite where they take any rate."""
        return sum(kind.cages * kind.modes[0][1] * kind.modes[0][0] for kind in self.port_kinds)


@dataclass(frozen=True)
class PortKind:
    """Cages of one kind, with their modes: the rate (infinite: any) and the ports of one cage, fastest first.

    `totals` are the ports with all cages in each mode: a limit of the chip may make them fewer than the cages give.
    """

    cages: int
    modes: tuple[tuple[float, int], ...]
    totals: tuple[int, ...]

    def legs_at(self, rate_gbps: float) -> int:
        """The most ports of one cage at a rate; 0 where it is too slow."""
        return max((legs for fastest, legs in self.modes if fastest >= rate_gbps * (1 - 1e-9)), default=0)

    def ports_at(self, rate_gbps: float) -> int:
        """The most ports of all cages at a rate; 0 where they are too slow."""
        totals = zip(self.modes, self.totals, strict=True)
        return max((ports for (fastest, _), ports in totals if fastest >= rate_gbps * (1 - 1e-9)), default=0)


@lru_cache(maxsize=1024)
def _port_kinds(
    ports: int | tuple[PortGroup, ...], cages: int | None, rate_gbps: float | None, breakout: tuple[Breakout, ...]
) -> tuple[PortKind, ...]:
    if isinstance(ports, int):
        return (_port_kind(cages or ports, ports, rate_gbps, breakout),)
    kinds = [_port_kind(kind.count, kind.count, kind.rate_gbps, kind.breakout) for kind in ports]
    return tuple(sorted(kinds, key=lambda kind: kind.modes[0][0]))


def _port_kind(cages: int, ports: int, rate_gbps: float | None, breakout: tuple[Breakout, ...]) -> PortKind:
    """The cages of a product, or of one entry of its list of ports."""
    modes = [(math.inf if rate_gbps is None else rate_gbps, -(-ports // cages), ports)]
    for mode in breakout:
        legs = -(-(mode.ports or 0) // cages) if mode.legs is None else mode.legs
        modes.append((mode.rate_gbps, legs, cages * legs if mode.ports is None else mode.ports))
    modes.sort(key=lambda mode: -mode[0])
    return PortKind(cages, tuple(mode[:2] for mode in modes), tuple(mode[2] for mode in modes))


class SwitchParts(TomlTable, frozen=True):
    """Switches: a straight line in the number of ports from `least_ports` on, or a list of products.

    A switch that needs fewer ports than `least_ports` is priced as one with that many, because a line fitted to large
    switches prices small ones too low.
    """

    group: ClassVar[str] = "parts [switch]"

    base_usd: Annotated[
        _Signed | tuple[_Signed, ...], setting("price at 0 ports; a fitted line may start below 0", unit="USD")
    ] = 0.0
    per_port_usd: Annotated[Price, setting("price of one more port", unit="USD")] = 0.0
    power_w: Annotated[float, watts("power at 0 ports")] = 0.0
    power_w_per_port: Annotated[float, watts("power of one more port; all ports bought are counted")] = 0.0
    least_ports: Annotated[
        int,
        setting(
            "a switch that needs fewer ports is priced as one with that many, because a line fitted to large switches"
            " prices small ones too low",
            least=0,
            most=1_000_000,
        ),
    ] = 0
    product: Annotated[tuple[SwitchProduct, ...], setting("the switch products; with them the line is not used")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "base_usd", "per_port_usd")

    @property
    def has_line(self) -> bool:
        """Whether the line gives a price."""
        return bool(low_high(self.per_port_usd)[1] > 0 or low_high(self.base_usd)[1] > 0)

    def line_usd(self, ports: int) -> np.ndarray:
        """The line's price of a switch with this many ports, float64[2]; at least 0."""
        usd = low_high(self.base_usd) + low_high(self.per_port_usd) * max(ports, self.least_ports)
        return np.asarray(np.maximum(usd, 0.0))

    def line_w(self, ports: int) -> float:
        """The line's power of a switch with this many ports, W."""
        return self.power_w + self.power_w_per_port * max(ports, self.least_ports)


class Transceiver(Cited, frozen=True, kw_only=True):
    """A pluggable module between a cage and a fibre that is sold without connectors."""

    group: ClassVar[str] = "parts [[transceiver]]"

    name: Annotated[str, setting("the product's name")]
    connector: Annotated[Connector | None, setting("the cage that it fits; any, if omitted")] = None
    links: Annotated[int, setting("links that share it: 2 in a twin-port module", least=1, most=64)] = 1
    side: Annotated[Literal["switch", "host", "any"], setting("what it is plugged into")] = "any"
    price_usd: Annotated[Price, setting("price of one; not known, if omitted", unit="USD")] | None = None
    power_w: Annotated[float, watts("power of one")] | None = None
    power_max_w: Annotated[float, watts("maximum power of one")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")


@dataclass(frozen=True)
class HostPlug:
    """What a cage of a host takes: the connector (None: any), and the ports that share the cage."""

    connector: Connector | None = None
    ports: int = 1

    def takes(self, connector: Connector | None) -> bool:
        """Whether a plug with this connector fits; True where one of the two is not known."""
        return connector is None or self.connector is None or connector == self.connector


class NicProduct(Cited, frozen=True, kw_only=True):
    """A network interface."""

    group: ClassVar[str] = "parts [[nic]]"

    name: Annotated[str, setting("the product's name")]
    rate_gbps: Annotated[float, _rate("the rate of all its ports together")]
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
    rate_gbps: Annotated[float, _rate("the rate of an interface")] | None = None
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


class CableProduct(Cited, frozen=True, kw_only=True):
    """A cable product: its medium, where it is used, its reach, rates, prices and power.

    Its price is a line in metres, a line in metres per Gb/s (the two are added), or `prices_usd`, one per entry of
    `lengths_m`. With `lengths_m` it is sold in these lengths only; without, it is cut to length.
    """

    group: ClassVar[str] = "parts [[cable]]"

    medium: Annotated[Medium, setting("its material; `any` where that is not known")]
    use: Annotated[Literal["inside", "between", "any"], setting("inside a rack, between racks, or any")]
    name: Annotated[str, setting("its name in bills and order lists; its medium, if omitted")] = ""
    base_usd: Annotated[Price, setting("price of a cable of 0 m", unit="USD")] | None = None
    per_metre_usd: Annotated[Price, setting("price of one more metre", unit="USD")] | None = None
    base_usd_per_gbps: Annotated[Price, setting("price of a cable of 0 m, per Gb/s", unit="USD per Gb/s")] | None = None
    per_metre_usd_per_gbps: (
        Annotated[Price, setting("price of one more metre, per Gb/s", unit="USD per Gb/s")] | None
    ) = None
    lengths_m: Annotated[
        tuple[Positive, ...],
        setting("the lengths that it is sold in, shortest first; if omitted, it is cut to length", unit="m"),
    ] = ()
    prices_usd: Annotated[
        tuple[Price | None, ...], setting("the price of each of these lengths, instead of a line", unit="USD")
    ] = ()
    reach_m: Annotated[float, setting("its greatest length", unit="m", above=0)] = float("inf")
    rates_gbps: Annotated[
        tuple[Positive, ...], setting("the link rates that it carries; all, if omitted", unit="Gb/s")
    ] = ()
    power_w: Annotated[float, watts("power of one cable, both ends together")] = 0.0
    power_w_per_end: Annotated[float, watts("power of one end, instead of `power_w`")] = 0.0
    to: Annotated[Literal["switch", "host", "any"], setting("what its far end is plugged into")] = "any"
    connector: Annotated[
        Connector | None, setting("the cage that its far end fits, where it has connectors of its own; any, if omitted")
    ] = None
    links: Annotated[
        int,
        setting(
            "links that one cable carries: 2 between two twin-port cages; with `breakout`, the number of far ends",
            least=1,
            most=64,
        ),
    ] = 1
    breakout: Annotated[
        bool,
        setting("whether its links separate at the far end: from one port of a switch to several hosts or switches"),
    ] = False
    cords: Annotated[
        int,
        setting("pieces of it that one link needs: 2 where a link of 800 Gb/s is two fibres of 400", least=1, most=64),
    ] = 1
    part_numbers: Annotated[
        tuple[str, ...], setting("the order number of each of the `lengths_m`, where they have one each")
    ] = ()
    modules: Annotated[
        tuple[str, ...], setting("the names of the transceivers at its ends, where it is a fibre without connectors")
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, *LINE, "prices_usd")
        if any(a >= b for a, b in itertools.pairwise(self.lengths_m)):
            raise ValueError("lengths_m: each length must be greater than the one before it")
        if self.lengths_m and self.lengths_m[-1] > self.reach_m:
            raise ValueError(f"lengths_m: {self.lengths_m[-1]:g} m is beyond the reach of {self.reach_m:g} m")
        if self.prices_usd and len(self.prices_usd) != len(self.lengths_m):
            raise ValueError(
                f"prices_usd: {len(self.prices_usd)} prices for {len(self.lengths_m)} lengths_m; give one price per length"
            )
        if self.prices_usd and self._has_line:
            raise ValueError(f"prices_usd: give it or a line ({', '.join(LINE)}), not both")
        if self.power_w and self.power_w_per_end:
            raise ValueError("power_w_per_end: give it or power_w (the power of the whole cable), not both")
        if self.part_numbers and len(self.part_numbers) != len(self.lengths_m):
            raise ValueError(
                f"part_numbers: {len(self.part_numbers)} numbers for {len(self.lengths_m)} lengths_m; give one per length"
            )
        if self.cords > 1 and (self.links > 1 or not self.modules):
            raise ValueError("cords: only a fibre that carries one link has several")
        if self.breakout and self.links < 2:
            raise ValueError("breakout: such a cable has several `links`; give their number")

    @property
    def _has_line(self) -> bool:
        return any(getattr(self, key) is not None for key in LINE)

    @property
    def title(self) -> str:
        """Its name, or its medium where it has none."""
        return self.name or self.medium

    @property
    def has_price(self) -> bool:
        """Whether the catalogue has a price of it."""
        return any(price is not None for price in self.prices_usd) or self._has_line

    @property
    def longest_m(self) -> float:
        """The greatest length of this product, m: its reach, or its longest stock length."""
        return self.lengths_m[-1] if self.lengths_m else self.reach_m

    @property
    def both_ends_w(self) -> float:
        """The power of one cable, both ends together, W."""
        return self.power_w + 2 * self.power_w_per_end

    def carries(self, rate_gbps: float | None) -> bool:
        """Whether it carries links of that rate."""
        if rate_gbps is None or not self.rates_gbps:
            return True
        return bool(np.isclose(self.rates_gbps, rate_gbps, rtol=1e-9, atol=0).any())

    def part_number_of(self, stock_m: float) -> str:
        """The order number of a cable of this length; empty where none is known."""
        for length_m, number in zip(self.lengths_m, self.part_numbers, strict=False):
            if abs(length_m - stock_m) < LENGTH_ERROR_M + 1e-6:
                return number
        return self.part_number

    def stock_m(self, needed_m: np.ndarray) -> np.ndarray:
        """The lengths to buy for cables of these lengths: the next stock length (inf past the last), or the same length."""
        if not self.lengths_m:
            return needed_m
        return np.array([*self.lengths_m, np.inf])[np.searchsorted(self.lengths_m, needed_m - LENGTH_ERROR_M)]

    def usd(self, stock_m: np.ndarray, rate_gbps: float | np.ndarray) -> np.ndarray:
        """Lowest and highest prices of cables of these lengths, float64[2, cables]; NaN without prices, inf past the last.

        `rate_gbps` is one rate, or that of each cable.
        """
        if not self.has_price:
            return np.full((2, *stock_m.shape), np.nan)
        if self.prices_usd:
            none = np.full(2, np.nan)  # a length without a quote
            priced = [none if price is None else low_high(price) for price in self.prices_usd]
            each = np.array([*priced, (np.inf, np.inf)]).T
            return np.asarray(each[:, np.searchsorted(self.lengths_m, stock_m - LENGTH_ERROR_M)])
        base, metre, base_gbps, metre_gbps = (
            low_high(getattr(self, key)).reshape(2, *[1] * stock_m.ndim) for key in LINE
        )
        return np.asarray(rate_gbps * (base_gbps + metre_gbps * stock_m) + (base + metre * stock_m))
