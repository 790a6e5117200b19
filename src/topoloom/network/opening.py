"""The opener: whatever a user may name as a network, opened: a spec, a file, a discovered fabric, a folder, an object."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from topoloom.cabling.product_rates import planned_cables
from topoloom.core.errors import at, check_path
from topoloom.core.files import is_pipe
from topoloom.fabric.fabric import Fabric
from topoloom.formats import format_for, parsed, read_source
from topoloom.formats.cable_reader import read_cables
from topoloom.formats.ibnetdiscover import NAME as DISCOVERED
from topoloom.formats.ibnetdiscover import fabric_of
from topoloom.model.network_folders import CABLES, FLOOR
from topoloom.model.results import provenance_of
from topoloom.model.sources import Graph, NetworkSource, OfTopology, no_network
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.folder import holds, laid_out, open_folder
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing


def as_network(source: NetworkSource) -> Network:
    """The `Network` of whatever a user may give for one.

    Parameters
    ----------
    source : NetworkSource
        A spec, a path (a file or a network folder), a Topology, a Layout, a Routing, a Fabric, a NetworkX graph, or a Network,
        which is the answer itself.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        It is none of these, or cannot be opened.

    Examples
    --------
    >>> as_network("petersen").topology == as_network(as_network("petersen").topology).topology
    True
    """
    if isinstance(source, Network):
        return source
    if isinstance(source, (str, os.PathLike)):
        return open_network(source)
    if isinstance(source, Topology):
        topology = source
    elif isinstance(source, OfTopology):
        topology = source.topology
    elif isinstance(source, Graph):
        topology = Topology.from_networkx(source)
    else:
        raise no_network(source, "as_network")
    names = {Layout: "layout", Routing: "tables", Fabric: "fabric"}
    known: dict[str, Callable[[], Any]] = {
        name: lambda: source for kind, name in names.items() if isinstance(source, kind)
    }
    return Network(topology, topology.name, "memory", provenance_of(topology), None, known)


def open_network(source: str | os.PathLike[str], format: str | None = None, *, borne: bool = False) -> Network:
    """The network that a user names.

    Parameters
    ----------
    source : str or path
        A spec (``slimfly:q=5``); a file of any format, what ibnetdiscover prints among them; ``-`` (standard input) or a
        pipe, whose content tells the format if it is topoloom's JSON, GraphML, DOT or what ibnetdiscover prints; a folder
        that `topoloom layout`, `expand` (the plan itself: what stands before the work; or its ``before`` and ``after``),
        `route -o` or `design` (the winner) wrote. A folder is told from a spec of the same name by what it holds, a
        file by its suffix.
    format : str, optional
        The format of a file; its suffix, or the content of a pipe, tells when it is omitted.
    borne : bool
        Whether what cannot be in a discovered fabric is omitted and told (`Fabric.flaws`), where it would be refused.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        Nothing of that name, a file or folder that is damaged, or a spec that cannot be built.

    Examples
    --------
    >>> open_network("petersen")
    Network(spec 'petersen': Topology(petersen: 10 switches, 15 links))
    >>> open_network("petersen").layout is None
    True
    """
    check_path(source, "open_network", "name a network: a spec, a file, a folder")
    text = os.fspath(source)
    if format is not None:
        return _file(text, format, borne)
    path = Path(text)
    if text != "-" and _is_folder(path):
        return open_folder(text, path)
    if path.name == CABLES and path.is_file() and path.with_name(FLOOR).is_file():
        return laid_out(text, path.parent)
    # A file or a pipe that happens to be called like a family ("petersen") must not hide the family.
    record = format_for(text)
    if text == "-" or (record is None and _is_pipe(text)):
        return _file(text, None, borne)
    if record is not None or "/" in text or (path.suffix and _exists(path)):
        if record is None and not _exists(path):
            raise at(text, None, "there is no such file")
        return _file(text, None if record is None else record.name, borne)
    from topoloom.topologies.spec import build

    topology = build(text)
    return Network(topology, text, "spec", provenance_of(topology))


def _file(text: str, format: str | None, borne: bool) -> Network:
    """A file of any format; `format` None: its suffix, or the content of a pipe, tells."""
    data, source, record = read_source(text, format)
    if record.fabric is not None:
        fabric = (
            fabric_of(data, source, borne=True) if borne and record.name == DISCOVERED else record.fabric(data, source)
        )
        return Network(
            fabric.topology, text, "fabric", provenance_of(fabric.topology), None, {"fabric": lambda: fabric}
        )
    if record.name == "cables":
        found = read_cables(data, source)
        known: dict[str, Any] = {"cables": lambda: found, "fabric": lambda: planned_cables(found)}
        return Network(found.topology, text, "file", provenance_of(found.topology), None, known)
    topology = parsed(data, source, record)
    return Network(topology, text, "file", provenance_of(topology))


def _is_folder(path: Path) -> bool:
    """Whether a folder is meant: one that holds a network, or one that is called like no family."""
    try:
        if not path.is_dir():
            return False
    except (OSError, ValueError):
        return False
    from topoloom.topologies.spec import FAMILIES

    return len(path.parts) != 1 or str(path) not in FAMILIES or any(holds(path))


def _is_pipe(text: str) -> bool:
    """Whether a pipe is meant: one that is named with its folder, or that is called like no family."""
    if not is_pipe(text):
        return False
    from topoloom.topologies.spec import FAMILIES

    return "/" in text or text.partition(":")[0] not in FAMILIES


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
