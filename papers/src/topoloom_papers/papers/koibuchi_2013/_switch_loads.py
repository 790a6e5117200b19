"""Networks of Koibuchi 2013 under load: latency in ns against accepted traffic in Gbit/s per host."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.families.permute import permute
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run

T = TypeVar("T")

#: The router of Koibuchi 2013 III.C.
PRESET = "koibuchi-2013"
#: Load of an almost empty network in flits per host and cycle (1 and 0.2 Gbit/s): links are busy for 2 to 4 % of the time.
#: `LOW_4` is for networks of degree 4, with half the links for as many hosts and paths twice as long.
LOW, LOW_4 = 0.01, 0.002
#: Draws of a random network: seeds of the topology and of the traffic.
DRAWS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Network:
    """A network of the paper and its routing (Koibuchi 2013 III.C), with `virtual_channels` in total.

    `spec` has ``{seed}`` if it is random. `homes`: the rack of each switch, if the network is still to be permuted in racks
    that no spec can express. `low`: the load at which the network is almost empty, in flits per host and cycle. `coarse`:
    the patterns whose curve is the coarse sweep of one draw.
    """

    spec: str
    engine: str
    virtual_channels: int | None = 4
    homes: tuple[int, ...] = ()
    low: float = LOW
    coarse: tuple[str, ...] = ()

    def build(self, draw: int) -> Topology:
        """Build one draw; with `homes`, the network of the spec is fully permuted in those racks."""
        topology = build(self.spec.format(seed=draw))
        if not self.homes:
            return topology
        grouped = topology.replace(labels={**topology.labels, "group": np.array(self.homes)})
        return permute(grouped, "full", None, "drop", draw)

    @property
    def step(self) -> float:
        """The distance of offered loads, in flits per host and cycle: 4.8 Gbit/s, and 0.96 at degree 4."""
        return 5 * self.low

    def draws(self, traffic: str) -> tuple[int, ...]:
        """The draws of its curve: `DRAWS`, or one if the curve is `coarse` or the network is not random."""
        several = ("{seed}" in self.spec or self.homes) and traffic not in self.coarse
        return DRAWS if several else DRAWS[:1]

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
def routed(network: Network, draw: int) -> Routing:
    """One draw with its routing tables."""
    return route(network.build(draw), network.engine, virtual_channels=network.virtual_channels)


def clos_in_other_racks(switches: int) -> Network:
    """The Myrinet Clos, to be permuted with 16 leaf switches per rack and all other switches in one rack."""
    leaves = switches * 2 // 5
    homes = tuple(min(switch, leaves) // 16 for switch in range(switches))
    return Network(f"myrinet-clos:switches={switches}", "updown", None, homes)


def simulated(
    network: Network, traffic: str, draw: int, load: float, interval: float | None = None
) -> tuple[float, float, bool]:
    """Simulate one load of one draw.

    Parameters
    ----------
    network : Network
    traffic : str
        The name of a pattern.
    draw : int
        The seed of the topology and of the traffic.
    load : float
        Offered, in flits per host and cycle.
    interval : float, optional
        As for `topoloom.simulate`.

    Returns
    -------
    (float, float, bool)
        Accepted traffic in Gbit/s per host, mean latency in ns, and whether the network is saturated.
    """
    curve = simulate(routed(network, draw), traffic, PRESET, loads=[load], seed=draw, jobs=1, interval=interval)
    if curve.ended != "done":
        raise KeyboardInterrupt
    point = curve.points[0]
    ns = point.latency_mean * find_preset(PRESET).cycle_ns
    return round(gbit_s(point.accepted), 5), round(ns, 4), point.saturated


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
    return [ns for _, ns, _ in of_draws(network, draws, lambda draw: simulated(network, traffic, draw, network.low))]


def of_draws(network: Network, draws: tuple[int, ...], measure: Callable[[int], T]) -> list[T]:
    """What `measure` returns for each draw, in order; draws are measured at the same time, on all cores."""
    by_draw: dict[int, T] = {}
    for draw in draws:
        routed(network, draw)  # built once, not by every thread

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            by_draw[draws[number]] = measure(draws[number])

    over_cores(work, len(draws), None)
    return [by_draw[draw] for draw in draws]
