"""Whether tables fit in memory: worked out from the sizes of a network before anything is begun."""

import os
from pathlib import Path

import numpy as np

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
        Threads; every core when left out. The judge keeps the turns of each.
    in_files : bool
        Tables are files, of which only what is used is in memory.

    Returns
    -------
    (float, float)
    """
    n, degrees = topology.switches, topology.degrees.astype(np.float64)
    port_bytes = 1 if degrees.max(initial=0) < np.iinfo(np.uint8).max else 2
    tables = 0.0 if in_files else float(n) * n * (port_bytes + bytes_a_pair)
    # Beside the tables: for every turn at a switch, its lanes, in each thread and once more where they are joined.
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


def free_bytes() -> int | None:
    """The memory that this process can still get, in bytes; None where the system does not say."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if most != "max":
            found.append(int(most) - _used_by_group())
    except (OSError, ValueError, IndexError):
        pass
    if not found and hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def _used_by_group() -> int:
    """What the container takes that it cannot give back: its files in memory can go."""
    used = int(Path("/sys/fs/cgroup/memory.current").read_text())
    for line in Path("/sys/fs/cgroup/memory.stat").read_text().splitlines():
        if line.startswith("inactive_file "):
            used -= int(line.split()[1])
    return used
