"""Diagnostics: all faults of a network, each with a rule's code, its place, its cause and its fix."""

import os
from dataclasses import dataclass, field
from typing import Any

from topoloom.fabric.comparison import Plugged
from topoloom.fabric.diagnosis.passive.pieces import PassiveCounts
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, Severity
from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class Diagnostic:
    """One fault.

    Attributes
    ----------
    number : int
        From 1, in the order of the list.
    code, name : str
        Of the rule: ``TL101``, ``cable-missing``.
    severity : "error", "warning" or "note"
    text : str
        The fault in one line.
    nodes : tuple of str
        The switches and hosts at its root; the first is the one to inspect.
    planned, found : tuple of cables
        Each cable by its two ends.
    ports : tuple of Plugged
        The ports concerned, if no cable can be named.
    cables : tuple of str
        The numbers of the cables, from the cable list.
    racks : tuple of str
        The racks concerned, where the plan states them.
    because_of : tuple of int
        The numbers of the diagnostics that cause this one, and whose repair repairs it; empty: it is a root.
    line : int or None
        The line of the fabric's file that shows it.
    page : str
        The page that explains the rule.
    fix : str
        What to do.
    places : tuple of str
        Rack and unit (``R01 U40``) of all switches and hosts concerned, where the plan states units.
    parts : tuple of str
        The passive parts at fault: cords, trunks and panels with their ports and racks.
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
    places: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        after = f" (follows from {', '.join(map(str, self.because_of))})" if self.because_of else ""
        return f"{self.code} {self.severity}: {self.text}{after}"


@dataclass(frozen=True, eq=False)
class Diagnostics(Result):
    """The faults of a plan, of a fabric compared with its plan, or of its tables.

    Attributes
    ----------
    plan : str
        The name of the network.
    actual : str or None
        The name of the fabric; None: the plan alone.
    tables : str or None
        The file of the tables that were verified.
    rules : tuple of str
        The codes of the rules that were applied.
    diagnostics : tuple of Diagnostic
        Errors, then warnings, then notes, each ordered by code.
    comparison, table_verification : dict or None
        The record of `compare_fabrics`, and that of `verify_tables`.
    passive : PassiveCounts or None
        The cords and trunks of a plan with panels that are right, wrong, or not heard of; None without a discovery.
    """

    record_name = "diagnostics"
    record_version = 5
    derived = ("clean", "errors", "warnings", "notes")

    plan: str
    actual: str | None
    tables: str | None
    rules: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    comparison: dict[str, Any] | None = None
    table_verification: dict[str, Any] | None = None
    passive: PassiveCounts | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per diagnostic: its number, code, name, severity, text, first node, racks and cables."""
        return [
            {
                "number": diagnostic.number,
                "code": diagnostic.code,
                "name": diagnostic.name,
                "severity": diagnostic.severity,
                "text": diagnostic.text,
                "node": diagnostic.nodes[0] if diagnostic.nodes else None,
                "racks": " ".join(diagnostic.racks),
                "cables": " ".join(diagnostic.cables),
            }
            for diagnostic in self.diagnostics
        ]

    @property
    def clean(self) -> bool:
        """Whether there are no errors and no warnings."""
        return not (self.errors or self.warnings)

    @property
    def discovery_file(self) -> str | None:
        """The file of the fabric that was compared with the plan; None without one, and for a folder."""
        source = self.provenance.settings.get("actual")
        return source if isinstance(source, str) and os.path.isfile(source) else None

    @property
    def errors(self) -> int:
        """Number of errors."""
        return self._count(ERROR)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return self._count(WARNING)

    @property
    def notes(self) -> int:
        """Number of notes."""
        return self._count(NOTE)

    def _count(self, severity: Severity) -> int:
        return sum(diagnostic.severity == severity for diagnostic in self.diagnostics)
