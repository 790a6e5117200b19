"""Splicing: a new switch is inserted into existing links, and all existing switches keep their degrees (Jellyfish)."""

from collections.abc import Iterator

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, Stage, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.placement.layout.racks import switch_demands

#: The largest number of steps that people will read; with more new switches a step has several.
_STEPS = 64
_TAKES = ("degree", "hosts", "batch")


@method("splice", "any topology: a new switch is inserted into randomly drawn links (Jellyfish)", takes=_TAKES)
def splice(request: ExpansionRequest) -> Growth:
    """For every two ports of a new switch, one randomly drawn link u - v becomes u - x - v; all degrees stay.

    Source: Singla, Hong, Popa and Godfrey, Jellyfish, NSDI 2012, 4.2.
    """
    splicer = _Splicer(request)
    draws = Draws(request.seed)
    stages = []
    for members in splicer.batches():
        for new in members.tolist():
            splicer.join(new, _drawn(splicer, draws))
        stages.append(splicer.stage(members))
    return Growth(tuple(stages))


@method("splice-near", "any topology: new switches in one rack, inserted into the nearest links", takes=_TAKES)
def splice_near(request: ExpansionRequest) -> Growth:
    """Like splice, with the links that need the least cable from the place of the new switches; ties are drawn.

    New switches that fit in one rack stand together, where their cables are shortest, and are inserted into links between
    switches that existed before the plan, so that their cables go to one or few racks (Truong 2016 section 1); links of other
    new switches are used only if those do not suffice.
    """
    splicer, growing_floor = _Splicer(request), request.growing_floor
    draws = Draws(request.seed)
    stages, chosen = [], {}
    for members in splicer.batches():
        loads = np.repeat(splicer.load, len(members), axis=0)
        for piece in growing_floor.pieces(loads):
            slot = _nearest(splicer, growing_floor, loads[piece])
            for new in members[piece].tolist():
                rows = splicer.first_links()
                cost_m = _detour_m(splicer, growing_floor, rows, np.array([slot]))[:, 0]
                order = np.lexsort((draws.permutation(rows.size), np.round(cost_m, 6)))
                splicer.join(new, iter(rows[order].tolist()))
                chosen[new] = slot
            growing_floor.stand(slot, loads[piece])
        stages.append(splicer.stage(members))
    return Growth(tuple(stages), slot=chosen)


def _drawn(splicer: "_Splicer", draws: Draws) -> Iterator[int]:
    """Links in a random order; each is drawn on demand, since most are never needed."""
    count = len(splicer.ends)
    for row in draws.below(count, 4 * splicer.degree):
        yield int(row)
    yield from draws.permutation(count).tolist()


