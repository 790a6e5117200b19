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
#: A curve ends beyond `HIGHEST_NS`; Koibuchi 2013 III.D reads the throughput of figures 10 and 16 at 1,200 ns.
HIGHEST_NS, THROUGHPUT_NS = 2000.0, 1200.0
#: Least ratio of the latency of a saturated network to that of an almost empty one.
_LOADED = 1.5
#: Beyond saturation, accepted traffic is below this share of what was accepted at a lower load, or latency below that of the
#: load before: packets that wait have not arrived when the simulation ends.
_FALLS, _FALLS_NS = 0.99, 0.95
#: Relative half width of the confidence interval of the latencies of further draws.
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


def _points(routing: Routing, traffic: str, loads: list[float], seed: int, jobs: int | None) -> tuple[Point, ...]:
    curve = simulate(routing, traffic, PRESET, loads=loads, seed=seed, jobs=jobs)
    if curve.ended != "done":
        raise KeyboardInterrupt
    return curve.points


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


def sweep(network: Network, traffic: str, step: float) -> list[tuple[float, float]]:
    """Points (accepted traffic in Gbit/s per host, latency in ns) of the first draw.

    The loads are the low load and multiples of `step`, up to the first point that is above 2 us or saturated. Two more
    points bisect the interval in which latency passes 1.2 us.
    """
    command = network.command(traffic, f"{network.low},{step:g}:1:{step:g}") + " to 2 us, and around 1.2 us"
    return long_run(command + network.more, list[tuple[float, float]], lambda: _sweep(network, traffic, step))


def _sweep(network: Network, traffic: str, step: float) -> list[tuple[float, float]]:
    # Accepted traffic, latency and whether the curve ends there, by offered load.
    routing, by_load = _routed(network, 1), dict[float, tuple[float, float, bool]]()

    def add(loads: list[float]) -> None:
        for point in _points(routing, traffic, loads, 1, None):
            ns = _ns(point)
            first_ns = by_load[network.low][1] if by_load else ns
            # A few packets may be missing by chance; at true saturation the latency has risen as well.
            over = ns > HIGHEST_NS or (point.saturated and ns > _LOADED * first_ns)
            by_load[point.offered] = (gbit_s(point.accepted), ns, over)

    add([network.low, step])
    while not any(over for _, _, over in by_load.values()) and max(by_load) < 1:
        last = max(by_load)
        add([load for load in (round(last + step, 6), round(last + 2 * step, 6)) if load <= 1])
    for _ in range(2):
        passed = [load for load, (_, ns, over) in by_load.items() if ns > THROUGHPUT_NS or over]
        below = [load for load in by_load if not passed or load < min(passed)]
        if passed and below:
            add([round((min(passed) + max(below)) / 2, 6)])
    points = []
    for load in sorted(by_load):
        points.append(by_load[load][:2])
        if by_load[load][2]:
            break
    return [(round(accepted, 5), round(ns, 4)) for accepted, ns in points]


def further_draws(network: Network, traffic: str, width: float, draws: Sequence[int]) -> list[float]:
    """Throughput before saturation in Gbit/s per host, as `greatest`, of further draws of a random network.

    Loads are multiples of `width`. The search begins at the offered load that the first draw accepted last, and goes up while
    the load is carried, or down until one is: the accepted traffic of the last load that is carried.
    """
    start = max(1, round(greatest(sweep(network, traffic, round(4 * width, 6))) / gbit_s(width)))
    command = network.command(traffic, f"multiples of {width:g} from {start * width:g}")
    command += f" --interval {_INTERVAL:g}, to saturation; seeds of topology and simulation "
    command += ", ".join(map(str, draws)) + network.more
    return long_run(command, list[float], lambda: [_carried(network, traffic, width, start, draw) for draw in draws])


def _carried(network: Network, traffic: str, width: float, start: int, draw: int) -> float:
    def accepted(multiple: int) -> float | None:
        """Accepted traffic at a load; None if the network is saturated."""
        load = round(multiple * width, 6)
        curve = simulate(_routed(network, draw), traffic, PRESET, loads=[load], seed=draw, jobs=1, interval=_INTERVAL)
        if curve.ended != "done":
            raise KeyboardInterrupt
        point = curve.points[0]
        return None if point.saturated else round(gbit_s(point.accepted), 4)

    multiple, last = start, accepted(start)
    if last is None:
        while last is None and multiple > 1:
            multiple -= 1
            last = accepted(multiple)
        return last or 0.0
    while multiple * width < 1 and (higher := accepted(multiple + 1)) is not None:
        multiple, last = multiple + 1, higher
    return last


def before_collapse(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of a curve up to saturation: to where accepted traffic or latency falls, by more than chance.

    Examples
    --------
    >>> before_collapse([(1.0, 500.0), (2.0, 600.0), (0.6, 1900.0), (2.1, 1200.0)])
    [(1.0, 500.0), (2.0, 600.0)]
    >>> before_collapse([(1.0, 500.0), (2.0, 900.0), (2.1, 700.0)])
    [(1.0, 500.0), (2.0, 900.0)]
    """
    rising: list[tuple[float, float]] = []
    for accepted, ns in points:
        if rising and (accepted < _FALLS * greatest(rising) or ns < _FALLS_NS * rising[-1][1]):
            break
        rising.append((accepted, ns))
    return rising


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
