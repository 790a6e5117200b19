"""Panels for NetBox: their front and rear ports, and the cords and trunks as cables.

A front port of several links is one front port per link, ``F05.1`` to ``F05.4``: each leads to a position of a rear port, and
NetBox traces a path from interface to interface over front ports of one position, cables without a profile and rear ports of
many positions (netbox/dcim/models/cables.py, `CablePath.from_origin`, 4.6.8). The bulk import maps the first position of a
front port only (`FrontPortImportForm`), so a front port of several positions cannot be imported. A cord of several links is
one cable per link in the plain files; in those for NetBox 4.7 and the REST API it is one cable of profile ``trunk-4c1p``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.cabling.netbox_choices import COLOURS, fibre_type, panel_port_type
from topoloom.cabling.netbox_devices import interface_name, switch_device_names
from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.placement.fibre.parts import Panel

#: The types of ends.
_INTERFACE, _FRONT, _REAR = "dcim.interface", "dcim.frontport", "dcim.rearport"
#: Profiles of one cable with an end per link on each side, by the most links.
_PROFILES = {2: "trunk-2c1p", 4: "trunk-4c1p"}


@dataclass(frozen=True)
class _Place:
    """A link's place at a front port: the name of NetBox's front port, the rear port and the position there."""

    name: str
    rear: str
    position: int


def _places(panel: Panel, link_pairs: int) -> list[list[_Place]]:
    """The places of the links at each front port, which lead to rear ports."""
    out: list[list[_Place]] = []
    for port in range(panel.front):
        count = int(panel.pairs[port]) // link_pairs
        at = panel.first[port] + link_pairs * np.arange(count)
        to = panel.inside[at]
        rear = panel.port_of[to]
        position = (to - panel.first[rear]) // link_pairs + 1
        name = panel.port_name(port)
        out.append(
            [
                _Place(f"{name}.{number}" if count > 1 else name, panel.port_name(leads_to), at_rear)
                for number, (leads_to, at_rear) in enumerate(zip(rear.tolist(), position.tolist(), strict=True), 1)
            ]
        )
    return out


def panel_port_files(cabling: Cabling) -> dict[str, str]:
    """The files ``rear-ports.csv`` and ``front-ports.csv``, in the order of their import; none without panels.

    Parameters
    ----------
    cabling : Cabling
    """
    plant = cabling.layout.plant
    if plant is None:
        return {}
    connector = {fibre.use: fibre.connector for fibre in reversed(plant.fibres)}
    front_type, rear_type = panel_port_type(connector.get("cord", "")), panel_port_type(connector.get("trunk", ""))
    rear: list[tuple[str, str, int]] = []
    front: list[tuple[str, str, str, int]] = []
    places_of = [_places(panel, plant.link_pairs) for panel in plant.panels]
    for name, kind in zip(plant.names, plant.panel.tolist(), strict=True):
        panel = plant.panels[kind]
        rear += [
            (name, panel.port_name(port), max(1, int(panel.pairs[port]) // plant.link_pairs))
            for port in range(panel.front, panel.ports)
        ]
        front += [(name, place.name, place.rear, place.position) for places in places_of[kind] for place in places]
    return {
        "rear-ports.csv": csv_table(
            {
                "device": texts((name for name, *_ in rear), guard=False),
                "name": [port for _, port, _ in rear],
                "type": [rear_type] * len(rear),
                "positions": [str(positions) for *_, positions in rear],
            }
        ),
        "front-ports.csv": csv_table(
            {
                "device": texts((name for name, *_ in front), guard=False),
                "name": [port for _, port, *_ in front],
                "type": [front_type] * len(front),
                "positions": ["1"] * len(front),
                "rear_port": [port for *_, port, _ in front],
                "rear_port_position": [str(position) for *_, position in front],
            }
        ),
    }


@dataclass(frozen=True)
class FibreObject:
    """A cord or trunk: the type, the device and the name of the port at each end of every link, or of the whole trunk."""

    label: str
    kind: str
    stock_m: float
    types: tuple[str, str]
    ends: list[tuple[tuple[str, str], tuple[str, str]]]

    @property
    def profile(self) -> str | None:
        """The profile of one cable with all these ends; empty for one end per side, None where NetBox has no profile."""
        if len(self.ends) == 1:
            return ""
        return next((profile for most, profile in _PROFILES.items() if len(self.ends) <= most), None)


def fibre_objects(cabling: Cabling, labels: Labels, interfaces: dict[str, list[str]]) -> list[FibreObject]:
    """The cords and trunks in the order of work, without loop plugs.

    Parameters
    ----------
    cabling : Cabling
    labels : Labels
    interfaces : dict of str to list of str
        The columns of ``interfaces.csv``; the pairs of a cord that no link uses have none, and are omitted.

    Returns
    -------
    list of FibreObject
    """
    plant = cabling.layout.plant
    if plant is None:
        return []
    interface_ends, switches = (
        set(zip(interfaces["device"], interfaces["name"], strict=True)),
        switch_device_names(cabling),
    )
    places_of = [_places(panel, plant.link_pairs) for panel in plant.panels]

    def ports(end: Sequence[int], links: int) -> tuple[str, list[tuple[str, str]]]:
        device, port = end
        if device < plant.switches:
            return _INTERFACE, [
                (switches[device], interface_name(cabling, device, port + place)) for place in range(links)
            ]
        name, kind = plant.names[device - plant.switches], plant.panel[device - plant.switches]
        if port >= plant.panels[kind].front:
            return _REAR, [(name, plant.panels[kind].port_name(port))]
        return _FRONT, [(name, place.name) for place in places_of[kind][port]]

    laid, out = cabling.laid, []
    kinds = [fibre_type(fibre) for fibre in plant.fibres]
    for row, (a, b) in zip(np.flatnonzero(~laid.own).tolist(), laid.ends(plant).tolist(), strict=True):
        fibre = laid.fibre[row]
        if plant.is_loop[fibre]:
            continue  # NetBox has no cable from a port to itself: the port is free there.
        links = max(1, int(plant.pairs[fibre]) // plant.link_pairs)
        (a_type, a_ends), (b_type, b_ends) = ports(a, links), ports(b, links)
        ends = [
            pair
            for pair in zip(a_ends, b_ends, strict=False)
            if all(
                what != _INTERFACE or end in interface_ends for what, end in zip((a_type, b_type), pair, strict=True)
            )
        ]
        if ends:
            types = a_type, b_type
            out.append(
                FibreObject(labels.laid[row][0], kinds[plant.fibre[fibre]], float(laid.stock_m[row]), types, ends)
            )
    return out


def plain_columns(fibres: Sequence[FibreObject]) -> dict[str, list[str]]:
    """The columns of ``cables.csv``: one row per link of a cord, ``00341-2``, and per trunk.

    Parameters
    ----------
    fibres : sequence of FibreObject
    """
    rows = [
        (each, f"{each.label}-{place}" if len(each.ends) > 1 else each.label, [ends])
        for each in fibres
        for place, ends in enumerate(each.ends, 1)
    ]
    columns = _columns(rows)
    del columns["profile"]
    return columns


def object_columns(fibres: Sequence[FibreObject]) -> dict[str, list[str]]:
    """The columns of ``4.7/cables.csv``: one row per cord and trunk, with several ends in a cell.

    Parameters
    ----------
    fibres : sequence of FibreObject
    """
    return _columns([row for each in fibres for row in _objects(each)])


def object_rest(fibres: Sequence[FibreObject]) -> list[dict[str, Any]]:
    """The cords and trunks for the REST API, like the other cables.

    Parameters
    ----------
    fibres : sequence of FibreObject
    """
    out: list[dict[str, Any]] = []
    for fibre in fibres:
        for each, label, ends in _objects(fibre):
            sides = {
                f"{letter}_terminations": [
                    {"object_type": kind, "device": pair[side][0], "name": pair[side][1]} for pair in ends
                ]
                for side, (letter, kind) in enumerate(zip("ab", each.types, strict=True))
            }
            values = {
                "type": each.kind,
                "color": COLOURS.get(each.kind, ""),
                "length_unit": "m",
                "length": round(each.stock_m, 2),
                "status": "planned",
                "label": label,
                "profile": each.profile if len(ends) > 1 else "",
            }
            out.append({**sides, **{key: value for key, value in values.items() if value}})
    return out


_Row = tuple[FibreObject, str, Sequence[tuple[tuple[str, str], tuple[str, str]]]]


def _objects(fibre: FibreObject) -> list[_Row]:
    """One cable with all ends; one per link where NetBox has no profile for it."""
    if fibre.profile is not None:
        return [(fibre, fibre.label, fibre.ends)]
    return [(fibre, f"{fibre.label}-{place}", [ends]) for place, ends in enumerate(fibre.ends, 1)]


def _columns(rows: Sequence[_Row]) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for side, letter in enumerate("ab"):
        columns[f"side_{letter}_device"] = [",".join(pair[side][0] for pair in ends) for *_, ends in rows]
        columns[f"side_{letter}_type"] = [each.types[side] for each, *_ in rows]
        columns[f"side_{letter}_name"] = [",".join(pair[side][1] for pair in ends) for *_, ends in rows]
    kinds = [each.kind for each, *_ in rows]
    return columns | {
        "type": kinds,
        "status": ["planned"] * len(rows),
        "profile": [(each.profile or "") if len(ends) > 1 else "" for each, _, ends in rows],
        "label": [label for _, label, _ in rows],
        "color": [COLOURS.get(kind, "") for kind in kinds],
        "length": numbers(np.array([each.stock_m for each, *_ in rows], float), 2),
        "length_unit": ["m"] * len(rows),
    }
