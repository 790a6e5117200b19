"""The roots of what differs: every cable that is not as planned is put down to one cause, and each cause is named once.

A switch that is off takes all its cables with it, and hosts that hang on nothing else; a host that is not there its own.
What is not planned brings its cables along, and what they push out of its port. Only then are the cables that are left set
against each other again, so that a cable that was moved into a port that became free is one fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from topoloom.fabric.compare import differences_of
from topoloom.fabric.comparison import Cable, Comparison, Difference, Plug
from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.root import Root

#: Causes that are a node.
SWITCH_MISSING, SWITCH_UNPLANNED, SWITCH_UNCABLED = "switch missing", "switch unplanned", "switch uncabled"
HOST_MISSING, HOST_UNPLANNED, FEWER_INTERFACES = "host missing", "host unplanned", "fewer interfaces"
#: Causes that are cables, beside those of the comparison.
ITSELF, PLANE, RAIL, OTHER_PORT = "to itself", "plane crossed", "wrong rail", "other port"
#: A switch with fewer cables than this is not called off when all of them are missing: a cable is.
_FEW = 2


def roots_of(evidence: Evidence) -> list[Root]:
    """The causes of all that the comparison found.

    Returns
    -------
    list of Root
        Nodes first, then cables.
    """
    comparison = evidence.comparison
    if comparison is None:
        return []
    lost = {*evidence.not_right}
    there = {*evidence.unplanned}
    roots = _unplanned(evidence, comparison, lost, there)
    roots += _gone(evidence, comparison, lost, there)
    roots += _uncabled(evidence, lost, there)
    # A host that is gone by itself; one that only hung on what is off is gone with that.
    explained = {node for root in roots for node in root.nodes}
    for host in comparison.missing_hosts:
        node = host + evidence.planned_switches
        mine = [cable for cable in evidence.planned_at.get(node, []) if cable in lost]
        if node not in explained and (mine or evidence.planned_at.get(node) is None):
            roots.append(Root(HOST_MISSING, (node,), tuple(mine), ()))
            lost.difference_update(mine)
    roots += _narrow(evidence, lost, there)
    rest = differences_of(lost, there, ports=comparison.ports == "exact")
    kinds = _Kinds(evidence)
    return roots + [
        Root(kinds.of(one), tuple(dict.fromkeys(_nodes((*one.planned, *one.found)))), one.planned, one.found)
        for one in rest
    ]


def _nodes(cables: Iterable[Cable]) -> list[int]:
    return [node for cable in cables for node, _ in cable]


def _unplanned(evidence: Evidence, comparison: Comparison, lost: set[Cable], there: set[Cable]) -> list[Root]:
    """What is not in the plan, with its cables, and with the planned cables whose ports these have taken."""
    first = evidence.planned_nodes
    switches = [first + i for i in range(len(comparison.extra_switches))]
    every_host = evidence.actual.host.tolist() if evidence.actual is not None and evidence.hosts else []
    hosts = [node for node in every_host if node >= first]
    away = _away(evidence, comparison)
    brought: dict[int, list[Cable]] = defaultdict(list)
    with_it: dict[int, list[int]] = defaultdict(list)
    for cable in sorted(there):
        new = sorted(node for node, _ in cable if node >= first)
        if new:
            # Between two of them it belongs to the switch.
            brought[new[0]].append(cable)
            with_it[new[0]] += [node for node in new[1:] if evidence.is_host(node)]
            there.discard(cable)
    occupied = {plug for cable in there for plug in cable}
    should = {plug: cable for cable in lost for plug in cable} if comparison.ports == "exact" else {}
    along = {node for others in with_it.values() for node in others if not brought[node]}
    roots = []
    for node in (node for node in (*switches, *hosts) if node not in along):
        pushed = []
        for plug in (plug for cable in brought[node] for plug in cable if plug[0] != node):
            stood = should.get(plug)
            if stood is None or stood not in lost:
                continue
            if not any(end[0] in away or end in occupied for end in stood):
                pushed.append(stood)
                lost.discard(stood)
        kind = HOST_UNPLANNED if evidence.is_host(node) else SWITCH_UNPLANNED
        mine = [other for other in dict.fromkeys(with_it[node]) if other in along]
        roots.append(Root(kind, (node, *mine), tuple(pushed), tuple(brought[node])))
    return roots


def _away(evidence: Evidence, comparison: Comparison) -> set[int]:
    n = evidence.planned_switches
    return {*comparison.missing_switches, *(host + n for host in comparison.missing_hosts)}


def _gone(evidence: Evidence, comparison: Comparison, lost: set[Cable], there: set[Cable]) -> list[Root]:
    """The switches that are not there, with their cables and the hosts that hang on nothing else."""
    roots = []
    missing = {host + evidence.planned_switches for host in comparison.missing_hosts}
    for switch in comparison.missing_switches:
        mine = [cable for cable in evidence.planned_at.get(switch, []) if cable in lost]
        roots.append(Root(SWITCH_MISSING, (switch, *_with(evidence, {switch}, mine, missing)), tuple(mine), ()))
        lost.difference_update(mine)
        missing.difference_update(roots[-1].nodes)
    # Hosts whose switches are all off, several of them.
    off = {*comparison.missing_switches}
    for host in sorted(missing):
        at = {a if b == host else b for (a, _), (b, _) in evidence.planned_at.get(host, [])}
        if at and at <= off:
            place = next(i for i, root in enumerate(roots) if root.nodes[0] in at)
            root = roots[place]
            roots[place] = Root(root.kind, (*root.nodes, host), root.planned, root.found)
    return roots


def _with(evidence: Evidence, switches: set[int], cables: list[Cable], missing: set[int]) -> list[int]:
    """The missing hosts at the ends of cables that hang on these switches only."""
    found = []
    for node in dict.fromkeys(_nodes(cables)):
        if node in missing:
            at = {a if b == node else b for (a, _), (b, _) in evidence.planned_at[node]}
            if at <= switches:
                found.append(node)
    return found


def _uncabled(evidence: Evidence, lost: set[Cable], there: set[Cable]) -> list[Root]:
    """Switches that are there, but none of whose planned cables is."""
    if evidence.actual is None or evidence.comparison is None:
        return []
    here = {int(s) for s in evidence.actual.switch.tolist() if 0 <= s < evidence.planned_switches}
    used = {node for cable in there for node, _ in cable}
    missing = _away(evidence, evidence.comparison)
    roots = []
    counts = Counter(_nodes(lost))
    for switch, many in sorted(counts.items()):
        planned = evidence.planned_at.get(switch, [])
        if switch not in here or switch in used or many < max(_FEW, len(planned)):
            continue
        mine = [cable for cable in planned if cable in lost]
        # Not by itself, where all that it hangs on is off.
        if len(mine) < len(planned):
            continue
        roots.append(Root(SWITCH_UNCABLED, (switch, *_with(evidence, {switch}, mine, missing)), tuple(mine), ()))
        lost.difference_update(mine)
        missing.difference_update(roots[-1].nodes)
    return roots


def _narrow(evidence: Evidence, lost: set[Cable], there: set[Cable]) -> list[Root]:
    """Hosts whose adapter has fewer ports than are planned, with the cables of those that it lacks."""
    if evidence.actual is None or not evidence.hosts:
        return []
    side = evidence.actual
    size = {int(node): int(many) for node, many in zip(side.host.tolist(), side.fabric.host_sizes, strict=True)}
    used = {plug for cable in there for plug in cable}
    roots = []
    for node in sorted(node for node in size if node < evidence.planned_nodes):
        mine = [
            cable
            for cable in evidence.planned_at.get(node, [])
            if cable in lost and _port_at(cable, node) > size[node] and not used & {*cable}
        ]
        if mine:
            roots.append(Root(FEWER_INTERFACES, (node,), tuple(mine), ()))
            lost.difference_update(mine)
    return roots


def _port_at(cable: Cable, node: int) -> int:
    return cable[0][1] if cable[0][0] == node else cable[1][1]


class _Kinds:
    """What kind of cause cables are: of all that may be said of a difference the most telling."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        plan = evidence.plan
        topology = plan.fabric.topology
        n = evidence.planned_switches
        self._part = plan.part
        ports: list[set[int]] = [set() for _ in range(n)]
        rails: dict[int, set[int]] = defaultdict(set)
        rows = zip(topology.endpoints.tolist(), topology.host.tolist(), plan.fabric.host_ports.tolist(), strict=True)
        self._home: dict[Plug, int] = {}
        for switch, host, port in rows:
            ports[switch].add(port)
            rails[int(self._part[switch])].add(port)
            self._home[host + n, port] = switch
        #: The one port of its hosts that a leaf serves, where the hosts of its part have several; -1 elsewhere.
        self._rail = np.array(
            [
                next(iter(mine)) if len(mine) == 1 and len(rails[int(self._part[s])]) > 1 else -1
                for s, mine in enumerate(ports)
            ],
            np.int64,
        )

    def of(self, one: Difference) -> str:
        """The kind of a difference."""
        if any(a[0] == b[0] for a, b in one.found):
            return ITSELF
        if any(self._crosses(cable) for cable in one.found):
            return PLANE
        if any(self._off_rail(cable) for cable in one.found):
            return RAIL
        if one.planned and Counter(map(_pair, one.planned)) == Counter(map(_pair, one.found)):
            return OTHER_PORT
        return one.kind

    def _crosses(self, cable: Cable) -> bool:
        (a, _), (b, q) = cable
        n, known = self._evidence.planned_switches, self._evidence.planned_nodes
        if a >= n or b >= known:
            return False
        if b < n:
            return bool(self._part[a] != self._part[b])
        home = self._home.get((b, q))
        return home is not None and bool(self._part[a] != self._part[home])

    def _off_rail(self, cable: Cable) -> bool:
        (a, _), (b, q) = cable
        n, known = self._evidence.planned_switches, self._evidence.planned_nodes
        if a >= n or not n <= b < known or self._rail[a] < 0 or (b, q) not in self._home:
            return False
        return bool(self._rail[a] != q)


def _pair(cable: Cable) -> tuple[int, int]:
    return cable[0][0], cable[1][0]
