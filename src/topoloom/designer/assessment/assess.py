"""The operation: networks fully assessed, step by step, side by side, within a budget of time."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.clock import WORKING
from topoloom.core.errors import InputError, Stopped
from topoloom.core.shards import Shards
from topoloom.core.threads import cores
from topoloom.core.work import Work
from topoloom.cost.bill import Bill
from topoloom.designer.assessment.assessment import Assessment, Assessments, Missing
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.steps.collective import COLLECTIVES
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.steps.failures import DEGRADATION, FAILURES
from topoloom.designer.assessment.steps.growth import GROWTH
from topoloom.designer.assessment.steps.load import LOADED, SATURATED
from topoloom.designer.assessment.steps.tables import TABLES
from topoloom.designer.assessment.steps.throughput import PATTERNED, THROUGHPUT
from topoloom.designer.assessment.subject import EFFORTS, MOST_REPEATS, Subject
from topoloom.model.results import Provenance, Result, json_value, provenance_of
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.throughput.result import Quality

#: What is worked out, the cheapest first: every network has a step before one has the next.
STEPS: tuple[AssessmentStep, ...] = (
    COST,
    TABLES,
    THROUGHPUT,
    PATTERNED,
    FAILURES,
    GROWTH,
    LOADED[0],
    COLLECTIVES,
    DEGRADATION,
    *LOADED[1:],
    SATURATED,
)
_KINDS: dict[str, type[Result]] = {"bill": Bill, "quality": Quality}


def assess(
    subjects: Sequence[Subject],
    *,
    objective: str = "cost_usd",
    seconds: float | None = None,
    repeats: int = MOST_REPEATS,
    store: str | Path | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    work: Work | None = None,
) -> Assessments:
    """Take networks through bill, tables, throughput, failures, growth, collectives and simulated load.

    Parameters
    ----------
    subjects : sequence of Subject
        In the order in which they are told if none has the figure that ranks them.
    objective : str
        The key of the figure that they are ranked by, less first unless more of it is better.
    seconds : float, optional
        The budget, in which compiling kernels does not count. The steps are done in their order, each for all networks, and
        the cheap ones also when the budget is over, as long as those of a network take less than a minute in all. What does
        not fit is named in `Assessment.missing`. Of what is left over, steps with chance in them take four and sixteen times
        the draws, until their intervals are within 0.5 %. Without it every step is done, once.
    repeats : int
        How many times the usual draws are made at the most, where time is left over: 16, 4 or, from 3 on downwards, 1, so that
        figures do not depend on the time.
    store : path, optional
        A folder where what a step found is kept and found again.
    fresh : bool
        Work out again what the store has, and keep the new.
    jobs : int, optional
        Networks side by side; every core when omitted. No figure depends on it.
    work : Work, optional
        Told of steps, each delivered; when stopped, what is finished is the result.

    Raises
    ------
    InputError
        No network.
    """
    if not subjects:
        raise InputError("assess: there is no network to assess; give one or more")
    work = Work() if work is None else work
    chain = _Chain(
        list(subjects), None if store is None else Path(store), work, seconds, cores(jobs), repeats, fresh=fresh
    )
    with work.interruptible(), suppress(Stopped):
        chain.run()
    found = [chain.assessment(number) for number in range(len(subjects))]
    late = any(one.reason == _LATE for network in found for one in network.missing)
    return Assessments(
        tuple(ranked(found, objective)),
        objective,
        ended=work.ended if work.stopped else "deadline" if late else "done",
        provenance=Provenance(seed=subjects[0].seed),
    )


def ranked(networks: Sequence[Assessment], objective: str) -> list[Assessment]:
    """Networks by a figure, the best first, those without it last; their own order decides where it is alike."""

    def place(one: Assessment) -> tuple[bool, float]:
        figure = one.figure(objective)
        if figure is None or figure.value is None:
            return True, 0.0
        return False, -figure.value if figure.better == "more" else figure.value

    return sorted(networks, key=place)


#: Why a step that the budget had no time for is missing; an interrupted one says that instead.
_LATE = "it did not fit into the budget of time; give more minutes"


#: Of the time that is left the networks of a step take this at most, all together, so that one that is slow leaves some over.
_SHARE = 0.5
#: Seconds that the cheap steps of a network may take in all, whatever the budget.
_CHEAP_SECONDS = 60.0


class _Chain:
    """The steps of all networks: what is found, and what time is left."""

    def __init__(
        self,
        subjects: list[Subject],
        store: Path | None,
        work: Work,
        seconds: float | None,
        threads: int,
        repeats: int,
        *,
        fresh: bool,
    ) -> None:
        self._more = [effort for effort in EFFORTS if effort <= repeats]
        self._subjects, self._work, self._threads = subjects, work, threads
        shards = None if store is None else Shards(store / "steps", _Kept)
        self._kept = {} if shards is None or fresh else {line.key: line for line in shards.new()}
        self._writer = None if shards is None else shards.writer()
        self._budget = work if seconds is None else work.budget(seconds)
        self._found: list[dict[str, StepResult]] = [{} for _ in subjects]
        self._missing: list[dict[str, str]] = [{} for _ in subjects]
        self._efforts: list[dict[str, int]] = [{} for _ in subjects]
        self._seconds: list[dict[str, float]] = [{} for _ in subjects]
        self._cheap_seconds = [_CHEAP_SECONDS for _ in subjects]
        self._lock = threading.Lock()
        side_by_side = min(threads, len(subjects))
        for subject in subjects:
            subject.jobs = max(1, threads // side_by_side) if subject.jobs is None else subject.jobs

    def run(self) -> None:
        """All steps, each for all networks."""
        self._work.begin(len(STEPS) * len(self._subjects), "steps")
        for step in STEPS:
            self._side_by_side(partial(self._one, step))
        if self._budget.seconds_left < float("inf"):
            finer = [step for step in STEPS if step.finer is not None]
            self._work.begin(len(self._more) * len(finer) * len(self._subjects), "steps with more draws")
            for effort in self._more:
                for step in finer:
                    self._side_by_side(partial(self._again, step, effort))
        # Tables whose figures an earlier run has kept are made again: the network's folder has them.
        for number, subject in enumerate(self._subjects):
            if subject.tables is None and TABLES.name in self._found[number]:
                with suppress(InputError):
                    subject.routed(self._work.step())

    def _side_by_side(self, task: Callable[[int], None]) -> None:
        """A step for all networks, on so many threads; the first error that is not the user's ends all."""
        waiting = iter(range(len(self._subjects)))
        faults: list[BaseException] = []

        def worker() -> None:
            while not faults:
                with self._lock:
                    number = next(waiting, None)
                if number is None:
                    return
                try:
                    task(number)
                except BaseException as fault:
                    faults.append(fault)

        threads = [threading.Thread(target=worker, daemon=True) for _ in range(min(self._threads, len(self._subjects)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # Ctrl-C comes through between two looks
        if faults:
            raise faults[0]

    def _one(self, step: AssessmentStep, number: int) -> None:
        """One step of one network, or why there is none."""
        began = WORKING.seconds
        if not self._take_kept(step, number, 1):
            try:
                self._do(step, number, self._allowed(step, number), 1)
            except InputError as error:
                self._missing[number][step.name] = str(error)
            except Stopped:
                self._missing[number][step.name] = self._why_not()
        if step.cheap:
            self._cheap_seconds[number] -= WORKING.seconds - began
        self._work.advance(1, f"{self._subjects[number].topology.name}: {step.words}")

    def _allowed(self, step: AssessmentStep, number: int) -> Work:
        """The time for a step of a network.

        Raises
        ------
        Stopped
            There is none left.
        """
        self._work.check()
        if self._budget.seconds_left == float("inf"):
            return self._budget.step()
        # No network may take the time of those that wait for the same step.
        done = sum(step.name in one for one in self._found) + sum(step.name in one for one in self._missing)
        turns = -(-(len(self._subjects) - done) // self._threads)
        share = self._budget.seconds_left / turns * (1 if step is STEPS[-1] else _SHARE)
        if step.cheap and self._cheap_seconds[number] > share:
            return self._work.budget(self._cheap_seconds[number])
        self._budget.check()
        # Steps become longer: one that has less time than an earlier one took would only compile its kernels and be stopped.
        if not step.cheap and share < max(self._seconds[number].values(), default=0.0):
            raise Stopped("less time than an earlier step took")
        return self._budget.share(share)

    def _again(self, step: AssessmentStep, effort: int, number: int) -> None:
        """A step of one network with more draws, where that says more and there is time; what was found stays otherwise."""
        found = self._found[number].get(step.name)
        if found is not None and step.wants_more(found, self._efforts[number][step.name]):
            before = self._efforts[number][step.name]
            takes = self._seconds[number].get(step.name, 0.0) * effort / before
            if not self._take_kept(step, number, effort) and not self._budget.stopped:
                left = self._budget.seconds_left
                if takes < left:
                    with suppress(InputError, Stopped):
                        self._do(step, number, self._budget.share(left), effort)
        self._work.advance(1, f"{self._subjects[number].topology.name}: {step.words}, {effort} times the draws")

    def _do(self, step: AssessmentStep, number: int, work: Work, effort: int) -> None:
        """Do a step, and keep what it finds."""
        subject, began = self._subjects[number], WORKING.seconds
        found = step.run(subject, work) if effort == 1 or step.finer is None else step.finer(subject, work, effort)
        grouped = [msgspec.structs.replace(figure, group=step.group) for figure in found.figures]
        kept = _Kept(grouped, {key: result.record() for key, result in found.results.items()}, WORKING.seconds - began)
        self._write(step, subject, effort, kept)
        self._take(step, number, effort, StepResult(grouped, found.results), kept.seconds)

    def _take_kept(self, step: AssessmentStep, number: int, effort: int) -> bool:
        """Take what an earlier run found; whether there is such a thing."""
        kept = self._read(step, self._subjects[number], effort)
        if kept is not None:
            self._take(step, number, effort, *kept)
        return kept is not None

    def _take(self, step: AssessmentStep, number: int, effort: int, found: StepResult, seconds: float) -> None:
        self._found[number][step.name] = found
        self._efforts[number][step.name], self._seconds[number][step.name] = effort, seconds

    def _why_not(self) -> str:
        return "it was interrupted before; run it again to go on" if self._work.ended == "interrupted" else _LATE

    def assessment(self, number: int) -> Assessment:
        """What is known of one network."""
        subject, found = self._subjects[number], self._found[number]
        results = {key: value for one in found.values() for key, value in one.results.items()}
        words = {step.name: step.words for step in STEPS}
        missing = self._missing[number] | {
            step.name: self._why_not()
            for step in STEPS
            if step.name not in found and step.name not in self._missing[number]
        }
        topology = subject.topology
        return Assessment(
            name=topology.name,
            spec=topology.spec,
            hosts=topology.hosts,
            figures=tuple(figure for step in STEPS if step.name in found for figure in found[step.name].figures),
            missing=tuple(
                Missing(step.name, words[step.name], missing[step.name]) for step in STEPS if step.name in missing
            ),
            network=subject.assessed,
            provenance=provenance_of(
                topology,
                engine=subject.tables.engine if subject.tables is not None else "",
                seed=subject.seed,
                settings={
                    "parts": subject.parts.name,
                    "rate_gbps": subject.rate_gbps,
                    "virtual_channels": subject.virtual_channels,
                },
            ),
            **results,  # type: ignore[arg-type]
        )

    def _key(self, step: AssessmentStep, subject: Subject, effort: int) -> str:
        """What a step of a network is kept by: all that decides what it finds."""
        layout, terms = subject.layout, subject.network.terms
        decides = [
            __version__,
            step.name,
            effort,
            subject.topology.digest,
            subject.parts.name,
            msgspec.to_builtins(subject.parts),
            json_value(msgspec.structs.replace(terms, parts=None)),
            None if subject.network.tables is None else tables_digest(subject.network.tables),
            [subject.rate_gbps, subject.switch_ns, subject.cable_ns_per_m, subject.virtual_channels],
            [subject.radix, subject.all_to_all_mib, subject.all_reduce_mib, subject.seed],
            hashlib.sha256(layout.length_m.tobytes() + layout.rack.tobytes()).hexdigest(),
        ]
        return hashlib.sha256(msgspec.json.encode(decides)).hexdigest()[:24]

    def _read(self, step: AssessmentStep, subject: Subject, effort: int) -> tuple[StepResult, float] | None:
        """What an earlier run found and its seconds; None where there is nothing, or nothing that can be read."""
        kept = self._kept.get(self._key(step, subject, effort)) if self._kept else None
        if kept is None:
            return None
        try:
            results = {key: _kind(key).from_record(record) for key, record in kept.results.items()}
        except InputError:
            return None
        return StepResult(kept.figures, results), kept.seconds

    def _write(self, step: AssessmentStep, subject: Subject, effort: int, kept: "_Kept") -> None:
        """Keep what a step found; a full disk loses no more than that."""
        if self._writer is not None:
            with suppress(InputError):
                self._writer.write(msgspec.structs.replace(kept, key=self._key(step, subject, effort)))


class _Kept(msgspec.Struct):
    """What a step found, a line of the store."""

    figures: list[Figure]
    results: dict[str, dict[str, object]] = {}
    seconds: float = 0.0
    key: str = ""


def _kind(key: str) -> type[Result]:
    return _KINDS.get(key, LoadCurve)


def steps() -> Iterator[tuple[str, str]]:
    """The names of all steps, and what each works out."""
    return ((step.name, step.words) for step in STEPS)
