"""Transceivers: how many modules the fibres of a layout need, each module shared by as many links as it has."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.cost.choose import CableLot, Cables
from topoloom.cost.products import Transceiver, low_high
from topoloom.placement.layout.layout import Layout


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
