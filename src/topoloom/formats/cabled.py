"""The file of a cabled fabric in a network folder: what is known of its parts and cables in addition to the topology."""

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.json_files import parse_json
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.flaws import Flaw
from topoloom.fabric.named_cables import is_name
from topoloom.fabric.port_settings import PortSettings
from topoloom.formats._packed import Packed, json_array, unpack
from topoloom.model.network_folders import CABLED
from topoloom.model.topology import Topology

_MOST_CHARACTERS = 1 << 28
_FORMAT, _VERSION = "topoloom-cabled", 1
#: Fields of a fabric that stand in the file as they are.
_AS_THEY_ARE = ("made", "collected", "guids_given", "by_neighbours", "unread")
#: Further fields that are no arrays, or that the topology holds.
_OTHERS = frozenset(
    {
        "topology",
        "switch_names",
        "host_names",
        "switch_port_names",
        "host_port_names",
        "port_settings",
        "flaws",
        *_AS_THEY_ARE,
    }
)
_ARRAYS = tuple(each.name for each in fields(Fabric) if each.name not in _OTHERS)


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The content of the file; arrays that are as topoloom plans them are omitted."""

    format: str
    version: int
    digest: str
    made: str
    switch_names: list[str]
    host_names: list[str]
    collected: str = ""
    guids_given: bool = True
    by_neighbours: bool = False
    unread: tuple[str, ...] = ()
    switch_port_names: list[dict[int, str]] = []
    host_port_names: list[dict[int, str]] = []
    port_settings: list[tuple[str, str, PortSettings]] = []
    flaws: list[Flaw] = []
    arrays: dict[str, list[Any] | Packed] = {}


def cabled_text(fabric: Fabric) -> str:
    """A fabric as the content of the file; `read_cabled` of it returns an equal one.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    str
        JSON, one field per line.
    """
    like = planned_fabric(fabric.topology)
    document = _Document(
        format=_FORMAT,
        version=_VERSION,
        digest=fabric.topology.digest,
        **{name: getattr(fabric, name) for name in _AS_THEY_ARE},
        switch_names=list(fabric.switch_names),
        host_names=list(fabric.host_names),
        switch_port_names=[dict(names) for names in fabric.switch_port_names],
        host_port_names=[dict(names) for names in fabric.host_port_names],
        port_settings=[(device, port, settings) for (device, port), settings in fabric.port_settings.items()],
        flaws=list(fabric.flaws),
        arrays={
            name: _written(getattr(fabric, name))
            for name in _ARRAYS
            if not np.array_equal(getattr(fabric, name), getattr(like, name))
        },
    )
    plain: dict[str, Any] = msgspec.to_builtins(document, str_keys=True)
    lines = (f"  {_json(key)}: {_json(value)}" for key, value in plain.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_cabled(text: str, source: str, topology: Topology) -> Fabric:
    """The fabric in the content of the file.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.
    topology : Topology
        Its network.

    Returns
    -------
    Fabric

    Raises
    ------
    InputError
        The file is damaged, of a newer topoloom, or of another network.
    """
    document = parse_json(text, source, _Document, "list of the names and ports of a network")
    if (document.format, document.version) != (_FORMAT, _VERSION):
        raise at(source, None, f"is of version {document.version}; this topoloom reads version {_VERSION}: update it")
    if document.digest != topology.digest:
        raise at(source, None, f"is of another network than {topology.name}; remove it, or write the folder again")
    like = planned_fabric(topology)
    if (len(document.switch_names), len(document.host_names)) != (topology.switches, topology.hosts):
        raise at(source, None, "does not name every switch and every host; write the folder again")
    ports = (*document.switch_port_names, *document.host_port_names)
    names = (
        *(*document.switch_names, *document.host_names),
        *(name for of_node in ports for name in of_node.values()),
        *(name for device, port, settings in document.port_settings for name in (device, port, settings.alias)),
    )
    wrong = next((name for name in names if not is_name(name)), None)
    if wrong is not None:
        raise at(source, None, f"{wrong[:60]!a} is no name of a device or port: it is too long, or not printable")
    try:
        arrays: dict[str, Any] = {
            name: _read(name, value, getattr(like, name)) for name, value in document.arrays.items()
        }
        fabric = replace(
            like,
            switch_names=tuple(document.switch_names),
            host_names=tuple(document.host_names),
            **{name: getattr(document, name) for name in _AS_THEY_ARE},
            switch_port_names=tuple(document.switch_port_names),
            host_port_names=tuple(document.host_port_names),
            port_settings={(device, port): settings for device, port, settings in document.port_settings},
            flaws=tuple(document.flaws),
            **arrays,
        )
        _check_ports(fabric)
    except (InputError, ValueError, TypeError, OverflowError) as error:
        raise at(source, None, f"{error}; write the folder again") from None
    return fabric


def cabled_in(folder: Path, topology: Topology) -> Fabric | None:
    """The cabled fabric in a network folder; None if the folder has none.

    Parameters
    ----------
    folder : Path
    topology : Topology
        The network of the folder.

    Returns
    -------
    Fabric or None

    Raises
    ------
    InputError
        As `read_cabled`.
    """
    file = folder / CABLED
    return read_cabled(read_text(file, _MOST_CHARACTERS), os.fspath(file), topology) if file.is_file() else None


def _written(array: np.ndarray) -> Any:
    """An array as JSON; numbers of 64 bits as text, which every program reads exactly."""
    if array.dtype == np.uint64:
        return [f"0x{number:x}" for number in array.tolist()]
    return json_array(array.astype(np.int8) if array.dtype == np.bool_ else array)


def _read(name: str, value: Any, like: np.ndarray) -> np.ndarray:
    """An array of the file, with the type and the shape of a planned fabric's."""
    if name not in _ARRAYS:
        raise InputError(f"arrays has {name[:60]!a}, which this topoloom does not know")
    shape = (None if name == "loops" else len(like), *like.shape[1:])
    if isinstance(value, Packed):
        array = unpack(value, shape)
    elif like.dtype == np.uint64:
        array = np.array([int(str(number), 16) for number in value], np.uint64)
    else:
        if like.dtype.kind == "U" and not all(isinstance(text, str) and text.isprintable() for text in value):
            raise InputError(f"{name} holds something that is not printable text")
        array = np.array(value, np.str_ if like.dtype.kind == "U" else None)
        array = array.reshape(-1, *like.shape[1:]) if not array.size else array
    kind = "U" if like.dtype.kind == "U" else "iufb"
    if array.dtype.kind not in kind or array.ndim != like.ndim:
        raise InputError(f"{name} holds values of another kind")
    if any(size is not None and size != own for size, own in zip(shape, array.shape, strict=True)):
        raise InputError(f"{name} has {len(array)} values, and there are {len(like)}")
    if kind == "U":
        return array
    cast = array.astype(like.dtype)
    if not (np.isfinite(array.astype(np.float64)).all() and np.array_equal(cast, array)):
        raise InputError(f"{name} holds a number out of range")
    return cast


def _check_ports(fabric: Fabric) -> None:
    """Refuse ports that a device does not have, and two cables in one port."""
    topology = fabric.topology
    switch = np.concatenate([topology.links.ravel(), topology.endpoints, fabric.loops[:, 0], fabric.loops[:, 0]])
    port = np.concatenate(
        [fabric.link_ports.ravel(), fabric.endpoint_ports, fabric.loops[:, 1].ravel(), fabric.loops[:, 2].ravel()]
    )
    if ((switch < 0) | (switch >= topology.switches)).any():
        raise InputError("loops names a switch that there is not")
    for kind, node, number, ports in (
        ("switch", switch, port, fabric.switch_ports),
        ("host", topology.host, fabric.host_ports, fabric.host_sizes),
    ):
        if ((number < 1) | (number > ports[node])).any():
            raise InputError(f"a cable is in a port that its {kind} does not have")
        if len(np.unique(np.stack([node, number]), axis=1).T) != len(node):
            raise InputError(f"two cables are in one port of a {kind}")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
