"""The rule WH101: one switch should be linked to all others."""

from collections.abc import Iterator

from topoloom.fabric.diagnosis.evidence import Evidence
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.rule import WARNING, rule


@rule(
    "WH101",
    "hub-missing",
    WARNING,
    "No switch is linked to all others.",
    explanation="The engine `hub` sends all packets through the switch that is linked to all others.",
    fix="Route with another engine.",
    page="https://example.org/wheels#wh101",
)
def hub_missing(evidence: Evidence) -> Iterator[Finding]:
    """Check the plan; the finding belongs to no particular switch."""
    topology = evidence.plan.fabric.topology
    if topology.degrees.max(initial=0) < topology.switches - 1:
        yield Finding(f"{topology.name} has no switch that is linked to all {topology.switches - 1} others")
