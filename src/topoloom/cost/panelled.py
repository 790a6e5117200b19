"""Panels of a catalogue for a layout: the parts that fit its links, and what they cost."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.searches import Effort
from topoloom.cost.choose import CableLot, link_cables
from topoloom.cost.modules import link_modules
from topoloom.cost.parts import Parts
from topoloom.cost.passive_products import FibreProduct, PanelProduct
from topoloom.cost.terms import Terms
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.methods import METHODS
from topoloom.placement.fibre.parts import Fibre
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.polarity import parts_in_words
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.panelled import with_panels
from topoloom.topologies.families.shuffled import boxes_of

#: Parallel single-mode optics: one pair of fibres per 100 Gb/s.
_LANE_GBPS = 100.0


def panelled(layout: Layout, method: str, terms: Terms, effort: Effort, *, search: bool = True) -> Layout:
    """A layout whose links pass through panels of the catalogue.

    Parameters
    ----------
    layout : Layout
    method : "shuffle", "racks", "rows" or "field"
    terms : Terms
        For this network.
    effort : Effort
    search : bool
        Whether racks change places for the fewest metres.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        The method is unknown; the catalogue has no parts that fit; the floor has no room for the panels; transmitters meet
        transmitters on a link; or it loses more than its transceivers allow.
    """
    if method not in METHODS:
        raise InputError(f"panels '{method}' is not known; it must be {', '.join(METHODS)}")
    planned = with_panels(layout, method, kit_for(layout, method, terms), effort, search=search)
    _check_polarity(planned.plant)  # type: ignore[arg-type]
    refuse_over_budget(planned, terms)
    return planned


def refuse_over_budget(planned: Layout, terms: Terms) -> None:
    """Refuse a layout with panels on which a link loses more than its transceivers allow.

    Parameters
    ----------
    planned : Layout
    terms : Terms

    Raises
    ------
    InputError
        With the worst link.
    """
    over = over_budget(planned, terms)
    if over.any():
        worst = int(np.flatnonzero(over)[planned.plant.loss_db[over[planned.plant.through]].argmax()])  # type: ignore[union-attr]
        lost, budget = link_losses(planned)[worst], link_budgets(planned, terms)[worst]
        a, b = planned.topology.links[worst].tolist()
        raise InputError(
            f"panels: {int(over.sum()):,} links lose more than their transceivers allow: the one from switch {a} to {b} loses"
            f" {lost:.2f} dB of {budget:g}; choose connectors of less loss, shorter ways or fewer panels"
        )


def _check_polarity(plant: Plant) -> None:
    uncrossed = int((~plant.crossed).sum())
    if uncrossed:
        raise InputError(
            f"panels: on {uncrossed:,} links transmitters meet transmitters: {parts_in_words(plant)} reverse the fibres an even"
            " number of times; choose cords and trunks of type B with adapters of type A (method U1 of TIA-568.3-E) or B (U2)"
        )


def kit_for(layout: Layout, method: str, terms: Terms) -> Kit:
    """The first panel, cord and trunk of the catalogue that fit the links.

    Parameters
    ----------
    layout : Layout
    method : str
        As in `panelled`.
    terms : Terms

    Raises
    ------
    InputError
        The catalogue lacks one of them; or the links have several rates, and thus several numbers of fibres.
    """
    parts, topology = terms.catalogue, layout.topology
    rates = (
        np.unique(topology.link_rate_gbps) if topology.mixed and topology.link_rate_gbps is not None else np.zeros(0)
    )
    if rates.size > 1:
        raise InputError(
            f"panels: {topology.name} has links of several rates; panels need links of one rate, so that all have equal fibres"
        )
    rate = float(rates[0]) if rates.size else terms.rate_on(topology)
    pairs = max(1, round(rate / _LANE_GBPS))
    if method == "shuffle":
        boxes = boxes_of(topology)
        (_, r), (_, c) = boxes.switch_at.shape, boxes.far.shape
        what = f"shuffle panel of {r} front ports of {c * pairs} pairs and {c} rear ports"
        fits = [
            product
            for product in parts.passive.panel
            if product.kind == "shuffle panel"
            and (product.front, product.front_pairs, product.rear) == (r, c * pairs, c)
        ]
    else:
        what = f"patch panel or cassette with front ports of {pairs} pair{'s' * (pairs > 1)}"
        fits = [
            product
            for product in parts.passive.panel
            if product.kind in ("patch panel", "cassette") and product.front_pairs == pairs
        ]
    if not fits:
        raise InputError(f"parts '{parts.name}': no {what} for links of {rate:g} Gb/s; add one to [[panel]]")
    panel = fits[0].panel
    cord = _of_pairs(parts, parts.passive.cord, int(panel.pairs[0]), "cord")
    trunk = _of_pairs(parts, parts.passive.trunk, int(panel.pairs[-1]), "trunk")
    slack_m = parts.slack_m
    loop = _loop_plug(parts, boxes.joins, pairs, trunk) if method == "shuffle" and boxes.is_loop.any() else None
    return Kit(panel, cord.fibre("cord", slack_m), trunk.fibre("trunk", slack_m), pairs, loop)


def _loop_plug(parts: Parts, joins: tuple[int, ...], each: int, trunk: FibreProduct) -> Fibre:
    """The loop plug for a trunk port with `each` pairs per link, of the polarity of the trunk in whose place it is."""
    pairs = len(joins) * each
    fits = [plug for plug in parts.passive.panel if plug.kind == "loop plug" and plug.front_pairs == pairs]
    if not fits:
        raise InputError(f"parts '{parts.name}': no loop plug of {pairs} pairs of fibres; add one to [[panel]]")
    inside = tuple(to * each + pair for to in joins for pair in range(each))
    return Fibre(fits[0].name, "loop plug", pairs, trunk.polarity, joins=inside)


def _of_pairs(parts: Parts, products: Sequence[FibreProduct], pairs: int, use: str) -> FibreProduct:
    product = next((product for product in products if product.pairs == pairs), None)
    if product is None:
        raise InputError(f"parts '{parts.name}': no {use} of {pairs} pairs of fibres; add one to [[{use}]]")
    return product


def unpriced_shuffles(parts: Parts) -> list[str]:
    """The names of shuffle panels, and of cords and trunks that fit them, without a price.

    Parameters
    ----------
    parts : Parts
    """
    passive, names = parts.passive, []
    for product in passive.panel:
        if product.kind == "shuffle panel":
            names += [product.name] if product.price_usd is None else []
            pairs = product.panel.pairs
            for sold, each in ((passive.cord, int(pairs[0])), (passive.trunk, int(pairs[-1]))):
                names += [fibre.name for fibre in sold if fibre.pairs == each and not fibre.has_price]
    return names


def link_losses(layout: Layout) -> np.ndarray:
    """The loss of each link between its transceivers, dB, float64[links]; NaN for links that are cables of their own."""
    loss_db = np.full(len(layout.topology.links), np.nan)
    if layout.plant is not None:
        loss_db[layout.plant.through] = layout.plant.loss_db
    return loss_db


def link_budgets(layout: Layout, terms: Terms) -> np.ndarray:
    """The loss that the transceivers of each link allow, dB, float64[links]; inf where the catalogue does not state it.

    The transceivers are those of the bill: what the fibre takes and the cages of both switches hold.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        For this network.
    """
    out = np.full(len(layout.topology.links), np.inf)
    if layout.plant is None:
        return out
    rate_gbps = terms.rate_on(layout.topology)
    for module, here in link_modules(layout, link_cables(layout, terms.catalogue, rate_gbps), rate_gbps):
        if module.loss_db is not None:
            own = here & layout.plant.through
            out[own] = np.minimum(out[own], module.loss_db)
    return out


def with_products(plant: Plant, parts: Parts) -> Plant:
    """A plant whose parts lose, and reverse, what the products of the same names in a catalogue do; others stay.

    Parameters
    ----------
    plant : Plant
    parts : Parts
    """
    passive = parts.passive
    panels = {product.name: product for product in passive.panel}
    fibres = {("cord", product.name): product for product in passive.cord}
    fibres |= {("trunk", product.name): product for product in passive.trunk}
    own_panels, own_fibres = list(plant.panels), list(plant.fibres)
    for number, panel in enumerate(plant.panels):
        if sold := panels.get(panel.name):
            names = ("connectors", "connector_db", "loss_db", "reversals")
            own_panels[number] = replace(panel, **{name: getattr(sold, name) for name in names})
    for number, fibre in enumerate(plant.fibres):
        if cable := fibres.get((fibre.use, fibre.name)):
            own_fibres[number] = replace(fibre, polarity=cable.polarity, loss_db_per_km=cable.loss_db_per_km)
    return replace(plant, panels=tuple(own_panels), fibres=tuple(own_fibres))


def over_budget(layout: Layout, terms: Terms) -> np.ndarray:
    """Whether each link loses more than its transceivers allow, bool[links]."""
    if layout.plant is None:
        return np.zeros(len(layout.topology.links), bool)
    return np.asarray(np.nan_to_num(link_losses(layout)) > link_budgets(layout, terms) + 1e-9)


@dataclass(frozen=True)
class PassiveLot:
    """Equal pieces of a plant.

    Attributes
    ----------
    kind : "panel", "cord" or "trunk"
    name : str
    product : PanelProduct, FibreProduct or None
        None where the catalogue has none of this name.
    count : int
    length_m : float
        Of one piece, as it is bought; 0 for panels.
    unit_low_usd, unit_high_usd : float
        The lowest and the highest price of one; NaN without a price.
    """

    kind: Literal["panel", "cord", "trunk"]
    name: str
    product: PanelProduct | FibreProduct | None
    count: int
    length_m: float
    unit_low_usd: float
    unit_high_usd: float

    @property
    def title(self) -> str:
        """The name with its kind, as in a bill."""
        return self.name if self.name.startswith(self.kind) else f"{self.kind}, {self.name}"

    @property
    def order(self) -> CableLot:
        """The lot of an order list."""
        low, high = self.count * self.unit_low_usd, self.count * self.unit_high_usd
        made = isinstance(self.product, FibreProduct) and not self.product.lengths_m
        return CableLot(self.name, self.kind, self.length_m, made, self.count, low, high, 0.0)


def passive_lots(layout: Layout, parts: Parts) -> Iterator[PassiveLot]:
    """Yield what a plant consists of: panels, then cords and trunks of each length.

    Parameters
    ----------
    layout : Layout
    parts : Parts
    """
    plant = layout.plant
    if plant is None:
        return
    passive = parts.passive
    for number, panel in enumerate(plant.panels):
        product = next((sold for sold in passive.panel if sold.name == panel.name), None)
        low, high = _price(None if product is None else product.price_usd)
        yield PassiveLot("panel", panel.name, product, int((plant.panel == number).sum()), 0.0, low, high)
    kind, stock_m = plant.fibre[plant.pieces], np.round(plant.stock_m, 6)[plant.pieces]
    for number, fibre in enumerate(plant.fibres):
        if fibre.use == "loop plug":
            plug = next((sold for sold in passive.panel if sold.name == fibre.name), None)
            low, high = _price(None if plug is None else plug.price_usd)
            yield PassiveLot("panel", fibre.name, plug, int((plant.fibre == number).sum()), 0.0, low, high)
            continue
        sold_as = passive.trunk if fibre.use == "trunk" else passive.cord
        own = next((sold for sold in sold_as if sold.name == fibre.name), None)
        lengths, counts = np.unique(stock_m[kind == number], return_counts=True)
        usd = np.full((2, lengths.size), np.nan) if own is None else own.usd(lengths)
        for length_m, count, low, high in zip(lengths.tolist(), counts.tolist(), *usd.tolist(), strict=True):
            yield PassiveLot(fibre.use, fibre.name, own, count, length_m, low, high)


def _price(price: float | tuple[float, ...] | None) -> tuple[float, float]:
    if price is None:
        return math.nan, math.nan
    low, high = price if isinstance(price, tuple) else (price, price)
    return float(low), float(high)
