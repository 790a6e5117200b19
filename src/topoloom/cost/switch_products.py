"""Switches of a catalogue: products with their ports, cages and breakouts, or a line in the number of ports."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.cost.cages import SwitchCage
from topoloom.cost.products import (
    Cited,
    Count,
    PortCounts,
    Price,
    Signed,
    check_ranges,
    gbps,
    low_high,
    shown_ports,
    watts,
)
from topoloom.placement.hosts.housing import Connector


class Breakout(TomlTable, frozen=True):
    """Another mode of ports: more of them at a lower rate."""

    group: ClassVar[str] = "parts switch.product.breakout"

    rate_gbps: Annotated[float, gbps("their rate")]
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
    rate_gbps: Annotated[float, gbps("their highest rate")]
    breakout: Annotated[
        tuple[Breakout, ...], setting("other modes of these ports: `{ legs = 4, rate_gbps = 25 }`")
    ] = ()
    connector: Annotated[Connector | None, setting("what their cages take; any module or cable, if omitted")] = None


class SwitchProduct(Cited, frozen=True, kw_only=True):
    """A switch product: it is suitable for a switch that needs up to `ports` ports of up to `rate_gbps`.

    It draws `power_w`, plus `power_w_per_port` for every port in use; without pluggable optics, whose power is that of a
    `[[transceiver]]` or a cable.
    """

    group: ClassVar[str] = "parts [[switch.product]]"

    name: Annotated[str, setting("the product's name")]
    ports: Annotated[
        Count | tuple[PortGroup, ...],
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
    connector: Annotated[
        Connector | None,
        setting(
            "what its cages take, and so its cables and modules; any, if omitted. Co-packaged optics have sockets, which"
            " take a fibre without a module"
        ),
    ] = None
    lane_gbps: (
        Annotated[float, gbps("the highest rate of a lane of its cages; cables of other lanes do not fit")] | None
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
    rate_gbps: Annotated[float, gbps("the highest link rate of its ports; any, if omitted")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")
        if isinstance(self.ports, int):
            if any(mode.legs is not None for mode in self.breakout) and not self.cages:
                raise ValueError("breakout: legs are ports of one cage; give the number of `cages`")
        elif not self.ports:
            raise ValueError("ports: the list is empty; give the number of ports, or a count and a rate of each kind")
        elif self.rate_gbps is not None or self.cages is not None or self.breakout or self.connector is not None:
            raise ValueError(
                "ports: with a list, rates, breakouts and connectors belong to its entries; remove those of the product"
            )

    @property
    def port_kinds(self) -> tuple["PortKind", ...]:
        """Its ports as cages and their modes, those of the lowest rate first."""
        return _port_kinds(self.ports, self.cages, self.rate_gbps, self.breakout, self.connector)

    def runs(self, rate_gbps: float) -> bool:
        """Whether some of its cages have a mode of exactly that rate: their own, or that of a breakout."""
        return any(kind.legs_of(rate_gbps) for kind in self.port_kinds)

    def cage_at(self, rate_gbps: float, needed: int = 0) -> SwitchCage:
        """What the cages of its ports take at a rate: the slowest cages that have it, with `needed` ports of that rate."""
        kind = next((kind for kind in self.port_kinds if kind.legs_at(rate_gbps)), self.port_kinds[-1])
        most = max(1, kind.legs_at(rate_gbps))
        return SwitchCage(kind.connector, most, min(most, max(1, -(-needed // kind.cages))), rate_gbps, self.lane_gbps)

    @property
    def fastest_gbps(self) -> float | None:
        """The highest rate of its ports; None where they take any."""
        fastest = self.port_kinds[-1].modes[0][0]
        return None if math.isinf(fastest) else fastest

    @property
    def own_ports(self) -> str:
        """Its ports in words, whatever a network uses of them: "64 ports of 400 Gb/s"."""
        if not isinstance(self.ports, int):
            return f"{shown_ports({kind.rate_gbps: kind.count for kind in self.ports})} ports"
        return f"{self.ports} ports" + ("" if self.rate_gbps is None else f" of {self.rate_gbps:g} Gb/s")

    def ports_at(self, rate_gbps: float | None) -> int:
        """The number of its ports at that rate, in the best of its modes; 0 where it is too slow. At None: at any rate."""
        ports = sum(kind.ports_at(0.0 if rate_gbps is None else rate_gbps) for kind in self.port_kinds)
        return ports if self.logical_ports is None else min(ports, self.logical_ports)

    def serves(self, ports: int | PortCounts, rate_gbps: float | None = None) -> bool:
        """Whether it has at least these ports: a number of up to a rate, or the number at each rate, cage by cage."""
        if isinstance(ports, int):
            return self.ports_at(rate_gbps) >= ports
        return self.idle_ports(ports) is not None

    def idle_ports(self, ports: PortCounts) -> int | None:
        """The ports that stay free when these are in use; None where it lacks some of them.

        The fastest ports are placed first, each rate on the slowest cages that have a mode of it; a cage with free ports
        serves slower ones too, if it has a mode of their rate.
        """
        used = sum(ports.values())
        if self.logical_ports is not None and used > self.logical_ports:
            return None
        cages = [kind.cages for kind in self.port_kinds]
        idle = [0] * len(cages)
        for rate in sorted(ports, reverse=True):
            needed = ports[rate]
            for number, kind in enumerate(self.port_kinds):
                each = kind.legs_of(rate)
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
    connector: Connector | None = None

    def legs_at(self, rate_gbps: float) -> int:
        """The most ports of one cage at a rate; 0 where it is too slow."""
        return max((legs for fastest, legs in self.modes if fastest >= rate_gbps * (1 - 1e-9)), default=0)

    def legs_of(self, rate_gbps: float) -> int:
        """The most ports of one cage in a mode of exactly that rate; 0 where it has no such mode."""
        same = (legs for rate, legs in self.modes if math.isinf(rate) or math.isclose(rate, rate_gbps, rel_tol=1e-9))
        return max(same, default=0)

    def ports_at(self, rate_gbps: float) -> int:
        """The most ports of all cages at a rate; 0 where they are too slow."""
        totals = zip(self.modes, self.totals, strict=True)
        return max((ports for (fastest, _), ports in totals if fastest >= rate_gbps * (1 - 1e-9)), default=0)


@lru_cache(maxsize=1024)
def _port_kinds(
    ports: int | tuple[PortGroup, ...],
    cages: int | None,
    rate_gbps: float | None,
    breakout: tuple[Breakout, ...],
    connector: Connector | None,
) -> tuple[PortKind, ...]:
    if isinstance(ports, int):
        return (_port_kind(cages or ports, ports, rate_gbps, breakout, connector),)
    kinds = [_port_kind(kind.count, kind.count, kind.rate_gbps, kind.breakout, kind.connector) for kind in ports]
    return tuple(sorted(kinds, key=lambda kind: kind.modes[0][0]))


def _port_kind(
    cages: int, ports: int, rate_gbps: float | None, breakout: tuple[Breakout, ...], connector: Connector | None
) -> PortKind:
    """The cages of a product, or of one entry of its list of ports."""
    modes = [(math.inf if rate_gbps is None else rate_gbps, -(-ports // cages), ports)]
    for mode in breakout:
        legs = -(-(mode.ports or 0) // cages) if mode.legs is None else mode.legs
        modes.append((mode.rate_gbps, legs, cages * legs if mode.ports is None else mode.ports))
    modes.sort(key=lambda mode: -mode[0])
    return PortKind(cages, tuple(mode[:2] for mode in modes), tuple(mode[2] for mode in modes), connector)


class SwitchParts(TomlTable, frozen=True):
    """Switches: a straight line in the number of ports from `least_ports` on, or a list of products.

    A switch that needs fewer ports than `least_ports` is priced as one with that many, because a line fitted to large
    switches prices small ones too low.
    """

    group: ClassVar[str] = "parts [switch]"

    base_usd: Annotated[
        Signed | tuple[Signed, ...], setting("price at 0 ports; a fitted line may start below 0", unit="USD")
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
