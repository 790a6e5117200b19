"""Cables of a catalogue, and the modules of fibres."""

import itertools
from typing import Annotated, ClassVar, Literal

import numpy as np

from topoloom.core.settings import setting
from topoloom.cost.products import LENGTH_ERROR_M, LINE, Cited, Medium, Positive, Price, check_ranges, low_high, watts
from topoloom.placement.hosts.housing import Connector


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
    lane_gbps: (
        Annotated[
            float,
            setting("the rate of its lanes into the cage; not compared, if omitted", unit="Gb/s", above=0, most=1e15),
        ]
        | None
    ) = None
    fibre: Annotated[
        str, setting("the fibre that it takes, as the `fibre` of a cable: `MPO-12/APC OM4`; not compared, if omitted")
    ] = ""
    loss_db: (
        Annotated[
            float,
            setting(
                "the greatest loss of the fibres between two of them, connectors included; not checked, if omitted",
                unit="dB",
                above=0,
                most=100,
            ),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")


class CableProduct(Cited, frozen=True, kw_only=True):
    """A cable product: its medium, where it is used, its reach, rates, prices and power.

    Its price is a line in metres, a line in metres per Gb/s (the two are added), or `prices_usd`, one per entry of
    `lengths_m`. With `lengths_m` it is sold in these lengths only; without, it is cut to length.
    """

    group: ClassVar[str] = "parts [[cable]]"

    medium: Annotated[Medium, setting("its material; `any` where that is not known")]
    use: Annotated[
        Literal["inside", "between", "any", "panels"],
        setting(
            "inside a rack, between racks, any, or panels: only for links through panels, whose cords it stands for"
        ),
    ]
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
    switch_connector: Annotated[
        Connector | None,
        setting("the cage of a switch that it fits, where it has connectors of its own; any, if omitted"),
    ] = None
    lane_gbps: (
        Annotated[
            float,
            setting(
                "the rate of its lanes, where it has connectors of its own or goes into sockets; not compared, if omitted",
                unit="Gb/s",
                above=0,
                most=1e15,
            ),
        ]
        | None
    ) = None
    fibre: Annotated[
        str,
        setting(
            "its connector and its kind, `MPO-12/APC OS2`: each of its `modules` that names a fibre must have the same, and so"
            " must a socket"
        ),
    ] = ""
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
    panel: Annotated[
        bool,
        setting(
            "with `breakout`, between switches: one such cable at each end, whose legs a patch panel joins; each is half as"
            " long as the link"
        ),
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
        if self.panel and not (self.breakout and self.to == "switch"):
            raise ValueError("panel: only a breakout cable between switches (to = 'switch') has two joined ends")
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

    def needed_m(self, length_m: np.ndarray, slack_m: float) -> np.ndarray:
        """The length that one piece must have for links of these lengths, m, float64 of their shape."""
        return length_m / 2 + slack_m if self.panel else length_m + slack_m

    @property
    def pieces_per_link(self) -> float:
        """The cables of one link where all are full: less than 1 where links share one."""
        return (2 if self.panel else self.cords) / self.links

    @property
    def both_ends_w(self) -> float:
        """The power of one cable, both ends together, W."""
        return self.power_w + 2 * self.power_w_per_end

    def carries(self, rate_gbps: float | None) -> bool:
        """Whether it carries links of that rate."""
        if rate_gbps is None or not self.rates_gbps:
            return True
        return any(abs(own - rate_gbps) <= 1e-9 * rate_gbps for own in self.rates_gbps)

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
