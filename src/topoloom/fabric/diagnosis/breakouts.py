"""Ports that are split otherwise than planned, as causes of differences: whole instead of lanes, into fewer, or into more.

The cable is in its cage, so that an installer who is sent there finds nothing to move: the configuration of the switch is at
fault. One cause accounts for all cables of the cage.

A port is split further if a cable is in a lane next to planned ones that fill it (two, four or eight, evenly from the first),
and the plan has no port of the device with more lanes; else free lanes may simply not be in the plan.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

from topoloom.fabric.comparison import Cable, Plug
from topoloom.fabric.diagnosis.evidence import Evidence, Side
from topoloom.fabric.diagnosis.root import SPLIT_FURTHER, Root
from topoloom.fabric.port_names import canonical_port, lane_of, whole_port

#: A cause that is the breakout of a port.
BREAKOUT = "breakout"
_SPLITS = (2, 4, 8)
_FIRST_LANE = re.compile(r"ethernet([0-9]{1,5})")


def breakout_roots(evidence: Evidence, lost: set[Cable], unplanned: set[Cable]) -> list[Root]:
    """The ports that are split otherwise than planned, each with its cables, which are removed from both sets.

    Parameters
    ----------
    evidence : Evidence
    lost, unplanned : set of Cable
        Planned cables that are not right, and cables where none is planned.

    Returns
    -------
    list of Root
    """
    if evidence.actual is None or evidence.comparison is None or evidence.comparison.ports != "exact":
        return []
    if not evidence.plan.fabric.named_ports:
        return []  # no lane is planned
    hosts = {host + evidence.planned_switches for host in evidence.comparison.missing_hosts}
    breakouts = _Breakouts(evidence.plan, evidence.actual)
    roots = [
        replace(root, nodes=(*root.nodes, *_with_it(evidence, root, hosts)))
        for root in breakouts.roots(lost, unplanned)
    ]
    claimed = {cable for root in roots for cable in root.found}
    return roots + breakouts.split_further(evidence.unplanned - claimed)


class _Breakouts:
    def __init__(self, plan: Side, actual: Side) -> None:
        self._plan, self._actual = plan, actual
        self._used: defaultdict[int, set[str]] = defaultdict(set)
        for cable in (*self._actual.link_cables, *self._actual.end_cables):
            for plug in cable:
                self._used[plug[0]].add(self._found(plug))
        #: The planned cables in the lanes of each port, by the lane; and the number of those of each device's port with most.
        self._lanes: defaultdict[tuple[int, str], dict[int, Cable]] = defaultdict(dict)
        for cable in (*self._plan.link_cables, *self._plan.end_cables):
            for plug in cable:
                whole, lane = lane_of(self._planned(plug))
                if whole:
                    self._lanes[plug[0], whole][lane] = cable
        self._most: defaultdict[int, int] = defaultdict(int)
        for (node, _), lanes in self._lanes.items():
            self._most[node] = max(self._most[node], len(lanes))

    def roots(self, lost: set[Cable], unplanned: set[Cable]) -> list[Root]:
        between: defaultdict[tuple[int, int], list[Cable]] = defaultdict(list)
        for cable in sorted(unplanned):
            between[cable[0][0], cable[1][0]].append(cable)
        roots: list[Root] = []
        for cable in sorted(lost):
            candidates = between.get((cable[0][0], cable[1][0]), ())
            instead = next((entry for entry in candidates if entry in unplanned and self._is_same(cable, entry)), None)
            if instead is None or cable not in lost:
                continue
            lost.discard(cable)
            unplanned.discard(instead)
            roots.append(self._with_others(cable, instead, lost, unplanned))
        return roots + self._lanes_lost(lost, unplanned)

    def _is_same(self, planned: Cable, found: Cable) -> bool:
        """Whether two cables between the same nodes are one, in a port that is split otherwise at one end or both."""
        ends = list(zip(planned, found, strict=True))
        return planned[0][0] != planned[1][0] and all(a == b or self._related(a, b) for a, b in ends)

    def _related(self, planned: Plug, found: Plug) -> bool:
        """Whether one of two ports is a lane of the other, or both are lanes of one port that has no lane as planned."""
        name, instead = self._planned(planned), self._found(found)
        if not (name and instead):
            return False
        whole = whole_port(name)
        if canonical_port(instead) == whole or whole_port(instead) == canonical_port(name):
            return True
        if whole and whole == whole_port(instead):
            return self._lacks(planned[0], name) or self._is_finer(planned[0], name, instead)
        lanes = self._plan.settings(*planned).lanes, self._actual.settings(*found).lanes
        return _covers(name, lanes[0], instead) or _covers(instead, lanes[1], name)

    def split_further(self, unplanned: Collection[Cable]) -> list[Root]:
        """The ports with cables in lanes next to planned ones that fill them."""
        unplanned_lanes: defaultdict[tuple[int, str], list[Cable]] = defaultdict(list)
        for cable in sorted(unplanned):
            for plug in cable:
                whole, lane = lane_of(self._found(plug))
                if self._is_filled(plug[0], whole) and lane not in self._lanes[plug[0], whole]:
                    unplanned_lanes[plug[0], whole].append(cable)
        return [
            Root(SPLIT_FURTHER, (node,), tuple(dict.fromkeys(self._lanes[node, whole].values())), tuple(cables))
            for (node, whole), cables in unplanned_lanes.items()
        ]

    def _is_filled(self, node: int, whole: str) -> bool:
        """Whether the planned lanes fill a port: two, four or eight, evenly from the first, and no port has more."""
        lanes = sorted(self._lanes.get((node, whole), ()))
        step = lanes[1] if len(lanes) in _SPLITS else 0
        return step > 0 and lanes == [*range(0, step * len(lanes), step)] and len(lanes) == self._most[node]

    def _is_finer(self, node: int, planned: str, found: str) -> bool:
        """Whether a lane is a planned one of a port that is split further: the second of two is the third of four."""
        whole, lane = lane_of(planned)
        present = {lane_of(name) for name in (*self._used[node], *self._actual.listed_ports(node))}
        is_finer = any(of == whole and place not in self._lanes[node, whole] for of, place in present)
        return is_finer and self._is_filled(node, whole) and lane_of(found)[1] in (2 * lane, 4 * lane)

    def _lacks(self, node: int, name: str) -> bool:
        """Whether the device lists all its ports, those without a cable, too, and not this one."""
        listed = self._actual.listed_ports(node)
        return bool(listed - self._used[node]) and canonical_port(name) not in map(canonical_port, listed)

    def _with_others(self, planned: Cable, found: Cable, lost: set[Cable], unplanned: set[Cable]) -> Root:
        """The cause, with the other cables of the same cage whose far ports have no other cable."""
        more, instead = [planned], [found]
        ends = [(a, b) for a, b in zip(planned, found, strict=True) if a != b]
        for wanted, present in ends:
            for cable in sorted(lost):
                plug, far_plug = _at(cable, wanted[0])
                if plug and self._related(plug, present) and not any(far_plug in each for each in unplanned):
                    more.append(cable)
            for cable in sorted(unplanned):
                plug, far_plug = _at(cable, wanted[0])
                if plug and self._related(wanted, plug) and not any(far_plug in each for each in lost):
                    instead.append(cable)
        lost.difference_update(more)
        unplanned.difference_update(instead)
        return Root(BREAKOUT, tuple(dict.fromkeys(node for (node, _), _ in ends)), tuple(more), tuple(instead))

    def _lanes_lost(self, lost: set[Cable], unplanned: set[Cable]) -> list[Root]:
        """Cables of lanes that a port does not have, because it is split into fewer; nothing is in their far ports."""
        busy = {plug for cable in unplanned for plug in cable}
        cages: defaultdict[tuple[int, str], list[Cable]] = defaultdict(list)
        for cable in sorted(lost):
            for plug in cable:
                whole = whole_port(self._planned(plug))
                siblings = [name for name in self._actual.listed_ports(plug[0]) if whole and whole_port(name) == whole]
                if siblings and not busy.intersection(cable) and self._lacks(plug[0], self._planned(plug)):
                    cages[plug[0], whole].append(cable)
                    break
        for cables in cages.values():
            lost.difference_update(cables)
        return [Root(BREAKOUT, (node,), tuple(cables), ()) for (node, _), cables in cages.items()]

    def _planned(self, plug: Plug) -> str:
        return self._plan.port_names(plug[0]).get(plug[1], "")

    def _found(self, plug: Plug) -> str:
        return self._actual.port_names(plug[0]).get(plug[1], "")


def _with_it(evidence: Evidence, root: Root, missing: set[int]) -> list[int]:
    """The missing hosts whose planned cables are all among those of a cause."""
    nodes = dict.fromkeys(node for cable in root.planned for node, _ in cable if node in missing)
    return [node for node in nodes if {*evidence.planned_at[node]} <= {*root.planned}]


def _at(cable: Cable, node: int) -> tuple[Plug | None, Plug]:
    """The end of a cable at a node, and the other one."""
    if cable[0][0] == node:
        return cable
    return (cable[1], cable[0]) if cable[1][0] == node else (None, cable[0])


def _covers(whole: str, lanes: int, name: str) -> bool:
    """Whether a port of SONiC with that many lanes has the first lane of another: Ethernet0 with 8 that of Ethernet4."""
    first, other = (_FIRST_LANE.fullmatch(canonical_port(each)) for each in (whole, name))
    return first is not None and other is not None and 0 < int(other[1]) - int(first[1]) < lanes
