"""The step of the tables: forwarding tables by the engine that suits the network, and their verification."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.connectivity import components
from topoloom.routing.registry import engines
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Verification


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
                value=_mean_hops(routing, verification),
                how="over all pairs of switches with hosts, of one plane",
                better="less",
            ),
            Figure(
                key="max_hops",
                label="maximum hops of the tables",
                value=verification.max_hops,
                how="over all pairs of switches, also of those without hosts",
                better="less",
            ),
        ]
    )


def _mean_hops(routing: Routing, verification: Verification) -> float:
    """The mean hops between switches with hosts: their pairs load every channel of their path once."""
    topology = routing.topology
    carriers = np.bincount(components(topology), routing.carriers).astype(np.int64)
    tables = verification.pairs // max(1, topology.switches * (topology.switches - 1))
    pairs = int((carriers * (carriers - 1)).sum()) * tables
    return float(verification.channel_load.sum()) / pairs if pairs else 0.0


def _by_hand(routing: Routing) -> str:
    """The command that makes the same tables; empty where they came from elsewhere."""
    seed, virtual_channels = routing.provenance.seed, routing.provenance.settings.get("virtual_channels")
    if routing.engine not in engines or seed is None:
        return ""
    within = "" if virtual_channels is None else f" --virtual-channels {virtual_channels}"
    return f"topoloom route FOLDER --engine {routing.engine}{within} --seed {seed}"


TABLES = AssessmentStep("tables", "tables and their verification", "Tables", _tables, cheap=True)
