"""The lines of a bill: switches, cables, transceivers, interfaces, racks, installation and spares."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.choose import CableLot, Cables
from topoloom.cost.parts import Parts
from topoloom.cost.products import Price, Transceiver, low_high
from topoloom.cost.spares import Spares
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class Line:
    """One line of a bill: so many of an item, their price and their watts together; cables also have metres.

    `kind` is "switch", "cable", "transceiver", "nic", "rack" or "installation"; `confidence` the grade of the product's
    figures, where it has one. Prices and watts that are not known are NaN.
    """

    item: str
    count: int
    cost_low_usd: float
    cost_high_usd: float
    power_w: float = 0.0
    length_m: float = 0.0
    kind: str = "switch"
    confidence: str | None = None

    @property
    def cost_usd(self) -> float:
        """The price; the middle, where the catalogue has a range; NaN where it has none."""
        return (self.cost_low_usd + self.cost_high_usd) / 2


def bill_lines(
    layout: Layout,
    parts: Parts,
    rate_gbps: float,
    ports: tuple[int, int],
    cables: Sequence[Cables],
    spares: Spares | None,
) -> list[Line]:
    """All lines, in the order of a bill.

    Parameters
    ----------
    layout : Layout
    parts : Parts
    rate_gbps : float
        Of every link, Gb/s.
    ports : (int, int)
        The ports that a switch needs, and with how many it is bought.
    cables : sequence of Cables
        Those of the links, and, if they are bought, those of the endpoints.
    spares : Spares or None

    Returns
    -------
    list of Line

    Raises
    ------
    InputError
        No switch has the ports; a module that is hotter than the cages of the switch.
    """
    lines = [*_switch_lines(layout.topology, parts, rate_gbps, *ports)]
    wired = [
        line for what, some in zip(("cable", "host cable"), cables, strict=False) for line in _cable_lines(what, some)
    ]
    lines += wired
    lines += _module_lines(layout, parts, rate_gbps, ports[1], cables)
    if layout.housing is not None:
        lines += _host_lines(layout, parts)
    lines += _installation(parts, sum(line.count for line in wired))
    return lines if spares is None else [*lines, *_spare_lines(lines, spares)]


def _switch_lines(topology: Topology, parts: Parts, rate_gbps: float, ports: int, bought: int) -> Iterator[Line]:
    """The switches that the fabric needs, and what it costs to buy them with more ports."""
    count = topology.switches
    in_use = (2 * len(topology.links) + topology.endpoints.size) / count
    least, most = parts.switch_usd_range(ports, rate_gbps), parts.switch_usd_range(bought, rate_gbps)
    watts = parts.switch_w(ports, rate_gbps, in_use)
    low, high = (float(usd) for usd in count * least)
    product = parts.switch_product(bought, rate_gbps)
    told = "" if product is None else f" ({product.name})"
    grade = None if product is None else product.confidence
    yield Line(f"switch, {ports} ports{told}", count, low, high, count * watts, confidence=grade)
    if bought > ports:
        low, high = (float(usd) for usd in count * (most - least))
        more_w = count * (parts.switch_w(bought, rate_gbps, in_use) - watts)
        yield Line(f"spare ports, {bought - ports} a switch", count * (bought - ports), low, high, more_w)


def _cable_lines(what: str, cables: Cables) -> Iterator[Line]:
    """One line per product that is used; a cable that carries several links is one piece."""
    for index, product in enumerate(cables.parts.cable):
        mine = cables.product == index
        if mine.any():
            low, high, watts, metres, pieces = (
                float(column[mine].sum())
                for column in (
                    cables.usd_low,
                    cables.usd_high,
                    cables.power_w,
                    cables.stock_m * cables.share,
                    cables.share,
                )
            )
            item = f"{what}, {product.title}"
            yield Line(item, round(pieces), low, high, watts, metres, "cable", product.confidence)


def _module_lines(
    layout: Layout, parts: Parts, rate_gbps: float, bought: int, cables: Sequence[Cables]
) -> Iterator[Line]:
    """One line per transceiver that is used."""
    switch = parts.switch_product(bought, rate_gbps)
    for one, count in modules(layout, cables):
        hottest = one.power_max_w or one.power_w or 0.0
        if (
            switch is not None
            and one.side != "host"
            and switch.cage_power_w is not None
            and hottest > switch.cage_power_w
        ):
            raise InputError(
                f"parts '{parts.name}': the transceiver '{one.name}' draws up to {hottest:g} W, but a cage of"
                f" '{switch.name}' takes {switch.cage_power_w:g} W; choose another module for its fibres"
            )
        low, high = _range(count, one.price_usd)
        watts = math.nan if one.power_w is None else count * one.power_w
        yield Line(f"transceiver, {one.name}", count, low, high, watts, 0.0, "transceiver", one.confidence)


def _host_lines(layout: Layout, parts: Parts) -> Iterator[Line]:
    """The interfaces of the hosts, whose watts are the hosts' own, and the racks."""
    if layout.housing is None:
        return
    host, rack = layout.housing.host, layout.housing.rack
    if host.nic:
        product = next((one for one in parts.nic if one.name == host.nic), None)
        count = layout.topology.endpoints.size // host.ports
        low, high = _range(count, None if product is None else product.price_usd)
        grade = None if product is None else product.confidence
        yield Line(f"interface, {host.nic}", count, low, high, 0.0, 0.0, "nic", grade)
    low, high = _range(layout.racks, rack.price_usd)
    yield Line(f"rack, {rack.u:g} units", layout.racks, low, high, 0.0, 0.0, "rack")


