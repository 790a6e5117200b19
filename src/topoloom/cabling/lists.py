"""The lists of a cabling as CSV: cables to install, labels to print, bundles to make, products to order."""

from collections.abc import Sequence

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.laid import KINDS
from topoloom.core.csv_files import csv_table, guarded, numbers, texts
from topoloom.cost.choose import CableLot, Cables, order_list
from topoloom.cost.facility import supplies
from topoloom.cost.panelled import passive_lots
from topoloom.formats.cables import cable_list, switch_rows
from topoloom.model.link_rates import RATE, rate_text
from topoloom.placement.hosts.files import hosts_csv
from topoloom.placement.layout.layout import Layout

#: How a product is supplied.
_CUT, _STOCK = "cut to length", "stock length"


def cables_csv(cabling: Cabling, labels: Labels) -> str:
    """The cable list: the cables in the order of work, then the switches; `load` and `load_layout` read it.

    The last columns name devices and ports, where these are not as topoloom counts them. A link through panels has no number
    and no stock length, since its cords and trunks are the cables; the column ``way`` names the panels on its way.
    """
    layout, bought, names = cabling.layout, cabling.bought, cabling.names
    to_host = cabling.to_host
    titles = [product.title for product in bought.parts.cable]
    cables = {
        "cable": [str(number) if number else "" for number in cabling.number.tolist()],
        "kind": ["host" if host else "link" for host in to_host.tolist()],
        "bundle": [str(bundle + 1) if bundle >= 0 else "" for bundle in cabling.bundle.tolist()],
        "a_label": texts(labels.a),
        "b_label": texts(labels.b),
        "length_m": numbers(bought.length_m),
        "stock_m": numbers(np.where(cabling.through, np.nan, bought.stock_m)),
        **_rates(cabling),
        "product": texts(titles[product] for product in bought.product.tolist()),
        "medium": texts(cabling.medium.tolist()),
        "usd_low": numbers(bought.usd_low, 2),
        "usd_high": numbers(bought.usd_high, 2),
        "currency": [bought.parts.currency] * len(cabling),
        "power_w": numbers(bought.power_w),
    }
    if layout.plant is not None:
        cables["way"] = cabling.ways
    racks = [guarded(name) for name in layout.rack_names]
    standing = layout.host_slot is not None
    for side, end in (("a", 0), ("b", 1)):
        # The rack and the height of a host that stands with its switch stay empty: the list does not know them.
        is_switch = ~to_host if end else np.ones(len(cabling), bool)
        switch = np.where(is_switch, cabling.ends[:, end], 0)
        places, heights = layout.rack[switch].tolist(), layout.height[switch].tolist()
        if end and standing:
            host = np.where(to_host, cabling.ends[:, end], 0)
            places = np.where(to_host, layout.host_rack[host], layout.rack[switch]).tolist()
            heights = np.where(to_host, layout.host_unit[host], layout.height[switch]).tolist()
        named = [standing] * len(cabling) if end and standing else is_switch.tolist()
        cables[f"{side}_rack"] = [racks[i] if k else "" for i, k in zip(places, named, strict=True)]
        cables[f"{side}_height"] = [f"{i:g}" if k else "" for i, k in zip(heights, named, strict=True)]
        ends = cabling.ends[:, end].tolist()
        cables[f"{side}_switch"] = [str(i) if k else f"host {i}" for i, k in zip(ends, is_switch.tolist(), strict=True)]
        cables[f"{side}_port"] = numbers(cabling.port[:, end])
        if names is not None:
            plugs = list(zip(ends, cabling.port[:, end].tolist(), is_switch.tolist(), strict=True))
            cables[f"{side}_name"] = texts(names.switches[i] if k else names.hosts[i] for i, _, k in plugs)
            cables[f"{side}_port_name"] = texts(
                names.port(i, port) if k else names.host_port(i, port) for i, port, k in plugs
            )
    switches = switch_rows(layout.topology, hosts=not cabling.with_hosts) | {
        "a_rack": [racks[i] for i in layout.rack.tolist()],
        "a_height": numbers(layout.height),
        "a_label": texts(labels.switch),
    }
    if names is not None:
        switches["a_name"] = texts(names.switches)
    return cable_list(cables, switches)


