"""The executor processes: workers on this machine, as many tasks side by side as cores and memory allow."""

import os
import selectors
import subprocess
import time
from collections import deque
from contextlib import suppress
from typing import IO, cast

import msgspec

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.core.surroundings import python
from topoloom.core.threads import cores
from topoloom.studies.environment import worker_environment
from topoloom.studies.executor import EXECUTORS, StudyRun
from topoloom.studies.record import failed
from topoloom.studies.task import Task
from topoloom.studies.worker import Answer, WorkerTasks, answers_in

#: A worker is handed tasks for about so many seconds at once, so that handing over takes nothing beside them.
_BATCH_S = 0.25
#: Of the memory that is free at the beginning, tasks take this share together.
_MEMORY_SHARE = 0.8
#: Workers in a row that end before they have said a word: more will not help.
_MOST_IN_VAIN = 10
#: Seconds between two looks at whether the work shall end, and those that workers have together to end by themselves: when all
#: is done, and when somebody has stopped it, who waits.
_LOOK_EVERY_S, _LAST_WORDS_S, _STOPPED_S = 0.2, 5.0, 0.6
#: The same where tasks come while it runs, for which somebody waits.
_LOOK_FOR_MORE_S = 0.02


class _Worker:
    """A worker process: what it was handed and has not answered for yet."""

    def __init__(self, run: StudyRun) -> None:
        limit = [] if run.limit_s is None else [str(run.limit_s)]
        command = python("-m", "topoloom.studies.worker", str(run.store.folder), str(run.node.threads), *limit)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | worker_environment(run.node.environment),
            start_new_session=True,  # Ctrl-C is the parent's to tell
        )
        self.input, self.output = cast(IO[bytes], self.process.stdin), cast(IO[bytes], self.process.stdout)
        self.handed: dict[str, Task] = {}
        self.begun = ""
        self.attempts = 0
        self.memory_mb = 0.0
        self.read = bytearray()

    def hand(self, tasks: list[Task], attempts: int, memory_mb: float) -> None:
        """Give it tasks."""
        self.handed |= {task.digest: task for task in tasks}
        self.attempts, self.memory_mb, self.begun = attempts, memory_mb, ""
        with suppress(BrokenPipeError):  # it is dead; its output tells so, too
            self.input.write(msgspec.json.encode(WorkerTasks(tasks, attempts)) + b"\n")
            self.input.flush()

    def end(self) -> None:
        """No more tasks: it ends when it is done, or stops what it is at."""
        with suppress(BrokenPipeError):
            self.input.close()


