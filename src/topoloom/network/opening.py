"""Opening a network: from a spec, a file, a discovered fabric, a folder or a Python object."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from topoloom.cabling.product_rates import planned_cables
from topoloom.core.errors import InputError, at, check_path
from topoloom.core.files import is_pipe
from topoloom.fabric.fabric import Fabric
from topoloom.formats import choose_format, format_for, parsed, read_source
from topoloom.formats.cable_reader import read_cables
from topoloom.formats.lldp import LLDP
from topoloom.formats.sheet import SHEET
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.network_folders import CABLES, FLOOR
from topoloom.model.results import provenance_of
from topoloom.model.sources import Graph, NetworkSource, OfTopology, no_network
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.folder import holds, laid_out, open_folder
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing


def as_network(source: NetworkSource) -> Network:
    """The `Network` for any object that can stand for one.

    Parameters
    ----------
    source : NetworkSource
        A spec, a path (a file or a network folder), a Topology, a Layout, a Routing, a Fabric, a NetworkX graph, or a
        Network, which is returned unchanged.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        The source is none of these, or it cannot be opened.

    Examples
    --------
    >>> as_network("petersen").topology == as_network(as_network("petersen").topology).topology
    True
    """
    if isinstance(source, Network):
        return source
    if isinstance(source, (str, os.PathLike)):
        return open_network(source)
    if isinstance(getattr(source, "topology", source), DirectedTopology):
        raise no_network(source, "as_network")
    if isinstance(source, Topology):
        topology = source
    elif isinstance(source, OfTopology):
        topology = source.topology
    elif isinstance(source, Graph):
        topology = Topology.from_networkx(source)
    else:
        raise no_network(source, "as_network")
    names = {Layout: "layout", Routing: "tables", Fabric: "fabric"}
    readers: dict[str, Callable[[], Any]] = {
        name: lambda: source for kind, name in names.items() if isinstance(source, kind)
    }
    return Network(topology, topology.name, "memory", provenance_of(topology), None, readers)


def open_network(
    source: str | os.PathLike[str],
    format: str | None = None,
    *,
    lenient: bool = False,
    columns: str | None = None,
    hca_mapping: str | os.PathLike[str] | None = None,
    management: bool = False,
) -> Network:
    """Open the network that a user names.

    Parameters
    ----------
    source : str or path
        A spec (``slimfly:q=5``); a file of any format, including the output of ibnetdiscover; ``-`` (standard input) or a pipe,
        whose format is detected from its content if it is topoloom's JSON, GraphML, DOT or the output of ibnetdiscover; a
        folder that `topoloom layout`, `expand` (the plan itself opens as the network before the work; also its ``before`` and
        ``after``), `route -o` or `design` (the winner) wrote. A folder with the name of a spec is opened as a folder if it
        holds a network; a file is recognised by its suffix.
    format : str, optional
        The format of a file; when omitted, it is detected from the suffix, or from the content of a pipe.
    lenient : bool
        Whether to omit and report invalid entries of a discovered fabric (`Fabric.flaws`) instead of refusing the file.
    columns : str, optional
        What the columns of a sheet have, where its heads do not say it: ``a_device=Von,a_port=B,b_device=Nach,b_port=D``, by
        heads or letters (also ``a_rack``, ``a_unit``, ``a_type``, ``a_mtu``, ``a_fec``, ``a_rate``, ``mtu``, ``fec``, ``rate``,
        ``length``, ``part``, and ``heads=N``: their row).
    hca_mapping : path, optional
        A CSV of port,hca-name: the adapters of hosts in an InfiniBand sheet, by their numbers.
    management : bool
        Whether to include the cables of ports for management (``eth0``, ``mgmt0``, ``Management1``) in neighbour tables (LLDP).

    Returns
    -------
    Network

    Raises
    ------
    InputError
        Nothing has that name, the file or folder is damaged, the spec cannot be built, or the network is directed.

    Examples
    --------
    >>> open_network("petersen")
    Network(spec 'petersen': Topology(petersen: 10 switches, 15 links))
    >>> open_network("petersen").layout is None
    True
    """
    check_path(source, "open_network", "name a network: a spec, a file, a folder")
    text = os.fspath(source)
    if columns is not None or hca_mapping is not None:
        return _sheet(text, format, lenient, columns, hca_mapping)
    if format is not None:
        return _file(text, format, lenient, management)
    path = Path(text)
    if text != "-" and _is_folder(path):
        return _neighbours(text, path, lenient, management) or open_folder(text, path)
    if path.name == CABLES and path.is_file() and path.with_name(FLOOR).is_file():
        return laid_out(text, path.parent)
    # A file or a pipe with the name of a family ("petersen") must not hide the family.
    record = format_for(text)
    if text == "-" or (record is None and _is_pipe(text)):
        return _file(text, None, lenient, management)
    if record is not None or "/" in text or (path.suffix and _exists(path)):
        if record is None and not _exists(path):
            raise at(text, None, "there is no such file")
        return _file(text, None, lenient, management)
    from topoloom.topologies.spec import FAMILIES, build

    try:
        topology = build(text)
    except DirectedNetworkError as refused:
        raise refused.by("open_network") from None
    except InputError as error:
        if _exists(path) and path.name not in FAMILIES:
            # Its content may say what it is.
            return _file(text, None, lenient, management)
        if not str(error).startswith("no family named") or "did you mean" in str(error):
            raise
        listed = "'topoloom families' lists the families"
        raise InputError(f"no family, file or folder named '{text[:60]}' ({listed})") from None
    return Network(topology, text, "spec", provenance_of(topology))


def _sheet(
    text: str, format: str | None, lenient: bool, columns: str | None, hca_mapping: str | os.PathLike[str] | None
) -> Network:
    """Open a sheet whose columns, or whose adapters, the user names."""
    record = choose_format(text, format or SHEET)
    if record.fabric is None or not record.columned:
        raise InputError(f"{text}: `columns` and `hca_mapping` are for sheets, not for the format {record.name}")
    data, source, _ = read_source(text, record.name)
    named = {} if columns is None else {"columns": columns}
    named |= {} if hca_mapping is None else {"hca_mapping": os.fspath(hca_mapping)}
    return _discovered(record.fabric(data, source, lenient=lenient, **named), text)


def _file(text: str, format: str | None, lenient: bool, management: bool) -> Network:
    """Open a file of any format; `format` None: detect it from the suffix, or from the content of a pipe."""
    data, source, record = read_source(text, format)
    if record.fabric is not None:
        options = {"lenient": True} if lenient and record.lenient else {}
        options |= {"management": True} if management and record.name == LLDP else {}
        return _discovered(record.fabric(data, source, **options), text)
    if record.name == "cables":
        cables = read_cables(data, source)
        readers: dict[str, Any] = {"cables": lambda: cables, "fabric": lambda: planned_cables(cables)}
        return Network(cables.topology, text, "file", provenance_of(cables.topology), None, readers)
    topology, lengths = parsed(data, source, record), record.lengths
    readers = {} if lengths is None else {"lengths": lambda: lengths(data, source)}
    return Network(topology, text, "file", provenance_of(topology), None, readers)


def _neighbours(text: str, path: Path, lenient: bool, management: bool) -> Network | None:
    """Open a folder of files of one device each; None for one of topoloom's, and where no file states cables."""
    if any(holds(path)):
        return None
    # Only other folders need the readers of all makers.
    from topoloom.formats._lldp.folder import fabric_of_folder, read_device_files

    files = read_device_files(path)
    if files is None:
        return None
    return _discovered(fabric_of_folder(path, files, lenient=lenient, management=management), text)


def _discovered(fabric: Fabric, text: str) -> Network:
    return Network(fabric.topology, text, "fabric", provenance_of(fabric.topology), None, {"fabric": lambda: fabric})


def _is_folder(path: Path) -> bool:
    """Whether a folder is meant: it holds a network, or no family has its name."""
    try:
        if not path.is_dir():
            return False
    except (OSError, ValueError):
        return False
    from topoloom.topologies.spec import FAMILIES

    return len(path.parts) != 1 or str(path) not in FAMILIES or any(holds(path))


def _is_pipe(text: str) -> bool:
    """Whether a pipe is meant: it is named with its folder, or no family has its name."""
    if not is_pipe(text):
        return False
    from topoloom.topologies.spec import FAMILIES

    return "/" in text or text.partition(":")[0] not in FAMILIES


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
