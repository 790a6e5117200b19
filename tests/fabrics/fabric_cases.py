"""What the tests of fabrics share: random networks, and fabrics that are cabled otherwise than planned."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from topoloom.model.topology import Topology


@st.composite
def networks(draw):
    """Random multigraphs with hosts, some with several ports, and lonely switches; no labels."""
    n = draw(st.integers(1, 9))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda ends: ends[0] != ends[1])
    links = draw(st.lists(pair, max_size=20)) if n > 1 else []
    endpoints = draw(st.lists(st.integers(0, n - 1), max_size=8))
    host = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(endpoints), max_size=len(endpoints)))
    if host is not None:
        host = np.unique(np.array(host, np.int64), return_inverse=True)[1].reshape(-1)
    return Topology(links, n, endpoints, host)


def cables_of(fabric):
    """The links of a fabric as [switch, port, switch, port]."""
    return [
        [u, p, v, q] for (u, v), (p, q) in zip(fabric.topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    ]


def recabled(fabric, cables, **changes):
    """The same switches and hosts with other links, [switch, port, switch, port]."""
    ordered = sorted((u, v, p, q) if u < v else (v, u, q, p) for u, p, v, q in cables)
    ends = np.array(ordered, np.int64).reshape(-1, 4)
    topology = fabric.topology.replace(links=ends[:, :2])
    return replace(fabric, topology=topology, link_ports=ends[:, 2:].astype(np.int32), made="found.net", **changes)


def renumbered(fabric, order):
    """The same fabric with the switches in another order, and in other ports: what it is called is `order` in `sw<order>`."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    topology = fabric.topology
    where = place[topology.endpoints]
    sorting = np.argsort(where, kind="stable")
    moved = topology.replace(
        links=place[topology.links], endpoints=where[sorting], host=topology.host[sorting], labels={}, name="found"
    )
    from topoloom.fabric.fabric import planned_fabric

    return replace(
        planned_fabric(moved),
        switch_names=tuple(f"sw{i}" for i in order),
        host_names=tuple(f"node{h} mlx5_0" for h in range(moved.hosts)),
        switch_guids=np.arange(1, len(order) + 1).astype(np.uint64) * np.uint64(0x10000),
        made="found.net",
    )


@st.composite
def labelled_networks(draw):
    """Random networks with labels that families have, of any type, and with names that files must not stumble over."""
    topology = draw(networks())
    n = topology.switches
    cells = [st.integers(-1, 3), st.floats(-1, 3), st.sampled_from(["", "a b", "{x}", '"'])]
    labels = {
        key: np.array(draw(st.lists(draw(st.sampled_from(cells)), min_size=n, max_size=n)))
        for key in draw(st.lists(st.sampled_from(["group", "level", "x0", "x1"]), unique=True))
    }
    name = draw(st.sampled_from(["net", 'say "{hi}"', "back\\slash", "\u00e8\U0001f600", "new\nline"]))
    return topology.replace(labels=labels, name=name)
