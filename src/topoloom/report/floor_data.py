"""The floor of an interactive page, as data: racks and their contents, bundles of cables, trays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.laid import HOST
from topoloom.cabling.lists import laid_media
from topoloom.cost.facility import RackPower
from topoloom.figures.floor_panels import strongest
from topoloom.figures.floor_view import CORDS, HOST_CABLES, TRUNKS, View
from topoloom.machine.machine import Machine
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_capacity, tray_load
from topoloom.report.machine_room import common_layout
from topoloom.report.scripting import short_number

#: Most free slots, bundles and cables in a page, to limit its size: more free slots are all omitted; of more bundles the
#: strongest are kept, and of more cables the first of each bundle.
_MOST_FREE, _MOST_BUNDLES, _MOST_CABLES = 3_000, 12_000, 12_000


@dataclass(frozen=True, eq=False)
class _Wires:
    """Cables in a room, one row per cable.

    Attributes
    ----------
    at : int64[cables, 2]
        The racks of both ends.
    bundle : int64[cables]
        Cables of one number form a bundle, as far as they are alike; -1 inside a rack.
    host : bool[cables]
    network, product : int64[cables]
        By the lists of networks and of products.
    medium : str[cables]
    length_m : float64[cables]
    ports : int64[cables, 4]
        Switch and port, switch or host and port; -1 for cords and trunks.
    """

    at: np.ndarray
    bundle: np.ndarray
    host: np.ndarray
    network: np.ndarray
    product: np.ndarray
    medium: np.ndarray
    length_m: np.ndarray
    ports: np.ndarray


def floor_data(cables: Cabling, power: RackPower | None = None, *, ports: bool = True) -> dict[str, Any]:
    """All that the floor viewer draws, as JSON values: columns of numbers, in metres, x to the right and y upwards.

    Parameters
    ----------
    cables : Cabling
        The cables of the layout.
    power : RackPower, optional
        The maximum power of each rack.
    ports : bool
        Whether to list the ports of the cables of each bundle.

    Returns
    -------
    dict
        Racks, free slots, pillars, blocked slots, trays, and bundles: all cables of one product between two racks.
    """
    layout = cables.layout
    wires = _wires(cables, np.arange(layout.racks), 0, 0)
    titles = _titles(cables)
    racks = {
        "name": list(layout.rack_names),
        "switches": np.bincount(layout.rack, minlength=layout.racks).tolist(),
        "hosts": np.bincount(layout.host_rack, minlength=layout.racks).tolist(),
    }
    data = _room(layout, layout.used, racks, power, wires, titles, View(layout, cables.link_medium), ports=ports)
    return data | {"housed": layout.host_slot is not None}


def machine_floor_data(
    machine: Machine, cablings: dict[str, Cabling], power: RackPower | None = None
) -> dict[str, Any]:
    """The room of a machine, as `floor_data`: all racks, with the bundles of all networks.

    Parameters
    ----------
    machine : Machine
    cablings : dict of str to Cabling
        The cables of each network.
    power : RackPower, optional
        The maximum power of each rack of the machine.

    Returns
    -------
    dict
        In addition to those of `floor_data` the names of the networks, and the network of each bundle.
    """
    layout, titles, wires, media = common_layout(machine)[0], list[str](), list[_Wires](), list[np.ndarray]()
    rack_at = np.full(len(machine.slots), -1)
    rack_at[machine.slot] = np.arange(len(machine.slot))
    for number, cabling in enumerate(cablings.values()):
        wires.append(_wires(cabling, rack_at[cabling.layout.used], number, len(titles)))
        titles += _titles(cabling)
        media.append(cabling.link_medium)
    columns = (np.concatenate([getattr(some, name) for some in wires]) for name in _Wires.__dataclass_fields__)
    racks = {
        "name": list(machine.rack_names),
        "switches": machine.racks.contents[:, 0].astype(int).tolist(),
        "hosts": machine.racks.contents[:, 1].astype(int).tolist(),
        "devices": np.bincount([rack for rack, *_ in machine.racks.devices], minlength=len(machine.slot)).tolist(),
    }
    view = View(layout, np.concatenate(media))
    data = _room(layout, machine.slot, racks, power, _Wires(*columns), titles, view, ports=False)
    return data | {"housed": True, "networks": list(cablings)}


def _room(
    layout: Layout,
    used: np.ndarray,
    racks: dict[str, Any],
    power: RackPower | None,
    wires: _Wires,
    titles: Sequence[str],
    view: View,
    *,
    ports: bool,
) -> dict[str, Any]:
    """The data of a room with racks in the `used` slots, int64[racks]."""
    floor, slots = layout.floor, layout.slots
    free = np.setdiff1d(np.arange(len(slots)), used)
    segments, on_tray = tray_load(layout)
    places, out = slots.place_m[used], wires.bundle >= 0
    return {
        "name": floor.name,
        "cell": [floor.width_m, floor.depth_m],
        "box": _metres(view.box_m),
        "racks": {
            **racks,
            "x": _metres(places[:, 0]),
            "y": _metres(places[:, 1]),
            "watts": None if power is None else [short_number(watts, 5) for watts in power.max_w.tolist()],
            "power": None if power is None else list(power.words),
            "leaving": np.bincount(wires.at[out].ravel(), minlength=len(used)).tolist(),
            "inside": np.bincount(wires.at[~out, 0], minlength=len(used)).tolist(),
        },
        "free": _metres(slots.place_m[free]) if len(free) <= _MOST_FREE else [],
        "blocked": [[str(name), *_metres(np.array(place))] for name, *place in floor.blocked],
        "pillars": _metres(np.array(floor.pillars_m).reshape(-1, 4)),
        "trays": [
            [*_metres(ends), count, most]
            for ends, count, most in zip(segments, on_tray.tolist(), tray_capacity(floor, segments), strict=True)
        ],
        "assumed": not floor.trays_m,
        **_bundles(wires, titles, {**dict(view.kinds[1]), "cord": CORDS, "trunk": TRUNKS}, ports=ports),
    }


def _metres(values: np.ndarray) -> Any:
    return np.round(values, 3).tolist()


def _wires(cables: Cabling, rack_at: np.ndarray, network: int, first_product: int) -> _Wires:
    """The cables of a network; `rack_at` has the number of each of its racks in the room."""
    laid, plant = cables.laid, cables.layout.plant
    own = laid.own
    product, ports = np.empty(len(laid), np.int64), np.full((len(laid), 4), -1)
    product[own] = cables.bought.product[laid.row[own]]
    if plant is not None:
        product[~own] = len(cables.bought.parts.cable) + plant.fibre[laid.fibre[~own]]
    plugs = np.column_stack([cables.ends[:, 0], cables.port[:, 0], cables.ends[:, 1], cables.port[:, 1]])
    ports[own] = plugs[laid.row[own]]
    return _Wires(
        at=rack_at[laid.racks],
        bundle=laid.bundle,
        host=laid.kind == HOST,
        network=np.full(len(laid), network),
        product=product + first_product,
        medium=laid_media(cables),
        length_m=laid.length_m,
        ports=ports,
    )


def _titles(cables: Cabling) -> list[str]:
    """The names of all products of a network: cables, then cords and trunks."""
    plant = cables.layout.plant
    fibres = [] if plant is None else [fibre.name for fibre in plant.fibres]
    return [product.title for product in cables.bought.parts.cable] + fibres


def _bundles(wires: _Wires, titles: Sequence[str], colours: dict[str, str], *, ports: bool) -> dict[str, Any]:
    """The bundles between racks, with the ports of their cables if asked for."""
    out = np.flatnonzero(wires.bundle >= 0)
    key = np.stack([column[out] for column in (wires.network, wires.bundle, wires.host, wires.product)], axis=1)
    _, first, member, count = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    shown = strongest(count, _MOST_BUNDLES) if count.size else np.empty(0, np.int64)
    heads = out[first[shown]]
    media = list(dict.fromkeys(wires.medium[out[first]].tolist())) if count.size else []
    kinds = [[name, colours.get(name, HOST_CABLES)] for name in media]
    if wires.host.any():
        kinds.append(["host cable", HOST_CABLES])
    kind = [
        len(media) if host else media.index(medium)
        for host, medium in zip(wires.host[heads].tolist(), wires.medium[heads].tolist(), strict=True)
    ]
    cables_per_bundle = max(1, _MOST_CABLES // max(1, shown.size)) if out.size > _MOST_CABLES else out.size
    order = np.argsort(member.reshape(-1), kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)])
    listed = [
        wires.ports[out[order[starts[number] : starts[number + 1]][:cables_per_bundle]]].ravel().tolist()
        if ports and wires.ports[heads[place], 0] >= 0
        else []
        for place, number in enumerate(shown.tolist())
    ]
    return {
        "kinds": kinds,
        "products": list(titles),
        "bundles": {
            "a": wires.at[heads, 0].tolist(),
            "b": wires.at[heads, 1].tolist(),
            "count": count[shown].tolist(),
            "kind": kind,
            "host": wires.host[heads].astype(int).tolist(),
            "network": wires.network[heads].tolist(),
            "product": wires.product[heads].tolist(),
            "metres": _metres(wires.length_m[heads]),
            "ports": listed,
        },
        "missing": int(count.size - shown.size),
    }
