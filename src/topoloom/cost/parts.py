"""Parts catalogues in TOML: prices and power of switches and cables, and the choice of products."""

import datetime
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at, hint
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.core.toml_lines import line_of
from topoloom.cost.cable_products import CableProduct, Transceiver
from topoloom.cost.cages import HostPlug, SwitchCage
from topoloom.cost.host_products import NicProduct, ServerProduct
from topoloom.cost.passive_products import FibreProduct, PanelProduct, PassiveProducts, generic_passive
from topoloom.cost.products import (
    LENGTH_ERROR_M,
    PortCounts,
    Positive,
    Price,
    check_ranges,
    low_high,
    port_total,
    shown_ports,
)
from topoloom.cost.switch_products import SwitchParts, SwitchProduct


class Parts(TomlTable, frozen=True, dict=True):
    """A parts catalogue.

    Where prices are ranges, `switch_usd`, `cable_usd` and `link_usd` give the middle. `unpriced` names kinds of parts that may
    lack prices and have only power or reach: a missing price is NaN, never 0.
    """

    group: ClassVar[str] = "parts"

    name: Annotated[str, setting("the catalogue's name, for bills and reports")]
    source: Annotated[str, setting("where the numbers come from, for reports")]
    cable: Annotated[tuple[CableProduct, ...], msgspec.Meta(min_length=1), setting("the cable products")]
    switch: Annotated[SwitchParts, setting("the switches: a line in the number of ports, or products")] = SwitchParts()
    format: Annotated[Literal[1], setting("the version of this format; 1 is the only one")] = 1
    version: Annotated[str, setting("the version of the catalogue, in your own numbering")] = ""
    date: Annotated[datetime.date | None, setting("the date of its numbers")] = None
    currency: Annotated[
        str,
        msgspec.Meta(pattern="^[A-Z]{3}$"),
        setting(
            "the currency of all its prices, also of those in keys that end in `usd`: three capital letters, as in EUR"
        ),
    ] = "USD"
    rate_gbps: Annotated[
        tuple[Positive, Positive] | None,
        setting(
            "the least and the greatest link rate that its numbers hold for; at other rates, bills and reports warn",
            unit="Gb/s",
        ),
    ] = None
    slack_m: Annotated[
        float, setting("how much longer a cable must be than its link", unit="m", least=0, most=1e15)
    ] = 0.0
    installation_usd: Annotated[Price, setting("laying one cable", unit="USD")] = 0.0
    rewiring_usd: Annotated[
        Price, setting("moving one installed cable, in expansions; 0: as installation_usd", unit="USD")
    ] = 0.0
    unpriced: Annotated[
        tuple[Literal["switch", "cable"], ...],
        setting(
            "kinds of parts that may have no price, only power or reach. The bill names them, and its sums exclude them."
            " Switches and cables without a price that are not named here are an error"
        ),
    ] = ()
    transceiver: Annotated[
        tuple[Transceiver, ...], setting("the modules for fibres without connectors of their own")
    ] = ()
    nic: Annotated[tuple[NicProduct, ...], setting("network interfaces")] = ()
    server: Annotated[tuple[ServerProduct, ...], setting("servers, for `[host] name`")] = ()
    panel: Annotated[
        tuple[PanelProduct, ...], setting("panels of passive fibres; common ones without prices, if omitted")
    ] = ()
    cord: Annotated[tuple[FibreProduct, ...], setting("cords to panels; common ones, if omitted")] = ()
    trunk: Annotated[tuple[FibreProduct, ...], setting("trunks between panels; common ones, if omitted")] = ()

    @property
    def passive(self) -> PassiveProducts:
        """Panels, cords and trunks: the catalogue's own, else common ones."""
        common = generic_passive()
        return PassiveProducts(self.panel or common.panel, self.cord or common.cord, self.trunk or common.trunk)

    def switch_usd_range(self, ports: int | PortCounts, rate_gbps: float | None = None) -> np.ndarray:
        """Lowest and highest price of a switch with this many ports of that rate, float64[2]; NaN where it is unpriced.

        The product of least capacity with enough ports (of equal ones that with fewest ports, then the cheapest, then the
        first); without products, the line.
        """
        product = self.switch_product(ports, rate_gbps)
        if (product.price_usd is None) if product is not None else not self.switch.has_line:
            return np.full(2, np.nan)
        return low_high(product.price_usd) if product is not None else self.switch.line_usd(port_total(ports))

    @property
    def laying_usd(self) -> tuple[Price, Price]:
        """The prices of laying one new cable and of moving one, each a number or a range."""
        return self.installation_usd, self.rewiring_usd or self.installation_usd

    def switch_usd(self, ports: int | PortCounts, rate_gbps: float | None = None) -> float:
        """The price of a switch with this many ports: the middle of `switch_usd_range`."""
        return float(self.switch_usd_range(ports, rate_gbps).mean())

    def switch_w(self, ports: int | PortCounts, rate_gbps: float | None = None, used: float | None = None) -> float:
        """The power of a switch with this many ports, `used` of them in use (all, if omitted), in watts.

        A product draws its power per port for the ports in use. A line, which is fitted to switches with all ports in use,
        counts every port that is bought.

        Parameters
        ----------
        ports : int or mapping of float to int
            Ports that the switch is bought with; their number at each rate where they differ.
        rate_gbps : float, optional
            The rate of its ports, Gb/s, which selects the product; any rate when omitted.
        used : float, optional
            The number of ports in use; all when omitted.

        Returns
        -------
        float
            Watts; NaN where the product's power is not known.
        """
        product = self.switch_product(ports, rate_gbps)
        if product is None:
            return self.switch.line_w(port_total(ports))
        if product.power_w is None:
            return math.nan
        return product.power_w + product.power_w_per_port * (port_total(ports) if used is None else used)

    def switch_feed_w(self, ports: int | PortCounts, rate_gbps: float | None = None) -> float:
        """The power that a rack must supply to a switch with this many ports, W: its maximum; 0 where none is known."""
        product = self.switch_product(ports, rate_gbps)
        most = None if product is None else product.power_max_w
        watts = self.switch_w(ports, rate_gbps) if most is None else most
        return 0.0 if math.isnan(watts) else watts

    def switch_product(self, ports: int | PortCounts, rate_gbps: float | None = None) -> SwitchProduct | None:
        """The product that is bought for a switch with these ports; None where a line prices switches.

        Parameters
        ----------
        ports : int or mapping of float to int
            Ports that the switch is bought with; their number at each rate where they differ.
        rate_gbps : float, optional
            The rate of its ports, Gb/s; any rate when omitted. Not used with a number at each rate.

        Raises
        ------
        InputError
            No product has enough ports of that rate, or of each of these rates together.
        """
        if not self.switch.product:
            return None
        fastest = rate_gbps if isinstance(ports, int) else max(ports)
        serving = [product for product in self.switch.product if product.serves(1, fastest)]
        if not serving:
            raise self._complaint(f"no switch has ports of {fastest:g} Gb/s; add one", "switch", "product")
        fitting = [product for product in serving if product.serves(ports, rate_gbps)]
        if not fitting:
            most = (
                f" (at most {max(product.ports_at(rate_gbps) for product in serving)})"
                if isinstance(ports, int)
                else ""
            )
            raise self._complaint(f"no switch has {shown_ports(ports)} ports{most}; add one", "switch", "product")

        # Where a product takes any rate, capacities do not compare.
        rated = not isinstance(ports, int) or not any(math.isinf(product.capacity_gbps) for product in fitting)

        def preferred(product: SwitchProduct) -> tuple[float, int, bool, float]:
            size = product.ports_at(rate_gbps) if isinstance(ports, int) else 0
            price = float(low_high(product.price_usd).mean())
            return product.capacity_gbps if rated else 0.0, size, product.price_usd is None, price

        return min(fitting, key=preferred)

    def most_ports(self, rate_gbps: float | None = None) -> int:
        """The ports of the largest product at that rate; 0 when switches are priced by a line."""
        return max((product.ports_at(rate_gbps) for product in self.switch.product), default=0)

    def nearest_rate(self, rate_gbps: float = 40.0) -> float:
        """The rate nearest to this one among those that the prices hold for, Gb/s."""
        return rate_gbps if self.rate_gbps is None else float(np.clip(rate_gbps, *self.rate_gbps))

    def obvious_rate(self) -> float | None:
        """The rate of links where none is chosen, Gb/s; None if the catalogue has switches of several rates.

        The rate of its only switches, or of the only ones with a price; without products, 40 or the nearest rate that its
        prices hold for.
        """
        if self.rate_gbps is not None and self.rate_gbps[0] == self.rate_gbps[1]:
            return self.rate_gbps[0]
        priced = [product for product in self.switch.product if product.price_usd is not None]
        rates = {product.rate_gbps for product in priced or self.switch.product if product.rate_gbps}
        if not rates:
            return self.nearest_rate()
        return rates.pop() if len(rates) == 1 else None

    def link_rate(self, rate_gbps: float | None) -> float:
        """The given rate, Gb/s; if none is given, that of `obvious_rate`.

        Raises
        ------
        InputError
            The rate is not a number above 0; or none is given, and the catalogue has switches of several rates.
        """
        if rate_gbps is None:
            rate = self.obvious_rate()
            if rate is None:
                rates = sorted({product.rate_gbps for product in self.switch.product if product.rate_gbps})
                shown = ", ".join(f"{each:g}" for each in rates[:-1]) + f" and {rates[-1]:g}"
                raise InputError(
                    f"the catalogue '{self.name}' has switches of {shown} Gb/s; give the rate of the links with `rate_gbps`"
                )
            return rate
        if not 0 < rate_gbps < 1e15:
            raise InputError(f"rate_gbps={rate_gbps:g}: give a rate in Gb/s above 0")
        return rate_gbps

    def product_of(
        self,
        length_m: np.ndarray,
        between: np.ndarray,
        rate_gbps: float | np.ndarray | None = None,
        to: Literal["switch", "host"] = "switch",
        alike: np.ndarray | None = None,
        plug: HostPlug | None = None,
        cages: tuple[SwitchCage, ...] = (),
        *,
        modules_only: bool = False,
    ) -> np.ndarray:
        """The index of each cable's product, int64[cables].

        The first product in the catalogue's order that may be used there, carries the rate (any, if omitted) and reaches the
        length plus slack. Order decides, not price: Besta 2014 chooses by use, and a catalogue may list preferred ones first.

        Parameters
        ----------
        length_m : float64[cables]
            The length that each cable must span, metres, without slack.
        between : bool[cables]
            Whether the cable runs between racks; otherwise it is inside one.
        rate_gbps : float or float64[cables], optional
            The rate that each cable must carry, Gb/s; any rate when omitted.
        to : "switch" or "host"
            What the far end is plugged into.
        alike : int64[cables], optional
            The number of cables of its rate between the same two boxes: a product that carries several links is used where
            this is a multiple of them; if omitted, everywhere.
        plug : HostPlug, optional
            What the cages of the hosts take; any, if omitted.
        cages : tuple of SwitchCage
            What the cages of the switches take at the ends of all these cables; any, if omitted.
        modules_only : bool
            Whether only fibres of one link between modules count: for links through panels.

        Returns
        -------
        int64[cables]
            The index of each cable's product in `cable`.

        Raises
        ------
        InputError
            No product suits one of the cables.
        """
        length_m, between = np.broadcast_arrays(length_m, between)
        if isinstance(rate_gbps, np.ndarray):
            chosen = np.full(length_m.shape, -1)
            for rate in np.unique(rate_gbps).tolist():
                of_rate = rate_gbps == rate
                same_ends = None if alike is None else alike[of_rate]
                chosen[of_rate] = self.product_of(
                    *(length_m[of_rate], between[of_rate], rate, to, same_ends, plug, cages), modules_only=modules_only
                )
            return chosen
        chosen = self._first_fitting(length_m, between, rate_gbps, to, alike, plug, cages, modules_only=modules_only)
        if modules_only and (chosen < 0).any():
            cages_named = " and ".join(dict.fromkeys(cage.connector for cage in cages if cage.connector))
            raise self._complaint(
                f"no fibre of one link with modules reaches {float(length_m[chosen < 0].max()):.1f} m through panels"
                + ("" if rate_gbps is None else f" at {rate_gbps:g} Gb/s")
                + (f" between {cages_named} cages" if cages_named else "")
                + "; choose a catalogue that has one, as ethernet-2026, or a switch with cages for its modules",
                "cable",
            )
        if (chosen < 0).any():
            worst = int(np.where(chosen < 0, length_m, -1.0).argmax())
            raise self._no_cable(float(length_m.flat[worst]), bool(between.flat[worst]), rate_gbps, to, plug, cages)
        return chosen

    def reach_m(
        self,
        between: bool,
        rate_gbps: float,
        to: Literal["switch", "host"] = "switch",
        alike: int | None = None,
        plug: HostPlug | None = None,
        cages: tuple[SwitchCage, ...] = (),
    ) -> float:
        """The greatest length of a cable that any product spans there, m; inf without a limit, 0 where no product suits.

        Parameters
        ----------
        between, rate_gbps, to, alike, plug, cages
            As in `product_of`, of one cable.

        Returns
        -------
        float
        """
        lengths = [0.0]
        for cable in self.cable:
            use = cable.use in {"any", "between" if between else "inside"} and cable.to in {to, "any"}
            whole = cable.links == 1 or cable.breakout or alike is None or alike % cable.links == 0
            if use and whole and cable.carries(rate_gbps) and self._fits(cable, plug, cages):
                lengths.append((cable.longest_m - self.slack_m) * (2 if cable.panel else 1))
        return max(lengths)

    def _first_fitting(
        self,
        length_m: np.ndarray,
        between: np.ndarray,
        rate_gbps: float | None,
        to: str = "switch",
        alike: np.ndarray | None = None,
        plug: HostPlug | None = None,
        cages: tuple[SwitchCage, ...] = (),
        *,
        modules_only: bool = False,
    ) -> np.ndarray:
        """As `product_of`; -1 where no product suits."""
        chosen = np.full(length_m.shape, -1)
        for index, cable in enumerate(self.cable):
            if not modules_only and cable.use == "panels":
                continue
            if modules_only and not (cable.modules and cable.links == cable.cords == 1):
                continue
            if cable.carries(rate_gbps) and cable.to in {to, "any"} and self._fits(cable, plug, cages):
                whole = cable.links == 1 or cable.breakout or alike is None
                fits = np.ones(length_m.shape, bool) if whole else np.asarray(alike) % cable.links == 0
                fits = fits & ((cable.use in ("any", "panels")) | (between if cable.use == "between" else ~between))
                chosen[
                    (chosen < 0) & fits & (cable.needed_m(length_m, self.slack_m) <= cable.longest_m + LENGTH_ERROR_M)
                ] = index
        return chosen

    def _fits(self, cable: CableProduct, plug: HostPlug | None, cages: tuple[SwitchCage, ...]) -> bool:
        """Whether a cable, or a module at its end, fits the cages of hosts and of switches."""
        return self._plugs_into(cable, plug) and all(self._joins(cable, cage) for cage in cages)

    def _joins(self, cable: CableProduct, cage: SwitchCage) -> bool:
        """Whether a cable, or a module at its end, fits a cage of a switch, and its lanes and links those of the cage."""
        limited = cage.connector is not None
        if cage.socket:
            return cable.medium == "fibre" and cable.fibre.startswith(cage.socket) and cage.runs(cable.lane_gbps)
        if cable.modules:
            return not (limited and cable.links > cage.ports) and any(
                cage.takes(module.connector) and cage.runs(module.lane_gbps)
                for module in self.transceiver
                if module.name in cable.modules and module.side != "host"
            )
        # Such a cable is alone in its cage.
        own = cable.switch_connector
        enough = own is None or (cage.least <= cable.links and not (limited and cable.links > cage.ports))
        return cage.takes(own) and cage.runs(cable.lane_gbps) and enough

    def _plugs_into(self, cable: CableProduct, plug: HostPlug | None) -> bool:
        """Whether a cable, or a module at its end, fits the cages of hosts, and leaves no port of a cage without a link."""
        if plug is None:
            return True
        if cable.modules:
            return any(
                plug.takes(module.connector) and module.links >= plug.ports
                for module in self.transceiver
                if module.name in cable.modules and module.side != "switch"
            )
        return cable.connector is None or (
            plug.takes(cable.connector) and (1 if cable.breakout else cable.links) == plug.ports
        )

    def _no_cable(
        self,
        length_m: float,
        between: bool,
        rate_gbps: float | None,
        to: str,
        plug: HostPlug | None = None,
        cages: tuple[SwitchCage, ...] = (),
    ) -> InputError:
        where = "between" if between else "inside"
        fitting = [
            index for index, cable in enumerate(self.cable) if cable.use in {where, "any"} and cable.to in {to, "any"}
        ]
        if not fitting:
            hosts = " to hosts" if to == "host" else ""
            return self._complaint(
                f"no cable{hosts} is used {where} racks; add one with use = '{where}' or 'any'", "cable"
            )
        carrying = [index for index in fitting if self.cable[index].carries(rate_gbps)]
        if not carrying:
            hosts = " to hosts" if to == "host" else ""
            return self._complaint(
                f"no cable{hosts} {where} racks carries {rate_gbps:g} Gb/s; add one", "cable", str(fitting[0])
            )
        plugging = [index for index in carrying if self._plugs_into(self.cable[index], plug)]
        if not plugging:
            connector = "cages" if plug is None or plug.connector is None else f"{plug.connector} cages"
            ports = f" of {plug.ports} ports" if plug is not None and plug.ports > 1 else ""
            return self._complaint(
                f"no cable {where} racks fits hosts with {connector}{ports}; add one, or a module for them",
                "cable",
                str(carrying[0]),
            )
        joining = [index for index in plugging if all(self._joins(self.cable[index], cage) for cage in cages)]
        if not joining:
            named = " and ".join(dict.fromkeys(cage.connector or "any" for cage in cages))
            rate = "" if rate_gbps is None else f" at {rate_gbps:g} Gb/s"
            return self._complaint(
                f"no cable {where} racks fits switches with {named} cages{rate}; add one, or a module for them, or choose"
                " another switch",
                "cable",
                str(plugging[0]),
            )
        best = max(joining, key=lambda index: self.cable[index].longest_m)
        slack = f" and {self.slack_m:g} m of slack" if self.slack_m else ""
        rate = "" if rate_gbps is None else f" at {rate_gbps:g} Gb/s"
        reason = (
            f"no cable reaches {length_m:.1f} m{slack} {where} racks{rate}"
            f" (the longest reaches {self.cable[best].longest_m:g} m); add one that does"
        )
        return self._complaint(reason, "cable", str(best))

    def cable_usd(self, index: int, stock_m: np.ndarray, rate_gbps: float) -> np.ndarray:
        """Prices of cables of one product with these lengths, without installation, float64[cables].

        Parameters
        ----------
        index : int
            The product's index in `cable`.
        stock_m : float64[cables]
            The lengths that are bought, metres.
        rate_gbps : float
            The rate, Gb/s, for products whose price depends on it.

        Returns
        -------
        float64[cables]
            US dollars per link; the middle where the catalogue gives a range. The price of a cable that carries several links
            is divided evenly among them.
        """
        cable = self.cable[index]
        return np.asarray(self.cable[index].usd(stock_m, rate_gbps).mean(axis=0)) * cable.pieces_per_link

    def link_usd(self, length_m: np.ndarray, between: np.ndarray | bool, rate_gbps: float) -> np.ndarray:
        """The cost of a link of each length with its installation, float64 of the shape of `length_m`; inf beyond reach.

        For optimisers: the cost depends on the length only, so every pair of places can be priced once.

        Parameters
        ----------
        length_m : float64, any shape
            Lengths, metres, without slack.
        between : bool, the shape of `length_m`, or one for all
            Whether a link runs between racks.
        rate_gbps : float
            The rate of the links, Gb/s.

        Returns
        -------
        float64, the shape of `length_m`
            US dollars per link: cable and installation, in the middle of their ranges; inf where no product is long enough.

        Raises
        ------
        InputError
            The catalogue has no prices of cables.
        """
        if not all(cable.has_price for cable in self.cable if cable.carries(rate_gbps)):
            raise self._complaint(
                "it has no prices of cables; choose a catalogue with prices, or give your quotes with prices",
                "unpriced",
            )
        usd = self._each(length_m, between, rate_gbps, lambda index, stock_m: self.cable_usd(index, stock_m, rate_gbps))
        return usd + float(low_high(self.installation_usd).mean())

    def link_w(self, length_m: np.ndarray, between: np.ndarray | bool, rate_gbps: float) -> np.ndarray:
        """The power of a link of each length, both ends together, float64 of that shape; inf beyond reach.

        Parameters
        ----------
        length_m : float64, any shape
            Lengths, metres, without slack.
        between : bool, the shape of `length_m`, or one for all
            Whether a link runs between racks.
        rate_gbps : float
            The rate of the links, Gb/s.

        Returns
        -------
        float64, the shape of `length_m`
            Watts per link, both ends together; inf where no product is long enough.
        """
        return self._each(length_m, between, rate_gbps, lambda index, _: self.link_ends_w(index))

    def link_ends_w(self, index: int, to: Literal["switch", "host"] = "switch") -> float:
        """The power of both ends of one link of a cable product, modules included, W; NaN where it is not known."""
        cable = self.cable[index]
        if not cable.modules:
            return cable.both_ends_w / cable.links
        sides = ("switch", to)
        modules = [self.module(index, side) for side in sides]
        return sum(math.nan if module.power_w is None else module.power_w / module.links for module in modules)

    def module(
        self, index: int, side: str, plug: HostPlug | None = None, cage: SwitchCage | None = None
    ) -> Transceiver:
        """The transceiver at one end of a fibre: the first of its `modules` that fits a switch or a host (`side`).

        For a host whose cages are known (`plug`), the first that fits the cage and has as many links as the cage has ports;
        where none has, the first with more.

        Parameters
        ----------
        index : int
            The fibre's index in `cable`.
        side : "switch" or "host"
        plug : HostPlug, optional
            What the cages of the hosts take; any, if omitted.
        cage : SwitchCage, optional
            What the cage of the switch takes; any, if omitted.

        Raises
        ------
        InputError
            None of them fits.
        """
        cable, by_name = self.cable[index], {module.name: module for module in self.transceiver}
        fitting = [
            by_name[name]
            for name in cable.modules
            if by_name[name].side in {side, "any"}
            and (plug is None or (plug.takes(by_name[name].connector) and by_name[name].links >= plug.ports))
            and (cage is None or cage.takes(by_name[name].connector))
        ]
        if not fitting:
            connector = (plug or cage or HostPlug()).connector
            cages = "" if connector is None else f" with {connector} cages"
            raise self._complaint(f"no module of '{cable.title}' fits a {side}{cages}; add one", "cable", str(index))
        return next((module for module in fitting if plug is None or module.links == plug.ports), fitting[0])

    def _each(
        self,
        length_m: np.ndarray,
        between: np.ndarray | bool,
        rate_gbps: float,
        value: Callable[[int, np.ndarray], np.ndarray | float],
    ) -> np.ndarray:
        length_m, is_between = np.broadcast_arrays(length_m, between)
        chosen = self._first_fitting(length_m, is_between, rate_gbps)
        out = np.full(length_m.shape, np.inf)
        for index, cable in enumerate(self.cable):
            of_product = chosen == index
            out[of_product] = value(index, cable.stock_m(cable.needed_m(length_m[of_product], self.slack_m)))
        return out

    def check(self) -> None:
        """Check what concerns several keys: ranges, and that every part has a price or is named as unpriced."""
        for key in ("installation_usd", "rewiring_usd"):
            try:
                check_ranges(self, key)
            except ValueError as error:
                raise self._complaint(str(error), key) from None
        switches = [
            (product.price_usd is not None, f"the switch '{product.name}'", ["switch", "product", str(number)])
            for number, product in enumerate(self.switch.product)
        ] or [(self.switch.has_line, "[switch]", ["switch"])]
        cables = [
            (cable.has_price, f"the cable '{cable.title}'", ["cable", str(number)])
            for number, cable in enumerate(self.cable)
        ]
        for word, remedy, sold in (
            ("switch", "base_usd and per_port_usd, or [[switch.product]] tables with price_usd", switches),
            ("cable", "base_usd, per_metre_usd or prices_usd", cables),
        ):
            for has_price, what, keys in sold:
                if not has_price and word not in self.unpriced:
                    raise self._complaint(f"{what} has no price; give {remedy}, or set unpriced = ['{word}']", *keys)
        module_names = {module.name: module for module in self.transceiver}
        for number, cable in enumerate(self.cable):
            unknown = next((name for name in cable.modules if name not in module_names), None)
            if unknown is not None:
                raise self._complaint(
                    f"modules: there is no [[transceiver]] named '{unknown}' ({hint(unknown, module_names)})",
                    "cable",
                    str(number),
                )
            for module in (module_names[name] for name in cable.modules):
                if cable.fibre and module.fibre and module.fibre != cable.fibre:
                    raise self._complaint(
                        f"modules: '{module.name}' takes {module.fibre}, but '{cable.title}' is {cable.fibre}, and the two do"
                        " not mate; name a module for this fibre",
                        "cable",
                        str(number),
                    )
        if self.rate_gbps is not None and self.rate_gbps[0] > self.rate_gbps[1]:
            raise self._complaint("rate_gbps: the lower one of the two rates must come first", "rate_gbps")

    def _complaint(self, reason: str, *keys: str) -> InputError:
        """An error that names the file and the line of a key, or the catalogue if it is one of `PARTS`."""
        path = self.__dict__.get("path")
        if path is None:
            return InputError(f"parts '{self.name}': {reason}")
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError):  # gone since it was loaded
            text = ""
        return at(path, line_of(text, list(keys)), reason)
