"""Black holes in forwarding tables: the entries at which packets between hosts are lost, one per root cause."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.fabric._host_paths import AT_HOME, CYCLE, NO_ENTRY, NO_LINK, Lost
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.tables_from import entry_links
from topoloom.model.results import Recorded

#: Destinations named in a text.
_SHOWN = 3


@dataclass(frozen=True)
class BlackHole(Recorded):
    """Entries of one root cause at which packets are lost.

    Attributes
    ----------
    switch : str
        The switch with the entries; empty if no switch has an entry for the destinations.
    port : int
        The port of the entries; -1: there is no entry, or the entries are of several switches.
    reason : str
        What is wrong: "port 33 has no cable".
    destinations, pairs : int
        The number of host ports that the entries are for, and of pairs of host ports that they disconnect.
    examples : tuple of str
        Names of the first destinations.
    """

    switch: str
    port: int
    reason: str
    destinations: int
    pairs: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        count = f"{self.destinations:,} destination{'s' if self.destinations > 1 else ''}"
        names = ", ".join(self.examples) + (", ..." if self.destinations > len(self.examples) else "")
        text = f"{self.reason}: {count} ({names}), {self.pairs:,} pairs"
        return f"{self.switch} {text}" if self.switch else text


def black_holes(tables: Tables, fabric: Fabric, lost: list[Lost]) -> tuple[BlackHole, ...]:
    """The root causes of lost paths, those that disconnect most pairs first.

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    lost : list of Lost
        As `walk` records them.

    Returns
    -------
    tuple of BlackHole
    """
    if not lost:
        return ()
    kind, switch, target, pairs = (
        np.concatenate([getattr(part, name) for part in lost]) for name in ("kind", "switch", "target", "pairs")
    )
    holes = _Holes(tables, fabric)
    path = np.concatenate([np.full(part.target.size, part.path) for part in lost])
    by_path = _absent(tables, fabric.topology.endpoints.size)
    absent, fully = by_path[path, target], np.asarray(by_path.all(axis=0))[target]
    without = np.isin(switch, list(tables.notes.without_table)) & ~absent & (kind != CYCLE)
    for reason, chosen in (
        ("no switch has an entry", absent & fully),
        ("no switch has an entry for one of the LIDs", absent & ~fully),
    ):
        if chosen.any():
            holes.add("", -1, reason, target[chosen], pairs[chosen])
    for each in np.unique(switch[without]).tolist():
        chosen = without & (switch == each)
        holes.add(holes.switch_names[each], -1, "has no table in the file", target[chosen], pairs[chosen])
    for name, chosen in (
        *((NO_ENTRY, ~absent & ~without & (kind == NO_ENTRY)), (CYCLE, ~absent & (kind == CYCLE))),
        *((NO_LINK, ~absent & ~without & (kind == NO_LINK)), (AT_HOME, ~absent & ~without & (kind == AT_HOME))),
    ):
        if not chosen.any():
            continue
        if name == CYCLE:
            holes.cycles(switch[chosen], target[chosen], pairs[chosen])
        else:
            holes.entries(name, switch[chosen], target[chosen], pairs[chosen])
    return tuple(sorted(holes.holes, key=lambda hole: (-hole.pairs, hole.switch, hole.port)))


def _absent(tables: Tables, endpoints: int) -> np.ndarray:
    """Whether no switch has an entry for an address of an endpoint, bool[paths, endpoints]."""
    return np.stack([(tables.path(number)[:, :endpoints] < 0).all(axis=0) for number in range(tables.paths)])


class _Holes:
    """Collects black holes with the unique names of a fabric."""

    def __init__(self, tables: Tables, fabric: Fabric) -> None:
        self.holes: list[BlackHole] = []
        self._tables, self._fabric = tables, fabric
        topology = fabric.topology
        self.switch_names, self._host_names = distinct_names(fabric)
        self._behind: dict[tuple[int, int], str] = {}
        for e, (switch, port) in enumerate(
            zip(topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), strict=True)
        ):
            self._behind[switch, port] = f"host {self._host(e)}"
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
            self._behind[u, p] = f"switch {self.switch_names[v]}"
            self._behind[v, q] = f"switch {self.switch_names[u]}"
        for switch, p, q in fabric.loops.tolist():
            self._behind[switch, p] = self._behind[switch, q] = "the switch itself, by a cable of both ends in it"

    def _host(self, endpoint: int) -> str:
        name = self._host_names[self._fabric.topology.host[endpoint]]
        port = int(self._fabric.host_ports[endpoint])
        return name if port == 1 else f"{name} port {port}"

    def add(self, switch: str, port: int, reason: str, targets: np.ndarray, pairs: np.ndarray) -> None:
        """Add a black hole."""
        each = np.unique(targets)
        names = tuple(self._host(e) for e in each[:_SHOWN].tolist())
        self.holes.append(BlackHole(switch, port, reason, each.size, int(pairs.sum()), names))

    def entries(self, kind: int, switch: np.ndarray, target: np.ndarray, pairs: np.ndarray) -> None:
        """Add the entries where paths end, one black hole per switch and port."""
        port = self._ports(switch, target, kind)
        for s, p in np.unique(np.stack([switch, port], axis=1), axis=0).tolist():
            chosen = (switch == s) & (port == p)
            if kind == NO_ENTRY or p < 0:
                reason = "has no entry"
            elif kind == AT_HOME:
                right = np.unique(self._fabric.endpoint_ports[target[chosen]])
                plugs = "its cable is in port" if right.size == 1 else "their cables are in ports"
                own = f"{plugs} {', '.join(map(str, right[:_SHOWN].tolist()))}"
                reason = f"sends them to port {p} ({self._leads(s, p)}), but {own}"
            else:
                reason = f"port {p} leads to {self._leads(s, p)}"
            self.add(self.switch_names[s], p, reason, target[chosen], pairs[chosen])

    def _ports(self, switch: np.ndarray, target: np.ndarray, kind: int) -> np.ndarray:
        """The real port of each bad entry (-1: there is none); with several addresses, that of the first bad one."""
        port = np.full(switch.size, -1, np.int64)
        open_rows = np.ones(switch.size, bool)
        for number in range(self._tables.paths):
            ports = self._tables.path(number)
            own = ports[switch, target].astype(np.int64)
            if kind == AT_HOME:
                bad = own != self._fabric.endpoint_ports[target]
            elif kind == NO_LINK:
                bad = entry_links(ports, self._fabric)[switch, target] == -2
            else:
                bad = own < 0
            port = np.where(open_rows & bad, own, port)
            open_rows &= ~bad
        return port

    def _leads(self, switch: int, port: int) -> str:
        if port == 0:
            return "the switch itself"
        if (switch, port) in self._behind:
            return self._behind[switch, port]
        if port > int(self._fabric.switch_ports[switch]):
            return f"nothing: the switch has {int(self._fabric.switch_ports[switch])} ports"
        return "nothing: it has no cable"

    def cycles(self, switch: np.ndarray, target: np.ndarray, pairs: np.ndarray) -> None:
        """Add the cycles in which paths run, each once."""
        paths: dict[tuple[int, ...], list[int]] = {}
        rows = np.unique(np.stack([switch, target], axis=1), axis=0, return_index=True)[1]
        cycle_of = {}
        for row in rows.tolist():
            cycle_of[int(switch[row]), int(target[row])] = self._cycle(int(switch[row]), int(target[row]))
        for row, key in enumerate(zip(switch.tolist(), target.tolist(), strict=True)):
            paths.setdefault(cycle_of[key], []).append(row)
        for cycle, members in paths.items():
            names = [self.switch_names[s] for s in (*cycle, cycle[0])]
            self.add(
                names[0], -1, f"and others send them in a circle, {' -> '.join(names)}", target[members], pairs[members]
            )

    def _cycle(self, start: int, target: int) -> tuple[int, ...]:
        """The switches of the cycle through a switch, from the lowest on."""
        for number in range(self._tables.paths):
            cycle = tuple(self._follow(start, target, number))
            if cycle:
                low = cycle.index(min(cycle))
                return cycle[low:] + cycle[:low]
        return (start,)

    def _follow(self, start: int, target: int, number: int) -> Iterator[int]:
        topology = self._fabric.topology
        offsets, to, _ = topology.csr
        walked: list[int] = []
        at, home = start, int(topology.endpoints[target])
        offset = number % int(self._tables.path_counts[target])
        ports = self._tables.ports if offset == 0 else self._tables.more_ports[offset - 1]
        while at not in walked:
            walked.append(at)
            leaving = self._fabric.channel_ports[offsets[at] : offsets[at + 1]]
            link = np.flatnonzero(leaving == ports[at, target])
            if at == home or not link.size:
                return iter(())
            at = int(to[offsets[at] + link[0]])
        return iter(walked[walked.index(at) :])