def _rates(cabling: Cabling) -> dict[str, list[str]]:
    """The column of rates, if the network has rates."""
    topology = cabling.layout.topology
    if topology.mixed:
        return {RATE: list(map(rate_text, cabling.rates_gbps.tolist()))}
    rate = topology.uniform_rate_gbps
    return {} if rate is None else {RATE: [rate_text(rate)] * len(cabling)}


def labels_csv(cabling: Cabling, labels: Labels) -> str:
    """One row per end of each cord, in the order of work: two lines of text that fit a wrap-around label.

    The first line has the cable number and this end, the second the far end. The cords of a cable that has several are
    numbered: ``00001-2``.
    """
    laid, of_product = cabling.laid, np.array([product.cords for product in cabling.bought.parts.cable])
    cords = np.ones(len(laid), np.int64)
    cords[laid.own] = of_product[cabling.bought.product[laid.row[laid.own]]]
    cables, a_ends, b_ends = zip(*labels.laid, strict=True) if labels.laid else ((), (), ())
    return label_table(cords.tolist(), cables, a_ends, b_ends)


def label_table(cords: Sequence[int], cables: Sequence[str], a_ends: Sequence[str], b_ends: Sequence[str]) -> str:
    """The list of labels of any cables.

    Parameters
    ----------
    cords : sequence of int
        The cords of each.
    cables, a_ends, b_ends : sequence of str
        The number of each, and the labels of its ends.

    Returns
    -------
    str
    """
    number, near_ends, far_ends = (
        [text for text, count in zip(column, cords, strict=True) for _ in range(count)]
        for column in (cables, a_ends, b_ends)
    )
    cord = [place for count in cords for place in range(1, count + 1)]
    printed = [
        f"{text}-{place}" if count > 1 else text
        for text, place, count in zip(number, cord, np.repeat(cords, cords).tolist(), strict=True)
    ]
    first_lines, second_lines = [""] * (2 * len(cord)), [""] * (2 * len(cord))
    for offset, own_ends, other_ends in ((0, near_ends, far_ends), (1, far_ends, near_ends)):
        first_lines[offset::2] = [f"{text} {end}" for text, end in zip(printed, own_ends, strict=True)]
        second_lines[offset::2] = [f"to {end}" for end in other_ends]
    return csv_table(
        {
            "cable": [text for text in number for _ in "ab"],
            "cord": [str(place) for place in cord for _ in "ab"],
            "end": ["a", "b"] * len(cord),
            # The texts begin with a digit or "to", so no spreadsheet reads them as formulas; printers print them unchanged.
            "line_1": texts(first_lines, guard=False),
            "line_2": texts(second_lines, guard=False),
        }
    )


def bundles_csv(cabling: Cabling) -> str:
    """One row per bundle, in the order of work: its racks, its cables, their lengths, and their media or kinds."""
    laid, size = cabling.laid, cabling.bundle_sizes
    inside = laid.bundle >= 0
    bundle, number = laid.bundle[inside], laid.number[inside]
    first = np.cumsum(size) - size
    racks = [guarded(name) for name in cabling.layout.rack_names]
    media, kind = np.unique(laid_media(cabling)[inside], return_inverse=True)
    counts = np.zeros((len(size), len(media)), np.int64)
    np.add.at(counts, (bundle, kind.ravel()), 1)
    return csv_table(
        {
            "bundle": numbers(np.arange(1, len(size) + 1)),
            "a_rack": [racks[i] for i in cabling.pairs[:, 0].tolist()],
            "b_rack": [racks[i] for i in cabling.pairs[:, 1].tolist()],
            "cables": numbers(size),
            "first_cable": numbers(number[first]),
            "last_cable": numbers(number[first + size - 1]),
            # They run between the same two places; stated lengths may still differ: the longest counts.
            "length_m": numbers(laid.length_m[longest_of_bundles(cabling)]),
            "total_m": numbers(np.bincount(bundle, laid.length_m[inside], len(size))),
            "total_stock_m": numbers(np.bincount(bundle, laid.stock_m[inside], len(size))),
            "media": texts(
                ", ".join(f"{count} {medium}" for count, medium in zip(row, media.tolist(), strict=True) if count)
                for row in counts.tolist()
            ),
        }
    )


def laid_media(cabling: Cabling) -> np.ndarray:
    """The medium of every cable that is laid, str[cables]; of cords and trunks ``cord`` and ``trunk``.

    Parameters
    ----------
    cabling : Cabling
    """
    laid = cabling.laid
    out = np.array(KINDS)[laid.kind].astype(object)
    out[laid.own] = cabling.medium[laid.row[laid.own]]
    return np.asarray(out.astype(str))


