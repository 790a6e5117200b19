"""Even loads of finished tables: entries on the fullest channels change until no channel has more than it must."""

from typing import NamedTuple

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import host_weights

#: Of the load above the least one, the shares down to which the fullest channels are relieved; the next is tried where the
#: maximum does not fall.
_SHARES = (0.5, 0.75, 0.9)
_MOST_TURNS = 60


class Rows(NamedTuple):
    """Tables with a row per destination, and the ways that are allowed.

    Attributes
    ----------
    ports : uint8 or uint16[R, n]
        The highest value of the type: no entry.
    home, weight, place : int64[R]
        The switch of each row, its hosts (0: no data), and the place of this switch in `near` and `region`.
    hosts : int64[n]
        The hosts of each switch.
    rises : bool[2 m]
        Whether a channel leads upwards.
    near, region : int32[h, n], uint8[h, n]
        As the kernel `distances` writes them.
    scale : float64[2 m]
        1 / the capacity of each channel.
    """

    ports: np.ndarray
    home: np.ndarray
    weight: np.ndarray
    place: np.ndarray
    hosts: np.ndarray
    rises: np.ndarray
    near: np.ndarray
    region: np.ndarray
    scale: np.ndarray


def rows_of_hosts(topology: Topology, level: np.ndarray, ports: np.ndarray) -> Rows:
    """The rows of tables per host in a tree, uint8 or uint16[count, n, n]: table by table, destination by destination.

    Parameters
    ----------
    topology : Topology
    level : int64[n]
        As in `TreeOrder`.
    ports : uint8 or uint16[count, n, n]
        Hosts i, i + count, ... of a switch use table i.

    Returns
    -------
    Rows
    """
    from topoloom.routing.trees.kernels.rows import distances

    count, n = ports.shape[:2]
    channels, hosts = channels_of(topology), host_weights(topology)
    rises, busy = level[channels.to] > level[channels.origin], np.flatnonzero(hosts)
    near, region = np.empty((busy.size, n), np.int32), np.empty((busy.size, n), np.uint8)
    distances(
        channels.first, channels.to, rises, busy, near, region, np.empty_like(near), np.empty(busy.size, np.int64)
    )
    number, home = np.divmod(np.arange(count * n), n)
    weight = np.maximum(0, (hosts[home] - number + count - 1) // count)
    place = np.searchsorted(busy, home) % max(1, busy.size)
    scale = 1.0 / capacities(topology).channels
    return Rows(ports.reshape(count * n, n), home, weight, place, hosts, rises, near, region, scale)


def relieved(
    channels: Channels,
    rows: Rows,
    least: float,
    *,
    most: int | None = None,
    may_change: np.ndarray | None = None,
    moved: np.ndarray | None = None,
    work: Work,
) -> tuple[np.ndarray, float]:
    """Tables with a smaller maximum channel load, and few other entries; the given ones if none are found.

    Parameters
    ----------
    channels : Channels
    rows : Rows
    least : float
        Channels with at most this load, in pairs of hosts over a channel of capacity 1, are not relieved.
    most : int, optional
        The most entries that change; any number when omitted.
    may_change : bool[R, n], optional
        The entries that may change; all when omitted.
    moved : bool[R, n], optional
        Set where the path from a switch to a row's destination changes.
    work : Work

    Returns
    -------
    (uint8 or uint16[R, n], float)
        The entries, and their maximum channel load.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.trees.kernels.relief import relieve
    from topoloom.routing.trees.kernels.rows import loads_of

    ways, none = (channels.first, channels.to), int(np.iinfo(rows.ports.dtype).max)
    load = loads_of(*ways, rows.ports, none, rows.home, rows.weight, rows.hosts).astype(np.float64)
    data, draws = np.flatnonzero(rows.weight > 0), Draws(1, 11)
    every, nothing = np.iinfo(np.int64).max, np.empty((0, 0), np.bool_)
    ports, paths = rows.ports.copy(), nothing if moved is None else moved.copy()
    best, best_paths, best_load = rows.ports, paths, float((load * rows.scale).max(initial=0.0))
    budget, tries = every if most is None else most, 0
    for _ in range(_MOST_TURNS):
        if best_load <= least or budget <= 0 or tries == len(_SHARES):
            break
        limit = least + _SHARES[tries] * (best_load - least)
        order = data[draws.permutation(data.size)]
        budget -= relieve(
            *ways,
            rows.rises,
            ports,
            none,
            rows.home,
            rows.weight,
            rows.hosts,
            rows.place,
            rows.near,
            rows.region,
            rows.scale,
            limit,
            budget,
            order,
            nothing if may_change is None else may_change,
            load,
            paths,
            work.flag,
        )
        work.check()
        largest = float((load * rows.scale).max(initial=0.0))
        tries = 0 if largest < best_load else tries + 1
        if largest < best_load:
            best, best_paths, best_load = ports.copy(), paths.copy(), largest
    if moved is not None:
        moved[:] = best_paths
    return best, best_load
