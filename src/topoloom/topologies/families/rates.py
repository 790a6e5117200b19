"""Rates of a network's cables: one for all links, one per level of a tree, another between groups, and that of the hosts."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Numbers, Real, transform

#: The least and the greatest rate of a spec, Gb/s.
_RANGE = (0.001, 1_000_000)


@transform(
    "rates",
    links=Real(*_RANGE, "rate of the links between switches, Gb/s per direction", default=None),
    levels=Numbers(
        *_RANGE,
        "instead of links=: the rate of the links from each level (label `level`) to the next, lowest first, Gb/s",
        default=None,
    ),
    between=Real(
        *_RANGE, "rate of the links between two groups (label `group`), Gb/s; links= is that inside", default=None
    ),
    hosts=Real(*_RANGE, "rate of the hosts' ports, Gb/s; that of the links when omitted", default=None),
    source="a link's capacity is its rate: hosts of 100 Gb/s under uplinks of 400, and cages split into slower ports",
)
def rates(
    topology: Topology,
    links: float | None,
    levels: tuple[float, ...] | None,
    between: float | None,
    hosts: float | None,
) -> Topology:
    """Give links and hosts their rates: `links` or `levels`, and `hosts`; without rates, all links and hosts are alike.

    With `levels`, a link has the rate of its lower end's level, and hosts have the rate of the first level unless `hosts` says
    another. With `between`, the links between two groups have that rate, and those inside a group have `links`.

    Returns
    -------
    Topology
        The same switches, links and hosts; rates replace earlier ones.

    Raises
    ------
    InputError
        Neither `links` nor `levels`, or both; the number of levels differs from the network's; no label `level` or `group`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("fat-tree:hosts=64,k=16+rates:links=400,hosts=100")
    Topology(fat-tree(k=16,hosts=64)+rates:links=400,hosts=100: 12 switches, 64 links, 64 hosts, 100 and 400 Gb/s)
    >>> build("kary-tree:k=2,n=3+rates:levels=100x400").link_rate_gbps.tolist()[:8]
    [100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0]
    """
    if (links is None) == (levels is None):
        raise InputError(f"{topology.name}: rates needs links= or levels=, and not both")
    if levels is not None:
        if between is not None:
            raise InputError(f"{topology.name}: rates takes between= with links=, not with levels=")
        of_links: float | np.ndarray = _by_level(topology, levels)
    else:
        of_links = float(links or 0)
        if between is not None:
            of_links = np.where(_crosses_groups(topology), between, of_links)
    of_hosts = hosts if hosts is not None else levels[0] if levels is not None else links
    return topology.without_rates().with_rates(of_links, of_hosts if topology.endpoints.size else None)


def _by_level(topology: Topology, levels: tuple[float, ...]) -> np.ndarray:
    """The rate of each link by the level of its lower end, float64[links]."""
    level = topology.labels.get("level")
    if level is None or level.dtype.kind != "i" or not len(topology.links):
        raise InputError(f"{topology.name}: its switches have no levels; give rates links= instead of levels=")
    # Numbered from 0, because some families number from 1, or have links within a level.
    lower = np.unique(level[topology.links].min(axis=1), return_inverse=True)[1].reshape(-1)
    count = int(lower.max()) + 1
    if count != len(levels):
        raise InputError(
            f"{topology.name}: levels= has {len(levels)} rates, but links leave {count} level{'s' * (count > 1)} upwards;"
            f" give {count}"
        )
    return np.asarray(levels)[lower]


def _crosses_groups(topology: Topology) -> np.ndarray:
    """Whether each link joins two groups, bool[links]."""
    group = topology.labels.get("group")
    if group is None:
        raise InputError(f"{topology.name}: its switches have no groups; give rates links= alone")
    return np.asarray(group[topology.links[:, 0]] != group[topology.links[:, 1]])
