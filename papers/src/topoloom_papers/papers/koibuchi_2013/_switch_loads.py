"""Networks of Koibuchi 2013 under load: latency in ns against accepted traffic in Gbit/s per host."""

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
#: Load of an almost empty network in flits per host and cycle (1 and 0.2 Gbit/s): links are busy for 2 to 4 % of the time.
#: `LOW_4` is for networks of degree 4, with half the links for as many hosts and paths twice as long.
LOW, LOW_4 = 0.01, 0.002
#: Koibuchi 2013 III.D reads the throughput of figures 10 and 16 at this latency.
THROUGHPUT_NS = 1200.0
#: Relative half width of the confidence interval of the latencies of a curve.
_INTERVAL = 0.05


@dataclass(frozen=True)
class Network:
    """A network of the paper and its routing (Koibuchi 2013 III.C), with `virtual_channels` in total.

    `spec` has ``{seed}`` if it is random. `homes`: the rack of each switch, if the network is still to be permuted in racks
    that no spec can express. `low`: the load at which the network is almost empty, in flits per host and cycle.
    """

    spec: str
    engine: str
    virtual_channels: int | None = 4
    homes: tuple[int, ...] = ()
    low: float = LOW

    def build(self, draw: int) -> Topology:
        """Build one draw; with `homes`, the network of the spec is fully permuted in those racks."""
        topology = build(self.spec.format(seed=draw))
        if not self.homes:
            return topology
        grouped = topology.replace(labels={**topology.labels, "group": np.array(self.homes)})
        return permute(grouped, "full", None, "drop", draw)

    @property
    def more(self) -> str:
        """An addition to the command, which cannot express the racks in which the network is permuted."""
        return f"; permuted in {len(set(self.homes))} racks, 16 leaves each and all others in one" if self.homes else ""

    def command(self, traffic: str, loads: str = "") -> str:
        """The command line that simulates its first draw."""
        virtual_channels = "" if self.virtual_channels is None else f" --virtual-channels {self.virtual_channels}"
        return (
            f"topoloom simulate '{self.spec.format(seed=1)}' --engine {self.engine}{virtual_channels} --traffic {traffic}"
            f" --preset {PRESET} --loads {loads or self.low}"
        )


@lru_cache(maxsize=64)
def _routed(network: Network, draw: int) -> Routing:
    return route(network.build(draw), network.engine, virtual_channels=network.virtual_channels)


