"""Items of a purchase: what to order, by part number and stocked length, with its spares and the terms of its quote."""

import datetime
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.cost.cable_products import CableProduct
from topoloom.cost.choose import Cables, order_list
from topoloom.cost.panelled import passive_lots
from topoloom.cost.parts import Parts
from topoloom.cost.passive_products import FibreProduct
from topoloom.cost.products import Cited, Price, low_high, shown_ports
from topoloom.cost.spares import Spares
from topoloom.cost.switch_kinds import SwitchKind
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.layout.layout import Layout

#: Kind, product, part number and length.
ItemKey = tuple[str, str, str, float]


@dataclass(frozen=True)
class Item:
    """One item of a purchase.

    Attributes
    ----------
    kind : str
        "switch", "cable", "panel", "transceiver", "nic", "rack" or "installation".
    product : str
        Its name in the catalogue.
    count : int
        The number in the network, without spares.
    unit_low_usd, unit_high_usd : float
        The lowest and the highest price of one, in the currency of the bill; NaN without a price.
    description : str
    part_number, vendor : str
        Empty where they are not known.
    length_m : float
        Of a cable, as it is bought; 0 for other items.
    spares : int
        The number of spares to order with it.
    spare_rule : str
        The rule that gives this number; empty without spares.
    phase : str
        The phase in which it is bought; empty where the purchase has no phases.
    lead_weeks : float or None
        The time from order to delivery.
    seller : str
    quoted, valid_until : date or None
        The dates of the quote.
    source : str
        The source of the product's figures.
    confidence : str or None
        Their grade.
    """

    kind: str
    product: str
    count: int
    unit_low_usd: float
    unit_high_usd: float
    description: str = ""
    part_number: str = ""
    vendor: str = ""
    length_m: float = 0.0
    spares: int = 0
    spare_rule: str = ""
    phase: str = ""
    lead_weeks: float | None = None
    seller: str = ""
    quoted: datetime.date | None = None
    valid_until: datetime.date | None = None
    source: str = ""
    confidence: str | None = None

    @property
    def unit_usd(self) -> float:
        """The middle of the price of one; NaN without a price."""
        return (self.unit_low_usd + self.unit_high_usd) / 2

    @property
    def key(self) -> "ItemKey":
        """What items of two purchases that are the same have in common."""
        return self.kind, self.product, self.part_number, self.length_m

    @property
    def to_order(self) -> int:
        """The number to order, spares included."""
        return self.count + self.spares

    @property
    def cost_usd(self) -> float:
        """The price of all that are ordered, in the middle of its range."""
        return self.to_order * self.unit_usd


def items_of(
    layout: Layout,
    parts: Parts,
    switches: Sequence[SwitchKind],
    cables: Sequence[Cables],
    modules: Iterable[tuple[str, int]],
    spares: Spares | None,
) -> tuple[Item, ...]:
    """All items of a purchase, in the order of the bill.

    Parameters
    ----------
    layout : Layout
    parts : Parts
    switches : sequence of SwitchKind
        The switches to buy.
    cables : sequence of Cables
        The cables of the links and, if they are bought, those of the endpoints.
    modules : iterable of (str, int)
        The names of the transceivers, with their numbers.
    spares : Spares or None

    Returns
    -------
    tuple of Item
    """
    items = [_switches(kind, parts) for kind in switches]
    items += cable_items(parts, cables)
    items += _passive(layout, parts)
    by_name = {module.name: module for module in parts.transceiver}
    for name, count in modules:
        module = by_name[name]
        several = f"{module.links} links, " if module.links > 1 else ""
        shell = f", {module.connector}" if module.connector else ""
        what = f"transceiver, {several}{module.side} side{shell}" if module.side != "any" else f"transceiver{shell}"
        items.append(_item("transceiver", name, count, module.price_usd, what, module))
    items += _of_hosts(layout, parts)
    if low_high(parts.installation_usd)[1] > 0:
        count = sum(item.count for item in items if item.kind == "cable")
        items.append(_item("installation", "installation", count, parts.installation_usd, "laying one cable"))
    return tuple(items if spares is None else with_spares(items, spares))


def _item(
    kind: str, name: str, count: int, price: Price | None, description: str, product: Cited | None = None
) -> Item:
    low, high = (math.nan, math.nan) if price is None else map(float, low_high(price))
    if product is None:
        return Item(kind, name, count, low, high, description)
    return Item(
        kind,
        name,
        count,
        low,
        high,
        description,
        part_number=product.part_number,
        vendor=product.vendor,
        lead_weeks=product.lead_weeks,
        seller=product.seller,
        quoted=product.quoted,
        valid_until=product.valid_until,
        source=product.source,
        confidence=product.confidence,
    )


