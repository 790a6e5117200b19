"""Whether tables fit in memory, computed from the sizes of a network before the work starts."""

import numpy as np

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.core.threads import cores
from topoloom.graph.connectivity import components
from topoloom.graph.planes import plane_count
from topoloom.model.topology import Topology

#: Most entries of all tables together where each host of a switch has a separate one.
MOST_HOST_ENTRIES = 1 << 28
_GB = 1e9
#: Up to this many bytes, free memory is not checked.
_SMALL = 1 << 28


class MemoryShortageError(InputError):
    """Tables do not fit in the memory that is free."""


def needed_bytes(
    topology: Topology, bytes_a_pair: float, *, jobs: int | None = None, in_files: bool = False
) -> tuple[float, float]:
    """The most memory of the tables, and the additional memory for verifying them; both in bytes.

    Parameters
    ----------
    topology : Topology
    bytes_a_pair : float
        The engine's memory per ordered pair of switches, without the ports (`Engine.bytes_a_pair`).
    jobs : int, optional
        Threads; every core when omitted. The verifier keeps the turns of each.
    in_files : bool
        Whether tables are files, of which only the part in use is in memory.

    Returns
    -------
    (float, float)
    """
    n, degrees = topology.switches, topology.degrees.astype(np.float64)
    port_bytes = 1 if degrees.max(initial=0) < np.iinfo(np.uint8).max else 2
    # Planes are routed and verified separately, and their tables joined.
    part = components(topology) if plane_count(topology) > 1 else np.zeros(n, np.int64)
    sizes = np.bincount(part).astype(np.float64)
    tables = 0.0 if in_files else float(n) * n * port_bytes + float(sizes @ sizes) * bytes_a_pair
    # The verifier keeps the virtual channels of every turn at a switch, once per thread and once for the merged result.
    blocks = -(-int(sizes.max()) // 64)
    turns = 8.0 * float(np.bincount(part, degrees**2).max()) * (1 + min(cores(jobs), blocks))
    return tables, turns


def check_memory(topology: Topology, engine: str, needed: tuple[float, float], *, streams: bool) -> None:
    """Raise an error with a remedy if the tables do not fit in memory.

    Parameters
    ----------
    topology : Topology
    engine : str
        For the message.
    needed : (float, float)
        The result of `needed_bytes`.
    streams : bool
        Whether the engine can keep these tables in a folder.

    Raises
    ------
    MemoryShortageError
        The tables need more memory than is free.
    """
    tables, turns = needed
    if tables + turns < _SMALL:
        return
    free = free_bytes()
    if free is None or tables + turns <= free:
        return
    total, free_gb = f"{(tables + turns) / _GB:,.1f} GB", f"{free / _GB:,.1f} GB"
    shortage = f"{topology.name}: engine {engine} needs about {total} of memory, and {free_gb} are free"
    if turns > free:
        raise MemoryShortageError(
            f"{shortage}: most of it for the turns between up to {int(topology.degrees.max())} ports per switch;"
            " use fewer `jobs`"
        )
    remedy = "name a folder for the tables" if streams else "use engine updown with a folder for the tables"
    raise MemoryShortageError(f"{shortage}; {remedy}")
