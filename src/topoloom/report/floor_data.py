"""The floor of an interactive page, as data: racks and their contents, bundles of cables, trays."""

from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cost.facility import RackPower
from topoloom.figures.floor_panels import strongest
from topoloom.figures.floor_view import HOST_CABLES, View
from topoloom.placement.layout.tray_load import tray_load
from topoloom.report.scripting import short_number

#: Most free slots, bundles and cables in a page, to limit its size: more free slots are all omitted; of more bundles the
#: strongest are kept, and of more cables the first of each bundle.
_MOST_FREE, _MOST_BUNDLES, _MOST_CABLES = 3_000, 12_000, 12_000


def floor_data(cables: Cabling, power: RackPower | None = None) -> dict[str, Any]:
    """All that the floor viewer draws, as JSON values: columns of numbers, in metres, x to the right and y upwards.

    Parameters
    ----------
    cables : Cabling
        The cables of the layout.
    power : RackPower, optional
        The maximum power of each rack.

    Returns
    -------
    dict
        Racks, free slots, pillars, blocked slots, trays, and bundles: all cables of one product between two racks.
    """
    layout = cables.layout
    view, floor, slots = View(layout), layout.floor, layout.slots
    free = np.setdiff1d(np.arange(len(slots)), layout.used)
    segments, on_tray = tray_load(layout)
    places = layout.place_m
    housed = layout.host_slot is not None
    hosts = np.bincount(layout.host_rack, minlength=layout.racks)
    bundles, inside = _bundles(cables)
    return {
        "name": floor.name,
        "cell": [floor.width_m, floor.depth_m],
        "box": _metres(view.box_m),
        "racks": {
            "name": list(layout.rack_names),
            "x": _metres(places[:, 0]),
            "y": _metres(places[:, 1]),
            "switches": np.bincount(layout.rack, minlength=layout.racks).tolist(),
            "hosts": hosts.tolist(),
            "watts": None if power is None else [short_number(watts, 5) for watts in power.max_w.tolist()],
            "power": None if power is None else list(power.words),
            "leaving": view.leaving.tolist(),
            "inside": inside.tolist(),
        },
        "housed": housed,
        "free": _metres(slots.place_m[free]) if len(free) <= _MOST_FREE else [],
        "blocked": [[str(name), *_metres(np.array(place))] for name, *place in floor.blocked],
        "pillars": _metres(np.array(floor.pillars_m).reshape(-1, 4)),
        "trays": [[*_metres(ends), count] for ends, count in zip(segments, on_tray.tolist(), strict=True)],
        "assumed": not floor.trays_m,
        **bundles,
    }


def _metres(values: np.ndarray) -> Any:
    return np.round(values, 3).tolist()


def _bundles(cables: Cabling) -> tuple[dict[str, Any], np.ndarray]:
    """The bundles between racks, with the ports of their cables; and the number of cables that stay in each rack."""
    layout, product = cables.layout, cables.bought.product
    at = layout.rack[np.where(cables.to_host[:, None], cables.ends[:, :1], cables.ends)]
    at[cables.to_host, 1] = layout.host_rack[cables.ends[cables.to_host, 1]]
    inside = np.bincount(at[cables.bundle < 0, 0], minlength=layout.racks)
    out = np.flatnonzero(cables.bundle >= 0)
    key = np.stack([cables.bundle[out], cables.to_host[out], product[out]], axis=1)
    _, first, member, count = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    shown = strongest(count, _MOST_BUNDLES) if count.size else np.empty(0, np.int64)
    heads = out[first[shown]]
    media = list(dict.fromkeys(cables.medium[out[first]].tolist())) if count.size else []
    colours = dict(View(layout, cables.link_medium).kinds[1])
    kinds = [[name, colours.get(name, HOST_CABLES)] for name in media]
    if cables.with_hosts:
        kinds.append(["host cable", HOST_CABLES])
    kind = [
        len(media) if host else media.index(medium)
        for host, medium in zip(cables.to_host[heads].tolist(), cables.medium[heads].tolist(), strict=True)
    ]
    cables_per_bundle = max(1, _MOST_CABLES // max(1, shown.size)) if out.size > _MOST_CABLES else out.size
    order = np.argsort(member.reshape(-1), kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)])
    ports = []
    for number in shown.tolist():
        some = out[order[starts[number] : starts[number + 1]][:cables_per_bundle]]
        ports.append(
            np.column_stack([cables.ends[some, 0], cables.port[some, 0], cables.ends[some, 1], cables.port[some, 1]])
        )
    return {
        "kinds": kinds,
        "products": [product_line.title for product_line in cables.bought.parts.cable],
        "bundles": {
            "a": at[heads, 0].tolist(),
            "b": at[heads, 1].tolist(),
            "count": count[shown].tolist(),
            "kind": kind,
            "host": cables.to_host[heads].astype(int).tolist(),
            "product": product[heads].tolist(),
            "metres": _metres(cables.length_m[heads]),
            "ports": [ends.ravel().tolist() for ends in ports],
        },
        "missing": int(count.size - shown.size),
    }, inside
