"""A comparison: what differs between a fabric and its plan, by numbers and in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from topoloom.model.results import Provenance, Result

WRONG, MISSING, EXTRA, SWAPPED = "wrong", "missing", "extra", "swapped"
#: Faults of cables that are where they should be, or that somebody else is wrong about.
SLOW, ONE_SIDED = "slow", "one-sided"

#: A plug: the node, its port. Nodes are planned switches, then planned hosts, then what the plan does not have.
Plug = tuple[int, int]
Cable = tuple[Plug, Plug]


@dataclass(frozen=True)
class Difference:
    """Something that is not as planned, by the numbers of nodes.

    Attributes
    ----------
    kind : str
        "wrong": one cable, one end elsewhere. "missing", "extra". "swapped": cables with exchanged ends, two or a ring.
        "slow": a cable that runs below its rate. "one-sided": one that only one of its ends told of.
    planned, found : tuple of cables
        As planned and as found, each of two plugs (node, port).
    """

    kind: str
    planned: tuple[Cable, ...]
    found: tuple[Cable, ...]


@dataclass(frozen=True)
class Plugged:
    """An end of a cable: the name of the switch or host, and the port there."""

    node: str
    port: int


@dataclass(frozen=True)
class Fault:
    """Something that is not as planned, by the names of nodes.

    Attributes
    ----------
    kind : str
        As `Difference` has it.
    planned, found : tuple of cables
        Each of the two ends where it is plugged in.
    text : str
        All of it in one line, as an installer looks for it.
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
        At each end, what was counted and is not 0.
    text : str
        All of it in one line.
    """

    ends: tuple[Plugged, Plugged]
    counted: tuple[dict[str, int], dict[str, int]]
    text: str


@dataclass(frozen=True)
class KnownSwitch:
    """A switch that is there: what it is called, its GUID, and the planned switch that it is; None where it is none."""

    planned: str | None
    actual: str
    guid: str


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """A fabric beside its plan: what differs.

    Attributes
    ----------
    plan, actual : str
        The names of both.
    switches_known_by : str
        How switches were known: "name", "guid", "hosts", "shape" or "map".
    switches_known_by_neighbours : int
        Those that nothing else told.
    links_that_agree : float
        The share of links between the same switches in both.
    ports : "exact" or "any"
        Whether cables had to be in the planned ports.
    planned_cables, right_cables : int
        Those that should be, and of them those that are.
    right_but_for_ports : int
        More that would be right if ports were not compared.
    faults : tuple of Fault
    errors : tuple of CableErrors
        Cables whose ports counted errors, those with most first; empty where nobody gave counters.
    nodes : tuple of str
        Switches and hosts that are missing or not planned, a sentence each.
    switches : tuple of KnownSwitch
    differences : tuple of Difference
        The faults by the numbers of nodes.
    missing_switches, missing_hosts : tuple of int
        Planned ones that nobody is.
    extra_switches, extra_hosts : tuple of int
        Actual ones that are not planned, by their number in the actual fabric.
    names : tuple of str
        Of all nodes: the planned switches, planned hosts, then extra ones.
    called : dict of int to str
        What nodes are called in the actual fabric, where that is another name.
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
    record_version = 2

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
        """One row per fault: its kind, and all of it in a line."""
        return [{"kind": fault.kind, "text": fault.text} for fault in self.faults]

    @property
    def same(self) -> bool:
        """Whether everything is as planned."""
        return not (
            self.differences or self.missing_switches or self.missing_hosts or self.extra_switches or self.extra_hosts
        )

    @property
    def wrong_cables(self) -> int:
        """Faults of one cable with an end elsewhere."""
        return self._count(WRONG)

    @property
    def missing_cables(self) -> int:
        """Planned cables that are not there."""
        return self._count(MISSING)

    @property
    def extra_cables(self) -> int:
        """Cables that are not planned."""
        return self._count(EXTRA)

    @property
    def swapped_cables(self) -> int:
        """Faults of cables with exchanged ends."""
        return self._count(SWAPPED)

    @property
    def slow_cables(self) -> int:
        """Cables that run below their rate."""
        return self._count(SLOW)

    @property
    def one_sided_cables(self) -> int:
        """Cables that only one of their two ends told of."""
        return self._count(ONE_SIDED)

    def _count(self, kind: str) -> int:
        return sum(one.kind == kind for one in self.differences)


