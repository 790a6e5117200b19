"""Findings from the flaws of a fabric's file, which lenient parsing collected."""

from collections.abc import Iterator

from topoloom.fabric.comparison import Plugged
from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.finding import Finding


def flawed(evidence: Evidence, kind: str) -> Iterator[Finding]:
    """The flaws of a kind (`topoloom.fabric.flaws`) in the files of the plan and the fabric."""
    for side in evidence.sides:
        for flaw in side.fabric.flaws:
            if flaw.kind == kind:
                yield Finding(
                    f"line {flaw.line}: {flaw.text}" if flaw.line else flaw.text,
                    tuple(dict.fromkeys(name for name, _ in flaw.plugs)),
                    plugs=tuple(Plugged(name, port) for name, port in flaw.plugs if port),
                    accounts=evidence.lost_at(flaw.ports),
                    line=flaw.line or None,
                )
