"""Lifts: several copies of every switch, and a random matching between copies per link; Xpander is a lifted full mesh."""

import logging
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import free_degrees, host_counts, serving
from topoloom.topologies.spec import Facts, Integer, Integers, Seed, check_size, family, transform

log = logging.getLogger("topoloom")


def _facts(degree: int, lifts: tuple[int, ...], seed: int = 1) -> Facts:
    switches = (degree + 1) * prod(lifts)
    return Facts(switches, degree, degree, switches * degree // 2)


def _xpanders(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """One lift with the copies that the hosts need; degrees as for random graphs."""
    for per_switch in host_counts(radix - 3):
        switches = -(-hosts // per_switch)
        for degree in free_degrees(switches, per_switch, min(radix - per_switch, 64)):
            copies = -(-switches // (degree + 1))
            structure = ({"degree": degree, "lifts": (copies,)}, copies * (degree + 1), degree)
            yield from serving(hosts, radix, [structure])


@family(
    "xpander",
    title="Xpander",
    degree=Integer(2, 1024, "links of a switch; the full mesh to be lifted has degree + 1 switches"),
    lifts=Integers(1, 1 << 20, "copies that each lift makes of every switch: 32, or 2x2x2x2x2 for five lifts by two"),
    seed=Seed(),
    facts=_facts,
    source="Valadarsky, Shahaf, Dinitz and Schapira, Xpander: towards optimal-performance datacenters, CoNEXT 2016; Bilu and"
    " Linial, Lifts, discrepancy and nearly optimal spectral gap, Combinatorica 26(5), 2006",
    sizes=_xpanders,
    labels={
        "group": "the meta-node: the copies of one switch of the full mesh; no two of them are linked",
        "member": "the copy",
    },
)
def xpander(degree: int, lifts: tuple[int, ...], seed: int, attempt: int = 0) -> Topology:
    """A full mesh lifted at random: a random perfect matching joins any two meta-nodes, so one bundle of cables does.

    Returns
    -------
    Topology
        Meta-node by meta-node; labels ``group`` and ``member``.

    Examples
    --------
    >>> xpander(5, (4,), 1)
    Topology(topology: 24 switches, 60 links)
    """
    draws = Draws(seed, attempt)
    links, switches = np.stack(np.triu_indices(degree + 1, 1), axis=1), degree + 1
    for copies in lifts:
        links, switches = _lifted(links, copies, draws), switches * copies
    switch, each = np.arange(switches), prod(lifts)
    return Topology(links=links, switches=switches, labels={"group": switch // each, "member": switch % each})


def _lifted(links: np.ndarray, copies: int, draws: Draws) -> np.ndarray:
    """The links of a lift: copy c of switch s is s * copies + c; a random permutation per link joins the copies of its ends."""
    order = np.argsort(draws.words(len(links) * copies).reshape(-1, copies), axis=1, kind="stable")
    first = links[:, :1].astype(np.int64) * copies + np.arange(copies)
    second = links[:, 1:].astype(np.int64) * copies + order
    return np.stack([first, second], axis=2).reshape(-1, 2)


@transform(
    "lift",
    copies=Integer(1, 1 << 20, "copies of every switch"),
    seed=Seed(),
    source="Amit and Linial, Random graph coverings, Combinatorica 22(1), 2002; Dinitz, Schapira and Valadarsky, Explicit"
    " expanding expanders, Algorithmica 78(4), 2017",
)
def lift(topology: Topology, copies: int, seed: int) -> Topology:
    """Several copies of every switch with its hosts, and a random matching between the copies of each link's two ends.

    Degrees stay the same, and the spectrum of the network stays part of the spectrum of its lift; random lifts of expanders are
    nearly always expanders. A disconnected result is drawn again.

    Returns
    -------
    Topology
        Copy c of switch s has the number s * copies + c and the labels of s.

    Raises
    ------
    InputError
        Too many switches or links, hosts with several ports, or 100 disconnected draws in a row.
    """
    from topoloom.graph.connectivity import components

    counts = topology.switches * copies, len(topology.links) * copies, topology.endpoints.size * copies
    check_size(f"lift: {copies} copies of {topology.name}", Facts(counts[0], links=counts[1], hosts=counts[2]))
    if topology.hosts != topology.endpoints.size:
        raise InputError(
            "lift: hosts have several ports; lift the network before its hosts get them (+lift:...+rails:...)"
        )
    hosts = np.repeat(topology.endpoints_at, copies)
    labels = {name: np.repeat(values, copies) for name, values in topology.labels.items()}
    for attempt in range(100):
        links = _lifted(topology.links, copies, Draws(seed, attempt))
        lifted = Topology(
            links=links,
            switches=topology.switches * copies,
            endpoints=np.repeat(np.arange(hosts.size), hosts),
            labels=labels,
            name=topology.name,
            spec=topology.spec,
        )
        if int(components(lifted).max(initial=0)) <= int(components(topology).max(initial=0)):
            return lifted
        log.warning("lift: draw %d is disconnected; drawing again", attempt + 1)
    raise InputError(
        "lift: 100 draws in a row were disconnected; a tree has no connected lift, and a ring seldom has one"
    )
