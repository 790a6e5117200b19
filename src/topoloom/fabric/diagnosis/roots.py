"""The root causes of differences: every cable that is not as planned is attributed to one cause, and each cause appears once.

A switch that is off explains all its missing cables, and hosts that have no other connection; a missing host explains its own
cables. An unplanned node explains its cables, and the planned cables whose ports these occupy. Only then are the remaining
cables compared with each other again, so that a cable that was moved into a port that became free is one fault.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable

import numpy as np

from topoloom.fabric.compare import differences_of
from topoloom.fabric.comparison import Cable, Comparison, Difference, Plug
from topoloom.fabric.diagnosis.breakouts import breakout_roots
from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.passive.roots import in_other_planes, passive_roots
from topoloom.fabric.diagnosis.root import Root
from topoloom.graph.planes import plane_count

#: Causes that are nodes.
SWITCH_MISSING, SWITCH_UNPLANNED, SWITCH_UNCABLED = "switch missing", "switch unplanned", "switch uncabled"
HOST_MISSING, HOST_UNPLANNED, FEWER_INTERFACES = "host missing", "host unplanned", "fewer interfaces"
#: Causes that are cables, in addition to those of the comparison.
ITSELF, PLANE, RAIL, OTHER_PORT = "to itself", "plane crossed", "wrong rail", "other port"
#: A switch with fewer cables than this is not reported as off if all of them are missing; a missing cable is reported.
_FEW = 2


def roots_of(evidence: Evidence) -> list[Root]:
    """The causes of all differences of a comparison.

    Returns
    -------
    list of Root
        Nodes first, then cables.
    """
    comparison = evidence.comparison
    if comparison is None:
        return []
    lost = {*evidence.not_right}
    unplanned = {*evidence.unplanned}
    # A switch of a plane that is not compared is in the plan: panels may lead to it.
    elsewhere = in_other_planes(evidence)
    roots: list[Root] = [*passive_roots(evidence, lost, unplanned)] if elsewhere else []
    roots += _unplanned(evidence, comparison, lost, unplanned, elsewhere)
    roots += _missing_switches(evidence, comparison, lost, unplanned)
    roots += [] if elsewhere else passive_roots(evidence, lost, unplanned)
    roots += _uncabled(evidence, lost, unplanned)
    roots += breakout_roots(evidence, lost, unplanned)
    # A host that is missing by itself; a host whose only switch is off is attributed to that switch.
    explained = {node for root in roots for node in root.nodes}
    for host in comparison.missing_hosts:
        node = host + evidence.planned_switches
        cables = [cable for cable in evidence.planned_at.get(node, []) if cable in lost]
        if node not in explained and (cables or evidence.planned_at.get(node) is None):
            roots.append(Root(HOST_MISSING, (node,), tuple(cables), ()))
            lost.difference_update(cables)
    roots += _narrow(evidence, lost, unplanned)
    rest = differences_of(lost, unplanned, ports=comparison.ports == "exact")
    kinds = _Kinds(evidence)
    return roots + [
        Root(
            kinds.of(difference),
            tuple(dict.fromkeys(_nodes((*difference.planned, *difference.found)))),
            difference.planned,
            difference.found,
        )
        for difference in rest
    ]


def _nodes(cables: Iterable[Cable]) -> list[int]:
    return [node for cable in cables for node, _ in cable]


def _unplanned(
    evidence: Evidence, comparison: Comparison, lost: set[Cable], unplanned: set[Cable], elsewhere: Container[int]
) -> list[Root]:
    """Unplanned nodes, with their cables, and with the planned cables whose ports these occupy.

    Those that are planned `elsewhere` count only with a cable that nothing explains.
    """
    first = evidence.planned_nodes
    switches = [first + i for i in range(len(comparison.extra_switches))]
    every_host = evidence.actual.host.tolist() if evidence.actual is not None and evidence.hosts else []
    hosts = [node for node in every_host if node >= first]
    away = _away(evidence, comparison)
    brought: dict[int, list[Cable]] = defaultdict(list)
    hosts_of: dict[int, list[int]] = defaultdict(list)
    for cable in sorted(unplanned):
        new = sorted(node for node, _ in cable if node >= first)
        if new:
            # A cable between two of them belongs to the switch.
            brought[new[0]].append(cable)
            hosts_of[new[0]] += [node for node in new[1:] if evidence.is_host(node)]
            unplanned.discard(cable)
    occupied = {plug for cable in unplanned for plug in cable}
    planned_at = {plug: cable for cable in lost for plug in cable} if comparison.ports == "exact" else {}
    along = {node for others in hosts_of.values() for node in others if not brought[node]}
    roots = []
    for node in (*switches, *hosts):
        if node in along or (node in elsewhere and not brought[node]):
            continue
        pushed = []
        for plug in (plug for cable in brought[node] for plug in cable if plug[0] != node):
            displaced = planned_at.get(plug)
            if displaced is None or displaced not in lost:
                continue
            if not any(end[0] in away or end in occupied for end in displaced):
                pushed.append(displaced)
                lost.discard(displaced)
        kind = HOST_UNPLANNED if evidence.is_host(node) else SWITCH_UNPLANNED
        hosts_with_it = [other for other in dict.fromkeys(hosts_of[node]) if other in along]
        roots.append(Root(kind, (node, *hosts_with_it), tuple(pushed), tuple(brought[node])))
    return roots


def _away(evidence: Evidence, comparison: Comparison) -> set[int]:
    n = evidence.planned_switches
    return {*comparison.missing_switches, *(host + n for host in comparison.missing_hosts)}


def _missing_switches(
    evidence: Evidence, comparison: Comparison, lost: set[Cable], unplanned: set[Cable]
) -> list[Root]:
    """Missing switches, with their cables and the hosts that have no other connection."""
    roots = []
    missing = {host + evidence.planned_switches for host in comparison.missing_hosts}
    for switch in comparison.missing_switches:
        cables = [cable for cable in evidence.planned_at.get(switch, []) if cable in lost]
        roots.append(Root(SWITCH_MISSING, (switch, *_with(evidence, {switch}, cables, missing)), tuple(cables), ()))
        lost.difference_update(cables)
        missing.difference_update(roots[-1].nodes)
    # Hosts with several switches, all of which are off.
    off = {*comparison.missing_switches}
    for host in sorted(missing):
        at = {a if b == host else b for (a, _), (b, _) in evidence.planned_at.get(host, [])}
        if at and at <= off:
            place = next(i for i, root in enumerate(roots) if root.nodes[0] in at)
            root = roots[place]
            roots[place] = Root(root.kind, (*root.nodes, host), root.planned, root.found)
    return roots


def _with(evidence: Evidence, switches: set[int], cables: list[Cable], missing: set[int]) -> list[int]:
    """The missing hosts at the ends of the cables that are connected to these switches only."""
    hosts = []
    for node in dict.fromkeys(_nodes(cables)):
        if node in missing:
            at = {a if b == node else b for (a, _), (b, _) in evidence.planned_at[node]}
            if at <= switches:
                hosts.append(node)
    return hosts


def _uncabled(evidence: Evidence, lost: set[Cable], unplanned: set[Cable]) -> list[Root]:
    """Switches that are present, but none of whose planned cables is."""
    if evidence.actual is None or evidence.comparison is None:
        return []
    present = {int(s) for s in evidence.actual.switch.tolist() if 0 <= s < evidence.planned_switches}
    used = {node for cable in unplanned for node, _ in cable}
    missing = _away(evidence, evidence.comparison)
    roots = []
    counts = Counter(_nodes(lost))
    for switch, many in sorted(counts.items()):
        planned = evidence.planned_at.get(switch, [])
        if switch not in present or switch in used or many < max(_FEW, len(planned)):
            continue
        cables = [cable for cable in planned if cable in lost]
        # The switch is not the cause if its neighbours that are off explain nearly all.
        if len(cables) < min(_FEW, len(planned)):
            continue
        roots.append(Root(SWITCH_UNCABLED, (switch, *_with(evidence, {switch}, cables, missing)), tuple(cables), ()))
        lost.difference_update(cables)
        missing.difference_update(roots[-1].nodes)
    return roots


def _narrow(evidence: Evidence, lost: set[Cable], unplanned: set[Cable]) -> list[Root]:
    """Hosts whose adapter has fewer ports than planned, with the cables of the ports that it lacks."""
    if evidence.actual is None or not evidence.hosts:
        return []
    side = evidence.actual
    size = {int(node): int(many) for node, many in zip(side.host.tolist(), side.fabric.host_sizes, strict=True)}
    used = {plug for cable in unplanned for plug in cable}
    roots = []
    for node in sorted(node for node in size if node < evidence.planned_nodes):
        cables = [
            cable
            for cable in evidence.planned_at.get(node, [])
            if cable in lost and _port_at(cable, node) > size[node] and not used & {*cable}
        ]
        if cables:
            roots.append(Root(FEWER_INTERFACES, (node,), tuple(cables), ()))
            lost.difference_update(cables)
    return roots


def _port_at(cable: Cable, node: int) -> int:
    return cable[0][1] if cable[0][0] == node else cable[1][1]


class _Kinds:
    """Classifies causes that are cables: of all kinds that apply to a difference, the most specific."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        plan = evidence.plan
        topology = plan.fabric.topology
        n = evidence.planned_switches
        self._part = plan.part
        #: Parts that share no hosts are no planes.
        self._in_planes = plane_count(topology) > 1
        ports: list[set[int]] = [set() for _ in range(n)]
        rails: dict[int, set[int]] = defaultdict(set)
        rows = zip(topology.endpoints.tolist(), topology.host.tolist(), plan.fabric.host_ports.tolist(), strict=True)
        self._home: dict[Plug, int] = {}
        for switch, host, port in rows:
            ports[switch].add(port)
            rails[int(self._part[switch])].add(port)
            self._home[host + n, port] = switch
        #: The only port number of hosts that a leaf serves, if the hosts of its part have several; -1 elsewhere.
        self._rail = np.array(
            [
                next(iter(numbers)) if len(numbers) == 1 and len(rails[int(self._part[s])]) > 1 else -1
                for s, numbers in enumerate(ports)
            ],
            np.int64,
        )

    def of(self, difference: Difference) -> str:
        """The kind of a difference."""
        if any(a[0] == b[0] for a, b in difference.found):
            return ITSELF
        if any(self._crosses(cable) for cable in difference.found):
            return PLANE
        if any(self._off_rail(cable) for cable in difference.found):
            return RAIL
        if difference.planned and Counter(map(_pair, difference.planned)) == Counter(map(_pair, difference.found)):
            return OTHER_PORT
        return difference.kind

    def _crosses(self, cable: Cable) -> bool:
        (a, _), (b, q) = cable
        n, planned_nodes = self._evidence.planned_switches, self._evidence.planned_nodes
        if not self._in_planes or a >= n or b >= planned_nodes:
            return False
        if b < n:
            return bool(self._part[a] != self._part[b])
        home = self._home.get((b, q))
        return home is not None and bool(self._part[a] != self._part[home])

    def _off_rail(self, cable: Cable) -> bool:
        (a, _), (b, q) = cable
        n, planned_nodes = self._evidence.planned_switches, self._evidence.planned_nodes
        if a >= n or not n <= b < planned_nodes or self._rail[a] < 0 or (b, q) not in self._home:
            return False
        return bool(self._rail[a] != q)


def _pair(cable: Cable) -> tuple[int, int]:
    return cable[0][0], cable[1][0]
