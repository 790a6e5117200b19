"""The step of the tables: forwarding tables by the engine that suits the network, and their verification."""

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.routing.registry import engines
from topoloom.routing.routing import Routing


def _tables(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    verification = routing.verification
    if verification is None:
        raise InputError(f"{subject.topology.name}: its tables are not verified; route it without a sample")
    reason = routing.provenance.settings.get("fits")
    by = routing.description + (f", which suits it: {reason}" if reason else "")
    verified = "every path was followed, and the channel dependencies were searched for cycles"
    return StepResult(
        [
            Figure(
                key="virtual_channels",
                label="virtual channels in use",
                value=verification.virtual_channels_used,
                bound=subject.virtual_channels,
                how=f"{by}; the bound is the number that a switch has",
                by_hand=_by_hand(routing),
            ),
            Figure(
                key="deadlock_free",
                label="free of deadlock",
                value=float(bool(verification.deadlock_free)),
                how=f"{verified}: {'no cycle' if verification.deadlock_free else 'packets can block each other forever'}",
                better="more",
            ),
            Figure(
                key="mean_hops",
                label="mean hops of the tables",
                value=verification.mean_hops,
                how="over all pairs of switches with hosts",
                better="less",
            ),
            Figure(
                key="max_hops",
                label="maximum hops of the tables",
                value=verification.max_hops,
                how="as above",
                better="less",
            ),
        ]
    )


def _by_hand(routing: Routing) -> str:
    """The command that makes the same tables; empty where they came from elsewhere."""
    seed, virtual_channels = routing.provenance.seed, routing.provenance.settings.get("virtual_channels")
    if routing.engine not in engines or seed is None:
        return ""
    within = "" if virtual_channels is None else f" --virtual-channels {virtual_channels}"
    return f"topoloom route FOLDER --engine {routing.engine}{within} --seed {seed}"


TABLES = AssessmentStep("tables", "tables and their verification", "Tables", _tables, cheap=True)
