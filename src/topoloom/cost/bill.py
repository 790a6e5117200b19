"""Bills: the cost and power of a layout, line by line."""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.cost.choose import CableLot, endpoint_cables, link_cables, order_list
from topoloom.cost.items import Item, items_of
from topoloom.cost.lines import Line, bill_lines, spare_lines
from topoloom.cost.modules import counted_modules, module_orders, plugged_modules
from topoloom.cost.panelled import passive_lots
from topoloom.cost.parts import Parts
from topoloom.cost.placed import layout_and_terms
from topoloom.cost.products import port_total
from topoloom.cost.purchase_files import SUFFIXES, save_purchase
from topoloom.cost.spares import Spares
from topoloom.cost.switch_kinds import SwitchKind, kinds_bought
from topoloom.cost.terms import Terms
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result, json_value, provenance_of
from topoloom.model.sources import NetworkSource
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class AsPublished:
    """The published values of a network in Table IV of Besta 2014, and what the paper's own assumptions give.

    Attributes
    ----------
    column : str
        The column's title.
    published_cost_usd, published_power_w : float
        Per host.
    cost_per_host_usd, power_per_host_w : float or None
        Under the assumptions that the published values follow; None where these were not found.
    assumption, note : str
        Why the exact count differs, and any further remark.
    """

    column: str
    published_cost_usd: float
    published_power_w: float
    cost_per_host_usd: float | None
    power_per_host_w: float | None
    assumption: str
    note: str = ""


