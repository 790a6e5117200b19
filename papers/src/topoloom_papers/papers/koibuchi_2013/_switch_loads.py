"""Networks of Koibuchi 2013 under load: latency in ns against accepted traffic in Gbit/s a host."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.families.permute import permute
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run

#: The router of Koibuchi 2013 III.C.
PRESET = "koibuchi-2013"
#: Flits a host and cycle of an almost empty network, 1 and 0.2 Gbit/s: links are busy for 2 to 4 % of the time. Networks of
#: degree 4 have half the links for as many hosts, and paths twice as long.
LOW, LOW_4 = 0.01, 0.002
#: A curve ends beyond this latency: Koibuchi 2013's throughput is read off at 1,200 ns.
HIGHEST_NS, THROUGHPUT_NS = 2000.0, 1200.0
#: Saturated networks have at least so many times the latency of almost empty ones.
_LOADED = 1.5


@dataclass(frozen=True)
class Network:
    """A spec with ``{seed}`` where it is random, and how Koibuchi 2013 III.C routes it: `virtual_channels` VCs in all.

    `homes`: each switch's rack, where the spec has still to be permuted and no spec can say so. `low`: the load at which
    it is almost empty, flits a host and cycle.
    """

    spec: str
    engine: str
    virtual_channels: int | None = 4
    homes: tuple[int, ...] = ()
    low: float = LOW

    def build(self, draw: int) -> Topology:
        """One draw; with `homes`, the spec fully permuted in those racks."""
        topology = build(self.spec.format(seed=draw))
        if not self.homes:
            return topology
        grouped = topology.replace(labels={**topology.labels, "group": np.array(self.homes)})
        return permute(grouped, "full", None, "drop", draw)

    @property
    def more(self) -> str:
        """What the command does not say: the racks in which the network is permuted."""
        return f"; permuted in {len(set(self.homes))} racks, 16 leaves each and all others in one" if self.homes else ""

    def command(self, traffic: str, loads: str = "") -> str:
        """How a user simulates its first draw."""
        virtual_channels = "" if self.virtual_channels is None else f" --virtual-channels {self.virtual_channels}"
        return (
            f"topoloom simulate '{self.spec.format(seed=1)}' --engine {self.engine}{virtual_channels} --traffic {traffic}"
            f" --preset {PRESET} --loads {loads or self.low}"
        )


@lru_cache(maxsize=64)
def _routed(network: Network, draw: int) -> Routing:
    return route(network.build(draw), network.engine, virtual_channels=network.virtual_channels)


def clos_in_other_racks(switches: int) -> Network:
    """The Myrinet Clos to be permuted with 16 leaves a rack, and all middle and top switches in one."""
    leaves = switches * 2 // 5
    homes = tuple(min(switch, leaves) // 16 for switch in range(switches))
    return Network(f"myrinet-clos:switches={switches}", "updown", None, homes)


def _points(routing: Routing, traffic: str, loads: list[float], seed: int, jobs: int | None) -> tuple[Point, ...]:
    curve = simulate(routing, traffic, PRESET, loads=loads, seed=seed, jobs=jobs)
    if curve.ended != "done":
        raise KeyboardInterrupt
    return curve.points


def _ns(point: Point) -> float:
    return point.latency_mean * find_preset(PRESET).cycle_ns


def gbit_s(flits: float) -> float:
    """Flits a cycle as Gbit/s."""
    router = find_preset(PRESET)
    return flits * router.flit_bits / router.cycle_ns


def low_ns(network: Network, traffic: str, draws: tuple[int, ...]) -> list[float]:
    """Mean latency in the almost empty network, for each draw: the seed of the topology and of the simulation."""
    command = f"{network.command(traffic)}; seeds of topology and simulation {', '.join(map(str, draws))}"
    return long_run(command + network.more, list[float], lambda: ns_of_draws(network, traffic, draws))


def ns_of_draws(network: Network, traffic: str, draws: tuple[int, ...]) -> list[float]:
    """What `low_ns` keeps, measured now."""
    found: dict[int, float] = {}
    routings = [_routed(network, draw) for draw in draws]

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            draw = draws[number]
            found[draw] = _ns(
                simulate(routings[number], traffic, PRESET, loads=[network.low], seed=draw, jobs=1).points[0]
            )

    over_cores(work, len(draws), None)
    return [round(found[draw], 4) for draw in draws]


def sweep(network: Network, traffic: str, step: float) -> list[tuple[float, float]]:
    """Accepted traffic in Gbit/s a host and latency in ns, of the first draw.

    At low load and every `step` up to the first point above 2 us or saturated, which is the last; and twice half way
    around where latency passes 1.2 us.
    """
    command = network.command(traffic, f"{network.low},{step:g}:1:{step:g}") + " to 2 us, and around 1.2 us"
    return long_run(command + network.more, list[tuple[float, float]], lambda: _sweep(network, traffic, step))


def _sweep(network: Network, traffic: str, step: float) -> list[tuple[float, float]]:
    routing, found = _routed(network, 1), dict[float, tuple[float, float, bool]]()

    def look(loads: list[float]) -> None:
        for point in _points(routing, traffic, loads, 1, None):
            ns = _ns(point)
            first_ns = found[network.low][1] if found else ns
            # A few packets may fall short by chance; where hosts truly get less, latency has risen, too.
            over = ns > HIGHEST_NS or (point.saturated and ns > _LOADED * first_ns)
            found[point.offered] = (gbit_s(point.accepted), ns, over)

    look([network.low, step])
    while not any(over for _, _, over in found.values()) and max(found) < 1:
        last = max(found)
        look([load for load in (round(last + step, 6), round(last + 2 * step, 6)) if load <= 1])
    for _ in range(2):
        passed = [load for load, (_, ns, over) in found.items() if ns > THROUGHPUT_NS or over]
        below = [load for load in found if not passed or load < min(passed)]
        if passed and below:
            look([round((min(passed) + max(below)) / 2, 6)])
    points = []
    for load in sorted(found):
        points.append(found[load][:2])
        if found[load][2]:
            break
    return [(round(accepted, 5), round(ns, 4)) for accepted, ns in points]


def throughput(points: Sequence[tuple[float, float]]) -> float:
    """Accepted traffic in Gbit/s a host where latency passes 1,200 ns (Koibuchi 2013 III.D), linear between points.

    Beyond saturation less may be accepted than before: then what was accepted before.

    Examples
    --------
    >>> throughput(((1.0, 600.0), (2.0, 800.0), (3.0, 1600.0)))
    2.5
    """
    last = (0.0, 0.0)
    for accepted, ns in points:
        if ns > THROUGHPUT_NS:
            return last[0] + max(0.0, accepted - last[0]) * (THROUGHPUT_NS - last[1]) / (ns - last[1])
        last = (accepted, ns)
    return last[0]
