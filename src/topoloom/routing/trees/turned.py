"""Tables per host that are even where d-mod-k is not, and keep its fast shifts: each sender counts the digits from elsewhere.

Where the cables up of a leaf do not divide its hosts evenly, d-mod-k leads more hosts over some of its cables down than over
others, from all senders. If every sender turns the digits, by amounts that rise from leaf to leaf and go round once, each
cable has its turn. In a shift two neighbouring leaves send to the hosts of one leaf, so its digits are still consecutive but
for one place. (The evenness is our own; the digits are those of Zahavi et al., CCPE 22(2), 2010.)
"""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.trees.digits import ranks, strides
from topoloom.routing.trees.relief import relieved, rows_of_hosts
from topoloom.routing.trees.shortest import fill_minimal

#: The most shifts that are measured; of more, a sample by a fixed seed.
_MOST_SHIFTS = 256


def turned_tables(
    topology: Topology, level: np.ndarray, count: int, turns: bool, least: float, work: Work
) -> np.ndarray:
    """The tables for the hosts of every switch by turned digits, with the fullest channels relieved (`relieved`).

    Parameters
    ----------
    topology : Topology
        Connected.
    level : int64[n]
        As in `TreeOrder`.
    count : int
        Tables: hosts i, i + count, ... of a switch use table i.
    turns : bool
        Whether senders turn the digits; otherwise they are those of d-mod-k, as far as cables are not missing.
    least : float
        The maximum channel load at which nothing is left to relieve.
    work : Work

    Returns
    -------
    uint8 or uint16[count, n, n]
        As `Routing.ports`, one per table.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.trees.kernels.turned_trees import turned_trees

    n, channels = topology.switches, channels_of(topology)
    ports = np.stack([empty_ports(topology)] * count)
    rows = rows_of_hosts(topology, level, ports)
    height = np.unique(level, return_inverse=True)[1].reshape(-1)
    place = ranks(topology, height)
    rising = np.lexsort((place, height))
    in_order = np.lexsort((place[channels.to], channels.origin))
    upward = in_order[rows.rises[in_order]]
    first_up = np.searchsorted(channels.origin[upward], np.arange(n + 1))
    leaves = rising[rows.hosts[rising] > 0]
    leaf = np.zeros(n, np.int64)
    leaf[leaves] = np.arange(leaves.size)
    most = [int(np.diff(first_up)[height == low].max(initial=1)) for low in range(int(height.max()))]
    stride = strides(most, leaves.size * count)
    turned_trees(
        channels.first,
        channels.to,
        rows.rises,
        rising,
        height,
        upward,
        first_up,
        stride,
        leaf * stride[-1] // leaves.size * turns,
        rows.hosts,
        rows.home,
        leaf[rows.home] * count + np.repeat(np.arange(count), n),
        np.flatnonzero(rows.weight),
        rows.place,
        rows.near,
        rows.region,
        rows.ports,
    )
    ports = relieved(channels, rows, least, work=work)[0].reshape(ports.shape)
    return with_repeats(topology, ports, work=work)


def with_repeats(topology: Topology, ports: np.ndarray, jobs: int | None = None, *, work: Work) -> np.ndarray:
    """Write the rows of ports[count, n, n] that no search makes: hosts beyond those of a switch, and switches without hosts.

    Parameters
    ----------
    topology : Topology
    ports : uint8 or uint16[count, n, n]
        Updated.
    jobs : int, optional
    work : Work

    Returns
    -------
    uint8 or uint16[count, n, n]
        The same array.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    hosts = topology.endpoints_at
    for number in range(1, len(ports)):  # hosts beyond those of a switch repeat its tables
        few = np.flatnonzero((hosts <= number) & (hosts > 0))
        ports[number, few] = ports[number % hosts[few], few]
    others = np.flatnonzero(hosts == 0)  # no path between hosts ends there; all tables have the same paths to them
    if others.size:
        fill_minimal(topology, others, ports[0], 0, jobs, work=work)
        ports[1:, others] = ports[0, others]
    return ports


def shift_time(routing: Routing) -> float:
    """The mean over shifts of the maximum channel load, in pairs of hosts over a channel of the lowest rate."""
    from topoloom.routing.trees.kernels.turned_trees import shift_loads

    topology, channels = routing.topology, routing.channels
    k = topology.endpoints.size
    shifts = np.arange(1, k)
    if shifts.size > _MOST_SHIFTS:
        shifts = np.sort(Draws(1, 42).permutation(k - 1)[:_MOST_SHIFTS]) + 1
    ports = np.stack([table.ports for table in routing.host_tables])
    scale = 1.0 / capacities(topology).channels
    home = topology.endpoints.astype(np.int64)
    table = np.asarray(routing.layer_of_ports, np.int64)
    return float(np.maximum(1.0, shift_loads(channels.first, channels.to, ports, home, table, scale, shifts)).mean())
