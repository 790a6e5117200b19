"""A cabling in a folder: all files for ordering, printing, installing and importing; and the layout read back from them."""

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.elevations import PAGE, PICTURES, elevation_files
from topoloom.cabling.fibre_lists import FIBRE_CABLES, PANELS, fibre_lists
from topoloom.cabling.labels import Labels, label
from topoloom.cabling.lists import bundles_csv, cables_csv, host_list, labels_csv, order_csv, racks_csv
from topoloom.cabling.netbox import netbox_files
from topoloom.cabling.plugs import load_plugs
from topoloom.cabling.sheets import SHEET_NAMES, sheets
from topoloom.core.errors import InputError, at, check_path, check_type, naming
from topoloom.core.files import read_text
from topoloom.core.folders import write_folder
from topoloom.core.staging import Content
from topoloom.cost.remembered import as_made, remembered_files
from topoloom.cost.terms import Terms
from topoloom.fabric.stated_places import as_stated
from topoloom.formats import FORMATS, encode
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cabled import cabled_in, cabled_text
from topoloom.formats.cables import load_cables
from topoloom.model.network_folders import (
    CABLED,
    CABLES,
    FLOOR,
    HOSTS,
    HOUSING,
    PLANT,
    PROVENANCE,
    RACKS,
    TOPOLOGY,
    note_text,
    refuse_other_network,
)
from topoloom.model.results import provenance_of
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant_files import plant_from_json, plant_json
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.floors.floor_text import floor_toml
from topoloom.placement.hosts.files import housing_toml, read_host_names, read_host_units, read_hosts
from topoloom.placement.hosts.housing import Housing, host_names, read_housing
from topoloom.placement.layout.layout import Layout

log = logging.getLogger("topoloom")

#: Files derived from a layout for people and other tools; they are removed when the layout changes.
INSTALLER_FILES = (
    *(PAGE, PICTURES),
    *("labels.csv", "bundles.csv", "order.csv", FIBRE_CABLES, PANELS, "floorplan.*", f"sheets/{SHEET_NAMES}"),
    *(f"netbox/{name}.csv" for name in ("sites", "manufacturers", "device-roles", "device-types", "racks")),
    *(
        "netbox/devices.csv",
        *("netbox/interfaces.csv", "netbox/rear-ports.csv", "netbox/front-ports.csv"),
        "netbox/cables.csv",
        "netbox/4.7/*.csv",
        "netbox/cables.rest.json",
    ),
)

#: Most characters of the file of a fibre plant.
_MOST_CHARACTERS = 1 << 28

#: A cable list gives lengths to the millimetre.
_SAME_M = 0.0011


def save_cabling(
    cabling: Cabling,
    folder: str | os.PathLike[str],
    also: Mapping[str, Content] = MappingProxyType({}),
    stale: Iterable[str] = (),
) -> list[Path]:
    """Write all files of a cabling into a folder, all of it or nothing; returns their paths.

    ``topology.json`` and ``provenance.json``; ``cables.csv`` and ``floor.toml``, which together are the layout
    (`load_layout`); ``labels.csv``, ``bundles.csv``, ``order.csv``, ``netbox/*.csv`` and ``sheets/*.html``;
    ``elevations.html`` and ``elevations/*.svg``; if hosts have separate racks, also ``hosts.toml``, ``hosts.csv`` and
    ``racks.csv``; if links pass through panels, ``fibre.json``, ``fibre_cables.csv`` and ``panels.csv``.
    docs/how-to/order-and-label-cables.md describes each file. Sheets, elevations and floor plans of an earlier
    layout in the folder are removed.

    Parameters
    ----------
    cabling : Cabling
    folder : path
        Created if missing; its parent folder must exist.
    also : mapping of str to str or bytes
        Further files to write with it, by name.
    stale : texts
        Patterns of earlier files to remove.

    Returns
    -------
    list of Path
        The files written, with the path of `folder`.

    Raises
    ------
    InputError
        The folder cannot be created, or a file in it cannot be written; nothing has changed then.
    """
    check_type(cabling, Cabling, "save_cabling", "cable(layout) returns one")
    check_path(folder, "save_cabling", "name a folder")
    refuse_other_network(folder, cabling.layout.topology.digest, "layout")
    return write_folder(
        folder, {**cabling_files(cabling), **also}, stale=[*INSTALLER_FILES, HOUSING, HOSTS, RACKS, PLANT, *stale]
    )


