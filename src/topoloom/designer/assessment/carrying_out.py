"""Carrying out one step of an assessment, here or on another machine: its result, as stores and workers pass it on."""

import hashlib
from typing import Any

import msgspec

from topoloom.core.calls import anywhere
from topoloom.core.clock import WORKING
from topoloom.core.work import Work
from topoloom.cost.bill import Bill
from topoloom.designer.assessment.all_steps import STEPS
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.model.results import Result, json_value
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.throughput.result import Quality

#: The results that are no load curves.
_KINDS: dict[str, type[Result]] = {"bill": Bill, "quality": Quality}


class StoredStep(msgspec.Struct):
    """The result of a step as plain values.

    Attributes
    ----------
    figures : list of Figure
    results : dict of str to dict
        The records of whole results.
    seconds : float
    key : str
        Digest of all that the result depends on.
    """

    figures: list[Figure]
    results: dict[str, dict[str, Any]] = {}
    seconds: float = 0.0
    key: str = ""

    def result(self) -> StepResult:
        """The result of the step.

        Raises
        ------
        InputError
            A record is damaged.
        """
        kinds = {key: _KINDS.get(key, LoadCurve) for key in self.results}
        return StepResult(self.figures, {key: kinds[key].from_record(record) for key, record in self.results.items()})


def carried_out(step: AssessmentStep, subject: Subject, effort: int, work: Work) -> tuple[StepResult, StoredStep]:
    """Carry out a step here.

    Parameters
    ----------
    step : AssessmentStep
    subject : Subject
    effort : int
        Multiple of the normal number of draws.
    work : Work

    Returns
    -------
    (StepResult, StoredStep)

    Raises
    ------
    InputError
        The network has no such figure.
    Stopped
        `work` was stopped.
    """
    began = WORKING.seconds
    result = step.run(subject, work) if effort == 1 or step.finer is None else step.finer(subject, work, effort)
    figures = [msgspec.structs.replace(figure, group=step.group) for figure in result.figures]
    records = {key: value.record() for key, value in result.results.items()}
    return StepResult(figures, result.results), StoredStep(figures, records, WORKING.seconds - began)


@anywhere
def step_anywhere(*, step: str, effort: int, subject: Subject, work: Work, jobs: int | None) -> StoredStep:
    """Carry out a step on any machine.

    Parameters
    ----------
    step : str
        Its name.
    effort : int
        Multiple of the normal number of draws.
    subject : Subject
    work : Work
    jobs : int or None
        Threads.

    Returns
    -------
    StoredStep

    Raises
    ------
    InputError
        The network has no such figure.
    Stopped
        `work` was stopped.
    """
    subject.jobs = jobs
    return carried_out(next(candidate for candidate in STEPS if candidate.name == step), subject, effort, work)[1]


def decides(subject: Subject) -> list[Any]:
    """All that the results of steps depend on, except the step and its draws: JSON types."""
    layout, terms = subject.layout, subject.network.terms
    return [
        subject.topology.digest,
        subject.parts.name,
        msgspec.to_builtins(subject.parts),
        json_value(msgspec.structs.replace(terms, parts=None)),
        None if subject.network.tables is None else tables_digest(subject.network.tables),
        [subject.rate_gbps, subject.switch_ns, subject.cable_ns_per_m, subject.virtual_channels],
        [subject.radix, subject.all_to_all_mib, subject.all_reduce_mib, subject.seed],
        str(subject.scale_up),
        hashlib.sha256(layout.length_m.tobytes() + layout.rack.tobytes()).hexdigest(),
    ]


def digest_of(content: list[Any]) -> str:
    """24 hexadecimal digits of some JSON types."""
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:24]
