"""The folder of a routing: a network folder with tables, and how the network is really cabled where that is known."""

import os
from pathlib import Path

from topoloom.cabling.files import network_files
from topoloom.errors import InputError, check_path, check_type
from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.net_text import discovered_text
from topoloom.folders import write_folder
from topoloom.network_folders import CABLED, CABLES, DESIGN, PLAN, TOPOLOGY
from topoloom.opening import open_network
from topoloom.routing.routing import Routing
from topoloom.routing.table_files import stale_tables, table_contents
from topoloom.staging import Content
from topoloom.topology import Topology


def save_routing(routing: Routing, folder: str | os.PathLike[str], fabric: Fabric | None = None) -> list[Path]:
    """Write tables with their network into a folder, all of it or nothing; returns the paths of the files.

    ``topology.json``, ``provenance.json`` and ``tables/``, and ``cabled.net`` where names, GUIDs and ports are not as topoloom
    plans them. To the folder of a layout, a plan or a design the tables are added.

    Parameters
    ----------
    routing : Routing
    folder : path
        Made if it is not there; the folder around it must be.
    fabric : Fabric, optional
        What the network's parts are really called, and the ports that its cables are in; as planned when left out.

    Returns
    -------
    list of Path
        The files written, as they lie in `folder`.

    Raises
    ------
    InputError
        The folder is a layout, plan or design of another network; it cannot be made or written.
    """
    check_type(routing, Routing, "save_routing", "route(topology) makes one")
    check_path(folder, "save_routing", "name a folder")
    files: dict[str, Content] = {**table_contents(routing, folder)}
    stale, topology = stale_tables(routing, folder), routing.topology
    if any((Path(folder) / name).is_file() for name in (CABLES, PLAN, DESIGN)):
        there = open_network(folder).topology
        if there.digest != topology.digest:
            raise InputError(f"{folder}: the folder is of another network, {there.name}; choose another folder")
    else:
        files |= network_files(topology, "route")
        if fabric is not None and not fabric.as_planned:
            files[CABLED] = discovered_text(fabric)
        if fabric is not None or not _is_of(folder, topology):
            stale.append(CABLED)
    return write_folder(folder, files, stale=stale)


def _is_of(folder: str | os.PathLike[str], topology: Topology) -> bool:
    """Whether what lies there already is of the same network."""
    if not (Path(folder) / CABLED).is_file() or not (Path(folder) / TOPOLOGY).is_file():
        return False
    return open_network(folder).topology.digest == topology.digest
