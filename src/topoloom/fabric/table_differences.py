"""Whether the switches hold the tables that they should: the entries that differ, by switch."""

from dataclasses import dataclass

import numpy as np

from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables


@dataclass(frozen=True)
class TableDifference:
    """The entries of a switch that differ from those that it should hold.

    Attributes
    ----------
    switch : str
    entries : int
        Targets with another port, or without an entry; with an LMC above 0 every path of a target counts.
    target : str
        The first of these targets.
    port, wanted_port : int
        Its port in the switch, and the one that it should have; -1: no entry.
    """

    switch: str
    entries: int
    target: str
    port: int
    wanted_port: int

    def __str__(self) -> str:
        held = "no entry" if self.port < 0 else f"port {self.port}"
        return f"{self.switch} for {self.target} {held} instead of port {self.wanted_port}"


def table_differences(wanted: Tables, held: Tables, fabric: Fabric) -> tuple[TableDifference, ...]:
    """The switches whose entries differ from the wanted ones, in the order of the fabric.

    Parameters
    ----------
    wanted, held : Tables
        Of the same fabric. Entries that `wanted` lacks may have any value.
    fabric : Fabric

    Returns
    -------
    tuple of TableDifference
    """
    switch_names, host_names = distinct_names(fabric)
    differences = []
    paths = max(wanted.paths, held.paths)
    pairs = [(wanted.path(path), held.path(path)) for path in range(paths)]
    differ = [(given >= 0) & (given != present) for given, present in pairs]
    k = fabric.topology.endpoints.size
    for switch in np.flatnonzero(np.any([entries.any(axis=1) for entries in differ], axis=0)).tolist():
        path = next(path for path in range(paths) if differ[path][switch].any())
        target = int(np.flatnonzero(differ[path][switch])[0])
        owner = switch_names[target - k] if target >= k else host_names[fabric.topology.host[target]]
        given, present = pairs[path]
        differences.append(
            TableDifference(
                switch_names[switch],
                sum(int(entries[switch].sum()) for entries in differ),
                owner,
                int(present[switch, target]),
                int(given[switch, target]),
            )
        )
    return tuple(differences)
