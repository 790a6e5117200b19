"""Chosen parts of a network that are lost, and what is left of it."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.largest_parts import largest_parts
from topoloom.graph.planes import planes_of
from topoloom.model.topology import Topology


class LostParts:
    """The lost parts of a network, the largest part of what is left, and the hosts that are cut off.

    Parameters
    ----------
    topology : Topology
    links : pairs of switches
        One cable of each pair is lost.
    switches, cables, hosts : int[...]
        Lost switches, cables by their indices in `Topology.links`, and hosts without power.

    Attributes
    ----------
    alive, main : bool[switches]
        Switches that are not lost, and those in the largest part of each plane.
    links : bool[links]
        Cables that are lost by themselves.
    dark : bool[hosts]
        Hosts without power.
    keep : bool[links]
        Cables that are left, between switches that are.
    part : int[switches]
        The connected part of each switch.
    switches : tuple of int
    lost_links : tuple of (int, int)
        Of `links` those between switches that are left.
    cut_off : list of int
        Hosts without a port in the largest part of a plane, or without power.
    surviving : Topology
        The largest parts as a network; switches are numbered again.

    Raises
    ------
    InputError
        No such link, switch or host, or nothing is left.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        links: Iterable[tuple[int, int]] = (),
        switches: Iterable[int] = (),
        cables: Iterable[int] = (),
        hosts: Iterable[int] = (),
    ) -> None:
        n = topology.switches
        self._topology = topology
        self.alive, self.links = np.ones(n, np.bool_), np.zeros(len(topology.links), np.bool_)
        self.dark = np.zeros(topology.hosts, np.bool_)
        for name, numbers, mark, value in (
            ("switch", switches, self.alive, False),
            ("cable", cables, self.links, True),
            ("host", hosts, self.dark, True),
        ):
            for number in numbers:
                if not 0 <= number < mark.size:
                    raise InputError(f"{topology.name}: no {name} {number}; they are 0 to {mark.size - 1}")
                mark[number] = value
        for u, v in links:
            same = np.flatnonzero((topology.links == (min(u, v), max(u, v))).all(axis=1) & ~self.links)
            if not same.size:
                raise InputError(f"{topology.name}: no link {u}-{v}, or it is lost already")
            self.links[same[0]] = True
        self.switches = tuple(np.flatnonzero(~self.alive).tolist())
        both = self.alive[topology.links].all(axis=1)
        self.lost_links = tuple((int(u), int(v)) for u, v in topology.links[self.links & both].tolist())
        self.keep = both & ~self.links
        self.part, self.main = largest_parts(topology, planes_of(topology), self.alive, self.keep, ~self.dark)
        if not self.main.any():
            raise InputError(f"{topology.name}: no switch is left; lose less")
        port = self.main[topology.endpoints] & ~self.dark[topology.host]
        self.cut_off = np.flatnonzero(np.bincount(topology.host[port], minlength=topology.hosts) == 0).tolist()
        self.surviving = self._surviving(port)

    def _surviving(self, port: np.ndarray) -> Topology:
        """The largest parts as a network; switches are numbered again."""
        topology, main = self._topology, self.main
        number = np.cumsum(main) - 1
        keep = self.keep & main[topology.links].all(axis=1)
        return Topology(
            links=number[topology.links[keep]],
            switches=int(main.sum()),
            endpoints=number[topology.endpoints[port]],
            host=np.unique(topology.host[port], return_inverse=True)[1].reshape(-1),
            labels={name: np.asarray(values)[main] for name, values in topology.labels.items()},
            name=f"{topology.name} after losses",
            **topology.rates_of(keep, port),
        )

    def pairs_disconnected(self) -> int:
        """Unordered pairs of hosts without a path."""
        topology = self._topology
        port = self.alive[topology.endpoints] & ~self.dark[topology.host]
        reach = np.unique(np.stack([topology.host[port], self.part[topology.endpoints[port]]], axis=1), axis=0)
        by_host: dict[int, list[int]] = {}
        for host, part in reach.tolist():
            by_host.setdefault(host, []).append(part)
        groups = Counter(tuple(parts) for parts in by_host.values())
        connected = sum(count * (count - 1) // 2 for count in groups.values())
        if any(len(parts) > 1 for parts in groups):
            sets = [(set(parts), count) for parts, count in groups.items()]
            connected += sum(
                count * other
                for number, (parts, count) in enumerate(sets)
                for others, other in sets[number + 1 :]
                if parts & others
            )
        return topology.hosts * (topology.hosts - 1) // 2 - connected
