"""Progress of cabling a fabric: successive discoveries compared with the plan: what is done, newly wrong, and repaired."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import InputError, check_all
from topoloom.fabric.comparison import MISSING, ONE_SIDED, SLOW, Comparison, Fault
from topoloom.fabric.diagnosis.diagnostics import Diagnostics
from topoloom.model.results import Provenance, Result

#: Identifies a fault across discoveries: its kind and its ends.
_Key = tuple[Any, ...]
#: Kinds of tasks in addition to those of faults.
LOST, PART = "lost", "part"


@dataclass(frozen=True)
class Seen:
    """The result of one discovery.

    Attributes
    ----------
    source : str
        The discovery.
    right_cables, missing_cables : int
        Planned cables that are as planned, and those that are not present (yet).
    faults : int
        All other differences from the plan.
    new_right, lost : int
        Cables that became right since the discovery before, and cables that were right then and are now missing.
    new_faults, gone_faults : int
    """

    source: str
    right_cables: int
    missing_cables: int
    faults: int
    new_right: int
    lost: int
    new_faults: int
    gone_faults: int


@dataclass(frozen=True)
class Open:
    """A task that remains.

    Attributes
    ----------
    kind : str
        As in `Fault`; "lost": a cable that was right in an earlier discovery and is missing now; "part": a cord, trunk or
        panel, with all links that follow from it.
    text : str
        The task in one line.
    since : str
        The first of the consecutive discoveries up to the last that show the fault.
    racks : tuple of str
        The racks of its ends, where the plan states them.
    """

    kind: str
    text: str
    since: str
    racks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Progress(Result):
    """The discoveries of a cabling compared with its plan, in their order.

    Attributes
    ----------
    plan : str
    planned_cables : int
    seen : tuple of Seen
        One row per discovery.
    open : tuple of Open
        Faults of the last discovery first, then lost cables, then those not yet present.
    gone : tuple of str
        Faults of the discovery before the last that are gone.
    nodes : tuple of str
        Switches and hosts that the last discovery lacks, or that are not planned.
    causes : tuple of str
        The root causes of the last discovery's differences from the plan, one line each, as `diagnose` finds them: a dead
        switch is one. Cables that were never there are no cause. Empty without diagnostics.
    racks : dict of str to tuple of int
        The number of open tasks of each rack in each discovery, for racks that have any; empty if racks are not known.
    """

    record_name = "progress"
    record_version = 4
    derived = ("done",)

    plan: str
    planned_cables: int
    seen: tuple[Seen, ...]
    open: tuple[Open, ...]
    gone: tuple[str, ...]
    nodes: tuple[str, ...]
    causes: tuple[str, ...] = ()
    racks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per discovery."""
        return [{name: getattr(row, name) for name in Seen.__dataclass_fields__} for row in self.seen]

    @property
    def done(self) -> bool:
        """Whether the last discovery is as planned."""
        return not self.open and not self.nodes


def progress(
    comparisons: Sequence[Comparison],
    sources: Sequence[str],
    racks: Sequence[str] = (),
    diagnostics: Diagnostics | None = None,
) -> Progress:
    """Compare successive discoveries of one plan.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One plan compared with each discovery, oldest first (`compare_fabrics`).
    sources : sequence of str
        The names of the discoveries.
    racks : sequence of str
        The rack of each planned switch; empty: not known.
    diagnostics : Diagnostics, optional
        Those of the last discovery (`diagnose`), for the root causes.

    Returns
    -------
    Progress

    Raises
    ------
    InputError
        There is no discovery, or one was compared with another plan.
    """
    check_all(comparisons, Comparison, "progress", "compare_fabrics(plan, actual, match) makes them")
    if not comparisons:
        raise InputError("progress: name at least one discovery to compare with the plan")
    first, last = comparisons[0], comparisons[-1]
    for source, comparison in zip(sources, comparisons, strict=True):
        if (comparison.plan, comparison.planned_cables) != (first.plan, first.planned_cables):
            raise InputError(f"{source}: was compared with another plan than {sources[0]}")
    seen: list[Seen] = []
    since: dict[_Key, str] = {}
    gone: list[str] = []
    states = [_State(comparison) for comparison in comparisons]
    once_right: set[_Key] = set()
    for source, comparison, now, before in zip(sources, comparisons, states, [None, *states], strict=False):
        new_faults = [key for key in now.faults if before is None or key not in before.faults]
        left = [] if before is None else [key for key in before.faults if key not in now.faults]
        lost = set() if before is None else now.missing - before.not_right
        once_right = (once_right & now.missing) | lost
        seen.append(
            Seen(
                source,
                comparison.right_cables,
                len(now.missing),
                len(now.faults),
                comparison.right_cables if before is None else len(before.not_right - now.not_right),
                len(lost),
                len(new_faults),
                len(left),
            )
        )
        since = {key: since.get(key, source) for key in (*now.faults, *now.missing)}
        gone = [] if before is None else [before.faults[key].text for key in left]
    end, where = states[-1], _Where(last, racks)
    parts = _Parts(diagnostics)
    of_parts = list(parts.tasks(end, since, sources, once_right))
    tasks = [task for task in of_parts if task.kind == PART]
    tasks += [
        Open(fault.kind, fault.text, since[key], where.of(fault))
        for key, fault in end.faults.items()
        if not parts.explain(fault)
    ]
    for lost_only in (True, False):
        tasks += [task for task in of_parts if task.kind == (LOST if lost_only else MISSING)]
        for key in sorted(end.missing):
            if (key in once_right) == lost_only and not parts.explain(end.absent[key]):
                fault = end.absent[key]
                # A lost cable is looked for where it was, not among the cables still to be installed.
                text = fault.text.replace("missing: ", "lost, was right before: ", 1) if lost_only else fault.text
                tasks.append(Open(LOST if lost_only else MISSING, text, since[key], where.of(fault)))
    lost_cables = {key for key in end.missing if key in once_right}
    return Progress(
        *(first.plan, first.planned_cables, tuple(seen), tuple(tasks), tuple(gone), last.nodes),
        () if diagnostics is None else tuple(_causes(diagnostics, lost_cables)),
        _by_rack(states, [_Where(comparison, racks) for comparison in comparisons]),
        provenance=last.provenance,
    )


