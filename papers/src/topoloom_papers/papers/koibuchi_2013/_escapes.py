"""Why the accepted traffic of Koibuchi 2013's random networks collapses beyond saturation: variants of their routing, tried.

The routing is that of engine `silla-duato`, written as an adaptive function with three numbers: how long a packet waits for an
adaptive virtual channel before it escapes, the share of adaptive virtual channels that must be free at a switch before a host
may inject, and whether a packet may leave the escape channel again. The paper states none of them.
"""

from dataclasses import replace

import numpy as np

from topoloom.routing.choices import Adaptive
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.adaptive import At, available, hops_between, links, neighbour, queue, table_port
from topoloom.simulation.flits.simulate import simulate
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.koibuchi_2013._switch_loads import PRESET, Network, gbit_s

#: By name: cycles before escaping, free share in %, and whether a packet leaves the escape channel again.
_VARIANTS = {
    "escapes at once": (0, 0, 0),
    "waits 200 cycles first": (200, 0, 0),
    "leaves the escape channel again": (0, 0, 1),
    "injects where 80 % of the adaptive channels are free": (0, 80, 0),
}


def minimal_or_escape(at: At) -> tuple[int, int]:
    """The least loaded shortest path with a free adaptive channel (classes 1 to 3), else the tables' path in class 0."""
    waits, share, returns = at.data[0], at.data[1], at.data[2]
    if at.vc_class == 0 and returns == 0:
        return table_port(at, at.switch, at.destination), 0
    degree = links(at, at.switch)
    if share > 0 and at.vc_class < 0:
        free = 0
        for port in range(degree):
            for adaptive in range(1, 4):
                if available(at, port, adaptive):
                    free += 1
        if free * 100 < share * 3 * degree:
            return -1, 0
    hops = hops_between(at, at.switch, at.destination)
    best, least, chosen = -1, 0, 0
    for port in range(degree):
        if hops_between(at, neighbour(at, at.switch, port), at.destination) >= hops:
            continue
        for adaptive in range(1, 4):
            if available(at, port, adaptive):
                waiting = queue(at, at.switch, port)
                if best < 0 or waiting < least:
                    best, least, chosen = port, waiting, adaptive
    if best >= 0:
        return best, chosen
    if at.memory[0] != at.hops + 1:
        at.memory[0], at.memory[1] = at.hops + 1, at.cycle
    if at.cycle - at.memory[1] < waits:
        return -1, 0
    return table_port(at, at.switch, at.destination), 0


def varied(network: Network, waits: int, share: int, returns: int) -> Routing:
    """The network with up*/down* tables, and the function as its choice."""
    function = Adaptive(
        f"{__name__}:{minimal_or_escape.__name__}",
        classes=4,
        again=True,
        memory=2,
        data=np.array([waits, share, returns], np.int64),
    )
    return replace(
        route(network.build(1), "updown"), engine="minimal_or_escape", virtual_channels=None, choice=function
    )


def accepted_beyond(network: Network, load: float) -> dict[str, float]:
    """Accepted traffic in Gbit/s per host, by variant of the routing and of up*/down* alone, at a load beyond saturation."""

    def compute() -> dict[str, float]:
        routings = {name: varied(network, *numbers) for name, numbers in _VARIANTS.items()}
        routings["up*/down* alone"] = route(network.build(1), "updown")
        accepted = {}
        for name, routing in routings.items():
            curve = simulate(routing, "uniform", PRESET, loads=[load], seed=1, jobs=1, interval=0.1)
            if curve.ended != "done":
                raise KeyboardInterrupt
            accepted[name] = round(gbit_s(curve.points[0].accepted), 3)
        return accepted

    variants = "; ".join(f"{name} {numbers}" for name, numbers in _VARIANTS.items())
    return long_run(
        f"{network.command('uniform', f'{load:g}')} --interval 0.1, with minimal_or_escape of"
        f" topoloom_papers.papers.koibuchi_2013._escapes: {variants}; and engine updown",
        dict[str, float],
        compute,
    )