def _switches(kind: SwitchKind, parts: Parts) -> Item:
    """The switches of one kind: with the ports of their product; without a product, with those that they are bought with."""
    product = kind.product(parts)
    low, high = (float(usd) for usd in parts.switch_usd_range(kind.bought, kind.rate_gbps))
    if product is not None:
        name, what = product.name, f"switch, {product.own_ports}"
    else:
        name = what = f"switch, {shown_ports(kind.bought)} ports"
        if kind.rate_gbps is not None:
            what += f" of {kind.rate_gbps:g} Gb/s"
    return replace(_item("switch", name, kind.switches.size, None, what, product), unit_low_usd=low, unit_high_usd=high)


def cable_items(parts: Parts, cables: Sequence[Cables]) -> Iterator[Item]:
    """The cables of each product and length.

    Parameters
    ----------
    parts : Parts
    cables : sequence of Cables
    """
    by_title = {product.title: product for product in parts.cable}
    for lot in order_list(*cables):
        product = by_title[lot.product]
        rates = " or ".join(f"{rate:g}" for rate in product.rates_gbps)
        several = f"{product.links} links of " if product.links > 1 and rates else ""
        made = "cut to" if lot.cut else "length"
        kind = product.medium if product.medium == "fibre" else f"{product.medium} cable".removeprefix("any ")
        carried = f"{several}{rates} Gb/s, " if rates else ""
        what = f"{kind}, {carried}{made} {lot.stock_m:g} m{_per_link(product)}"
        item = _item("cable", lot.product, lot.count, None, what, product)
        number = product.part_number_of(lot.stock_m)
        low, high = (round(usd / lot.count, 9) for usd in (lot.cost_low_usd, lot.cost_high_usd))
        yield replace(item, part_number=number, length_m=lot.stock_m, unit_low_usd=low, unit_high_usd=high)


def _passive(layout: Layout, parts: Parts) -> Iterator[Item]:
    """Panels, and cords and trunks of each length."""
    for lot in passive_lots(layout, parts):
        product = lot.product
        if isinstance(product, FibreProduct):
            made = "length" if product.lengths_m else "made to"
            legs = f" in each of {product.legs} legs" if product.legs > 1 else ""
            what = f"{lot.kind}, {product.pairs} pairs of fibres{legs}, {made} {lot.length_m:g} m"
        else:
            what = lot.kind if product is None else product.kind
        item = _item("panel" if lot.kind == "panel" else "cable", lot.name, lot.count, None, what, product)
        yield replace(item, length_m=lot.length_m, unit_low_usd=lot.unit_low_usd, unit_high_usd=lot.unit_high_usd)


def _per_link(product: CableProduct) -> str:
    """What one piece is, where a link needs several: the quantity counts pieces."""
    if product.panel:
        return "; one at each end, joined in a patch panel"
    return f"; one cord, a link needs {product.cords}" if product.cords > 1 else ""


def _of_hosts(layout: Layout, parts: Parts) -> Iterator[Item]:
    """The interfaces of hosts that stand in racks, where their price does not include them, and the racks."""
    if layout.housing is None:
        return
    for name, count in interfaces_bought(layout):
        product = next((nic for nic in parts.nic if nic.name == name), None)
        price = None if product is None else product.price_usd
        yield _item("nic", name, count, price, "network interface", product)
    if not layout.housing.shared:
        yield rack_item(layout.housing.rack, layout.racks)


def interfaces_bought(layout: Layout) -> list[tuple[str, int]]:
    """The interfaces of the hosts that their price does not include: the product and its number.

    Parameters
    ----------
    layout : Layout
    """
    topology, bought = layout.topology, []
    for host, hosts in () if layout.housing is None else layout.housing.kinds(topology.hosts):
        if host.nic and not host.nic_included:
            ports = int(np.count_nonzero((topology.host >= hosts.start) & (topology.host < hosts.stop)))
            bought.append((host.nic, ports // host.ports))
    return bought


def rack_item(rack: RackRule, racks: int) -> Item:
    """The racks.

    Parameters
    ----------
    rack : RackRule
    racks : int
    """
    return _item("rack", "rack", racks, rack.price_usd, f"rack of {rack.u:g} units")


def with_spares(items: Sequence[Item], spares: Spares) -> list[Item]:
    """The items with their spares, rounded up per part number; those of a cable that is cut to length have its longest length.

    Items with the same part number count together, and the first of them has the spares.
    """
    shares = {"switch": spares.switches, "cable": spares.cables, "transceiver": spares.cables, "nic": spares.nics}
    groups: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(items):
        if shares.get(item.kind, 0.0) and item.count:
            stocked = item.kind != "cable" or "cut to" not in item.description
            name = item.part_number or (f"{item.product} {item.length_m:g}" if stocked else item.product)
            groups.setdefault((item.kind, name), []).append(place)
    out = list(items)
    for (kind, _), places in groups.items():
        total, share = sum(items[place].count for place in places), shares[kind]
        # Rounding errors must not buy another part: 2 % of 50 is exactly 1.
        count = math.ceil(total * share / 100 * (1 - 1e-12))
        longest = max(places, key=lambda place: (items[place].length_m, -place))
        rule = f"{share:g} % of {total:,}, rounded up"
        out[longest] = replace(items[longest], spares=count, spare_rule=rule)
    return out
