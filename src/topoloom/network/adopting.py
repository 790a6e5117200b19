"""Adopting what is cabled: a discovered fabric, or a plan of others, as a network folder that every command opens."""

import logging
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from topoloom.cabling.files import network_files
from topoloom.core.errors import InputError, at, check_path
from topoloom.core.folders import write_folder
from topoloom.fabric.fabric import Fabric
from topoloom.model.results import provenance_of
from topoloom.network.folder import ORIGIN, fabric_files, open_folder
from topoloom.network.network import Network

log = logging.getLogger("topoloom")

_WRITER = "adopt"
#: Entries that are not adopted and that messages name; the folder holds all.
_SHOWN = 20


def check_new_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that exists and is not empty: what is cabled must not mix with other files.

    Parameters
    ----------
    folder : path

    Raises
    ------
    InputError
        It exists, or is a file.
    """
    check_path(folder, "adopt", "name a new folder")
    text, path = os.fspath(folder), Path(folder)
    if text == "-":
        raise InputError("adopt writes a folder, not standard output; name a new folder")
    if path.exists() and not path.is_dir():
        raise InputError(f"{text}: is a file; adopt writes a folder: name a new one")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(f"{text}: the folder exists and is not empty; name a new folder")


def adopt(network: Network, folder: str | os.PathLike[str]) -> Network:
    """Write what is cabled as a network folder; see `Network.adopt`."""
    check_new_folder(folder)
    fabric = _cabled(network)
    for flaw in fabric.flaws[:_SHOWN]:
        log.warning("%s: not adopted: %s%s", network.source, f"line {flaw.line}: " if flaw.line else "", flaw.text)
    if len(fabric.flaws) > _SHOWN:
        log.warning("%s: not adopted: %d more; %s lists all", network.source, len(fabric.flaws) - _SHOWN, folder)
    fabric = replace(fabric, collected=fabric.collected or _collected(network.source))
    origin = dict(zip(ORIGIN, (network.source, fabric.collected), strict=True))
    named = replace(
        network,
        provenance=provenance_of(network.topology, settings=origin),
        known={**network.known, "fabric": lambda: fabric},
    )
    files = network_files(network.topology, _WRITER, network.terms) | fabric_files(named, _WRITER)
    write_folder(folder, files)
    return open_folder(os.fspath(folder), Path(folder))


def _cabled(network: Network) -> Fabric:
    """The fabric to adopt.

    Raises
    ------
    InputError
        The network is a spec or a folder already, or its file has neither names nor ports.
    """
    source = network.source
    if network.kind == "spec":
        raise InputError(
            f"{source}: is a spec, and nothing of it is cabled; 'topoloom layout {source} -o FOLDER' writes its folder"
        )
    if network.kind == "folder":
        raise at(source, None, "is a network folder already; every command opens it")
    if "fabric" not in network.known or network.fabric.planned:
        raise at(
            source,
            None,
            "has no names of devices and ports to adopt; give LLDP files, the output of ibnetdiscover, or a plan with ports",
        )
    return network.fabric


def _collected(source: str) -> str:
    """When the newest file of a source was written; now for standard input and objects of Python."""
    path = Path(source)
    times = [file.stat().st_mtime for file in _files(path) if file.is_file()]
    return datetime.fromtimestamp(max(times, default=time.time()), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)