class _Pool:
    """The workers of one run, and the tasks that wait."""

    def __init__(self, run: StudyRun) -> None:
        self.run = run
        self.waiting: deque[tuple[Task, int]] = deque((task, 0) for task in run.tasks)
        self.workers: list[_Worker] = []
        self.selector = selectors.DefaultSelector()
        self.shard = run.store.writer()
        self.most = cores(run.jobs) if run.feed is not None else min(cores(run.jobs), max(1, len(run.tasks)))
        self.dropped: set[str] = set()
        free = free_bytes()
        self.free_mb = float("inf") if free is None else free / (1 << 20) * _MEMORY_SHARE
        self.fault, self.in_vain = "", 0

    def go(self) -> None:
        """Until every task has its record, or the work is stopped."""
        try:
            while self._goes_on() and not self.run.work.stopped:
                self._ask_for_more()
                self._hand_out()
                for key, _ in self.selector.select(_LOOK_EVERY_S if self.run.feed is None else _LOOK_FOR_MORE_S):
                    self._hear(key.data)
                if self.fault:
                    raise InputError(self.fault)
        finally:
            self._end()

    def _goes_on(self) -> bool:
        return self.run.feed is not None or bool(self.waiting) or any(worker.handed for worker in self.workers)

    def _ask_for_more(self) -> None:
        """Take what has come, and leave what nobody wants any more: a worker that is at it is killed."""
        if self.run.feed is None:
            return
        self.waiting += [(task, 0) for task in self.run.feed.more()]
        unwanted = set(self.run.feed.dropped())
        if unwanted:
            self.dropped |= unwanted
            self.waiting = deque(one for one in self.waiting if one[0].digest not in unwanted)
            for worker in self.workers:
                if unwanted & worker.handed.keys():
                    worker.process.kill()

    def _hand_out(self) -> None:
        """Give idle workers tasks, and start workers, as far as memory and cores allow."""
        while self.waiting:
            idle = next((worker for worker in self.workers if not worker.handed), None)
            if idle is None and len(self.workers) >= self.most:
                return
            task, attempts = self.waiting[0]
            takes = self._memory_mb(task)
            used = sum(worker.memory_mb for worker in self.workers if worker.handed)
            if used and used + takes > self.free_mb:
                return
            if idle is None:
                # The first task tells what tasks take, and compiles what all need, before there are others beside it.
                alone = self.run.feed is None and not self.run.estimates.known
                if alone and any(worker.handed for worker in self.workers):
                    return
                idle = _Worker(self.run)
                self.workers.append(idle)
                self.selector.register(idle.output, selectors.EVENT_READ, idle)
            tasks = self._batch(attempts)
            idle.hand(tasks, attempts, max(self._memory_mb(one) for one in tasks))

    def _batch(self, attempts: int) -> list[Task]:
        """The next tasks, for about `_BATCH_S`; one alone where it was begun before, or nothing is known yet."""
        estimates = self.run.estimates
        tasks = [self.waiting.popleft()[0]]
        if attempts or not estimates.known or self.run.feed is not None:
            return tasks
        seconds = estimates.seconds(tasks[0])
        share = max(1, len(self.waiting) // (2 * self.most))
        while self.waiting and self.waiting[0][1] == 0 and seconds < _BATCH_S and len(tasks) < min(share, 1000):
            seconds += estimates.seconds(self.waiting[0][0])
            tasks.append(self.waiting.popleft()[0])
        return tasks

    def _memory_mb(self, task: Task) -> float:
        given = self.run.node.memory_gb
        return given * 1000 if given is not None else self.run.estimates.memory_mb(task)

    def _hear(self, worker: _Worker) -> None:
        """What a worker says, or that it is gone."""
        data = os.read(worker.output.fileno(), 1 << 20)
        worker.read += data
        for answer in answers_in(worker.read):
            self._take(worker, answer)
        if not data:
            self._lost(worker)

    def _take(self, worker: _Worker, answer: Answer) -> None:
        self.in_vain = 0
        if answer.fault:
            self.fault = answer.fault
        elif answer.record is None:
            worker.begun = answer.begun
            if self.run.feed is not None:
                self.run.feed.begun(answer.begun)
        else:
            worker.handed.pop(answer.record.digest, None)
            worker.begun = ""
            self.run.told(answer.record)

    def _lost(self, worker: _Worker) -> None:
        """A worker is gone: what it was at is begun again alone, so often as is allowed; the rest goes back."""
        self.selector.unregister(worker.output)
        self.workers.remove(worker)
        code = worker.process.wait()
        worker.output.close()
        self.in_vain += 1
        if self.in_vain > _MOST_IN_VAIN:
            told = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise InputError(
                f"{self.in_vain} workers in a row ended ({told}) before they began a task; what they say is above"
            )
        if self.dropped & worker.handed.keys():
            self.in_vain = 0
            worker.handed = {digest: task for digest, task in worker.handed.items() if digest not in self.dropped}
            self.dropped.clear()
        # What it wrote before it could tell has its record.
        known = self.run.store.records()
        for digest in [digest for digest in worker.handed if digest in known]:
            del worker.handed[digest]
            self.run.told(known[digest])
        for digest, task in worker.handed.items():
            attempts = worker.attempts + (digest == worker.begun)
            if attempts >= self.run.attempts:
                how = f"signal {-code}" if code < 0 else f"exit code {code}"
                told = f"its worker ended by {how}, {attempts} times" + (
                    "; perhaps there is too little memory: say memory_gb under [run.node]" if code == -9 else ""
                )
                record = failed(task, told, attempts=attempts)
                self.shard.write(record)
                self.run.told(record)
            elif attempts > worker.attempts:
                self.waiting.append((task, attempts))
            else:
                self.waiting.appendleft((task, attempts))

    def _end(self) -> None:
        """All workers end: by themselves, else they are killed."""
        for worker in self.workers:
            worker.end()
        until = time.monotonic() + (_STOPPED_S if self.run.work.stopped else _LAST_WORDS_S)
        for worker in self.workers:
            try:
                worker.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            # What it told with its last breath, so that it is counted.
            worker.read += worker.output.read() or b""
            with suppress(msgspec.DecodeError):
                for answer in answers_in(worker.read):
                    self._take(worker, answer)
            worker.output.close()
        self.selector.close()
        self.shard.close()


def run_in_processes(run: StudyRun) -> None:
    """Run the tasks in `run.jobs` worker processes.

    Raises
    ------
    InputError
        The store cannot be written.
    """
    _Pool(run).go()


EXECUTORS.add("processes", run_in_processes)