def _nearest(splicer: "_Splicer", growing_floor: GrowingFloor, loads: np.ndarray) -> int:
    """The slot that is nearest to the links into which the new switches are inserted."""
    slots = growing_floor.candidates(loads)
    if not slots.size:
        full = f"floor '{growing_floor.floor.name}': all {len(growing_floor.slots)} slots are full"
        raise InputError(f"{full}; give a larger floor, or let a rack hold more")
    links = splicer.first_links()
    wanted = min(links.size, max(1, len(loads) * (splicer.degree // 2)))
    total = [
        float(np.partition(_detour_m(splicer, growing_floor, links, slots[[k]])[:, 0], wanted - 1)[:wanted].sum())
        for k in range(slots.size)
    ]
    return int(slots[np.round(total, 6).argmin()])


def _detour_m(splicer: "_Splicer", growing_floor: GrowingFloor, links: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """The total length in m of both cables that replace each link, for each slot, float64[links, slots]."""
    ends = splicer.ends[links]
    at = growing_floor.slot
    end_slots = np.where(ends < at.size, at[np.minimum(ends, at.size - 1)], slots[0])
    return np.asarray(growing_floor.length_m(end_slots[:, :1], slots) + growing_floor.length_m(end_slots[:, 1:], slots))


class _Splicer:
    """A network into whose links new switches are inserted one by one."""

    def __init__(self, request: ExpansionRequest) -> None:
        topology = request.topology
        self._request = request
        must_grow(request, topology.switches)
        if not len(topology.links):
            raise InputError(f"{topology.name}: it has no links into which a new switch could be inserted")
        carriers = topology.endpoints_at > 0
        usual = np.bincount(topology.degrees[carriers if carriers.any() else slice(None)])
        self.degree = int(usual.argmax()) if request.degree is None else request.degree
        if self.degree < 2:
            raise InputError(
                f"{topology.name}: a new switch needs 2 or more ports for links, not {self.degree}; state the number of its"
                " links (degree)"
            )
        hosts = int(np.bincount(topology.endpoints_at[carriers]).argmax()) if carriers.any() else 0
        self._hosts = hosts if request.hosts is None else request.hosts
        if request.ports is not None and self.degree + self._hosts > request.ports:
            raise InputError(
                f"a new switch with {self.degree} links and {self._hosts} hosts needs more than {request.ports} ports; give it"
                " fewer links or hosts"
            )
        self.ends = topology.links.astype(np.int64)
        self._near = [set[int]() for _ in range(request.to)]
        for u, v in self.ends.tolist():
            self._near[u].add(v)
            self._near[v].add(u)
        self._odd: int | None = None
        load = switch_demands(topology)[:1].copy()
        load[0, 1] = self._hosts
        self.load = load

    def batches(self) -> Iterator[np.ndarray]:
        """The new switches of each step."""
        first, to = self._request.topology.switches, self._request.to
        batch = self._request.batch or -(-(to - first) // _STEPS)
        for start in range(first, to, batch):
            yield np.arange(start, min(start + batch, to))

    def first_links(self) -> np.ndarray:
        """The rows of links between switches that existed before the plan; all links if those are too few for a switch."""
        rows = np.flatnonzero((self.ends < self._request.topology.switches).all(axis=1))
        return rows if rows.size >= 4 * self.degree else np.arange(len(self.ends))

    def join(self, new: int, links: Iterator[int]) -> None:
        """Insert a switch into as many links as it has pairs of ports: the first of `links` that are suitable.

        The odd port is joined to that of another new switch. With too few links, ports stay free.
        """
        opened = 0
        for row in links:
            if opened == self.degree // 2:
                break
            u, v = self.ends[row].tolist()
            if u in self._near[new] or v in self._near[new] or new in (u, v) or len(self._near[new]) + 2 > self.degree:
                continue
            opened += 1
            self._near[u].discard(v)
            self._near[v].discard(u)
            for end in (u, v):
                self._near[end].add(new)
                self._near[new].add(end)
            self.ends[row] = u, new
            self.ends = np.concatenate([self.ends, [[v, new]]])
        if opened < self.degree // 2:
            raise InputError(
                f"{self._request.topology.name}: switch {new} can be inserted into {opened} links only, for {2 * opened} of its"
                f" {self.degree} ports; give new switches fewer links (degree)"
            )
        if self.degree % 2:
            if self._odd is None or self._odd in self._near[new]:
                self._odd = new
            else:
                self.ends = np.concatenate([self.ends, [[self._odd, new]]])
                self._near[new].add(self._odd)
                self._near[self._odd].add(new)
                self._odd = None

    def stage(self, members: np.ndarray) -> Stage:
        """The network with these new switches."""
        before = self._request.topology
        switches = int(members[-1]) + 1
        endpoints, host = hosts_with(before, switches, self._hosts)
        names = f"switch {members[0]}" if len(members) == 1 else f"switches {members[0]} to {members[-1]}"
        name = grown_name(before, f"{self._request.to} switches")
        topology = Topology(links=self.ends, switches=switches, endpoints=endpoints, host=host, name=name)
        return Stage(names, topology)
