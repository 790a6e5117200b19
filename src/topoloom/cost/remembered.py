"""The decisions that a network folder stores with the network: its terms, how its layout was made, its requirement."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.staging import Content
from topoloom.cost.parts_files import parts_from_json, parts_json
from topoloom.cost.spares import Spares
from topoloom.cost.terms import Terms
from topoloom.model.network_folders import NETWORK, PARTS
from topoloom.model.results import Provenance
from topoloom.placement.layout.layout import Layout

_MOST_CHARACTERS = 1 << 28
_SCHEMA = "topoloom/network/1"


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """How a layout was made, and which sides of its floor are fixed; the others may grow.

    `places` is the digest of the layout (`places_digest`), which shows whether the layout has changed since. `switch_u` is the
    height of a switch where hosts have no racks, or that of each, where they differ.
    """

    made: str
    places: str
    rows: int | None = None
    columns: int | None = None
    length_bound_m: float = 0.0
    switch_u: float | tuple[float, ...] = 1.0
    provenance: Provenance = Provenance()


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file `NETWORK`, with the catalogue in the file `PARTS`."""

    terms: Terms = Terms()
    placement: Placement | None = None
    requirements: dict[str, Any] | None = None


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file: the catalogue is in its own file, and is named here."""

    schema: str = _SCHEMA
    parts: str | None = None
    rate_gbps: float | None = None
    radix: int | None = None
    spare_ports: float = 0.0
    host_cables: bool = False
    spares: Spares | None = None
    placement: Placement | None = None
    requirements: dict[str, Any] | None = None


_TERMS = ("rate_gbps", "radix", "spare_ports", "host_cables", "spares")


def remembered_files(
    terms: Terms, layout: Layout | None = None, requirements: dict[str, Any] | None = None
) -> dict[str, Content]:
    """The files of a folder's decisions; empty where nothing was decided.

    Parameters
    ----------
    terms : Terms
    layout : Layout, optional
    requirements : dict, optional
        Plain data.

    Returns
    -------
    dict of str to bytes
    """
    placement = None
    if layout is not None:
        provenance = msgspec.structs.replace(layout.provenance, timings={})  # equal runs write equal folders
        placement = Placement(
            made=layout.made,
            places=places_digest(layout),
            rows=layout.floor.rows,
            columns=layout.floor.columns,
            length_bound_m=layout.length_bound_m,
            switch_u=tuple(layout.switch_u.tolist()) if isinstance(layout.switch_u, np.ndarray) else layout.switch_u,
            provenance=provenance,
        )
    elif terms == Terms() and requirements is None:
        return {}
    record = _Record(
        parts=None if terms.parts is None else terms.parts.name,
        placement=placement,
        requirements=requirements,
        **{name: getattr(terms, name) for name in _TERMS},
    )
    files: dict[str, Content] = {NETWORK: indented_json(record)}
    return files if terms.parts is None else files | {PARTS: parts_json(terms.parts)}


def places_digest(layout: Layout) -> str:
    """SHA-256 of the positions of all switches and the lengths of all cables: it changes when a switch is moved by hand."""
    text = hashlib.sha256("\n".join(layout.rack_names).encode())
    text.update(layout.rack.astype("<i4").tobytes())
    text.update(np.round(layout.length_m, 3).astype("<f8").tobytes())
    return text.hexdigest()


def as_made(layout: Layout, folder: Path) -> Layout:
    """A layout that was read from the lists of a folder, completed by the stored record of how it was made.

    Raises
    ------
    InputError
        As `read_remembered`.
    """
    stored = read_remembered(folder).placement
    if stored is None:
        return layout
    switch_u: float | np.ndarray = np.array(stored.switch_u) if isinstance(stored.switch_u, tuple) else stored.switch_u
    if isinstance(switch_u, np.ndarray) and switch_u.size != layout.topology.switches:
        raise InputError(
            f"{folder / NETWORK}: switch_u has the heights of {switch_u.size} switches, but the cable list has"
            f" {layout.topology.switches}; give one height per switch, or one number for all"
        )
    floor, layout = layout.floor, replace(layout, switch_u=switch_u)
    if floor.fixed is None and (stored.rows in (None, floor.rows)) and (stored.columns in (None, floor.columns)):
        layout = replace(layout, floor=replace(floor, rows=stored.rows, columns=stored.columns))
    if stored.places != places_digest(layout):
        return layout
    return replace(layout, made=stored.made, length_bound_m=stored.length_bound_m, provenance=stored.provenance)


def read_remembered(folder: Path) -> Remembered:
    """The decisions that a folder stores; none in folders from before version 2.

    Raises
    ------
    InputError
        A file is damaged, or one of the two files is missing.
    """
    path = folder / NETWORK
    if not path.is_file():
        return Remembered()
    source, what = str(path), "record of a network (write the folder again)"
    record = parse_json(read_text(path, _MOST_CHARACTERS), source, _Record, what)
    if record.schema != _SCHEMA:
        raise at(source, None, f"is {record.schema[:60]}; expected {_SCHEMA}")
    parts = None
    if record.parts is not None:
        place = folder / PARTS
        if not place.is_file():
            raise at(source, None, f"its catalogue '{record.parts}' is missing: {PARTS}; write the folder again")
        parts = parts_from_json(read_text(place, _MOST_CHARACTERS), str(place))
    terms = Terms(parts=parts, **{name: getattr(record, name) for name in _TERMS})
    return Remembered(terms=terms, placement=record.placement, requirements=with_current_keys(record.requirements))
