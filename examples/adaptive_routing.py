"""Adaptive routing by functions of your own on a Dragonfly: UGAL, progressive, and learned from delays.

The page "Route by a function of your own" explains it. Every hop is in the next class of virtual channels, so that there is no
deadlock; `topoloom.verify_routing` proves it from the declared moves.
"""

from dataclasses import replace

import numpy as np

from topoloom import build, route, simulate, verify_routing
from topoloom.graph.distances import distances_from
from topoloom.routing.choices import Adaptive
from topoloom.routing.own_moves import moves_by_hop
from topoloom.simulation.flits.adaptive import draw, hops_between, links, neighbour, queue, table_port

#: Detours that a packet compares, and what a new delay counts in what was learned.
TRIES, WEIGHT = 4, 0.1


def ugal(at):
    """The path of the tables or a detour, by the queue at the source times the hops (Singh, 2005).

    memory[0] is the switch that the packet makes for: that of its detour, then its destination.
    """
    if at.hops == 0:
        at.memory[0] = at.destination
        hops = hops_between(at, at.switch, at.destination)
        cost = queue(at, at.switch, table_port(at, at.switch, at.destination)) * hops
        for _ in range(TRIES):
            via = draw(at, at.degrees.size)
            if via != at.switch and via != at.destination:
                hops = hops_between(at, at.switch, via) + hops_between(at, via, at.destination)
                other = queue(at, at.switch, table_port(at, at.switch, via)) * hops
                if other < cost:
                    at.memory[0], cost = via, other
    if at.memory[0] == at.switch:
        at.memory[0] = at.destination
    return table_port(at, at.switch, at.memory[0]), at.hops


def progressive(at):
    """As UGAL, but a packet on the path of the tables decides again while it is in its first group (Jiang et al., ISCA 2009).

    data is the group of each switch; memory[1] is 1 when the packet has taken a detour.
    """
    if at.hops == 0:
        at.memory[0] = at.destination
    if at.data[at.switch] == at.data[at.source] and at.memory[1] == 0 and at.hops < 2:
        hops = hops_between(at, at.switch, at.destination)
        cost = queue(at, at.switch, table_port(at, at.switch, at.destination)) * hops
        for _ in range(TRIES):
            via = draw(at, at.degrees.size)
            if at.data[via] != at.data[at.source] and at.data[via] != at.data[at.destination]:
                hops = hops_between(at, at.switch, via) + hops_between(at, via, at.destination)
                other = queue(at, at.switch, table_port(at, at.switch, via)) * hops
                if other < cost:
                    at.memory[0], at.memory[1], cost = via, 1, other
    if at.memory[0] == at.switch:
        at.memory[0] = at.destination
    return table_port(at, at.switch, at.memory[0]), at.hops


def learning(at):
    """At its source a packet takes the port by which the destination was reached soonest; then the tables (Q-routing).

    learned[s, d, p], flat: the cycles from switch s by port p to d. memory: where the packet chose its last port, that port,
    and when. Each switch tells the one before what it expects, as Boyan and Littman (1994) and Kang et al. (HPDC 2021) do.
    """
    n, ports = at.degrees.size, at.data[0]
    here = (at.switch * n + at.destination) * ports
    best = table_port(at, at.switch, at.destination)
    if at.hops == 0:
        least = at.learned[here + best] + queue(at, at.switch, best)
        for port in range(links(at, at.switch)):
            expected = at.learned[here + port] + queue(at, at.switch, port)
            if expected < least and neighbour(at, at.switch, port) != at.switch:
                best, least = port, expected
    else:
        before = (at.memory[0] * n + at.destination) * ports + at.memory[1]
        took = at.cycle - at.memory[2] + at.learned[here + best]
        at.learned[before] += WEIGHT * (took - at.learned[before])
    at.memory[0], at.memory[1], at.memory[2] = at.switch, best, at.cycle
    return best, at.hops


def routed(topology, choice, name):
    """The tables of the Dragonfly with a function."""
    tables = replace(route(topology, "minimal"), engine=name, choice=choice, verification=None)
    return replace(tables, verification=verify_routing(tables))


def routings(topology):
    """The functions on a topology, and what they are compared with."""
    n, ports = topology.switches, int(topology.degrees.max())
    group = np.asarray(topology.labels["group"], np.int64)
    # At first a port is expected to take four cycles per hop of the shortest path that begins with it.
    hops = distances_from(topology, np.arange(n), 1)[:, :n]
    first, to, _ = topology.csr
    learned = np.full((n, n, ports), 1e9)
    for s in range(n):
        for port, other in enumerate(to[first[s] : first[s + 1]]):
            learned[s, :, port] = 4.0 * (1 + hops[:, other])
    by_hop = {"moves": moves_by_hop}
    return {
        "minimal": route(topology, "hop-vcs"),
        "ugal-l": route(topology, "ugal-l"),
        "ugal": routed(topology, Adaptive(ugal, 6, memory=1, **by_hop), "ugal"),
        "progressive": routed(topology, Adaptive(progressive, 8, memory=2, data=group, **by_hop), "progressive"),
        "learning": routed(
            topology,
            Adaptive(learning, 4, memory=3, data=np.array([ports]), learned=learned.ravel(), **by_hop),
            "learning",
        ),
    }


def main():
    """Print what each accepts, and its latency, when every group sends to the next one."""
    topology = build("dragonfly:h=2")
    print("routing      deadlock free  accepted  latency  hops")  # noqa: T201
    for name, routing in routings(topology).items():
        point = simulate(routing, "worst-case", "booksim", settings=["vcs=8"], loads=[0.3], fast=True).points[0]
        free = routing.verification.deadlock_free
        print(f"{name:12} {free!s:>13}  {point.accepted:8.3f}  {point.latency_mean:7.1f}  {point.hops_mean:4.2f}")  # noqa: T201


main()
