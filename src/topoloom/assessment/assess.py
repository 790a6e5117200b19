"""The verb: networks taken the whole way, step by step, side by side, within a budget of time."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.assessment.assessment import Assessment, Assessments, Missing
from topoloom.assessment.figure import Figure
from topoloom.assessment.step import Found, Step
from topoloom.assessment.steps.collective import COLLECTIVES
from topoloom.assessment.steps.failures import DEGRADATION, FAILURES
from topoloom.assessment.steps.growth import GROWTH
from topoloom.assessment.steps.load import LOADED, SATURATED
from topoloom.assessment.steps.money import MONEY
from topoloom.assessment.steps.tables import TABLES
from topoloom.assessment.steps.throughput import PATTERNED, THROUGHPUT
from topoloom.assessment.subject import Subject
from topoloom.cost.bill import Bill
from topoloom.errors import InputError, Stopped
from topoloom.files import write_atomically
from topoloom.results import Provenance, Result, plain, provenance_of
from topoloom.simulator.load_curve import LoadCurve
from topoloom.threads import cores
from topoloom.throughput.quality import Quality
from topoloom.work import Work

#: What is worked out, the cheapest first: every network has a step before one has the next.
STEPS: tuple[Step, ...] = (
    MONEY,
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
        The budget. The steps are done in their order, each for all networks; what does not fit is named in
        `Assessment.missing`. Without it everything is done.
    store : path, optional
        A folder where what a step found is kept and found again.
    fresh : bool
        Work out again what the store has, and keep the new.
    jobs : int, optional
        Networks side by side; every core when left out. No figure depends on it.
    work : Work, optional
        Told of steps, each delivered; when stopped, what is finished is the result.

    Returns
    -------
    Assessments

    Raises
    ------
    InputError
        No network.
    """
    if not subjects:
        raise InputError("assess: there is no network to assess; give one or more")
    work = Work() if work is None else work
    chain = _Chain(list(subjects), None if store is None else Path(store), work, seconds, cores(jobs), fresh=fresh)
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


class _Chain:
    """The steps of all networks: what is found, and what time is left."""

    def __init__(
        self,
        subjects: list[Subject],
        store: Path | None,
        work: Work,
        seconds: float | None,
        threads: int,
        *,
        fresh: bool,
    ) -> None:
        self._fresh = fresh
        self._subjects, self._store, self._work, self._threads = subjects, store, work, threads
        self._budget = work if seconds is None else work.share(seconds)
        self._found: list[dict[str, Found]] = [{} for _ in subjects]
        self._missing: list[dict[str, str]] = [{} for _ in subjects]
        self._lock = threading.Lock()
        side_by_side = min(threads, len(subjects))
        for subject in subjects:
            subject.jobs = max(1, threads // side_by_side) if subject.jobs is None else subject.jobs

    def run(self) -> None:
        """All steps, each for all networks."""
        self._work.begin(len(STEPS) * len(self._subjects), "steps")
        for step in STEPS:
            self._side_by_side(partial(self._one, step))
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

    def _one(self, step: Step, number: int) -> None:
        """One step of one network, or why there is none."""
        subject = self._subjects[number]
        kept = self._read(step, subject)
        if kept is not None:
            self._found[number][step.name] = kept
        elif self._budget.stopped:
            self._missing[number][step.name] = self._why_not()
        else:
            # No network may take the time of those that wait for the same step.
            done = sum(step.name in one for one in self._found) + sum(step.name in one for one in self._missing)
            turns = -(-(len(self._subjects) - done) // self._threads)
            last = step is STEPS[-1]
            share = self._budget.seconds_left / turns * (1 if last else _SHARE)
            inner = self._budget.share(share) if share < float("inf") else self._budget.step()
            try:
                found = step.run(subject, inner)
                grouped = [msgspec.structs.replace(figure, group=step.group) for figure in found.figures]
                self._found[number][step.name] = found = Found(grouped, found.results)
                self._write(step, subject, found)
            except InputError as error:
                self._missing[number][step.name] = str(error)
            except Stopped:
                self._missing[number][step.name] = self._why_not()
        self._work.advance(1, f"{subject.topology.name}: {step.words}")

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
            layout=subject.layout,
            routing=subject.tables,
            provenance=provenance_of(
                topology,
                engine=subject.tables.engine if subject.tables is not None else "",
                seed=subject.seed,
                settings={"parts": subject.parts.name, "rate_gbps": subject.rate_gbps, "lanes": subject.lanes},
            ),
            **results,  # type: ignore[arg-type]
        )

    def _path(self, step: Step, subject: Subject) -> Path | None:
        """Where a step of a network is kept: by all that decides what it finds."""
        if self._store is None:
            return None
        layout = subject.layout
        decides = [
            __version__,
            step.name,
            subject.topology.digest,
            subject.parts.name,
            msgspec.to_builtins(subject.parts),
            plain(subject.spares),
            [subject.rate_gbps, subject.host_cables, subject.switch_ns, subject.cable_ns_per_m, subject.lanes],
            [subject.radix, subject.all_to_all_mib, subject.all_reduce_mib, subject.seed],
            hashlib.sha256(layout.length_m.tobytes() + layout.cabinet.tobytes()).hexdigest(),
        ]
        digest = hashlib.sha256(msgspec.json.encode(decides)).hexdigest()[:24]
        return self._store / f"step-{digest}.json"

    def _read(self, step: Step, subject: Subject) -> Found | None:
        """What an earlier run found; None where there is nothing, or nothing that can be read."""
        path = self._path(step, subject)
        if path is None or self._fresh:
            return None
        try:
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
            results = {key: _kind(key).from_record(record) for key, record in kept.results.items()}
        except (OSError, msgspec.DecodeError, InputError):
            return None
        return Found(kept.figures, results)

    def _write(self, step: Step, subject: Subject, found: Found) -> None:
        """Keep what a step found; a full disk loses no more than that."""
        path = self._path(step, subject)
        if path is None:
            return
        kept = _Kept(found.figures, {key: result.record() for key, result in found.results.items()})
        with suppress(OSError, InputError):
            os.makedirs(path.parent, exist_ok=True)
            write_atomically(path, msgspec.json.encode(kept))


class _Kept(msgspec.Struct):
    """What a step found, in a file."""

    figures: list[Figure]
    results: dict[str, dict[str, object]] = {}


def _kind(key: str) -> type[Result]:
    return _KINDS.get(key, LoadCurve)


def steps() -> Iterator[tuple[str, str]]:
    """The names of all steps, and what each works out."""
    return ((step.name, step.words) for step in STEPS)
