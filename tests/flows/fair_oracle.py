"""Schedules of plain flows, and max-min fair rates worked out again the plain way."""

from collections import Counter
from itertools import pairwise

import numpy as np

from topoloom.routing.routing import Routing
from topoloom.simulation.flows.network import flow_network
from topoloom.simulation.flows.programs import Programs, Script
from topoloom.simulation.flows.schedule import Schedule

#: Bytes a second of every link.
RATE = 1e9


def fabric(routing: Routing, switch_s: float = 0.0, **more: object):
    """The network with `RATE` everywhere and no delay but switches'."""
    cables = np.zeros(len(routing.topology.links))
    return flow_network([routing], link_rate=RATE, host_rate=RATE, cable_s=cables, switch_s=switch_s, **more)


def sends(ranks: int, flows: list[tuple[int, int, float]]) -> Schedule:
    """All messages at once: (source, destination, bytes)."""
    scripts = [Script() for _ in range(ranks)]
    slots = [0] * ranks
    for tag, (source, to, size) in enumerate(flows):
        scripts[source].post_send(slots[source], to, size, tag)
        slots[source] += 1
        scripts[to].post_receive(slots[to], source, tag)
        slots[to] += 1
    for script, count in zip(scripts, slots, strict=True):
        for slot in range(count):
            script.wait(slot)
    programs = Programs(tuple(scripts), np.arange(ranks), (np.zeros(ranks, np.int64),))
    return Schedule("sends", programs)


def paths(routing: Routing, flows: list[tuple[int, int, float]]) -> list[list[tuple]]:
    """What each flow passes: its host's link, (switch, switch) of each hop, the other host's link; one host a switch."""
    found = []
    for source, to, _ in flows:
        walked = routing.path(source, to)
        found.append([("out", source), *pairwise(walked), ("in", to)])
    return found


def fair_rates(passed: list) -> np.ndarray:
    """Max-min fair rates by the definition: the resource with the least even share of what is left, again and again.

    A flow is a list of what it passes, or has the share of its rate on each: {resource: share}.
    """
    shares_of = [Counter(flow) if isinstance(flow, list) else flow for flow in passed]
    rate = np.full(len(passed), np.nan)
    while np.isnan(rate).any():
        shares = {}
        for resource in {one for flow in shares_of for one in flow}:
            over = [i for i, flow in enumerate(shares_of) if resource in flow]
            still = [i for i in over if np.isnan(rate[i])]
            if still:
                used = sum(rate[i] * shares_of[i][resource] for i in over if not np.isnan(rate[i]))
                shares[resource] = ((RATE - used) / sum(shares_of[i][resource] for i in still), still)
        share, still = min(shares.values(), key=lambda one: one[0])
        rate[still] = share
    return rate


def finish_times(passed: list, sizes: list[float]) -> float:
    """When the last of the flows that all begin at 0 ends, event by event."""
    left, now = dict(enumerate(sizes)), 0.0
    while left:
        names = list(left)
        rates = fair_rates([passed[i] for i in names])
        step = min(left[i] / rate for i, rate in zip(names, rates, strict=True))
        now += step
        for i, rate in zip(names, rates, strict=True):
            left[i] -= rate * step
        left = {i: size for i, size in left.items() if size > 1e-6}
    return now
