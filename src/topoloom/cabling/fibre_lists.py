"""The lists of a layout with panels as CSV: every cord and trunk with both ends and the links that it carries; every panel."""

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels, fibre_ports
from topoloom.cabling.laid import KINDS, panel_units_of
from topoloom.cabling.netbox_devices import switch_device_names
from topoloom.core.csv_files import csv_table, guarded, numbers, texts

#: The files.
FIBRE_CABLES, PANELS = "fibre_cables.csv", "panels.csv"


def fibre_lists(cabling: Cabling, labels: Labels) -> dict[str, str]:
    """The lists by file name; none without panels.

    Parameters
    ----------
    cabling : Cabling
    labels : Labels
    """
    if cabling.layout.plant is None:
        return {}
    return {FIBRE_CABLES: fibre_cables_csv(cabling, labels), PANELS: panels_csv(cabling)}


def fibre_cables_csv(cabling: Cabling, labels: Labels) -> str:
    """One row per cord and trunk, in the order of work: number, both ends, lengths, product, and the links that it carries.

    An end is a port of a panel (``SP012``, ``F05``), or the ports of a switch (``S17``, ``P49..P52``). A link is written as
    the labels of its two switch ports; they are in the order of the pairs of fibres.

    Parameters
    ----------
    cabling : Cabling
    labels : Labels
    """
    layout, laid = cabling.layout, cabling.laid
    plant = layout.plant
    if plant is None:
        return ""
    rows = np.flatnonzero(~laid.own)
    fibres = laid.fibre[rows]
    kinds = plant.fibre[fibres].tolist()
    first_lines = [labels.laid[row] for row in rows.tolist()]
    columns = {
        "cable": numbers(laid.number[rows]),
        "kind": [KINDS[kind] for kind in laid.kind[rows].tolist()],
        "bundle": [str(bundle + 1) if bundle >= 0 else "" for bundle in laid.bundle[rows].tolist()],
    }
    ends = laid.ends(plant)
    racks = [guarded(name) for name in layout.rack_names]
    units = np.concatenate([np.asarray(layout.height, float), np.floor(panel_units_of(layout))])
    names = [*switch_device_names(cabling), *plant.names]
    ports = list(zip(*fibre_ports(cabling, labels), strict=True)) or [(), ()]
    for end, side in enumerate("ab"):
        device = ends[:, end, 0]
        columns[f"{side}_rack"] = [racks[rack] for rack in laid.racks[rows, end].tolist()]
        columns[f"{side}_unit"] = numbers(units[device])
        columns[f"{side}_device"] = texts(names[number] for number in device.tolist())
        columns[f"{side}_port"] = texts(ports[end])
        columns[f"{side}_label"] = texts(line[1 + end] for line in first_lines)
    sold = [plant.fibres[kind] for kind in kinds]
    counts, words = _carried(cabling, labels, fibres)
    return csv_table(
        columns
        | {
            "length_m": numbers(laid.length_m[rows]),
            "stock_m": numbers(laid.stock_m[rows]),
            "product": texts(fibre.name for fibre in sold),
            "connector": texts(fibre.connector for fibre in sold),
            "polarity": [fibre.polarity for fibre in sold],
            "pairs": [str(fibre.pairs) for fibre in sold],
            "links": numbers(counts),
            "carries": texts(words),
        }
    )


def _carried(cabling: Cabling, labels: Labels, fibres: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The number of links on each of some cords and trunks, and the links by the labels of their ports."""
    layout, plant = cabling.layout, cabling.layout.plant
    if plant is None:
        return np.zeros(0, np.int64), []
    links, first = plant.carried
    ports = layout.link_ports.tolist()
    text = {
        link: " to ".join(
            labels.end(*plug) for plug in zip(layout.topology.links[link].tolist(), ports[link], strict=True)
        )
        for link in np.flatnonzero(plant.through).tolist()
    }
    words = [
        "; ".join(text[link] for link in links[first[fibre] : first[fibre + 1]].tolist()) for fibre in fibres.tolist()
    ]
    return np.diff(first)[fibres], words


def panels_csv(cabling: Cabling) -> str:
    """One row per panel: where it stands, and its used and free ports.

    Parameters
    ----------
    cabling : Cabling
    """
    layout = cabling.layout
    plant = layout.plant
    if plant is None:
        return ""
    used: list[set[int]] = [set() for _ in plant.names]
    for device, port in plant.ends.reshape(-1, 2).tolist():
        if device >= plant.switches:
            used[device - plant.switches].add(port)
    racks = np.searchsorted(layout.used, plant.slot).tolist()
    kinds = [plant.panels[kind] for kind in plant.panel.tolist()]
    columns: dict[str, list[str]] = {
        "panel": texts(plant.names),
        "kind": [panel.kind for panel in kinds],
        "product": texts(panel.name for panel in kinds),
        "rack": [guarded(layout.rack_names[rack]) for rack in racks],
        "unit": numbers(np.floor(panel_units_of(layout))),
        "height_u": [f"{panel.u:g}" for panel in kinds],
    }
    for side in ("front", "rear"):
        of_side = [range(panel.front) if side == "front" else range(panel.front, panel.ports) for panel in kinds]
        free = [[port for port in ports if port not in own] for ports, own in zip(of_side, used, strict=True)]
        columns |= {
            f"{side}_ports": [str(len(ports)) for ports in of_side],
            f"{side}_used": [str(len(ports) - len(left)) for ports, left in zip(of_side, free, strict=True)],
            f"{side}_free": [" ".join(map(panel.port_name, left)) for panel, left in zip(kinds, free, strict=True)],
        }
    return csv_table(columns)