def _installation(parts: Parts, count: int) -> Iterator[Line]:
    """What it costs to lay all cables, where the catalogue knows."""
    low, high = (float(usd) for usd in count * low_high(parts.installation_usd))
    if high:
        yield Line("installation", count, low, high, kind="installation")


def _spare_lines(lines: Sequence[Line], spares: Spares) -> Iterator[Line]:
    """What lies on the shelf of each product: at the price of one, without watts."""
    shares = {"switch": spares.switches, "cable": spares.cables, "transceiver": spares.cables, "nic": spares.nics}
    for line in lines:
        share = shares.get(line.kind, 0.0)
        if not share or line.item.startswith("spare"):
            continue
        # 2 % of 50 is 1: the error of a product must not buy another.
        count = math.ceil(line.count * share / 100 * (1 - 1e-12))
        part = count / line.count
        yield replace(
            line,
            item=f"spare {line.item}",
            count=count,
            cost_low_usd=line.cost_low_usd * part,
            cost_high_usd=line.cost_high_usd * part,
            power_w=0.0,
            length_m=line.length_m * part,
        )


def _range(count: int, price: Price | None) -> tuple[float, float]:
    """The lowest and the highest price of so many; NaN where there is none."""
    if price is None:
        return math.nan, math.nan
    low, high = count * low_high(price)
    return float(low), float(high)


def modules(layout: Layout, cables: Sequence[Cables]) -> Iterator[tuple[Transceiver, int]]:
    """Each transceiver with how many are plugged in, in the catalogue's order.

    A module of several links takes links of one switch (or host) only: every box has as many as its own links need.

    Parameters
    ----------
    layout : Layout
    cables : sequence of Cables
        Those of the links, and, if they are bought, those of the endpoints.
    """
    topology, parts = layout.topology, cables[0].parts
    plugged: dict[str, int] = {}
    ends = [
        ((topology.links[:, 0], "switch"), (topology.links[:, 1], "switch")),
        ((topology.endpoints, "switch"), (topology.host, "host")),
    ]
    # Links of one box that take the same module share it, whatever their fibres are.
    at: dict[tuple[str, str], list[np.ndarray]] = {}
    for bought, sides in zip(cables, ends, strict=False):
        for index, cable in enumerate(parts.cable):
            mine = bought.product == index
            if cable.modules and mine.any():
                for boxes, side in sides:
                    at.setdefault((parts.module(index, side).name, side), []).append(boxes[mine])
    by_name = {one.name: one for one in parts.transceiver}
    for (name, _), some in at.items():
        counts = np.bincount(np.concatenate(some))
        plugged[name] = plugged.get(name, 0) + int((-(-counts // by_name[name].links)).sum())
    for one in parts.transceiver:
        if one.name in plugged:
            yield one, plugged[one.name]


def module_orders(layout: Layout, cables: Sequence[Cables]) -> Iterator[CableLot]:
    """What to order of transceivers, as cables are ordered; their length is 0."""
    for one, count in modules(layout, cables):
        low, high = count * low_high(one.price_usd) if one.price_usd is not None else (np.nan, np.nan)
        watts = np.nan if one.power_w is None else count * one.power_w
        yield CableLot(one.name, "transceiver", 0.0, False, count, float(low), float(high), float(watts))
