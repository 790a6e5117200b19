"""Different numbers of hosts on the switches of a network: a total that is spread, or a pattern."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integer, Integers, check_size, transform


@transform(
    "spread",
    hosts=Integer(1, 1 << 24, "hosts of the network, spread over the switches that carry hosts", default=None),
    pattern=Integers(
        0, 4096, "hosts of each such switch in turn, instead of a total; the pattern is repeated: 4x4x3", default=None
    ),
    source="Yasudo et al., Order/radix problem, ICPP 2017: switches with different numbers of hosts",
)
def spread_hosts(topology: Topology, hosts: int | None, pattern: tuple[int, ...] | None) -> Topology:
    """Put a number of hosts on the switches, or numbers in turn: those that carry hosts, or all where none does.

    Switch i of m gets the whole numbers between i h / m and (i + 1) h / m of h hosts, so that numbers differ by at most one and
    switches with more are evenly placed among the others.

    Returns
    -------
    Topology
        The same switches and links.

    Raises
    ------
    InputError
        Both a total and a pattern, or neither; a pattern without hosts; hosts with several ports.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> build("ring:n=8+spread:hosts=12").endpoints_at.tolist(), build("ring:n=5+spread:pattern=4x0").endpoints_at.tolist()
    ([1, 2, 1, 2, 1, 2, 1, 2], [4, 0, 4, 0, 4])
    """
    if (hosts is None) == (pattern is None):
        raise InputError("spread: give either hosts=, a total, or pattern=, the hosts of each switch in turn")
    if topology.hosts != topology.endpoints.size:
        raise InputError(f"{topology.name}: spread moves hosts of one port; use it before planes, rails and nics")
    carries = topology.endpoints_at > 0
    carriers = np.flatnonzero(carries if carries.any() else np.ones(topology.switches, bool))
    if pattern is not None:
        counts = np.resize(np.array(pattern, np.int64), carriers.size)
    else:
        counts = np.diff(np.arange(carriers.size + 1, dtype=np.int64) * int(hosts or 0) // carriers.size)
    if not counts.any():
        raise InputError(f"{topology.name}: spread:pattern={'x'.join(map(str, pattern or ()))} has no hosts")
    check_size("spread", Facts(topology.switches, links=len(topology.links), hosts=int(counts.sum())))
    per_switch = np.zeros(topology.switches, np.int64)
    per_switch[carriers] = counts
    return topology.with_hosts(per_switch)
