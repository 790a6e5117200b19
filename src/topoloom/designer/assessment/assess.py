"""The operation `assess`: networks are fully assessed, step by step, in parallel, within a budget of time."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.calls import Call, ExecutorError, Shared, awaited
from topoloom.core.clock import WORKING
from topoloom.core.errors import InputError, Stopped
from topoloom.core.shards import Shards
from topoloom.core.threads import cores
from topoloom.core.work import Work
from topoloom.designer.assessment.all_steps import STEPS
from topoloom.designer.assessment.assessment import Assessment, Assessments, Missing
from topoloom.designer.assessment.carrying_out import StoredStep, carried_out, decides, digest_of, step_anywhere
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.steps.tables import TABLES
from topoloom.designer.assessment.subject import EFFORTS, MOST_REPEATS, Subject
from topoloom.model.results import Provenance, provenance_of


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
    """Assess networks in full: bill, tables, throughput, failures, growth, collectives and simulated load.

    Parameters
    ----------
    subjects : sequence of Subject
        Networks that lack the figure of `objective` keep this order.
    objective : str
        The key of the figure to rank by; less is better unless the figure says otherwise.
    seconds : float, optional
        The time budget, without the compilation of kernels. Each step is run for all networks before the next. The cheap
        steps run even if the budget is spent, as long as those of a network take less than a minute in total. Steps that
        do not fit are listed in `Assessment.missing`. If time is left, steps with random draws are repeated with 4 and 16
        times the draws, until their intervals are within 0.5 % or overlap no other network's. Without a budget every step
        is run once.
    repeats : int
        Largest multiple of the normal number of draws, if time is left: 16, 4, or 1 (any number up to 3), with which no
        figure depends on the time.
    store : path, optional
        A folder that keeps the results of steps for later runs.
    fresh : bool
        Ignore stored results, run the steps again and store the new results.
    jobs : int, optional
        Networks assessed in parallel; one per core when omitted. No figure depends on it.
    work : Work, optional
        Reports each step; can stop the run, and the result then contains what is finished.

    Raises
    ------
    InputError
        `subjects` is empty, or their prices are in several currencies.
    """
    if not subjects:
        raise InputError("assess: no network given; give one or more")
    if len(currencies := sorted({subject.parts.currency for subject in subjects})) > 1:
        raise InputError(
            f"the prices of the networks are in {' and '.join(currencies)}; compare networks with prices in one currency: give"
            " one catalogue for all (`parts`), or quotes in one currency"
        )
    work = Work() if work is None else work
    chain = _Chain(
        list(subjects), None if store is None else Path(store), work, seconds, cores(jobs), repeats, fresh=fresh
    )
    with work.interruptible(), suppress(Stopped):
        chain.run()
    assessments = [chain.assessment(number) for number in range(len(subjects))]
    late = any(gap.reason == _LATE for network in assessments for gap in network.missing)
    return Assessments(
        tuple(ranked(assessments, objective)),
        objective,
        ended=work.ended if work.stopped else "deadline" if late else "done",
        provenance=Provenance.of_run(seed=subjects[0].seed),
    )


def ranked(networks: Sequence[Assessment], objective: str) -> list[Assessment]:
    """Sort networks by a figure, best first; those without it come last, and equal ones keep their order."""

    def place(network: Assessment) -> tuple[bool, float]:
        figure = network.figure(objective)
        if figure is None or figure.value is None:
            return True, 0.0
        return False, -figure.value if figure.better == "more" else figure.value

    return sorted(networks, key=place)


#: Why a step is missing that the time budget did not allow.
_LATE = "it did not fit into the time budget; give more minutes"
#: Why a step is missing that follows tables which the time budget did not allow.
_NO_TABLES = "the tables that it follows did not fit into the time budget; give more minutes"


#: Share of the remaining time that one step may take, over all networks, so that a slow network leaves time for the next steps.
_SHARE = 0.5
#: Seconds that the cheap steps of a network may take in total, even if the budget is spent.
_CHEAP_SECONDS = 60.0


class _Chain:
    """The steps of all networks: their results, and the time that is left."""

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
        shards = None if store is None else Shards(store / "steps", StoredStep)
        self._kept = {} if shards is None or fresh else {line.key: line for line in shards.new()}
        self._writer = None if shards is None else shards.writer()
        self._budget = work if seconds is None else work.budget(seconds)
        self._found: list[dict[str, StepResult]] = [{} for _ in subjects]
        self._missing: list[dict[str, str]] = [{} for _ in subjects]
        self._efforts: list[dict[str, int]] = [{} for _ in subjects]
        self._seconds: list[dict[str, float]] = [{} for _ in subjects]
        self._cheap_seconds = [_CHEAP_SECONDS for _ in subjects]
        self._changed = threading.Condition()
        self._shared: list[Shared] = []

    def run(self) -> None:
        """Run all steps, each for all networks."""
        networks = range(len(self._subjects))
        if self._work.executor is not None:  # before threads share the subjects: this fills what they keep
            self._shared = [Shared(digest_of([__version__, *decides(subject)]), subject) for subject in self._subjects]
        self._work.begin(len(STEPS) * len(networks), "steps")
        # With an executor, the steps of a network run at the same time once it has tables, which decide whether they run.
        first = 0 if self._work.executor is None else STEPS.index(TABLES) + 1
        for steps in (STEPS[:first], STEPS[first:]):
            self._side_by_side([(step, number, self._first_run) for step in steps for number in networks])
        for effort in self._more if self._budget.seconds_left < float("inf") else ():
            # Chosen before any of them runs, because they depend on each other's intervals.
            again = [(step, number) for step in STEPS for number in networks if self._undecided(step, number)]
            if not again:
                break
            self._work.begin(len(again), f"steps with {effort} times the draws")
            self._side_by_side([(step, number, partial(self._again, effort)) for step, number in again])
        # Tables whose figures came from the store are routed again, because the network's folder contains them.
        for number, subject in enumerate(self._subjects):
            if subject.tables is None and TABLES.name in self._found[number]:
                with suppress(InputError):
                    subject.routed(self._work.step())

    def _side_by_side(self, tasks: list[tuple[AssessmentStep, int, Callable[[AssessmentStep, int], None]]]) -> None:
        """Run steps of networks, given by their numbers, on several threads; the first unexpected error ends all of them.

        A task starts as soon as no other of its network runs: no thread waits for the slowest network. Of the tasks that can
        start, the earliest step is first, and of networks that wait for the same step the one that took longest so far: the
        last to run are short. Where fewer networks than threads are left, each gets several. With an executor, as many tasks
        run as it has workers.
        """
        waiting, busy, faults, executor = list(tasks), set[int](), list[BaseException](), self._work.executor

        def worker() -> None:
            while not faults:
                with self._changed:
                    ready = [task for task in waiting if executor is not None or task[1] not in busy]
                    if not waiting:
                        return
                    if not ready:
                        self._changed.wait()
                        continue
                    left = len(busy.union(number for _, number, _ in waiting))
                    same = [task for task in ready if task[0] is ready[0][0]]
                    chosen = max(same, key=lambda task: sum(self._seconds[task[1]].values()))
                    waiting.remove(chosen)
                    step, number, task = chosen
                    busy.add(number)
                    self._subjects[number].jobs = max(1, self._threads // left)
                try:
                    task(step, number)
                except BaseException as fault:
                    faults.append(fault)
                with self._changed:
                    busy.discard(number)
                    self._changed.notify_all()

        # With an executor, threads only wait for its answers.
        networks = len({number for _, number, _ in tasks})
        count = min(self._threads, networks) if executor is None else min(max(executor.width, networks), len(tasks))
        threads = [threading.Thread(target=worker, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # a short timeout lets Ctrl-C interrupt the wait
        if faults:
            raise faults[0]

    def _first_run(self, step: AssessmentStep, number: int) -> None:
        """Run one step of one network, or record why it is missing."""
        began = WORKING.seconds
        if not self._take_stored(step, number, 1):
            try:
                self._check_tables(step, number)
                self._do(step, number, self._allowed(step, number), 1)
            except ExecutorError:
                raise
            except InputError as error:
                self._missing[number][step.name] = str(error)
            except Stopped:
                self._missing[number][step.name] = self._why_not()
        if step.cheap:
            with self._changed:
                self._cheap_seconds[number] -= WORKING.seconds - began
        self._work.advance(1, f"{self._subjects[number].topology.name}: {step.words}")

    def _check_tables(self, step: AssessmentStep, number: int) -> None:
        """Refuse a step that follows tables which did not fit into the time: it would begin to make them again.

        Raises
        ------
        InputError
            The reason.
        """
        late = self._missing[number].get(TABLES.name) == _LATE
        if step.by_tables and late and self._subjects[number].tables is None:
            raise InputError(_NO_TABLES)

    def _allowed(self, step: AssessmentStep, number: int) -> Work:
        """The time budget for a step of a network.

        Raises
        ------
        Stopped
            No time is left.
        """
        self._work.check()
        if self._budget.seconds_left == float("inf"):
            return self._budget.step()
        # Share the remaining time among the networks that wait for the same step.
        done = sum(step.name in names for names in self._found) + sum(step.name in names for names in self._missing)
        turns = -(-(len(self._subjects) - done) // self._threads)
        share = self._budget.seconds_left / turns * (1 if step is STEPS[-1] else _SHARE)
        if step.cheap and self._cheap_seconds[number] > share:
            return self._work.budget(self._cheap_seconds[number])
        self._budget.check()
        # Steps of a group become longer, except those of collectives: one with less time than an earlier one took would only
        # compile its kernels and be stopped.
        earlier = [self._seconds[number].get(other.name, 0.0) for other in STEPS if other.group == step.group]
        if not (step.cheap or step.one_draw) and share < max(earlier):
            raise Stopped("less time than an earlier step took")
        return self._budget.share(share)

    def _undecided(self, step: AssessmentStep, number: int) -> bool:
        """Whether a step of one network has intervals that leave open how it compares with the others."""
        results = [names.get(step.name) for names in self._found]
        own = results.pop(number)
        others = [other for other in results if other is not None]
        return own is not None and step.wants_more(own, self._efforts[number][step.name], others)

    def _again(self, effort: int, step: AssessmentStep, number: int) -> None:
        """Repeat a step of one network with more draws, if time is left."""
        takes = self._seconds[number].get(step.name, 0.0) * effort / self._efforts[number][step.name]
        if not self._take_stored(step, number, effort) and not self._budget.stopped:
            left = self._budget.seconds_left
            if takes < left:
                try:
                    self._do(step, number, self._budget.share(left), effort)
                except ExecutorError:
                    raise
                except (InputError, Stopped):
                    pass
        self._work.advance(1, f"{self._subjects[number].topology.name}: {step.words}, {effort} times the draws")

    def _do(self, step: AssessmentStep, number: int, work: Work, effort: int) -> None:
        """Run a step, and store its result."""
        subject = self._subjects[number]
        if self._work.executor is None:
            result, stored = carried_out(step, subject, effort, work)
        else:
            arguments = {"step": step.name, "effort": effort}
            shared = {"subject": self._shared[number]}
            seconds = work.seconds_left if isfinite(work.seconds_left) else None
            call = Call(step_anywhere, f"{subject.topology.name}: {step.words}", arguments, shared, seconds)
            stored = awaited(self._work.executor.submit(call), self._work)
            result = stored.result()
        self._write(step, subject, effort, stored)
        self._take(step, number, effort, result, stored.seconds)

    def _take_stored(self, step: AssessmentStep, number: int, effort: int) -> bool:
        """Use the stored result of an earlier run; False where there is none."""
        stored = self._read(step, self._subjects[number], effort)
        if stored is not None:
            self._take(step, number, effort, *stored)
        return stored is not None

    def _take(self, step: AssessmentStep, number: int, effort: int, result: StepResult, seconds: float) -> None:
        self._found[number][step.name] = result
        self._efforts[number][step.name], self._seconds[number][step.name] = effort, seconds

    def _why_not(self) -> str:
        return "the run was interrupted first; run it again to continue" if self._work.ended == "interrupted" else _LATE

    def assessment(self, number: int) -> Assessment:
        """The assessment of one network, from the steps so far."""
        subject, step_results = self._subjects[number], self._found[number]
        results = {key: value for result in step_results.values() for key, value in result.results.items()}
        words = {step.name: step.words for step in STEPS}
        missing = self._missing[number] | {
            step.name: self._why_not()
            for step in STEPS
            if step.name not in step_results and step.name not in self._missing[number]
        }
        topology = subject.topology
        return Assessment(
            name=topology.name,
            spec=topology.spec,
            hosts=topology.hosts,
            figures=tuple(
                figure for step in STEPS if step.name in step_results for figure in step_results[step.name].figures
            ),
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
        """The key of a step's result in the store: a digest of all that it depends on."""
        return digest_of([__version__, step.name, effort, *decides(subject)])

    def _read(self, step: AssessmentStep, subject: Subject, effort: int) -> tuple[StepResult, float] | None:
        """The result and the seconds of an earlier run; None where nothing readable is stored."""
        stored = self._kept.get(self._key(step, subject, effort)) if self._kept else None
        if stored is None:
            return None
        try:
            return stored.result(), stored.seconds
        except InputError:
            return None

    def _write(self, step: AssessmentStep, subject: Subject, effort: int, stored: StoredStep) -> None:
        """Store the result of a step; a full disk loses only the stored copy."""
        if self._writer is not None:
            with suppress(InputError):
                self._writer.write(msgspec.structs.replace(stored, key=self._key(step, subject, effort)))
