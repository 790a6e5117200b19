"""The root causes that are passive parts: each with the links between switches that follow from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topoloom.fabric.comparison import Cable, Plug
from topoloom.fabric.diagnosis.passive.facts import PassiveFacts
from topoloom.fabric.diagnosis.passive.search import PartSearch, Sight, Step
from topoloom.fabric.diagnosis.passive.wiring import End, Position, Wiring
from topoloom.fabric.diagnosis.passive.words import PartWords
from topoloom.fabric.diagnosis.root import Root
from topoloom.fabric.identify import plain_name

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.evidence import Evidence, Side

#: The kinds of changes of a whole cord or trunk, whose ends stay in their ports.
WHOLE = ("other type", "turned")
#: The kinds of causes.
EXCHANGED, OUT, MOVED, PANEL_DARK = "fibres exchanged", "fibre out", "fibre moved", "panel dark"
OTHER_TYPE, TURNED = "fibre of the other type", "fibre turned"


@dataclass(frozen=True)
class PassiveRoot(Root):
    """One cause that is a passive part.

    Attributes
    ----------
    steps : tuple of Step
        The changes of the plan that explain the links; several if they concern the same cord or trunk.
    moved : tuple of (End, Position or None)
        The ends that are not where they are planned, and where they are; None: nowhere.
    """

    steps: tuple[Step, ...] = ()
    moved: tuple[tuple[End, Position | None], ...] = ()

    @property
    def whole(self) -> tuple[int, ...]:
        """The cords and trunks that are at fault with their ends in their ports."""
        return tuple(step.change.part for step in self.steps if step.change.kind in WHOLE)

    @property
    def fibres(self) -> tuple[int, ...]:
        """The cords and trunks at fault, each once."""
        return tuple(dict.fromkeys((*(end[0] for end, _ in self.moved), *self.whole)))


def passive_roots(evidence: "Evidence", lost: set[Cable], unplanned: set[Cable]) -> list[PassiveRoot]:
    """The passive parts that explain links, each with its links, which are removed from both sets.

    Parameters
    ----------
    evidence : Evidence
    lost, unplanned : set of Cable
        Planned cables that are not right, and cables where none is planned.

    Returns
    -------
    list of PassiveRoot
        Those with most links first; empty without panels, or if ports are not compared.
    """
    facts, comparison, actual = evidence.facts.passive, evidence.comparison, evidence.actual
    if facts is None or comparison is None or actual is None or comparison.ports != "exact" or not (lost or unplanned):
        return []
    plant, own = facts.plant, facts.compared
    planned = zip(plant.start[own].tolist(), plant.planned_arrival[own].tolist(), strict=True)
    if not {(min(cable), max(cable)) for cable in _plugs(planned)} <= evidence.planned:
        # The plan that is compared is only a part of the one with these panels.
        return []
    n, wiring = facts.switches, Wiring(plant)
    # Panels may join two ports of one switch, which is no link of the plan: such a connection is as it is cabled.
    between = [cable for cable in unplanned if cable[1][0] < n]
    arrivals = wiring.arrivals([near for near, _ in between])
    unplanned -= {cable for cable, arrival in zip(between, arrivals, strict=True) if arrival == cable[1]}
    wrong = {plug for cable in (*lost, *unplanned) for plug in cable if plug[0] < n}
    search = PartSearch(
        wiring,
        _sight(evidence, actual, facts, comparison.missing_switches, lost, unplanned),
        wrong,
        PartWords(evidence, facts).rack,
    )
    return _roots(search, n, lost, unplanned)


def in_other_planes(evidence: "Evidence") -> dict[int, int]:
    """The nodes that are no switch of the compared planes, but of another one with the same panels, by their number there.

    Parameters
    ----------
    evidence : Evidence
    """
    facts, comparison = evidence.facts.passive, evidence.comparison
    if facts is None or comparison is None or not facts.others:
        return {}
    number = {plain_name(name): facts.switches + place for place, name in enumerate(facts.others)}
    extra = range(evidence.planned_nodes, evidence.planned_nodes + len(comparison.extra_switches))
    return {node: number[name] for node in extra if (name := plain_name(evidence.names[node])) in number}


def _plugs(rows: "zip[tuple[list[int], list[int]]]") -> list[Cable]:
    return [((a[0], a[1]), (b[0], b[1])) for a, b in rows]


def _sight(
    evidence: "Evidence",
    actual: "Side",
    facts: PassiveFacts,
    missing: Iterable[int],
    lost: set[Cable],
    unplanned: set[Cable],
) -> Sight:
    heard: dict[Plug, Plug] = {}
    # Hosts and unplanned devices get numbers that no device of the plant has.
    foreign, elsewhere = facts.plant.switches + facts.plant.panel.size, in_other_planes(evidence)
    loops = [
        ((int(actual.switch[switch]), port), (int(actual.switch[switch]), other_port))
        for switch, port, other_port in actual.fabric.loops.tolist()
    ]
    of_hosts = actual.end_cables if evidence.hosts else []
    for cable in (*actual.link_cables, *of_hosts, *loops):
        first, second = (
            (node if node < facts.switches else elsewhere.get(node, foreign + node), port) for node, port in cable
        )
        heard[first], heard[second] = second, first
    unread = {plain_name(name) for name in actual.fabric.unread}
    present = [node for node in actual.switch.tolist() if 0 <= node < evidence.planned_switches]
    used = {node for cable in unplanned for node, _ in cable}
    return Sight(
        heard,
        hidden={*missing, *range(facts.switches, facts.plant.switches)},
        unread={s for s in present if plain_name(evidence.words.called.get(s, evidence.names[s])) in unread},
        unclear={plug for cable in evidence.unclear for plug in cable},
        off={s for s in present if s not in used and {*evidence.planned_at.get(s, ())} <= lost},
    )


def _roots(search: PartSearch, switches: int, lost: set[Cable], unplanned: set[Cable]) -> list[PassiveRoot]:
    off = {step.change.part for step in search.steps if step.change.kind == "switch off"}
    groups = _groups([step for step in search.steps if step.change.kind != "switch off"])
    group_of = {
        plug: number for number, group in reversed([*enumerate(groups)]) for step in group for plug in step.ports
    }
    cables: list[tuple[list[Cable], list[Cable]]] = [([], []) for _ in groups]
    for side, every in enumerate((lost, unplanned)):
        for cable in sorted(every):
            numbers = [group_of[plug] for plug in cable if plug in group_of]
            if numbers and not search.bad.intersection(cable) and not any(node in off for node, _ in cable):
                cables[min(numbers)][side].append(cable)
    roots = []
    for group, (planned, instead) in zip(groups, cables, strict=True):
        if planned or instead:
            lost.difference_update(planned)
            unplanned.difference_update(instead)
            roots.append(_root(search, switches, group, tuple(planned), tuple(instead)))
    return sorted(roots, key=lambda root: -max(len(root.planned), len(root.found)))


def _groups(steps: list[Step]) -> list[list[Step]]:
    """Steps that concern the same cord or trunk, together."""
    groups: list[list[Step]] = []
    for step in steps:
        touched = {*_fibres(step)}
        same = [group for group in groups if touched and any(touched.intersection(_fibres(other)) for other in group)]
        groups = [group for group in groups if group not in same]
        groups.append([other for group in same for other in group] + [step])
    return groups


def _fibres(step: Step) -> tuple[int, ...]:
    if step.change.kind == "panel dark":
        return ()
    return tuple(end[0] for end in step.change.ends) or (step.change.part,)


def _root(
    search: PartSearch, switches: int, group: list[Step], planned: tuple[Cable, ...], found: tuple[Cable, ...]
) -> PassiveRoot:
    wiring = search.wiring
    plant = wiring.plant
    ends = sorted({(fibre, end) for step in group for fibre in _fibres(step) for end in (0, 1)})
    moved = tuple((end, wiring.position(end)) for end in ends if wiring.displaced(end))
    kinds = {"exchanged": EXCHANGED, "out": OUT, "moved": MOVED, "panel dark": PANEL_DARK}
    kinds |= {"other type": OTHER_TYPE, "turned": TURNED}
    kind = kinds[group[0].change.kind] if len(group) == 1 else MOVED
    of_whole = [(step.change.part, end) for step in group if step.change.kind in WHOLE for end in (0, 1)]
    near = [plant.ends[end].tolist() for end in (*(end for end, _ in moved), *of_whole)]
    nodes = tuple(dict.fromkeys(device for device, _ in near if device < switches))
    return PassiveRoot(kind, nodes, planned, found, tuple(group), moved)