@dataclass(frozen=True)
class Words:
    """Differences in words: the cable's number, racks, switches and ports, as an installer looks for them.

    Attributes
    ----------
    names : tuple of str
    called : dict of int to str
        As `Comparison` has them.
    racks : tuple of str
    cable_numbers : mapping of (switch, port) to str
        As `compare` takes them.
    """

    names: tuple[str, ...]
    called: dict[int, str]
    racks: tuple[str, ...]
    cable_numbers: Mapping[Plug, str]

    def errors(self, cable: Cable, counted: tuple[dict[str, int], dict[str, int]]) -> str:
        """One line: ``errors: S12 port 5 - S40 port 2: S12 port 5 SymbolErrors 12; S40 port 2 LinkDowned 2``."""
        number = self._number(cable)
        which = f"cable {number}: " if number else ""
        return f"errors: {which}{self._cable(cable, is_there=True)}: {self.counted(cable, counted)}"

    def counted(self, cable: Cable, counted: tuple[dict[str, int], dict[str, int]]) -> str:
        """What the ports of a cable counted: ``S12 port 5 SymbolErrors 12; S40 port 2 LinkDowned 2``."""
        told = [
            f"{self.names[node]} port {port} {', '.join(f'{name} {number}' for name, number in mine.items())}"
            for (node, port), mine in zip(cable, counted, strict=True)
            if mine
        ]
        return "; ".join(told)

    def fault(self, one: Difference, how: str = "") -> str:
        """One line: ``wrong: cable 17: planned c3 S12 port 5 - c9 S40 port 2; found S12 port 5 - S41 port 2``."""
        planned = ", ".join(self._cable(cable, is_there=False) for cable in one.planned)
        there = ", ".join(self._cable(cable, is_there=True) for cable in one.found)
        numbers = [number for cable in one.planned if (number := self._number(cable))]
        which = f"cable{'s' * (len(numbers) > 1)} {' and '.join(numbers)}: " if numbers else ""
        if one.kind == EXTRA:
            return f"extra: found {there}"
        if one.kind == SLOW:
            return f"slow: {which}{there} {how}"
        if one.kind == ONE_SIDED:
            return f"one-sided: {which}{there}: only one end told of it"
        if one.kind == MISSING:
            return f"missing: {which}planned {planned}"
        return f"{one.kind}: {which}planned {planned}; found {there}"

    def node(self, node: int) -> str:
        """A switch with its rack, where the plan says it; a host, or what is not in the plan, by its name."""
        rack = self.racks[node] if node < len(self.racks) else ""
        return f"{rack} {self.names[node]}" if rack else self.names[node]

    def _cable(self, cable: Cable, is_there: bool) -> str:
        ends = []
        for node, port in cable:
            # What hangs there may call itself otherwise.
            other = f" ({self.called[node]})" if is_there and node in self.called else ""
            ends.append(f"{self.node(node)}{other} port {port}")
        return " - ".join(ends)

    def _number(self, cable: Cable) -> str:
        """The number of a planned cable, by the plug in a switch."""
        plugs: tuple[Plug, ...] = cable
        return next((self.cable_numbers[plug] for plug in plugs if plug in self.cable_numbers), "")

    def cable(self, cable: Cable, is_there: bool) -> str:
        """Both ends of a cable, with racks and ports; of one that is there also what its ends call themselves."""
        return self._cable(cable, is_there)

    def number(self, cable: Cable) -> str:
        """The number of a planned cable; empty where it has none."""
        return self._number(cable)