def clos_in_other_racks(switches: int) -> Network:
    """The Myrinet Clos, to be permuted with 16 leaf switches per rack and all other switches in one rack."""
    leaves = switches * 2 // 5
    homes = tuple(min(switch, leaves) // 16 for switch in range(switches))
    return Network(f"myrinet-clos:switches={switches}", "updown", None, homes)


def _ns(point: Point) -> float:
    return point.latency_mean * find_preset(PRESET).cycle_ns


def gbit_s(flits: float) -> float:
    """Convert flits per cycle to Gbit/s."""
    router = find_preset(PRESET)
    return flits * router.flit_bits / router.cycle_ns


def low_ns(network: Network, traffic: str, draws: tuple[int, ...]) -> list[float]:
    """Mean latency in ns in the almost empty network, per draw (the seed of topology and simulation)."""
    command = f"{network.command(traffic)}; seeds of topology and simulation {', '.join(map(str, draws))}"
    return long_run(command + network.more, list[float], lambda: ns_of_draws(network, traffic, draws))


def ns_of_draws(network: Network, traffic: str, draws: tuple[int, ...]) -> list[float]:
    """The latencies of `low_ns`, simulated now."""
    by_draw: dict[int, float] = {}
    routings = [_routed(network, draw) for draw in draws]

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            draw = draws[number]
            by_draw[draw] = _ns(
                simulate(routings[number], traffic, PRESET, loads=[network.low], seed=draw, jobs=1).points[0]
            )

    over_cores(work, len(draws), None)
    return [round(by_draw[draw], 4) for draw in draws]


def curves(network: Network, traffic: str, width: float, draws: Sequence[int]) -> list[list[tuple[float, float]]]:
    """Points (accepted traffic in Gbit/s per host, latency in ns) before saturation, by rising load, per draw.

    The loads are multiples of `width`; the last point of a draw is the greatest load that the network carries: the next
    multiple is saturated (`Point.saturated`). The first draw has a whole curve: the low load, every fourth multiple up to
    saturation, and a bisection of the last interval. A further draw begins at the last point of the draw before it. From its
    last point, each draw goes down until the latency is at most 1.2 us.
    """
    command = network.command(traffic, f"{network.low},{4 * width:g}:1:{4 * width:g}")
    command += f" --interval {_INTERVAL:g} to saturation in steps of {width:g}; seeds of topology and simulation "
    command += ", ".join(map(str, draws)) + network.more
    return long_run(command, list[list[tuple[float, float]]], lambda: _curves(network, traffic, width, draws))


def _curves(network: Network, traffic: str, width: float, draws: Sequence[int]) -> list[list[tuple[float, float]]]:
    drawn: list[list[tuple[float, float]]] = []
    last = 0
    for draw in draws:
        search = _Search(network, traffic, width, draw)
        last = search.along(last) if last else search.from_low_load()
        while last and search.ns(last) > THROUGHPUT_NS:
            last -= 1
        last, points = search.carried()
        drawn.append(points)
    return drawn


class _Search:
    """The loads of one draw that have been simulated; loads are whole numbers, multiples of `width`, but for the low one."""

    def __init__(self, network: Network, traffic: str, width: float, draw: int) -> None:
        self._network, self._traffic, self._width, self._draw = network, traffic, width, draw
        self._points: dict[int, Point] = {}

    def _point(self, multiple: int) -> Point:
        if multiple not in self._points:
            load = round(multiple * self._width, 6) if multiple else self._network.low
            routing = _routed(self._network, self._draw)
            curve = simulate(routing, self._traffic, PRESET, loads=[load], seed=self._draw, jobs=1, interval=_INTERVAL)
            if curve.ended != "done":
                raise KeyboardInterrupt
            self._points[multiple] = curve.points[0]
        return self._points[multiple]

    def _carries(self, multiple: int) -> bool:
        return multiple * self._width <= 1 and not self._point(multiple).saturated

    def ns(self, multiple: int) -> float:
        """The latency at a load."""
        return _ns(self._point(multiple))

    def from_low_load(self) -> int:
        """The greatest load that is carried: up in steps of four, and then by bisection."""
        low = 0
        self._point(0)
        while self._carries(low + 4):
            low += 4
        high = low + 4
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._carries(middle) else (low, middle)
        return low

    def along(self, start: int) -> int:
        """The greatest load that is carried, one by one from another draw's."""
        if not self._carries(start):
            while start and not self._carries(start):
                start -= 1
            return start
        while self._carries(start + 1):
            start += 1
        return start

    def carried(self) -> tuple[int, list[tuple[float, float]]]:
        """The greatest load that is carried, and the points up to it."""
        carried = sorted(multiple for multiple, point in self._points.items() if not (multiple and point.saturated))
        points = [self._points[multiple] for multiple in carried]
        return carried[-1], [(round(gbit_s(point.accepted), 4), round(_ns(point), 3)) for point in points]


def greatest(points: Sequence[tuple[float, float]]) -> float:
    """Throughput in Gbit/s per host: the most traffic accepted before the network is saturated (Koibuchi 2013 III.C.1)."""
    return max(accepted for accepted, _ in points)


def throughput(points: Sequence[tuple[float, float]]) -> float:
    """Throughput in Gbit/s per host: accepted traffic at a latency of 1,200 ns (Koibuchi 2013 III.D), linear between points.

    Beyond saturation the accepted traffic may fall; then the last value before it counts.

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
