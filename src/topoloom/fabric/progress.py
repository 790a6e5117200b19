"""A fabric while it is cabled: its discoveries beside the plan, what is done, what is newly wrong, what was repaired."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import InputError, check_all
from topoloom.fabric.comparison import MISSING, ONE_SIDED, SLOW, Comparison, Fault
from topoloom.model.results import Provenance, Result

#: A fault is the same as long as its kind and its ends are.
_Key = tuple[Any, ...]


@dataclass(frozen=True)
class Seen:
    """What one discovery found.

    Attributes
    ----------
    source : str
        The discovery.
    right_cables, missing_cables : int
        Of the planned ones: as planned, and not there (yet).
    faults : int
        Whatever else is not as planned.
    new_right, lost : int
        Cables that are right since the discovery before, and that were and are not there any more.
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
    """Something that has to be done still.

    Attributes
    ----------
    kind : str
        As `Fault` has it; "lost": a cable that was right in an earlier discovery and is not there now.
    text : str
        All of it in a line.
    since : str
        The first discovery, of those in a row up to the last, that found it so.
    racks : tuple of str
        Where its ends are, as far as the plan says.
    """

    kind: str
    text: str
    since: str
    racks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Progress(Result):
    """The discoveries of a cabling beside its plan, in their order.

    Attributes
    ----------
    plan : str
    planned_cables : int
    seen : tuple of Seen
        One row per discovery.
    open : tuple of Open
        What the last discovery found: faults first, then lost cables, then those that are not there yet.
    gone : tuple of str
        Faults of the discovery before that are gone.
    nodes : tuple of str
        Switches and hosts that the last discovery misses, or that are not planned.
    """

    record_name = "progress"
    record_version = 2
    derived = ("done",)

    plan: str
    planned_cables: int
    seen: tuple[Seen, ...]
    open: tuple[Open, ...]
    gone: tuple[str, ...]
    nodes: tuple[str, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per discovery."""
        return [{name: getattr(one, name) for name in Seen.__dataclass_fields__} for one in self.seen]

    @property
    def done(self) -> bool:
        """Whether the last discovery is as planned."""
        return not self.open and not self.nodes


def progress(comparisons: Sequence[Comparison], sources: Sequence[str], racks: Sequence[str] = ()) -> Progress:
    """What discoveries say one after the other.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of one plan with each discovery, the oldest first (`compare_fabrics`).
    sources : sequence of str
        What the discoveries are called.
    racks : sequence of str
        Where each planned switch stands; empty: not known.

    Returns
    -------
    Progress

    Raises
    ------
    InputError
        No discovery, or of another plan.
    """
    check_all(comparisons, Comparison, "progress", "compare_fabrics(plan, actual, match) makes them")
    if not comparisons:
        raise InputError("progress: name at least one discovery to compare with the plan")
    first, last = comparisons[0], comparisons[-1]
    for source, one in zip(sources, comparisons, strict=True):
        if (one.plan, one.planned_cables) != (first.plan, first.planned_cables):
            raise InputError(f"{source}: is set beside another plan than {sources[0]}")
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
    found = [Open(fault.kind, fault.text, since[key], where.of(fault)) for key, fault in end.faults.items()]
    for lost_only in (True, False):
        for key in sorted(end.missing):
            if (key in once_right) == lost_only:
                fault = end.absent[key]
                # One that was there is looked for where it was, and not on the pile.
                text = fault.text.replace("missing: ", "lost, was right before: ", 1) if lost_only else fault.text
                found.append(Open("lost" if lost_only else MISSING, text, since[key], where.of(fault)))
    return Progress(
        first.plan, first.planned_cables, tuple(seen), tuple(found), tuple(gone), last.nodes, provenance=last.provenance
    )


class _State:
    """What a comparison says, by keys that stay the same from one to the next."""

    def __init__(self, comparison: Comparison) -> None:
        self.faults: dict[_Key, Fault] = {}
        self.absent: dict[_Key, Fault] = {}
        for fault in comparison.faults:
            if fault.kind == MISSING:
                self.absent[_cables(fault.planned)[0]] = fault
            else:
                self.faults[(fault.kind, _cables(fault.planned), _cables(fault.found))] = fault
        #: The planned cables that are not there, and that are there but not right.
        self.missing = set(self.absent)
        self.not_right = self.missing | {
            cable for one in self.faults.values() if one.kind not in (SLOW, ONE_SIDED) for cable in _cables(one.planned)
        }


def _cables(cables: Sequence[Sequence[Any]]) -> tuple[_Key, ...]:
    return tuple(tuple((end.node, end.port) for end in cable) for cable in cables)


class _Where:
    """In which racks a fault is."""

    def __init__(self, comparison: Comparison, racks: Sequence[str]) -> None:
        self._of = dict(zip(comparison.names, racks, strict=False))

    def of(self, fault: Fault) -> tuple[str, ...]:
        """The racks of all its ends, as planned and as found."""
        ends = [end.node for cable in (*fault.planned, *fault.found) for end in cable]
        return tuple(dict.fromkeys(rack for node in ends if (rack := self._of.get(node, ""))))
