"""What a catalogue sells: switches and cables, each with its prices (a number or a range) and its watts."""

import datetime
import itertools
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable

# The upper bound keeps inf and NaN out, which TOML knows.
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_Signed = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]

#: A price in USD, or [lowest, highest] where the source gives a range. `check_ranges` counts the two: msgspec (0.22) reads
#: memory that is not its own in a union of a bounded number and a tuple of fixed length.
Price = NotNegative | tuple[NotNegative, ...]


def _rate(description: str) -> Any:
    return setting(description, unit="Gb/s", above=0, most=1e15)


def watts(description: str) -> Any:
    """The annotation of a power."""
    return setting(description, unit="W", least=0, most=1e15)


#: The words for what a cable is made of; "any" where the source does not say.
Medium = Literal["electric", "copper", "passive copper", "active copper", "fibre", "optical", "any"]

#: The keys of a cable's price line.
_LINE = ("base_usd", "per_metre_usd", "base_usd_per_gbps", "per_metre_usd_per_gbps")

#: Lengths that differ by less than this, in metres, are the same: sums of places are not exact.
LENGTH_ERROR_M = 1e-9


def low_high(price: Price | None) -> np.ndarray:
    """A price as its lowest and its highest, float64[2]; no price is 0."""
    return np.array(price if isinstance(price, tuple) else (price or 0.0,) * 2, float)


def check_ranges(struct: msgspec.Struct, *keys: str) -> None:
    """Refuse prices under these keys that are neither a number nor [lowest, highest]."""
    for key in keys:
        value = getattr(struct, key)
        for price in value if key == "prices_usd" else (value,):
            if isinstance(price, tuple) and (len(price) != 2 or price[0] > price[1]):
                shown = ", ".join(f"{usd:g}" for usd in price)
                raise ValueError(f"{key}: [{shown}] is no range; give a number or [lowest, highest]")


#: How far a figure can be relied on; D, a guess or what was not read in the original, stays out of topoloom's catalogues.
Confidence = Literal["A", "B", "C", "D"]


class Cited(TomlTable, frozen=True, kw_only=True):
    """Base of the products of a catalogue: where the figures of one come from."""

    group: ClassVar[str] = "parts"

    vendor: Annotated[str, setting("who makes it")] = ""
    source: Annotated[str, setting("where its figures come from; that of the catalogue, if omitted")] = ""
    date: Annotated[datetime.date | None, setting("the day that they are of, or were read")] = None
    confidence: (
        Annotated[
            Confidence,
            setting(
                "A: the vendor's manual or reference architecture; B: curated public data; C: one page of somebody else;"
                " D: a guess. The worst of its figures"
            ),
        ]
        | None
    ) = None


class Breakout(TomlTable, frozen=True):
    """Another way to run the ports of a switch: more of them, slower."""

    group: ClassVar[str] = "parts switch.product.breakout"

    ports: Annotated[int, setting("how many ports", least=1, most=1_000_000)]
    rate_gbps: Annotated[float, _rate("their rate")]


