"""A comparison: the differences between a fabric and its plan, as numbers and as text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from topoloom.model.results import Provenance, Result

WRONG, MISSING, EXTRA, SWAPPED = "wrong", "missing", "extra", "swapped"
#: Faults of cables that are in their place, or for which the discovery itself may be at fault.
SLOW, ONE_SIDED = "slow", "one-sided"

#: A plug: a node and its port. Nodes are planned switches, then planned hosts, then nodes that are not planned.
Plug = tuple[int, int]
Cable = tuple[Plug, Plug]


@dataclass(frozen=True)
class Difference:
    """A difference from the plan, by the numbers of nodes.

    Attributes
    ----------
    kind : str
        "wrong": one cable, one end elsewhere. "missing", "extra". "swapped": cables with swapped ends, two or a ring.
        "slow": a cable that runs below its rate. "one-sided": a cable that only one of its ends lists.
    planned, found : tuple of cables
        As planned and as found; a cable is two plugs (node, port).
    """

    kind: str
    planned: tuple[Cable, ...]
    found: tuple[Cable, ...]


@dataclass(frozen=True)
class Plugged:
    """An end of a cable: the name of the switch or host, the number of the port there, and its name if ports have names."""

    node: str
    port: int
    port_name: str = ""

    @property
    def port_text(self) -> str:
        """The port as people name it: ``swp1s0``, or its number."""
        return self.port_name or str(self.port)

    @property
    def key(self) -> str | int:
        """What stays the same from one discovery to the next: the name of the port, else its number."""
        return self.port_name or self.port


@dataclass(frozen=True)
class Fault:
    """A difference from the plan, by the names of nodes.

    Attributes
    ----------
    kind : str
        As in `Difference`.
    planned, found : tuple of cables
        Each cable by its two ends.
    text : str
        The fault in one line, as an installer looks for it.
    """

    kind: str
    planned: tuple[tuple[Plugged, Plugged], ...]
    found: tuple[tuple[Plugged, Plugged], ...]
    text: str


@dataclass(frozen=True)
class CableErrors:
    """The errors that the ports at both ends of a cable counted.

    Attributes
    ----------
    ends : (Plugged, Plugged)
        The cable as it was found.
    counted : (dict, dict) of str to int
        The nonzero counters at each end.
    text : str
        The errors in one line.
    """

    ends: tuple[Plugged, Plugged]
    counted: tuple[dict[str, int], dict[str, int]]
    text: str


@dataclass(frozen=True)
class KnownSwitch:
    """A switch in the fabric: its actual name and GUID, and the planned switch that it is, or None."""

    planned: str | None
    actual: str
    guid: str


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """The differences between a fabric and its plan.

    Attributes
    ----------
    plan, actual : str
        The names of both.
    switches_known_by : str
        The method of node matching: "name", "guid", "hosts", "shape" or "map".
    switches_known_by_neighbours : int
        Switches that only their neighbours identified.
    links_that_agree : float
        The share of links between the same switches in both.
    ports : "exact" or "any"
        Whether cables had to be in the planned ports.
    planned_cables, right_cables : int
        Number of planned cables, and of those that are right.
    right_but_for_ports : int
        Number of further cables that would be right if ports were not compared.
    faults : tuple of Fault
    errors : tuple of CableErrors
        Cables whose ports counted errors, most errors first; empty without counters.
    nodes : tuple of str
        Switches and hosts that are missing or not planned, one sentence each.
    switches : tuple of KnownSwitch
    differences : tuple of Difference
        The faults by the numbers of nodes.
    missing_switches, missing_hosts : tuple of int
        Planned nodes that are missing.
    extra_switches, extra_hosts : tuple of int
        Actual nodes that are not planned, by their number in the actual fabric.
    names : tuple of str
        Names of all nodes: the planned switches, the planned hosts, then extra nodes.
    called : dict of int to str
        The names of nodes in the actual fabric where they differ.
    """

    record_name = "comparison"
    unrecorded = (
        "differences",
        "missing_switches",
        "missing_hosts",
        "extra_switches",
        "extra_hosts",
        "names",
        "called",
    )
    derived = (
        *("same", "wrong_cables", "missing_cables", "extra_cables", "swapped_cables"),
        *("slow_cables", "one_sided_cables"),
    )
    record_version = 3

    plan: str
    actual: str
    switches_known_by: str
    switches_known_by_neighbours: int
    links_that_agree: float
    ports: Literal["exact", "any"]
    planned_cables: int
    right_cables: int
    right_but_for_ports: int
    faults: tuple[Fault, ...]
    nodes: tuple[str, ...]
    switches: tuple[KnownSwitch, ...]
    differences: tuple[Difference, ...]
    missing_switches: tuple[int, ...]
    missing_hosts: tuple[int, ...]
    extra_switches: tuple[int, ...]
    extra_hosts: tuple[int, ...]
    names: tuple[str, ...]
    called: dict[int, str]
    errors: tuple[CableErrors, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per fault: its kind, and a text of one line."""
        return [{"kind": fault.kind, "text": fault.text} for fault in self.faults]

    @property
    def same(self) -> bool:
        """Whether everything is as planned."""
        return not (
            self.differences or self.missing_switches or self.missing_hosts or self.extra_switches or self.extra_hosts
        )

    @property
    def wrong_cables(self) -> int:
        """Number of faults of one cable with an end elsewhere."""
        return self._count(WRONG)

    @property
    def missing_cables(self) -> int:
        """Number of planned cables that are missing."""
        return self._count(MISSING)

    @property
    def extra_cables(self) -> int:
        """Number of cables that are not planned."""
        return self._count(EXTRA)

    @property
    def swapped_cables(self) -> int:
        """Number of faults of cables with swapped ends."""
        return self._count(SWAPPED)

    @property
    def slow_cables(self) -> int:
        """Number of cables that run below their rate."""
        return self._count(SLOW)

    @property
    def one_sided_cables(self) -> int:
        """Number of cables that only one of their two ends lists."""
        return self._count(ONE_SIDED)

    def _count(self, kind: str) -> int:
        return sum(difference.kind == kind for difference in self.differences)