def longest_of_bundles(cabling: Cabling) -> np.ndarray:
    """The longest cable of each bundle, the first of these, int64[bundles]: its place among those that are laid."""
    size, length_m = cabling.bundle_sizes, cabling.laid.length_m
    ends = np.cumsum(size).tolist()
    pieces = zip(ends, size.tolist(), strict=True)
    return np.array([end - n + int(length_m[end - n : end].argmax()) for end, n in pieces], np.int64)


def order_csv(bought: Cables, layout: Layout | None = None) -> str:
    """One row per product and length: the number to order, and their total cost.

    Parameters
    ----------
    bought : Cables
    layout : Layout, optional
        Its panels, cords and trunks are ordered, too.
    """
    lots = [lot for lot in order_list(bought) if lot.count or layout is None]
    supply = [_CUT if lot.cut else _STOCK for lot in lots]
    for lot in () if layout is None else passive_lots(layout, bought.parts):
        lots.append(lot.order)
        supply.append("piece" if lot.kind == "panel" else "made to length" if lot.order.cut else _STOCK)
    return _orders(lots, supply, bought.parts.currency)


def orders_csv(orders: Sequence[CableLot], currency: str) -> str:
    """One row per lot: the number to order, and their total cost in this currency."""
    return _orders(orders, [_CUT if order.cut else _STOCK for order in orders], currency)


def _orders(orders: Sequence[CableLot], supply: Sequence[str], currency: str) -> str:
    each = {
        "pieces": [order.count for order in orders],
        "stock_m": [order.stock_m for order in orders],
        "total_m": [order.count * order.stock_m for order in orders],
        "usd_low": [order.cost_low_usd for order in orders],
        "usd_high": [order.cost_high_usd for order in orders],
        "power_w": [order.power_w for order in orders],
    }
    return csv_table(
        {
            "product": texts(order.product for order in orders),
            "medium": texts(order.medium for order in orders),
            "supply": supply,
        }
        | {name: numbers(np.array(values, np.int64 if name == "pieces" else float)) for name, values in each.items()}
        | {"currency": [currency] * len(orders)}
    )


def host_list(cabling: Cabling, labels: Labels) -> str:
    """One row per host: its name, its rack, its lowest unit, and the switch ports of its cables."""
    layout = cabling.layout
    if layout.housing is None:
        return ""
    hosts = layout.topology.hosts
    host_cables = np.flatnonzero(cabling.to_host)
    order = host_cables[np.lexsort((cabling.port[host_cables, 1], cabling.ends[host_cables, 1]))]
    plugged: list[list[str]] = [[] for _ in range(hosts)]
    for cable, host in zip(order.tolist(), cabling.ends[order, 1].tolist(), strict=True):
        plugged[host].append(labels.a[cable])
    names = layout.rack_names
    return hosts_csv(
        layout.housing,
        [names[number] for number in layout.host_rack.tolist()],
        layout.host_unit,
        [" ".join(ports) for ports in plugged],
    )


def racks_csv(cabling: Cabling) -> str:
    """One row per rack: its contents, its weight and maximum power as `topoloom facility` has them, and its cables.

    A sum counts what is known, and is empty where nothing is; the columns that end in ``_unknown`` count the devices without a
    figure.
    """
    layout = cabling.layout
    if layout.housing is None:
        return ""
    racks, laid = supplies(layout, cabling.terms), cabling.laid
    stays = laid.bundle < 0
    ends = laid.racks
    return csv_table(
        {
            "rack": [guarded(supply.name) for supply in racks],
            "switches": [str(supply.switches) for supply in racks],
            "hosts": [str(supply.hosts) for supply in racks],
            "units": [f"{supply.units:g}" for supply in racks],
            "weight_kg": [_cell(supply.weight_kg) for supply in racks],
            "weight_unknown": [str(supply.weight_unknown) for supply in racks],
            "power_kw": [_cell(None if supply.max_w is None else supply.max_w / 1000) for supply in racks],
            "power_unknown": [str(supply.max_unknown) for supply in racks],
            "cables_inside": numbers(np.bincount(ends[stays, 0], minlength=layout.racks)),
            "cables_leaving": numbers(np.bincount(ends[~stays].ravel(), minlength=layout.racks)),
        }
    )


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"