class SwitchProduct(Cited, frozen=True, kw_only=True):
    """A switch that can be bought: it serves wherever a switch needs up to `ports` ports of up to `rate_gbps`.

    It draws `power_w`, and `power_w_per_port` more for every port that is in use; without pluggable optics, which draw their
    own (`[[transceiver]]`, or the watts of a cable).
    """

    group: ClassVar[str] = "parts [[switch.product]]"

    name: Annotated[str, setting("what it is called")]
    ports: Annotated[int, setting("how many ports", least=1, most=1_000_000)]
    power_w: Annotated[float, watts("power of one without its ports; or all its power")] | None = None
    power_max_w: (
        Annotated[float, watts("the most that one draws, or may by its power supplies: what a rack must feed")] | None
    ) = None
    power_max_kind: Annotated[
        Literal["maximum", "power supply"],
        setting("whether `power_max_w` is the vendor's maximum, or what a supply can give"),
    ] = "maximum"
    u: Annotated[float, setting("its height", unit="rack units", above=0, most=100)] | None = None
    weight_kg: Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None = None
    cages: (
        Annotated[int, setting("pluggable cages; those of its ports share modules", least=1, most=1_000_000)] | None
    ) = None
    cage_power_w: Annotated[float, watts("the hottest module that a cage takes; hotter ones are refused")] | None = None
    breakout: Annotated[
        tuple[Breakout, ...],
        setting("other ways to run its ports: more of them, slower, `{ ports = 128, rate_gbps = 400 }`"),
    ] = ()
    price_usd: Annotated[Price, setting("price of one; needed unless switches are `unpriced`", unit="USD")] | None = (
        None
    )
    power_w_per_port: Annotated[float, watts("power of a port that is in use")] = 0.0
    rate_gbps: Annotated[float, _rate("the fastest links that its ports carry; any, if omitted")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")

    def ports_at(self, rate_gbps: float | None) -> int:
        """How many ports of that rate it has, broken out as it may be; 0 where it is too slow."""
        if rate_gbps is None or self.rate_gbps is None:
            return self.ports
        ways = [(self.ports, self.rate_gbps), *((way.ports, way.rate_gbps) for way in self.breakout)]
        return max((ports for ports, fastest in ways if fastest >= rate_gbps * (1 - 1e-9)), default=0)

    def serves(self, ports: int, rate_gbps: float | None) -> bool:
        """Whether it has so many ports, of that rate."""
        return self.ports_at(rate_gbps) >= ports


class SwitchParts(TomlTable, frozen=True):
    """Switches: a straight line in the number of ports from `least_ports` on, or a list of products.

    A switch that needs fewer ports than `least_ports` is priced as one with that many: a line that was fitted to large
    switches gives small ones away.
    """

    group: ClassVar[str] = "parts [switch]"

    base_usd: Annotated[
        _Signed | tuple[_Signed, ...], setting("price at 0 ports; a fitted line may start below 0", unit="USD")
    ] = 0.0
    per_port_usd: Annotated[Price, setting("price of one more port", unit="USD")] = 0.0
    power_w: Annotated[float, watts("power at 0 ports")] = 0.0
    power_w_per_port: Annotated[float, watts("power of one more port; every port that is bought counts")] = 0.0
    least_ports: Annotated[
        int,
        setting(
            "a switch that needs fewer ports is priced as one with that many; a line fitted to large switches gives small"
            " ones away",
            least=0,
            most=1_000_000,
        ),
    ] = 0
    product: Annotated[
        tuple[SwitchProduct, ...], setting("switches that can be bought; with them the line is not used")
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "base_usd", "per_port_usd")

    @property
    def has_line(self) -> bool:
        """Whether the line gives a price at all."""
        return bool(low_high(self.per_port_usd)[1] > 0 or low_high(self.base_usd)[1] > 0)

    def line_usd(self, ports: int) -> np.ndarray:
        """The line's price of a switch with so many ports, float64[2]; never below 0."""
        usd = low_high(self.base_usd) + low_high(self.per_port_usd) * max(ports, self.least_ports)
        return np.asarray(np.maximum(usd, 0.0))

    def line_w(self, ports: int) -> float:
        """The line's watts of a switch with so many ports."""
        return self.power_w + self.power_w_per_port * max(ports, self.least_ports)


class Transceiver(Cited, frozen=True, kw_only=True):
    """A pluggable module: what stands between a cage and a fibre that is sold without ends."""

    group: ClassVar[str] = "parts [[transceiver]]"

    name: Annotated[str, setting("what it is called")]
    links: Annotated[int, setting("links that share it: 2 in a twin-port module", least=1, most=64)] = 1
    side: Annotated[Literal["switch", "host", "any"], setting("in what it is plugged")] = "any"
    price_usd: Annotated[Price, setting("price of one; no price is known, if omitted", unit="USD")] | None = None
    power_w: Annotated[float, watts("what one draws")] | None = None
    power_max_w: Annotated[float, watts("the most that one draws")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")


class NicProduct(Cited, frozen=True, kw_only=True):
    """A network interface."""

    group: ClassVar[str] = "parts [[nic]]"

    name: Annotated[str, setting("what it is called")]
    rate_gbps: Annotated[float, _rate("the rate of all its ports together")]
    ports: Annotated[int, setting("its ports", least=1, most=64)] = 1
    split: Annotated[tuple[Breakout, ...], setting("other ways to run it: more ports, slower")] = ()
    price_usd: Annotated[Price, setting("price of one; no price is known, if omitted", unit="USD")] | None = None
    power_w: Annotated[float, watts("what one draws; counted with its host where that is not known")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")


class ServerProduct(Cited, frozen=True, kw_only=True):
    """A server: what `[host] name` names."""

    group: ClassVar[str] = "parts [[server]]"

    name: Annotated[str, setting("what it is called")]
    nics: Annotated[int, setting("network interfaces on this network", least=1, most=1024)]
    nic: Annotated[str, setting("the interface's product")] = ""
    rate_gbps: Annotated[float, _rate("the rate of an interface")] | None = None
    u: Annotated[float, setting("its height", unit="rack units", least=0, most=100)] | None = None
    power_w: Annotated[float, watts("the most that it draws")] | None = None
    weight_kg: Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None = None
    scale_up: Annotated[int, setting("accelerators that reach each other without this network", least=1)] = 1


class CableProduct(Cited, frozen=True, kw_only=True):
    """A cable product: its medium, where it is used, how far it reaches, the rates it carries, its prices and watts.

    Its price is a line in metres, a line in metres per Gb/s (both add up), or `prices_usd`, one for each of `lengths_m`.
    With `lengths_m` it comes in these lengths only; without, it is cut to length.
    """

    group: ClassVar[str] = "parts [[cable]]"

    medium: Annotated[Medium, setting("what it is made of; `any` where that is not known")]
    use: Annotated[Literal["inside", "between", "any"], setting("inside a rack, between racks, or any")]
    name: Annotated[str, setting("what it is called in bills and order lists; its medium, if omitted")] = ""
    base_usd: Annotated[Price, setting("price of a cable of 0 m", unit="USD")] | None = None
    per_metre_usd: Annotated[Price, setting("price of a metre more", unit="USD")] | None = None
    base_usd_per_gbps: Annotated[Price, setting("price of a cable of 0 m for its rate", unit="USD per Gb/s")] | None = (
        None
    )
    per_metre_usd_per_gbps: (
        Annotated[Price, setting("price of a metre more for its rate", unit="USD per Gb/s")] | None
    ) = None
    lengths_m: Annotated[
        tuple[Positive, ...],
        setting("the lengths that it is sold in, the shortest first; cut to length, if omitted", unit="m"),
    ] = ()
    prices_usd: Annotated[
        tuple[Price, ...], setting("the price of each of these lengths, instead of a line", unit="USD")
    ] = ()
    reach_m: Annotated[float, setting("the longest that it can be", unit="m", above=0)] = float("inf")
    rates_gbps: Annotated[
        tuple[Positive, ...], setting("the link rates that it carries; all, if omitted", unit="Gb/s")
    ] = ()
    power_w: Annotated[float, watts("power of one cable, both ends together")] = 0.0
    power_w_per_end: Annotated[float, watts("power of one end, instead of `power_w`")] = 0.0
    to: Annotated[Literal["switch", "host", "any"], setting("what its far end is plugged into")] = "any"
    links: Annotated[
        int,
        setting(
            "links that one of them carries: 2 between two twin-port cages; with `breakout`, to so many boxes",
            least=1,
            most=64,
        ),
    ] = 1
    breakout: Annotated[
        bool, setting("whether its links part at the far end: one port of a switch to several hosts or switches")
    ] = False
    modules: Annotated[
        tuple[str, ...], setting("the transceivers at its ends, by name, where it is fibre without ends of its own")
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, *_LINE, "prices_usd")
        if any(a >= b for a, b in itertools.pairwise(self.lengths_m)):
            raise ValueError("lengths_m: each length must be greater than the one before it")
        if self.lengths_m and self.lengths_m[-1] > self.reach_m:
            raise ValueError(f"lengths_m: {self.lengths_m[-1]:g} m is beyond the reach of {self.reach_m:g} m")
        if self.prices_usd and len(self.prices_usd) != len(self.lengths_m):
            raise ValueError(
                f"prices_usd: {len(self.prices_usd)} prices for {len(self.lengths_m)} lengths_m; give one each"
            )
        if self.prices_usd and self._has_line:
            raise ValueError(f"prices_usd: give it or a line ({', '.join(_LINE)}), not both")
        if self.power_w and self.power_w_per_end:
            raise ValueError("power_w_per_end: give it or power_w, the watts of the whole cable, not both")
        if self.breakout and self.links < 2:
            raise ValueError("breakout: a cable that parts has several `links`; say how many")

    @property
    def _has_line(self) -> bool:
        return any(getattr(self, key) is not None for key in _LINE)

    @property
    def title(self) -> str:
        """Its name, or its medium where it has none."""
        return self.name or self.medium

    @property
    def has_price(self) -> bool:
        """Whether the catalogue knows a price of it."""
        return bool(self.prices_usd) or self._has_line

    @property
    def longest_m(self) -> float:
        """The longest cable of this product, m: its reach, or its longest length."""
        return self.lengths_m[-1] if self.lengths_m else self.reach_m

    @property
    def both_ends_w(self) -> float:
        """The watts of one cable, both ends together."""
        return self.power_w + 2 * self.power_w_per_end

    def carries(self, rate_gbps: float | None) -> bool:
        """Whether it carries links of that rate."""
        if rate_gbps is None or not self.rates_gbps:
            return True
        return bool(np.isclose(self.rates_gbps, rate_gbps, rtol=1e-9, atol=0).any())

    def stock_m(self, needed_m: np.ndarray) -> np.ndarray:
        """What is bought for cables that must be so long: the next of its lengths (inf past the last), or just that length."""
        if not self.lengths_m:
            return needed_m
        return np.array([*self.lengths_m, np.inf])[np.searchsorted(self.lengths_m, needed_m - LENGTH_ERROR_M)]

    def usd(self, stock_m: np.ndarray, rate_gbps: float) -> np.ndarray:
        """Lowest and highest prices of cables of these lengths, float64[2, cables]; NaN without prices, inf past the last."""
        if not self.has_price:
            return np.full((2, *stock_m.shape), np.nan)
        if self.prices_usd:
            each = np.array([*map(low_high, self.prices_usd), (np.inf, np.inf)]).T
            return np.asarray(each[:, np.searchsorted(self.lengths_m, stock_m - LENGTH_ERROR_M)])
        base, metre, base_gbps, metre_gbps = (
            low_high(getattr(self, key)).reshape(2, *[1] * stock_m.ndim) for key in _LINE
        )
        return np.asarray(rate_gbps * (base_gbps + metre_gbps * stock_m) + (base + metre * stock_m))