def cabling_files(cabling: Cabling) -> dict[str, Content]:
    """The files of `save_cabling`, by name."""
    layout, labels = cabling.layout, label(cabling)
    files: dict[str, Content] = {
        **network_files(layout.topology, "layout", cabling.terms, layout),
        **layout_files(cabling, labels),
        "labels.csv": labels_csv(cabling, labels),
        "bundles.csv": bundles_csv(cabling),
        "order.csv": order_csv(cabling.bought, layout),
        **fibre_lists(cabling, labels),
    }
    files |= elevation_files(cabling)
    files |= {f"netbox/{name}": text for name, text in netbox_files(cabling, labels).items()}
    return files | {f"sheets/{name}": text for name, text in sheets(cabling, labels).items()}


def layout_files(cabling: Cabling, labels: Labels | None = None) -> dict[str, Content]:
    """The files that form a layout: its cables and its floor; real names, and hosts in separate racks, where it has these."""
    layout, labels = cabling.layout, label(cabling) if labels is None else labels
    files: dict[str, Content] = {CABLES: cables_csv(cabling, labels), FLOOR: floor_toml(layout.floor, layout.slots)}
    if cabling.fabric is not None:
        files[CABLED] = cabled_text(cabling.fabric)
    if layout.plant is not None:
        files[PLANT] = plant_json(layout.plant, layout.slots)
    if layout.housing is None:
        return files
    files |= {HOUSING: housing_toml(layout.housing), HOSTS: host_list(cabling, labels)}
    return files if layout.housing.shared else files | {RACKS: racks_csv(cabling)}


def network_files(
    topology: Topology,
    operation: str,
    terms: Terms | None = None,
    layout: Layout | None = None,
    requirements: dict[str, Any] | None = None,
) -> dict[str, Content]:
    """The files at the beginning of every network folder.

    Parameters
    ----------
    topology : Topology
    operation : str
        The command that writes it.
    terms : Terms, optional
        The terms of the network's bill.
    layout : Layout, optional
    requirements : dict, optional
        As plain data.

    Returns
    -------
    dict of str to str or bytes
        The network, the note with the command that wrote it, and with `terms` the stored terms and requirement.
    """
    files: dict[str, Content] = {
        TOPOLOGY: encode(topology, FORMATS.find("topoloom")),
        PROVENANCE: note_text(provenance_of(topology), operation),
    }
    return files if terms is None else files | remembered_files(terms, layout, requirements)