def _causes(diagnostics: Diagnostics, lost: set[_Key]) -> Iterator[str]:
    """One line per root cause; of the missing cables only those in `lost`."""
    for diagnostic in diagnostics.diagnostics:
        if diagnostic.because_of or diagnostic.severity == "note":
            continue
        if diagnostic.name == "cable-missing" or (diagnostic.parts and not diagnostic.found):
            if not lost.intersection(_cables(diagnostic.planned)):
                continue
            yield f"{diagnostic.code}: {diagnostic.text.replace('missing: ', 'lost, was right before: ', 1)}"
        else:
            yield f"{diagnostic.code}: {diagnostic.text}"


class _Parts:
    """The passive parts that explain faults: a crew repairs the part, not each of its links."""

    def __init__(self, diagnostics: Diagnostics | None) -> None:
        every = () if diagnostics is None else diagnostics.diagnostics
        self._diagnostics = [diagnostic for diagnostic in every if diagnostic.parts]
        self._of = {
            cable: number
            for number, diagnostic in enumerate(self._diagnostics)
            for cable in _cables((*diagnostic.planned, *diagnostic.found))
        }

    def explain(self, fault: Fault) -> bool:
        """Whether all cables of a fault follow from passive parts."""
        return all(cable in self._of for cable in _cables((*fault.planned, *fault.found)))

    def tasks(
        self, state: "_State", since: dict[_Key, str], sources: Sequence[str], once_right: set[_Key]
    ) -> Iterator[Open]:
        """One task per part, since the first discovery that shows one of its faults.

        It is missing, or lost, if all its links are, and none is elsewhere.
        """
        order = {source: place for place, source in enumerate(sources)}
        keys_of: dict[int, list[_Key]] = {}
        for key, fault in (*state.faults.items(), *state.absent.items()):
            if self.explain(fault):
                for number in {self._of[cable] for cable in _cables((*fault.planned, *fault.found))}:
                    keys_of.setdefault(number, []).append(key)
        for number, keys in sorted(keys_of.items()):
            diagnostic = self._diagnostics[number]
            kind = LOST if once_right.intersection(keys) else MISSING
            kind = kind if state.absent.keys() >= {*keys} else PART
            first = min((since[key] for key in keys), key=order.__getitem__)
            yield Open(kind, f"{diagnostic.text}. {diagnostic.fix}", first, diagnostic.racks)


def _by_rack(states: "Sequence[_State]", places: "Sequence[_Where]") -> dict[str, tuple[int, ...]]:
    """The number of open tasks of each rack in each state."""
    counts = [
        Counter(rack for fault in (*state.faults.values(), *state.absent.values()) for rack in where.of(fault))
        for state, where in zip(states, places, strict=True)
    ]
    return {rack: tuple(count[rack] for count in counts) for rack in sorted(set().union(*counts))}


class _State:
    """The faults of a comparison, by keys that stay the same from one comparison to the next."""

    def __init__(self, comparison: Comparison) -> None:
        self.faults: dict[_Key, Fault] = {}
        self.absent: dict[_Key, Fault] = {}
        for fault in comparison.faults:
            if fault.kind == MISSING:
                self.absent[_cables(fault.planned)[0]] = fault
            else:
                self.faults[(fault.kind, _cables(fault.planned), _cables(fault.found))] = fault
        #: The planned cables that are missing, and these together with the cables that are present but not right.
        self.missing = set(self.absent)
        self.not_right = self.missing | {
            cable
            for fault in self.faults.values()
            if fault.kind not in (SLOW, ONE_SIDED)
            for cable in _cables(fault.planned)
        }


def _cables(cables: Sequence[Sequence[Any]]) -> tuple[_Key, ...]:
    return tuple(tuple((end.node, end.key) for end in cable) for cable in cables)


class _Where:
    """Looks up the racks of a fault."""

    def __init__(self, comparison: Comparison, racks: Sequence[str]) -> None:
        self._of = dict(zip(comparison.names, racks, strict=False))

    def of(self, fault: Fault) -> tuple[str, ...]:
        """The racks of all its ends, planned and found."""
        ends = [end.node for cable in (*fault.planned, *fault.found) for end in cable]
        return tuple(dict.fromkeys(rack for node in ends if (rack := self._of.get(node, ""))))
