"""Forwarding tables by the engine that fits, and the judge's verdict."""

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.routing.registry import engines
from topoloom.routing.routing import Routing


def _tables(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    verdict = routing.verdict
    if verdict is None:
        raise InputError(f"{subject.topology.name}: nobody has followed its tables; route it without a sample")
    reason = routing.provenance.settings.get("fits")
    by = f"tables of engine {routing.engine}" + (f", which fits: {reason}" if reason else "")
    judged = "all paths followed, and what waits for what searched for cycles"
    return StepResult(
        [
            Figure(
                key="lanes",
                label="virtual lanes in use",
                value=verdict.lanes_used,
                bound=subject.lanes,
                how=f"{by}; the bound is what a switch has",
                by_hand=_by_hand(routing),
            ),
            Figure(
                key="deadlock_free",
                label="free of deadlock",
                value=float(bool(verdict.deadlock_free)),
                how=f"{judged}: {'no cycle' if verdict.deadlock_free else 'packets can block each other for ever'}",
                better="more",
            ),
            Figure(
                key="mean_hops",
                label="mean hops of the tables",
                value=verdict.mean_hops,
                how="all pairs of switches with hosts",
                better="less",
            ),
            Figure(
                key="max_hops", label="most hops of the tables", value=verdict.max_hops, how="as above", better="less"
            ),
        ]
    )


def _by_hand(routing: Routing) -> str:
    """The command that makes the same tables again; empty where they came from elsewhere."""
    seed, lanes = routing.provenance.seed, routing.provenance.settings.get("lanes")
    if routing.engine not in engines or seed is None:
        return ""
    within = "" if lanes is None else f" --lanes {lanes}"
    return f"topoloom route FOLDER --engine {routing.engine}{within} --seed {seed}"


TABLES = AssessmentStep("tables", "tables and their proof", "Tables", _tables)