def save_layout(layout: Layout, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the folder of a layout: that of its cabling with the default parts.

    Raises
    ------
    InputError
        As `save_cabling`.
    """
    return save_cabling(cable(layout), folder)


def load_cabling(path: str | os.PathLike[str]) -> Cabling:
    """The cabling in a folder that `save_cabling` wrote, with its ports, numbers and products.

    Raises
    ------
    InputError
        A file is missing or wrong, or products are not in the default catalogue (then use `cable` with the layout, the
        catalogue and the plugs).
    """
    plugs = load_plugs(path)
    layout = load_layout(path)
    fabric = cabled_in(Path(path) if Path(path).is_dir() else Path(path).parent, layout.topology)
    with naming(os.fspath(path)):
        return cable(layout, host_cables=bool(plugs.endpoint_number.any()), plugs=plugs, fabric=fabric)


def load_layout(path: str | os.PathLike[str]) -> Layout:
    """The layout that `save_cabling` wrote: the rack of every switch of a cable list.

    Parameters
    ----------
    path : path
        The folder, or its ``cables.csv``; ``floor.toml`` must be in the same folder. Rows may be in any order, and switches may
        have been moved to other slots by hand.

    Raises
    ------
    InputError
        A file is missing or wrong; a switch has no rack, two racks, or one that the floor does not have:
        ``file:line: reason``.

    Notes
    -----
    Lengths are those of the floor. If the list has others (measured by hand, or because a switch was moved), a warning names
    the first.
    """
    check_path(path, "load_layout", "name a folder, or its cables.csv")
    source = Path(path)
    if source.is_dir():
        source = source / "cables.csv"
    return layout_of_cables(load_cables(source), source)


def layout_of_cables(cables: CableList, source: Path) -> Layout:
    """The layout of a cable list that was read from `source`, with the floor in the same folder; see `load_layout`."""
    floor_file = source.with_name("floor.toml")
    if not floor_file.exists():
        raise InputError(
            f"{floor_file}: there is no such file; a layout is a cable list and the floor.toml saved with it"
        )
    floor = read_floor(floor_file)
    # A floor without fixed slots or sides grows with the number of racks.
    own = floor.fixed is not None or (floor.rows and floor.columns)
    slots = floor.slots_for(1 if own else len(cables.racks))
    slot, made = _slots_of(cables, slots.names, str(floor_file)), f"read from {source}"
    layout = Layout(cables.topology, floor, slots, slot, made=made)
    housing = source.with_name(HOUSING)
    if housing.exists():
        hosts, count = source.with_name(HOSTS), cables.topology.hosts
        layout = Layout(
            cables.topology,
            floor,
            slots,
            slot,
            made=made,
            housing=_with_names(read_housing(housing), read_host_names(hosts, count)),
            host_slot=read_hosts(hosts, count, slots.names),
        )
        if layout.housing is not None and layout.housing.shared:
            layout = replace(layout, host_at=read_host_units(hosts, count))
    plant = source.with_name(PLANT)
    if plant.exists():
        text = read_text(plant, _MOST_CHARACTERS)
        layout = replace(layout, plant=plant_from_json(text, str(plant), cables.topology, slots))
    fabric = cabled_in(source.parent, cables.topology)
    if fabric is not None:
        layout = as_stated(layout, fabric)
    _compare_lengths(cables, layout)
    _compare_limits(layout, source)
    return as_made(layout, source.parent)


def _with_names(housing: Housing, names: tuple[str, ...]) -> Housing:
    """Hosts with the names of their list, where these are not the usual ones."""
    usual = list(names) == host_names(housing, len(names))
    return housing if usual else msgspec.structs.replace(housing, names=names)


def _slots_of(cables: CableList, names: tuple[str, ...], floor: str) -> np.ndarray:
    """The slot of every switch, int32[switches]; `names` are the names of the slots in the file `floor`."""
    number = {name: place for place, name in enumerate(names)}
    slot_of_rack = np.array([number.get(name, number.get(name.strip(), -1)) for name in cables.racks], np.int32)
    switch, rack, line = cables.stands.T
    stated = slot_of_rack[rack]
    if (stated < 0).any():
        first = int(np.where(stated < 0, line, line.max() + 1).argmin())
        name = ascii(cables.racks[rack[first]])[:60]
        raise at(
            cables.source, int(line[first]), f"{floor} has no slot {name}; name one of its slots, or add the slot there"
        )
    slot, where = np.full(cables.topology.switches, -1, np.int32), np.zeros(cables.topology.switches, np.int64)
    switches_stated, first_said = np.unique(switch, return_index=True)
    slot[switches_stated], where[switches_stated] = stated[first_said], line[first_said]
    different = np.flatnonzero(stated != slot[switch])
    if different.size:
        i = different[0]
        current, earlier, before = names[stated[i]], names[slot[switch[i]]], where[switch[i]]
        reason = f"switch {switch[i]} is in rack {current!a}, but in {earlier!a} on line {before}; make them agree"
        raise at(cables.source, int(line[i]), reason)
    if (slot < 0).any():
        reason = f"switch {slot.argmin()} has no rack; name the slot where it stands in the column a_rack of its row"
        raise at(cables.source, None, reason)
    return slot


def _compare_lengths(cables: CableList, layout: Layout) -> None:
    """Warn if the list's lengths differ from those of the floor."""
    floor_m = layout.length_m
    if layout.plant is not None:
        # Parallel links are in the order of the list here, and in that of their ports in the plan.
        u, v = layout.topology.links.T
        floor_m = np.empty(len(floor_m))
        floor_m[np.lexsort((cables.ports[:, 0], v, u))] = layout.length_m[np.lexsort((layout.link_ports[:, 0], v, u))]
    apart = np.abs(cables.length_m - floor_m)
    other = np.flatnonzero(apart > _SAME_M)
    if other.size:
        first = other[cables.line[other].argmin()]
        log.warning(
            "%s:%d: the cable is %g m long here and %g m on the floor; %d of %d lengths %s, the floor's are used",
            cables.source,
            cables.line[first],
            cables.length_m[first],
            floor_m[first],
            other.size,
            apart.size,
            "differs" if other.size == 1 else "differ",
        )


def _compare_limits(layout: Layout, source: Path) -> None:
    """Warn if a rack holds more switches or host ports than its slot allows."""
    held = np.zeros((len(layout.slots), 2))
    if layout.host_slot is None:
        np.add.at(held, layout.slot, np.column_stack([np.ones(layout.slot.size), layout.topology.endpoints_at]))
    else:
        np.add.at(held[:, 0], layout.slot, 1)
        np.add.at(held[:, 1], layout.host_slot, 1)
    over = np.argwhere(held > layout.slots.limits[:, :2])
    if over.size:
        slot, what = over[0].tolist()
        log.warning(
            "%s: rack %s holds %d %s; its slot allows %g",
            source,
            layout.slots.names[slot],
            held[slot, what],
            ("switches", "host ports" if layout.host_slot is None else "hosts")[what],
            layout.slots.limits[slot, what],
        )