@dataclass(frozen=True)
class Bill(Result):
    """The bill of a layout: its lines, and their sums in total and per host.

    Attributes
    ----------
    parts : str
        The catalogue's name.
    rate_gbps : float or None
        The rate of all links and hosts' ports; None where they differ.
    radix : int
        Ports of every switch; the most of any, where they differ.
    hosts, switches, racks : int
    cables_inside, cables_between : int
        Links inside racks, and between racks.
    lines : tuple of Line
    ports_used, ports_bought : int
        Switch ports that links and hosts occupy, and all ports of the switches that are bought.
    unpriced : tuple of str
        Kinds of parts in the bill without a price ("switch", "cable" ...); the sums exclude them.
    unmetered : tuple of str
        Kinds of parts in the bill whose power is not known; the sums exclude them.
    confidence : str or None
        The worst grade of the products in the bill that have one: "A" to "D".
    rates_gbps : tuple of float
        The rates of links and hosts' ports, ascending.
    orders : tuple of CableLot
        The cables and transceivers to order, where they were requested.
    items : tuple of Item
        Everything to order, by part number, where it was requested.
    currency : str
        The currency of all amounts, also of those whose names end in ``usd``.
    as_published : AsPublished, optional
        The published values of a network of Table IV of Besta 2014, where they were requested.
    """

    record_name = "bill"
    record_version = 4
    derived = (
        "length_m",
        "cost_low_usd",
        "cost_usd",
        "cost_high_usd",
        "power_w",
        "cost_per_host_low_usd",
        "cost_per_host_usd",
        "cost_per_host_high_usd",
        "power_per_host_w",
    )

    parts: str
    rate_gbps: float | None
    radix: int
    hosts: int
    switches: int
    racks: int
    cables_inside: int
    cables_between: int
    lines: tuple[Line, ...]
    ports_used: int = 0
    ports_bought: int = 0
    unpriced: tuple[str, ...] = ()
    unmetered: tuple[str, ...] = ()
    confidence: str | None = None
    rates_gbps: tuple[float, ...] = ()
    orders: tuple[CableLot, ...] = ()
    items: tuple[Item, ...] = ()
    currency: str = "USD"
    as_published: AsPublished | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def record(self) -> dict[str, Any]:
        """The record; each line also has the middle of its price range."""
        return super().record() | {"lines": self.rows()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record (JSON); with the suffix .xlsx a workbook of the purchase, with .csv its items.

        The workbook needs the items (``price(..., orders=True)``) and the extra `spreadsheet`.

        Raises
        ------
        InputError
            The file cannot be written, or the bill has no items.
        """
        if Path(path).suffix in SUFFIXES:
            save_purchase([self], Path(path))
        else:
            super().save(path)

    def rows(self) -> list[dict[str, Any]]:
        """One row per line: item, count, metres, cost and power."""
        return [{**json_value(line), "cost_usd": json_value(line.cost_usd)} for line in self.lines]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """One bar per line: its cost, or its power where the catalogue has no prices."""
        priced = not math.isnan(self.cost_usd)
        values = [line.cost_usd if priced else line.power_w for line in self.lines]
        axes.barh([line.item for line in self.lines], [0.0 if math.isnan(value) else value for value in values])
        axes.invert_yaxis()
        axes.set_xlabel(f"cost [{self.currency}]" if priced else "power [W]")

    @property
    def length_m(self) -> float:
        """Metres of all cables, in the lengths that are bought."""
        return sum(line.length_m for line in self.lines)

    @property
    def cost_low_usd(self) -> float:
        """The total cost with every part at its lowest price; NaN when nothing has a price."""
        return sum_of_known(line.cost_low_usd for line in self.lines)

    @property
    def cost_high_usd(self) -> float:
        """The total cost with every part at its highest price; NaN when nothing has a price."""
        return sum_of_known(line.cost_high_usd for line in self.lines)

    @property
    def cost_usd(self) -> float:
        """The total cost; the middle of the range, where the catalogue has ranges."""
        return (self.cost_low_usd + self.cost_high_usd) / 2

    @property
    def power_w(self) -> float:
        """The power of all parts whose power is known."""
        return sum(line.power_w for line in self.lines if not math.isnan(line.power_w))

    @property
    def cost_per_host_low_usd(self) -> float:
        """The lowest total cost per host; infinite without hosts."""
        return self.per_host(self.cost_low_usd)

    @property
    def cost_per_host_usd(self) -> float:
        """The total cost per host; infinite without hosts."""
        return self.per_host(self.cost_usd)

    @property
    def cost_per_host_high_usd(self) -> float:
        """The highest total cost per host; infinite without hosts."""
        return self.per_host(self.cost_high_usd)

    @property
    def power_per_host_w(self) -> float:
        """The power per host; infinite without hosts."""
        return self.per_host(self.power_w)

    def per_host(self, total: float) -> float:
        """A sum of the bill divided by its hosts; infinite without hosts."""
        return total / self.hosts if self.hosts else math.inf


@dataclass(frozen=True)
class Bills(Result):
    """The bills of several topologies, for comparison.

    Attributes
    ----------
    bills : tuple of Bill
        Each with its own provenance.
    """

    record_name = "bills"
    record_version = 4

    bills: tuple[Bill, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def record(self) -> dict[str, Any]:
        """The record, with the provenance of each bill."""
        bills = [{name: value for name, value in bill.record().items() if name != "schema"} for bill in self.bills]
        return super().record() | {"bills": bills}

    def save(self, path: str | os.PathLike[str]) -> None:
        """As `Bill.save`, for the purchase of several networks."""
        if Path(path).suffix in SUFFIXES:
            save_purchase(self.bills, Path(path))
        else:
            super().save(path)

    @drawn(height_in=lambda bills: 1.2 + 0.5 * len(bills.bills))
    def plot(self, axes: "Axes") -> None:
        """One bar per topology: its cost per host, or its power per host where the catalogue has no prices."""
        from topoloom.figures.bars import draw_bars

        priced = all(math.isfinite(bill.cost_per_host_usd) for bill in self.bills)
        values = [bill.cost_per_host_usd if priced else bill.power_per_host_w for bill in self.bills]
        bars = [(bill.provenance.name, value) for bill, value in zip(self.bills, values, strict=True)]
        unit = f"cost [{self.bills[0].currency} per host]" if priced else "power [W per host]"
        draw_bars(axes, bars, unit, "Networks side by side", form="{:,.0f}")

    def rows(self) -> list[dict[str, Any]]:
        """One row per topology: its name, its counts and its sums."""
        return [
            {"topology": bill.provenance.name}
            | {
                name: value
                for name, value in bill.record().items()
                if name != "schema" and not isinstance(value, (dict, list)) and name != "as_published"
            }
            for bill in self.bills
        ]


def bill_of_items(
    items: tuple[Item, ...], *, hosts: int, switches: int, racks: int, currency: str, name: str = "added"
) -> Bill:
    """A bill of items alone, such as those that a growth adds; without lines and sums.

    Parameters
    ----------
    items : tuple of Item
    hosts, switches, racks : int
        Their numbers.
    currency : str
    name : str

    Returns
    -------
    Bill
    """
    return Bill(
        parts="",
        rate_gbps=None,
        radix=0,
        hosts=hosts,
        switches=switches,
        racks=racks,
        cables_inside=0,
        cables_between=0,
        lines=(),
        items=items,
        currency=currency,
        provenance=Provenance.of_run(name=name),
    )


def price(
    network: NetworkSource,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    radix: int | None = None,
    host_cables: bool | None = None,
    spare_ports: float | None = None,
    orders: bool = False,
    spares: Spares | bool | None = None,
) -> Bill:
    """The bill of a network: exact counts, the ports in use, each cable at the price of its own product.

    Parameters
    ----------
    network : NetworkSource
        Its layout is priced; a network without a layout is placed by the default. Parameters that are omitted are those that
        the network remembers.
    parts : Parts, str or path, optional
        A catalogue, the name of a built-in one, or a TOML file; ``slimfly-2014`` where the network remembers none.
    rate_gbps : float, optional
        The rate of every link, Gb/s; else the network's, else 40, or the nearest rate that the catalogue's prices hold for. In
        a network of several rates, each link and each host's port has its own.
    radix : int, optional
        Ports of every switch; else the most that any switch of the network uses.
    host_cables : bool, optional
        Whether to add a cable inside the rack for every endpoint. Besta 2014 omits them (for all but the fat tree).
        Where hosts have their own racks, the bill always contains their cables, interfaces and racks.
    spare_ports : float, optional
        Ports for growth, as a share of those in use: every switch has ceil(ports * (1 + spare_ports)). Truong 2016 has
        0.25, 0.5 and 1.
    orders : bool
        Whether to list what to order: the cables of each product and length, and all items by part number.
    spares : Spares or bool, optional
        Spare parts; True: the default ones, False: none.

    Returns
    -------
    Bill
        Its lines, in watts and US dollars, and the sums in total and per host.

    Raises
    ------
    InputError
        A rate, radix or share is out of range; the catalogue has no suitable switch or cable.

    Source: Besta 2014 VI.B-C; Truong 2016 5.2 (spare ports).

    Examples
    --------
    >>> from topoloom import build, place
    >>> bill = price(place(build("slimfly:q=19,hosts=15"), map="rows"))
    >>> round(bill.cost_per_host_usd, 1), round(bill.power_per_host_w, 3)
    (1168.2, 8.213)
    """
    layout, terms = layout_and_terms(network, "price", parts, rate_gbps)
    if radix is not None and spare_ports:
        raise InputError(
            f"radix={radix} and spare_ports={spare_ports:g}: both set the number of ports to buy; give one of them"
        )
    terms = terms.changed(
        parts=parts, rate_gbps=rate_gbps, radix=radix, spare_ports=spare_ports, host_cables=host_cables, spares=spares
    ).on(layout.topology, "price")
    return bill_with(layout, terms, kinds_bought(layout.topology, terms), orders=orders)


def bill_with(layout: Layout, terms: Terms, switches: Sequence[SwitchKind], *, orders: bool = False) -> Bill:
    """The bill of a layout with the given switches.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        For this network (`Terms.on`).
    switches : sequence of SwitchKind
        As `switch_kinds` makes them, or with more ports.
    orders : bool
        As in `price`.

    Returns
    -------
    Bill

    Raises
    ------
    InputError
        The catalogue has no suitable switch or cable.
    """
    topology, parts, rate_gbps = layout.topology, terms.catalogue, terms.rate_on(layout.topology)
    host_cables = terms.host_cables
    bought_cables = [link_cables(layout, parts, rate_gbps, switches)]
    if host_cables or layout.housing is not None:
        bought_cables.append(endpoint_cables(layout, parts, rate_gbps, switches))
    plugged = plugged_modules(layout, bought_cables, rate_gbps, switches)
    lines = bill_lines(layout, parts, switches, bought_cables, plugged)
    items: tuple[Item, ...] = ()
    if orders or terms.spares is not None:
        counted = [(module.name, count) for module, count in counted_modules(parts, plugged)]
        items = items_of(layout, parts, switches, bought_cables, counted, terms.spares)
        lines += spare_lines(items, lines)
    passive_orders = [lot.order for lot in passive_lots(layout, parts)]
    provenance = provenance_of(
        topology,
        settings={
            "parts": parts.name,
            "rate_gbps": None if topology.mixed else rate_gbps,
            "layout": layout.made,
            "floor": layout.floor.name,
            "host_cables": host_cables,
            "spare_ports": terms.spare_ports,
        },
    )
    between = int(layout.between.sum())
    return Bill(
        parts=parts.name,
        rate_gbps=None if topology.mixed else rate_gbps,
        rates_gbps=tuple(topology.rates_gbps.tolist()) if topology.mixed else (rate_gbps,),
        radix=max(port_total(kind.bought) for kind in switches),
        hosts=topology.hosts,
        switches=topology.switches,
        racks=layout.racks,
        cables_inside=layout.length_m.size - between,
        cables_between=between,
        lines=tuple(lines),
        ports_used=2 * len(topology.links) + topology.endpoints.size,
        ports_bought=sum(kind.switches.size * kind.ports_bought(parts) for kind in switches),
        unpriced=_kinds(line for line in lines if math.isnan(line.cost_usd)),
        unmetered=_kinds(line for line in lines if math.isnan(line.power_w)),
        confidence=max((line.confidence for line in lines if line.confidence), default=None),
        orders=(*order_list(*bought_cables), *passive_orders, *module_orders(parts, plugged)) if orders else (),
        items=items if orders else (),
        currency=parts.currency,
        provenance=provenance,
    )


def _kinds(lines: Iterable[Line]) -> tuple[str, ...]:
    """The kinds of these lines, each once."""
    return tuple(dict.fromkeys(line.kind for line in lines))


def sum_of_known(prices: Iterable[float]) -> float:
    """The sum of the known prices; NaN when none is known.

    Parameters
    ----------
    prices : iterable of float
        NaN where one is not known.
    """
    prices_known = [usd for usd in prices if not math.isnan(usd)]
    return sum(prices_known) if prices_known else math.nan
