"""Tables of one fabric before and after: loads in pairs of hosts, paths, lost pairs, and throughput of shifts.

Loads are counted in pairs of host ports, whatever makes the tables, so that the numbers of all tables of a fabric compare.
"""

from collections.abc import Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import real_ports
from topoloom.fabric.lft import Tables
from topoloom.graph.connectivity import components
from topoloom.model.capacities import capacities
from topoloom.routing.channels import channels_of
from topoloom.routing.compared import TableFigures, TablesCompared
from topoloom.routing.routing import Routing

__all__ = ["TableFigures", "TablesCompared", "compare_tables", "table_figures"]

#: Tables of a fabric: as read, as made, or the real port of each switch towards each host port (int[n, at least k]), one array
#: for each path of a pair (LMC).
TablesGiven = Tables | Routing | np.ndarray | Sequence[np.ndarray]
#: The most shifts that are measured; of more, a sample by a fixed seed.
MOST_SHIFTS = 1024
_SEED = 1


def table_figures(tables: TablesGiven, fabric: Fabric) -> TableFigures:
    """The loads, paths and throughput of a fabric's tables; what does not arrive is no error: it counts, with throughput 0.

    Parameters
    ----------
    tables : Tables, Routing, array or sequence of arrays
        As read, as made, or the real port of each switch towards each host port, int[n, at least k] (-1: no entry), one array
        for each path of a pair.
    fabric : Fabric

    Returns
    -------
    TableFigures

    Raises
    ------
    InputError
        The tables are of another fabric.
    """
    return _Walks(fabric).figures(_Walks.paths(tables, fabric))


def compare_tables(
    before: TablesGiven, after: TablesGiven, fabric: Fabric, names: tuple[str, str] = ("", "")
) -> TablesCompared:
    """Compare two sets of tables of one fabric.

    Parameters
    ----------
    before, after : Tables, Routing, array or sequence of arrays
        As for `table_figures`.
    fabric : Fabric
    names : (str, str)
        What the tables are, for the record; when empty, the file or the engine.

    Returns
    -------
    TablesCompared

    Raises
    ------
    InputError
        Tables are of another fabric.
    """
    walks = _Walks(fabric)
    former, latter = _Walks.paths(before, fabric), _Walks.paths(after, fabric)
    return TablesCompared(
        before_tables=names[0] or _name(before),
        after_tables=names[1] or _name(after),
        before=walks.figures(former),
        after=walks.figures(latter),
        paths_changed=walks.changed(former, latter),
    )


def _name(tables: TablesGiven) -> str:
    if isinstance(tables, Tables):
        return tables.source
    return f"engine {tables.engine}" if isinstance(tables, Routing) else "tables"


class _Walks:
    """The channels and hosts of a fabric, for following its tables."""

    def __init__(self, fabric: Fabric) -> None:
        topology = fabric.topology
        self._topology, self._channels = topology, channels_of(topology)
        self._home = topology.endpoints.astype(np.int64)
        self._plug = fabric.endpoint_ports.astype(np.int64)
        self._at = topology.endpoints_at.astype(np.int64)
        relative = capacities(topology)
        self._rate, self._capacity = np.asarray(relative.ports, np.float64), np.asarray(relative.channels, np.float64)
        width = int(max(fabric.channel_ports.max(initial=0), fabric.switch_ports.max(initial=0))) + 1
        self._channel_at = np.full((topology.switches, width), -1, np.int32)
        self._channel_at[self._channels.origin, fabric.channel_ports] = np.arange(self._channels.to.size)

    @staticmethod
    def paths(tables: TablesGiven, fabric: Fabric) -> np.ndarray:
        """The real ports, int16[paths, k, n]."""
        n, k = fabric.topology.switches, fabric.topology.endpoints.size
        if isinstance(tables, Routing):
            tables = real_ports(tables, fabric)
        elif isinstance(tables, Tables):
            tables = [tables.path(number) for number in range(tables.paths)]
        arrays = [tables] if isinstance(tables, np.ndarray) else list(tables)
        for ports in arrays:
            if ports.ndim != 2 or ports.shape[0] != n or ports.shape[1] < k:
                raise InputError(
                    f"{fabric.made}: tables of shape {ports.shape}, and it has {n} switches and {k} host ports; give tables of"
                    " this fabric"
                )
        return np.ascontiguousarray(np.stack([ports[:, :k].T.astype(np.int16) for ports in arrays]))

    def figures(self, paths: np.ndarray) -> TableFigures:
        """The figures of tables int16[paths, k, n]."""
        from topoloom.fabric.kernels.host_paths import follow_pairs, follow_shifts

        n, k, size = self._topology.switches, self._home.size, self._channels.to.size
        load, rated, histogram = np.zeros(size), np.zeros(size), np.zeros(n + 1, np.int64)
        lost = np.zeros((k, n), np.bool_)
        rate_at = np.bincount(self._home, self._rate, n)
        places = self._channels.to, self._channel_at
        hosts = self._home, self._plug
        for ports in paths:
            share = 1.0 / len(paths)
            follow_pairs(*places, ports, *hosts, self._at, rate_at, self._rate, share, load, rated, histogram, lost)
        weight = np.where(lost, self._at[None, :], 0)
        weight[np.arange(k), self._home] -= lost[np.arange(k), self._home]
        arrived, unreachable = int(histogram.sum()), int(weight.sum())
        in_part = np.bincount(components(self._topology), self._at)
        apart = k * k - int((in_part * in_part).sum())
        served = 0.0 if unreachable > apart else 1.0
        remote = rate_at.sum() - rate_at[self._at > 0].min(initial=np.inf) if k else 0.0
        fullest = float((rated / self._capacity).max(initial=0.0)) / remote if remote > 0 else 0.0
        shifts = np.arange(1, k)
        if sampled := shifts.size > MOST_SHIFTS:
            shifts = np.sort(Draws(_SEED, 42).permutation(k - 1)[:MOST_SHIFTS]) + 1
        shares = np.ones(shifts.size)
        follow_shifts(*places, paths, *hosts, self._rate, self._capacity, shifts.astype(np.int64), shares)
        return TableFigures(
            paths_per_pair=len(paths),
            pairs=k * (k - 1),
            unreachable_pairs=unreachable,
            apart_pairs=apart,
            max_channel_load=float(load.max(initial=0.0)),
            mean_channel_load=float(load.mean()) if size else 0.0,
            max_hops=int(np.flatnonzero(histogram)[-1]) if arrived else 0,
            mean_hops=float(histogram @ np.arange(n + 1)) / arrived if arrived else 0.0,
            uniform_throughput=served * (min(1.0, 1.0 / fullest) if fullest else 1.0),
            shift_throughput=served * (float(shares.size / shares.sum()) if shares.size else 1.0),
            worst_shift_throughput=served * (float(1.0 / shares.max()) if shares.size else 1.0),
            shifts=int(shares.size),
            shifts_sampled=bool(sampled),
        )

    def changed(self, before: np.ndarray, after: np.ndarray) -> int:
        """The number of pairs of which a path differs."""
        from topoloom.fabric.kernels.host_paths import changed_pairs

        return int(changed_pairs(self._channels.to, self._channel_at, before, after, self._home, self._plug, self._at))
