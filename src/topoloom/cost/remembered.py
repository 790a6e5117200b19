"""What a network folder remembers besides the network: the terms, how the layout was made, the requirement."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import at
from topoloom.core.files import read_text
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import parse_json
from topoloom.core.staging import Content
from topoloom.cost.parts_files import parts_from_json, parts_json
from topoloom.cost.spares import Spares
from topoloom.cost.terms import Terms
from topoloom.model.network_folders import NETWORK, PARTS
from topoloom.model.results import Provenance
from topoloom.placement.layout.layout import Layout

_LONGEST = 1 << 28
_SCHEMA = "topoloom/network/1"


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """How a layout was made, and which sides of its floor were decided, where others may grow.

    `places` tells whether it is still this one (`places_digest`).
    """

    made: str
    places: str
    rows: int | None = None
    columns: int | None = None
    length_bound_m: float = 0.0
    provenance: Provenance = Provenance()


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `NETWORK`, with the catalogue of `PARTS`."""

    terms: Terms = Terms()
    placement: Placement | None = None
    requirements: dict[str, Any] | None = None


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """As the file has it: the catalogue stands in a file of its own, and is named here."""

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
    """The files of what a folder remembers; none where nothing was decided.

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
        told = msgspec.structs.replace(layout.provenance, timings={})  # equal runs write equal folders
        placement = Placement(
            made=layout.made,
            places=places_digest(layout),
            rows=layout.floor.rows,
            columns=layout.floor.columns,
            length_bound_m=layout.length_bound_m,
            provenance=told,
        )
    elif terms == Terms() and requirements is None:
        return {}
    record = _Record(
        parts=None if terms.parts is None else terms.parts.name,
        placement=placement,
        requirements=requirements,
        **{name: getattr(terms, name) for name in _TERMS},
    )
    files: dict[str, Content] = {NETWORK: msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"}
    return files if terms.parts is None else files | {PARTS: parts_json(terms.parts)}


def places_digest(layout: Layout) -> str:
    """SHA-256 of where every switch stands and how long every cable is: another one where somebody moved a switch by hand."""
    text = hashlib.sha256("\n".join(layout.rack_names).encode())
    text.update(layout.rack.astype("<i4").tobytes())
    text.update(np.round(layout.length_m, 3).astype("<f8").tobytes())
    return text.hexdigest()


def as_made(layout: Layout, folder: Path) -> Layout:
    """A layout that was read from the lists of a folder, with what the folder remembers of its making.

    Raises
    ------
    InputError
        As `read_remembered`.
    """
    how = read_remembered(folder).placement
    if how is None:
        return layout
    floor = layout.floor
    if floor.fixed is None and (how.rows in (None, floor.rows)) and (how.columns in (None, floor.columns)):
        layout = replace(layout, floor=replace(floor, rows=how.rows, columns=how.columns))
    if how.places != places_digest(layout):
        return layout
    return replace(layout, made=how.made, length_bound_m=how.length_bound_m, provenance=how.provenance)


def read_remembered(folder: Path) -> Remembered:
    """What a folder remembers; nothing in folders of before version 2.

    Raises
    ------
    InputError
        A file that is damaged, or missing beside the other.
    """
    path = folder / NETWORK
    if not path.is_file():
        return Remembered()
    source, what = str(path), "record of a network (write the folder again)"
    record = parse_json(read_text(path, _LONGEST), source, _Record, what)
    if record.schema != _SCHEMA:
        raise at(source, None, f"is {record.schema[:60]}; expected {_SCHEMA}")
    parts = None
    if record.parts is not None:
        place = folder / PARTS
        if not place.is_file():
            raise at(source, None, f"its catalogue '{record.parts}' is missing: {PARTS}; write the folder again")
        parts = parts_from_json(read_text(place, _LONGEST), str(place))
    terms = Terms(parts=parts, **{name: getattr(record, name) for name in _TERMS})
    return Remembered(terms=terms, placement=record.placement, requirements=with_current_keys(record.requirements))
