"""Simulated annealing of host-switch graphs: the fewest hops between hosts, with a given number of switches."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import cooled, median_change, metropolis_table
from topoloom.topologies.families.kernels.host_switch import HostSwitch, anneal_hosts, host_hops

#: The first and the last temperature, in units of the median change of a random move, and the number of temperatures.
_HOT, _COLD, _TEMPERATURES = 0.12, 0.01, 200
#: Largest share of pairs at the diameter for which one hop less becomes the target.
_AIM = 0.01
#: Number of moves for the median change.
_SAMPLE = 100
_NEVER = 1 << 62


class HostSearch:
    """A network of switches with `radix` ports: `cost` is (pairs without path, largest distance, hops) over ordered pairs of
    hosts.

    The start is random: hosts spread evenly, and links between the other ports. A swap exchanges the ends of two links; a swing
    replaces link a - b with a - c and moves a host from c to b, so that no switch uses more ports.

    Parameters
    ----------
    hosts, radix, switches : int
        With enough ports for a connected network.
    draws : Draws

    Source: Yasudo et al., ICPP 2017 (swap and swing).
    """

    def __init__(self, hosts: int, radix: int, switches: int, draws: Draws) -> None:
        self._network = _random(hosts, radix, switches, draws)
        self._scratch = np.zeros(8 * switches, np.uint64), np.zeros(8 * switches, np.uint64)
        self._state, self._thresholds = draws.state(), metropolis_table()
        self._target = switches
        self._totals = np.array(self._hops(), np.int64)
        self._best = self._network.table.copy(), np.stack([self._network.links, self._network.hosts])
        self._aim()

    @property
    def cost(self) -> tuple[int, int, int]:
        """Of the best network so far."""
        _, lost, diameter, _, hops = self._totals.tolist()
        return lost, diameter, hops

    def best(self) -> tuple[np.ndarray, np.ndarray]:
        """The best network so far: its links, int32[k, 2] with u < v, and the hosts of each switch, int32[m]."""
        table, (links, hosts) = self._best
        u = np.repeat(np.arange(len(table), dtype=np.int32), links)
        v = table[np.arange(table.shape[1]) < links[:, None]]
        return np.stack([u[u < v], v[u < v]], axis=1), hosts

    def run(self, moves: int, least: tuple[int, int, int]) -> None:
        """Try `moves` moves while the temperature falls; stop if the cost reaches `least`."""
        unit, tried = self._median_change(), 0
        while tried < moves and self.cost > least:
            self._aim()
            count = min(max(1, moves // _TEMPERATURES), moves - tried)
            self._anneal(unit * cooled(_HOT, _COLD, tried / moves), count)
            tried += count

    def _anneal(self, temperature: float, moves: int) -> None:
        anneal_hosts(
            self._network,
            self._target,
            self._totals,
            *self._best,
            self._state,
            self._thresholds,
            temperature,
            moves,
            *self._scratch,
        )

    def _hops(self) -> tuple[int, ...]:
        totals: tuple[int, ...] = host_hops(self._network, self._target, _NEVER, *self._scratch)
        return totals

    def _aim(self) -> None:
        """Set the target to the diameter of the best, or to one hop less if few pairs are at the diameter."""
        _, lost, diameter, farthest, _ = self._totals.tolist()
        target = max(1, diameter - (farthest <= _AIM * self._network.place.size**2))
        if not lost and target != self._target:
            self._target = target
            self._totals[0] = self._hops()[0]

    def _median_change(self) -> float:
        """The median absolute change of cost of random moves from the start."""

        def change() -> int:
            before = self._totals[0]
            self._anneal(1e15, 1)
            return int(self._totals[0] - before)

        return median_change(change, _SAMPLE)


def _random(hosts: int, radix: int, switches: int, draws: Draws) -> HostSwitch:
    """Spread the hosts evenly and link the other ports at random, after a random tree that connects all switches.

    Ports stay idle if no two switches with idle ports lack a link. The tree is filled from the switches with most free ports,
    so that it exists whenever n + 2 (m - 1) <= m r.
    """
    place = np.sort(np.arange(hosts) % switches).astype(np.int32)
    counts = np.bincount(place, minlength=switches).astype(np.int32)
    free = (radix - counts).tolist()
    linked: list[set[int]] = [set() for _ in range(switches)]

    def join(u: int, v: int) -> None:
        linked[u].add(v)
        linked[v].add(u)
        free[u] -= 1
        free[v] -= 1

    order = draws.permutation(switches).tolist()
    order.sort(key=lambda switch: -free[switch])
    open_ports = [order[0]] * free[order[0]] if switches > 1 else []
    for switch in order[1:]:
        at = int(draws.below(len(open_ports), 1)[0])
        open_ports[at], open_ports[-1] = open_ports[-1], open_ports[at]
        join(open_ports.pop(), switch)
        open_ports += [switch] * free[switch]
    failures = 0
    while failures < 20:
        ports = np.repeat(np.arange(switches), free)
        ports = ports[draws.permutation(ports.size)]
        made = 0
        for u, v in zip(ports[0::2].tolist(), ports[1::2].tolist(), strict=False):
            if u != v and v not in linked[u] and free[u] and free[v]:
                join(u, v)
                made += 1
        failures = 0 if made else failures + 1
    table = np.zeros((switches, radix), np.int32)
    for switch, others in enumerate(linked):
        table[switch, : len(others)] = sorted(others)
    return HostSwitch(table, np.array([len(others) for others in linked], np.int32), counts, place)
