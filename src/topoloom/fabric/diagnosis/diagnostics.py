"""Diagnostics: everything that is wrong with a network, each by a rule's code, with its place, its cause and its fix."""

from dataclasses import dataclass, field
from typing import Any

from topoloom.fabric.comparison import Plugged
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, Severity
from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong.

    Attributes
    ----------
    number : int
        From 1, in the order of the list.
    code, name : str
        The rule's: ``TL101``, ``cable-missing``.
    severity : "error", "warning" or "note"
    text : str
        All of it in one line.
    nodes : tuple of str
        The switches and hosts at its root; the first is the one to go to.
    planned, found : tuple of cables
        Each of the two ends where it is plugged in.
    ports : tuple of Plugged
        Ports that it is about, where there is no cable to name.
    cables : tuple of str
        The numbers of its cables, as the cable list has them.
    racks : tuple of str
        Where it is, as far as the plan says.
    because_of : tuple of int
        The numbers of those that it follows from: repaired with them. Empty: it is a root.
    line : int or None
        The line of the fabric's file that shows it.
    page : str
        Where the rule is explained.
    fix : str
        What to do.
    """

    number: int
    code: str
    name: str
    severity: Severity
    text: str
    nodes: tuple[str, ...]
    planned: tuple[tuple[Plugged, Plugged], ...]
    found: tuple[tuple[Plugged, Plugged], ...]
    ports: tuple[Plugged, ...]
    cables: tuple[str, ...]
    racks: tuple[str, ...]
    because_of: tuple[int, ...]
    line: int | None
    page: str
    fix: str

    def __str__(self) -> str:
        after = f" (follows from {', '.join(map(str, self.because_of))})" if self.because_of else ""
        return f"{self.code} {self.severity}: {self.text}{after}"


@dataclass(frozen=True, eq=False)
class Diagnostics(Result):
    """What is wrong with a plan, a fabric beside its plan, or its tables.

    Attributes
    ----------
    plan : str
        The name of the network.
    actual : str or None
        That of the fabric beside it; None: the plan alone.
    tables : str or None
        The file of the tables that were judged.
    rules : tuple of str
        The codes of the rules that were asked.
    diagnostics : tuple of Diagnostic
        Errors, warnings and notes in this order, each by codes.
    comparison, table_verification : dict or None
        The record of `compare_fabrics`, and that of `judge`.
    """

    record_name = "diagnostics"
    record_version = 2
    derived = ("clean", "errors", "warnings", "notes")

    plan: str
    actual: str | None
    tables: str | None
    rules: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    comparison: dict[str, Any] | None = None
    table_verification: dict[str, Any] | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per diagnostic: its number, code, name, severity, text, first node, racks and cables."""
        return [
            {
                "number": one.number,
                "code": one.code,
                "name": one.name,
                "severity": one.severity,
                "text": one.text,
                "node": one.nodes[0] if one.nodes else None,
                "racks": " ".join(one.racks),
                "cables": " ".join(one.cables),
            }
            for one in self.diagnostics
        ]

    @property
    def clean(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return not (self.errors or self.warnings)

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return self._count(ERROR)

    @property
    def warnings(self) -> int:
        """How many warnings."""
        return self._count(WARNING)

    @property
    def notes(self) -> int:
        """How many notes."""
        return self._count(NOTE)

    def _count(self, severity: Severity) -> int:
        return sum(one.severity == severity for one in self.diagnostics)
