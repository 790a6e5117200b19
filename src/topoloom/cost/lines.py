"""The lines of a bill: switches, cables, transceivers, interfaces, racks, installation and spares."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.choose import Cables
from topoloom.cost.items import Item, interfaces_bought
from topoloom.cost.modules import PluggedModules, counted_modules
from topoloom.cost.panelled import passive_lots
from topoloom.cost.parts import Parts
from topoloom.cost.products import Price, low_high, port_total
from topoloom.cost.switch_kinds import SwitchKind
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class Line:
    """One line of a bill: the count of an item, its total price and its total power; cables also have a length.

    `kind` is "switch", "cable", "panel", "transceiver", "nic", "rack" or "installation"; `confidence` is the grade of the
    product's figures, where it has one. Prices and power that are not known are NaN.
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
        """The middle of the price range; NaN without a price."""
        return (self.cost_low_usd + self.cost_high_usd) / 2

    def plus(self, other: "Line") -> "Line":
        """The sums of two lines of one item."""
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("count", "cost_low_usd", "cost_high_usd", "power_w", "length_m")
        }
        return replace(self, **sums)


def bill_lines(
    layout: Layout,
    parts: Parts,
    switches: Sequence[SwitchKind],
    cables: Sequence[Cables],
    plugged: Sequence[PluggedModules],
) -> list[Line]:
    """All lines of a bill, in its order, without spares.

    Parameters
    ----------
    layout : Layout
    parts : Parts
    switches : sequence of SwitchKind
        The switches to buy.
    cables : sequence of Cables
        The cables of the links and, if they are bought, those of the endpoints.
    plugged : sequence of PluggedModules
        Their transceivers.

    Returns
    -------
    list of Line

    Raises
    ------
    InputError
        No switch has enough ports; a transceiver draws more power than the switch's cages allow.
    """
    lines = [line for kind in switches for line in _switch_lines(kind, parts)]
    wired = [
        line for what, some in zip(("cable", "host cable"), cables, strict=False) for line in _cable_lines(what, some)
    ]
    wired += _passive_lines(layout, parts)
    lines += wired
    lines += _module_lines(parts, switches, plugged)
    if layout.housing is not None:
        lines += _host_lines(layout, parts)
    return [*lines, *_installation(parts, sum(line.count for line in wired if line.kind == "cable"))]


def _switch_lines(kind: SwitchKind, parts: Parts) -> Iterator[Line]:
    """The switches of one kind, and the extra cost of more ports."""
    count, rate_gbps = kind.switches.size, kind.rate_gbps
    least, most = parts.switch_usd_range(kind.ports, rate_gbps), parts.switch_usd_range(kind.bought, rate_gbps)
    watts = parts.switch_w(kind.ports, rate_gbps, kind.in_use)
    low, high = (float(usd) for usd in count * least)
    product = kind.product(parts)
    of_product = "" if product is None else f" ({product.name})"
    grade = None if product is None else product.confidence
    yield Line(f"switch, {kind.words}{of_product}", count, low, high, count * watts, confidence=grade)
    spare = port_total(kind.bought) - port_total(kind.ports)
    if spare:
        low, high = (float(usd) for usd in count * (most - least))
        more_w = count * (parts.switch_w(kind.bought, rate_gbps, kind.in_use) - watts)
        yield Line(f"spare ports, {spare} per switch", count * spare, low, high, more_w)


