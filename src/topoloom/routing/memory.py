"""Whether tables fit in memory: worked out from the sizes of a network before anything is begun."""

import numpy as np

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.core.threads import cores
from topoloom.model.topology import Topology

_GB = 1e9
#: Up to so many bytes nobody is asked.
_SMALL = 1 << 28


def needed_bytes(
    topology: Topology, bytes_a_pair: float, *, jobs: int | None = None, in_files: bool = False
) -> tuple[float, float]:
    """The memory that tables take at most, and what following them takes beside: both in bytes.

    Parameters
    ----------
    topology : Topology
    bytes_a_pair : float
        What the engine takes for each ordered pair of switches beside the ports (`Engine.bytes_a_pair`).
    jobs : int, optional
        Threads; every core when omitted. The verifier keeps the turns of each.
    in_files : bool
        Tables are files, of which only what is used is in memory.

    Returns
    -------
    (float, float)
    """
    n, degrees = topology.switches, topology.degrees.astype(np.float64)
    port_bytes = 1 if degrees.max(initial=0) < np.iinfo(np.uint8).max else 2
    tables = 0.0 if in_files else float(n) * n * (port_bytes + bytes_a_pair)
    # Beside the tables: for every turn at a switch, its virtual channels, in each thread and once more where they are joined.
    blocks = -(-n // 64)
    turns = 8.0 * float(degrees @ degrees) * (1 + min(cores(jobs), blocks))
    return tables, turns


def check_memory(topology: Topology, engine: str, needed: tuple[float, float], *, streams: bool) -> None:
    """Refuse what will not fit, in one sentence that says what would do.

    Parameters
    ----------
    topology : Topology
    engine : str
        For the message.
    needed : (float, float)
        As `needed_bytes` has it.
    streams : bool
        Whether the engine could keep these tables in a folder.

    Raises
    ------
    InputError
        More is needed than there is.
    """
    tables, turns = needed
    if tables + turns < _SMALL:
        return
    free = free_bytes()
    if free is None or tables + turns <= free:
        return
    takes, there = f"{(tables + turns) / _GB:,.1f} GB", f"{free / _GB:,.1f} GB"
    what = f"{topology.name}: engine {engine} takes about {takes} here, and {there} are free"
    if turns > free:
        raise InputError(
            f"{what}: most for the turns of its {int(topology.degrees.max())} ports a switch; try fewer `jobs`"
        )
    raise InputError(f"{what}; " + ("name a folder for the tables" if streams else "try engine updown, on disk"))