@dataclass(frozen=True)
class Words:
    """Formats differences as text: cable number, racks, switches and ports, as an installer looks for them.

    Attributes
    ----------
    names : tuple of str
    called : dict of int to str
        As in `Comparison`.
    racks : tuple of str
    cable_numbers : mapping of (switch, port) to str
        As `compare_fabrics` takes them.
    port_texts : mapping of int to callable (port: int) -> str
        The ports of nodes as people name them, where they do not go by numbers (`topoloom.fabric.port_texts`).
    port_names : mapping of int to mapping of int to str
        The names of ports, of the nodes whose ports have names.
    """

    names: tuple[str, ...]
    called: dict[int, str]
    racks: tuple[str, ...]
    cable_numbers: Mapping[Plug, str]
    port_texts: Mapping[int, Callable[[int], str]] = field(default_factory=dict)
    port_names: Mapping[int, Mapping[int, str]] = field(default_factory=dict)

    def errors(self, cable: Cable, counted: tuple[dict[str, int], dict[str, int]]) -> str:
        """One line: ``errors: S12 port 5 - S40 port 2: S12 port 5 SymbolErrors 12; S40 port 2 LinkDowned 2``."""
        number = self._number(cable)
        which = f"cable {number}: " if number else ""
        return f"errors: {which}{self._cable(cable, is_there=True)}: {self.counted(cable, counted)}"

    def counted(self, cable: Cable, counted: tuple[dict[str, int], dict[str, int]]) -> str:
        """The counters of a cable's ports: ``S12 port 5 SymbolErrors 12; S40 port 2 LinkDowned 2``."""
        texts = [
            f"{self.names[node]} port {self.port(node, port)} "
            + ", ".join(f"{name} {number}" for name, number in counters.items())
            for (node, port), counters in zip(cable, counted, strict=True)
            if counters
        ]
        return "; ".join(texts)

    def fault(self, difference: Difference, how: str = "") -> str:
        """One line: ``wrong: cable 17: planned c3 S12 port 5 - c9 S40 port 2; found S12 port 5 - S41 port 2``."""
        planned = ", ".join(self._cable(cable, is_there=False) for cable in difference.planned)
        actual = ", ".join(self._cable(cable, is_there=True) for cable in difference.found)
        numbers = [number for cable in difference.planned if (number := self._number(cable))]
        which = f"cable{'s' * (len(numbers) > 1)} {' and '.join(numbers)}: " if numbers else ""
        if difference.kind == EXTRA:
            return f"extra: found {actual}"
        if difference.kind == SLOW:
            return f"slow: {which}{actual} {how}"
        if difference.kind == ONE_SIDED:
            return f"one-sided: {which}{actual}: only one end lists it"
        if difference.kind == MISSING:
            return f"missing: {which}planned {planned}"
        if moves := self.moves(difference.planned, difference.found):
            return f"{difference.kind}: {which}{moves}"
        return f"{difference.kind}: {which}planned {planned}; found {actual}"

    def moves(self, planned: Sequence[Cable], found: Sequence[Cable]) -> str:
        """What an installer moves: ``leaf01 port 33 is in spine04 port 5, should be port 1``; empty if it is not that simple.

        Every planned cable must have one end in its place, from which another cable leads elsewhere.
        """
        present = {plug: cable for cable in found for plug in cable}
        sentences, used = [], set()
        for cable in planned:
            for near, wanted in (cable, cable[::-1]):
                instead = present.get(near)
                if instead is None or instead in used or (instead[0][0] == instead[1][0]):
                    continue
                used.add(instead)
                end = instead[1] if instead[0] == near else instead[0]
                goal = (
                    f"port {self.port(*wanted)}" if end[0] == wanted[0] else f"in {self._end(*wanted, is_there=False)}"
                )
                sentences.append(
                    f"{self._end(*near, is_there=True)} is in {self._end(*end, is_there=True)}, should be {goal}"
                )
                break
        return "; ".join(sentences) if len(sentences) == len(planned) == len(found) else ""

    def node(self, node: int) -> str:
        """A switch with its rack, if the plan states it; a host or an unplanned node by its name."""
        rack = self.racks[node] if node < len(self.racks) else ""
        return f"{rack} {self.names[node]}" if rack else self.names[node]

    def _cable(self, cable: Cable, is_there: bool) -> str:
        return " - ".join(self._end(node, port, is_there) for node, port in cable)

    def _end(self, node: int, port: int, is_there: bool) -> str:
        # The actual node may have another name.
        other = f" ({self.called[node]})" if is_there and node in self.called else ""
        return f"{self.node(node)}{other} port {self.port(node, port)}"

    def port(self, node: int, port: int) -> str:
        """A port by its name, or by its number and its label on the panel: ``swp51``, ``33 (17/1)``."""
        return self.port_texts[node](port) if node in self.port_texts else str(port)

    def plugged(self, node: int, port: int) -> Plugged:
        """An end of a cable, by names."""
        return Plugged(self.names[node], port, self.port_names.get(node, {}).get(port, ""))

    def plugged_cables(self, cables: Iterable[Cable]) -> tuple[tuple[Plugged, Plugged], ...]:
        """Cables by their ends' names."""
        return tuple((self.plugged(*first), self.plugged(*second)) for first, second in cables)

    def _number(self, cable: Cable) -> str:
        """The number of a planned cable, found by its plug in a switch."""
        plugs: tuple[Plug, ...] = cable
        return next((self.cable_numbers[plug] for plug in plugs if plug in self.cable_numbers), "")

    def cable(self, cable: Cable, is_there: bool) -> str:
        """Both ends of a cable, with racks and ports; for a cable that exists also the actual names of its ends."""
        return self._cable(cable, is_there)

    def number(self, cable: Cable) -> str:
        """The number of a planned cable; empty if it has none."""
        return self._number(cable)
