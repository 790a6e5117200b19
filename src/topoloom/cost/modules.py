"""Transceivers: which module is plugged into which switch or cage of a host, and how many are bought."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from topoloom.cost.cable_products import Transceiver
from topoloom.cost.cages import SwitchCage
from topoloom.cost.choose import CableLot, Cables, host_ends
from topoloom.cost.parts import Parts
from topoloom.cost.products import low_high
from topoloom.cost.switch_kinds import LinkCages, SwitchKind, cages_of_ends
from topoloom.model.link_rates import own_rates
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class PluggedModules:
    """The modules of one product at one rate, on one side.

    Attributes
    ----------
    module : Transceiver
    side : "switch" or "host"
    boxes : int64[ends]
        The switch, or the cage of a host (`host_ends`), of each link end in such a module.
    """

    module: Transceiver
    side: Literal["switch", "host"]
    boxes: np.ndarray

    @property
    def pieces(self) -> np.ndarray:
        """The modules in each box, int64[boxes].

        A module serves links of one box only, and each cage of a host that is in use has its module, even if only one of its
        ports is connected.
        """
        return np.asarray(-(-np.bincount(self.boxes) // self.module.links))


def plugged_modules(
    layout: Layout, cables: Sequence[Cables], rate_gbps: float, switches: Sequence[SwitchKind] | None = None
) -> tuple[PluggedModules, ...]:
    """The transceivers of a network, once per product, side and rate.

    A cage runs at one rate, so links of different rates share no module; those of one rate share it, even on different
    fibres. A socket of co-packaged optics has none.

    Parameters
    ----------
    layout : Layout
    cables : sequence of Cables
        The cables of the links and, if they are bought, those of the endpoints.
    rate_gbps : float
        The rate of every link, Gb/s; in a network of several rates, each link has its own instead.
    switches : sequence of SwitchKind, optional
        The switches, as for the cables.

    Returns
    -------
    tuple of PluggedModules

    Raises
    ------
    InputError
        No module of a fibre fits.
    """
    boxes_of: dict[tuple[str, Literal["switch", "host"], float], list[np.ndarray]] = {}
    for some in _module_ends(layout, cables, rate_gbps, switches):
        boxes_of.setdefault((some.module.name, some.side, some.rate_gbps), []).append(some.boxes[some.here])
    by_name = {module.name: module for module in cables[0].parts.transceiver}
    return tuple(
        PluggedModules(by_name[name], side, np.concatenate(some)) for (name, side, _), some in boxes_of.items()
    )


def link_modules(layout: Layout, cables: Cables, rate_gbps: float) -> Iterator[tuple[Transceiver, np.ndarray]]:
    """Yield each transceiver at an end of links, with the links that have it at that end, bool[links].

    Parameters
    ----------
    layout : Layout
    cables : Cables
        The cables of the links.
    rate_gbps : float
        As in `plugged_modules`.

    Returns
    -------
    iterator of (Transceiver, bool[links])
    """
    for some in _module_ends(layout, [cables], rate_gbps, None):
        yield some.module, some.here


class _ModuleEnds(NamedTuple):
    """The ends of cables on one side that have one transceiver: `boxes` of all cables, and those that are meant."""

    module: Transceiver
    side: Literal["switch", "host"]
    rate_gbps: float
    boxes: np.ndarray
    here: np.ndarray


def _module_ends(
    layout: Layout, cables: Sequence[Cables], rate_gbps: float, switches: Sequence[SwitchKind] | None
) -> Iterator[_ModuleEnds]:
    topology, parts = layout.topology, cables[0].parts
    to_hosts = host_ends(layout)
    ends: list[tuple[tuple[np.ndarray, Literal["switch", "host"]], ...]] = [
        ((topology.links[:, 0], "switch"), (topology.links[:, 1], "switch")),
        ((topology.endpoints, "switch"), (to_hosts.boxes[:, 1], "host")),
    ]
    cages = cages_of_ends(topology, parts, rate_gbps, switches)
    for number, (bought, sides, rates) in enumerate(zip(cables, ends, own_rates(topology, 0.0), strict=False)):
        rate_of = np.broadcast_to(rates, bought.product.shape)
        for index, cable in enumerate(parts.cable):
            of_product = bought.product == index
            if not cable.modules or not of_product.any():
                continue
            for rate in np.unique(rate_of[of_product]).tolist():
                here = of_product & (rate_of == rate)
                for end, (boxes, side) in enumerate(sides):
                    if side == "host":
                        for same, plug in to_hosts.groups():
                            own = here if isinstance(same, slice) else here & same
                            if own.any():
                                yield _ModuleEnds(parts.module(index, side, plug), side, rate, boxes, own)
                        continue
                    for cage, same in _cages(None if cages is None else cages[number], end, here):
                        if cage is None or not cage.socket:
                            yield _ModuleEnds(parts.module(index, side, cage=cage), side, rate, boxes, same)


def _cages(cages: LinkCages | None, end: int, here: np.ndarray) -> Iterator[tuple[SwitchCage | None, np.ndarray]]:
    """Yield what the cages of switches take at one end of these links, and the links with such a cage, bool[links]."""
    if cages is None:
        yield None, here
        return
    kinds = np.broadcast_to(cages.ends[:, end], here.shape)
    for kind in np.unique(kinds[here]).tolist():
        yield cages.kinds[kind], here & (kinds == kind)


def counted_modules(parts: Parts, plugged: Iterable[PluggedModules]) -> Iterator[tuple[Transceiver, int]]:
    """Yield each transceiver product with the number in use, in the catalogue's order.

    Parameters
    ----------
    parts : Parts
    plugged : iterable of PluggedModules
    """
    pieces: dict[str, int] = {}
    for some in plugged:
        pieces[some.module.name] = pieces.get(some.module.name, 0) + int(some.pieces.sum())
    for module in parts.transceiver:
        if module.name in pieces:
            yield module, pieces[module.name]


def module_orders(parts: Parts, plugged: Iterable[PluggedModules]) -> Iterator[CableLot]:
    """The transceivers to order, in the form of cable lots with length 0."""
    for module, count in counted_modules(parts, plugged):
        low, high = count * low_high(module.price_usd) if module.price_usd is not None else (np.nan, np.nan)
        watts = np.nan if module.power_w is None else count * module.power_w
        yield CableLot(module.name, "transceiver", 0.0, False, count, float(low), float(high), float(watts))