def _cable_lines(what: str, cables: Cables) -> Iterator[Line]:
    """One line per cable product in use; a cable that carries several links counts once."""
    for index, product in enumerate(cables.parts.cable):
        of_product = cables.product == index
        # Links through panels have no cable of their own.
        if cables.share[of_product].any():
            low, high, watts, metres, pieces = (
                float(column[of_product].sum())
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


def _passive_lines(layout: Layout, parts: Parts) -> Iterator[Line]:
    """One line per kind of panel, cord and trunk; cords and trunks are laid like cables."""
    lots: dict[tuple[str, str], Line] = {}
    for lot in passive_lots(layout, parts):
        line = Line(
            lot.title,
            lot.count,
            lot.count * lot.unit_low_usd,
            lot.count * lot.unit_high_usd,
            length_m=lot.count * lot.length_m,
            kind="panel" if lot.kind == "panel" else "cable",
            confidence=None if lot.product is None else lot.product.confidence,
        )
        before = lots.get((lot.kind, lot.name))
        lots[lot.kind, lot.name] = line if before is None else line.plus(before)
    yield from lots.values()


def _module_lines(parts: Parts, switches: Sequence[SwitchKind], plugged: Sequence[PluggedModules]) -> Iterator[Line]:
    """One line per transceiver product in use."""
    for kind in switches:
        product = kind.product(parts)
        if product is None or product.cage_power_w is None:
            continue
        for some in plugged:
            module = some.module
            hottest = module.power_max_w or module.power_w or 0.0
            if some.side == "switch" and hottest > product.cage_power_w and np.isin(some.boxes, kind.switches).any():
                raise InputError(
                    f"parts '{parts.name}': the transceiver '{module.name}' draws up to {hottest:g} W, but a cage of"
                    f" '{product.name}' takes {product.cage_power_w:g} W; choose another module for its fibres"
                )
    for module, count in counted_modules(parts, plugged):
        low, high = _range(count, module.price_usd)
        watts = math.nan if module.power_w is None else count * module.power_w
        yield Line(f"transceiver, {module.name}", count, low, high, watts, 0.0, "transceiver", module.confidence)


def _host_lines(layout: Layout, parts: Parts) -> Iterator[Line]:
    """The interfaces of the hosts that their price does not include, whose power is part of the hosts', and the racks."""
    if layout.housing is None:
        return
    for nic, count in interfaces_bought(layout):
        product = next((interface for interface in parts.nic if interface.name == nic), None)
        low, high = _range(count, None if product is None else product.price_usd)
        grade = None if product is None else product.confidence
        yield Line(f"interface, {nic}", count, low, high, 0.0, 0.0, "nic", grade)
    if not layout.housing.shared:
        yield rack_line(layout.housing.rack, layout.racks)


def rack_line(rack: RackRule, racks: int) -> Line:
    """The racks.

    Parameters
    ----------
    rack : RackRule
        With the price of one.
    racks : int
    """
    low, high = _range(racks, rack.price_usd)
    return Line(f"rack, {rack.u:g} units", racks, low, high, 0.0, 0.0, "rack")


def _installation(parts: Parts, count: int) -> Iterator[Line]:
    """The cost of laying all cables, where the catalogue gives it."""
    low, high = (float(usd) for usd in count * low_high(parts.installation_usd))
    if high:
        yield Line("installation", count, low, high, kind="installation")


def spare_lines(items: Sequence[Item], lines: Sequence[Line]) -> Iterator[Line]:
    """One line per product with spares, which have no power.

    Parameters
    ----------
    items : sequence of Item
        With their spares.
    lines : sequence of Line
        The lines of the bill, whose words name the spares of switches.
    """
    titles = {"transceiver": "transceiver, ", "nic": "interface, ", "cable": "cable, "}
    by_product: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        if item.spares:
            by_product.setdefault((item.kind, item.product), []).append(item)
    for (kind, product), some in by_product.items():
        title = titles.get(kind, "") + product
        if kind == "switch":
            title = next((line.item for line in lines if line.item.endswith(f" ({product})")), product)
        low, high, metres = (
            sum(item.spares * each for item, each in zip(some, column, strict=True))
            for column in zip(*((item.unit_low_usd, item.unit_high_usd, item.length_m) for item in some), strict=True)
        )
        count = sum(item.spares for item in some)
        yield Line(f"spare {title}", count, low, high, 0.0, metres, kind, some[0].confidence)


def _range(count: int, price: Price | None) -> tuple[float, float]:
    """The lowest and the highest price of this number of parts; NaN without a price."""
    if price is None:
        return math.nan, math.nan
    low, high = count * low_high(price)
    return float(low), float(high)
