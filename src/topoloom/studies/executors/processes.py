"""The executor processes: workers on this machine, with as many parallel tasks as cores and memory allow."""

import os
import selectors
import subprocess
import time
from collections import deque
from contextlib import suppress

import msgspec

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.core.threads import cores
from topoloom.studies.executor import EXECUTORS, NoOptions, StudyRun, options_of
from topoloom.studies.record import failed
from topoloom.studies.task import Task
from topoloom.studies.worker import Answer, WorkerTasks, answers_in
from topoloom.studies.worker_process import WorkerProcess

#: Seconds of tasks that a worker receives at once, so that handing them over takes a negligible share of the time.
_BATCH_S = 0.25
#: Share of the memory that is free at the start that all tasks together may take.
_MEMORY_SHARE = 0.8
#: Most workers in a row that end before they start a task; then the run is given up.
_MOST_FAILED_STARTS = 10
#: Seconds between two checks whether the work was stopped; that workers have to end by themselves when all is done; and when
#: the user has stopped the run, and waits.
_CHECK_EVERY_S, _END_TIMEOUT_S, _STOPPED_S = 0.2, 5.0, 0.6
#: Seconds between two checks where tasks arrive during the run, and a user waits for them.
_CHECK_FEED_S = 0.02


class _Worker(WorkerProcess):
    """A worker process, with the tasks that it has received and not finished."""

    def __init__(self, run: StudyRun) -> None:
        super().__init__(str(run.store.folder), run.node.threads, run.limit_s, run.node.environment)
        self.handed: dict[str, Task] = {}
        self.begun = ""
        self.attempts = 0
        self.memory_mb = 0.0

    def hand(self, tasks: list[Task], attempts: int, memory_mb: float) -> None:
        """Send tasks to the worker."""
        self.handed |= {task.digest: task for task in tasks}
        self.attempts, self.memory_mb, self.begun = attempts, memory_mb, ""
        self.send(WorkerTasks(tasks, attempts))


class _Pool:
    """The workers of one run, and the waiting tasks."""

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
        self.fault, self.failed_starts = "", 0

    def go(self) -> None:
        """Run until every task has its record, or the work is stopped."""
        try:
            if self.run.feed is not None:
                self.run.feed.workers(self.most)
                self._start()  # a user waits for the first task
            while self._has_work() and not self.run.work.stopped:
                self._ask_for_more()
                self._hand_out()
                for key, _ in self.selector.select(_CHECK_EVERY_S if self.run.feed is None else _CHECK_FEED_S):
                    self._hear(key.data)
                if self.fault:
                    raise InputError(self.fault)
        finally:
            self._end()

    def _start(self) -> _Worker:
        worker = _Worker(self.run)
        self.workers.append(worker)
        self.selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _has_work(self) -> bool:
        return self.run.feed is not None or bool(self.waiting) or any(worker.handed for worker in self.workers)

    def _ask_for_more(self) -> None:
        """Take new tasks from the feed, and drop cancelled ones; a worker that runs one of these is killed."""
        if self.run.feed is None:
            return
        self.waiting += [(task, 0) for task in self.run.feed.more()]
        unwanted = set(self.run.feed.dropped())
        if unwanted:
            self.dropped |= unwanted
            self.waiting = deque(entry for entry in self.waiting if entry[0].digest not in unwanted)
            for worker in self.workers:
                if unwanted & worker.handed.keys():
                    worker.process.kill()

    def _hand_out(self) -> None:
        """Send tasks to idle workers, and start workers, as far as memory and cores allow."""
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
                # The first task runs alone: it shows the time of tasks, and compiles the kernels that all need.
                alone = self.run.feed is None and not self.run.estimates.known
                if alone and any(worker.handed for worker in self.workers):
                    return
                idle = self._start()
            tasks = self._batch(attempts)
            idle.hand(tasks, attempts, max(self._memory_mb(next_task) for next_task in tasks))

    def _batch(self, attempts: int) -> list[Task]:
        """The next tasks, for about `_BATCH_S`.

        A single one if it was started before (`attempts`), if the times of tasks are not known yet, or if tasks arrive from a
        feed: then tasks must start at once, and one may be dropped without the others.
        """
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
        fixed_gb = self.run.node.memory_gb
        return fixed_gb * 1000 if fixed_gb is not None else self.run.estimates.memory_mb(task)

    def _hear(self, worker: _Worker) -> None:
        """Read a worker's answers, or handle its end."""
        data = os.read(worker.output.fileno(), 1 << 20)
        worker.read += data
        for answer in answers_in(worker.read):
            self._take(worker, answer)
        if not data:
            self._lost(worker)

    def _take(self, worker: _Worker, answer: Answer) -> None:
        self.failed_starts = 0
        if answer.fault:
            self.fault = answer.fault
        elif answer.record is None:
            worker.begun = answer.begun
            if self.run.feed is not None:
                self.run.feed.begun(answer.begun)
        else:
            worker.handed.pop(answer.record.digest, None)
            worker.begun = ""
            self.run.report(answer.record)

    def _lost(self, worker: _Worker) -> None:
        """Handle a lost worker: its current task is started again alone, up to the limit; its other tasks are queued again."""
        self.selector.unregister(worker.output)
        self.workers.remove(worker)
        code = worker.process.wait()
        worker.output.close()
        self.failed_starts += 1
        if self.failed_starts > _MOST_FAILED_STARTS:
            raise InputError(
                f"{self.failed_starts} workers in a row ended ({_exit_of(code)}) before they started a task; their messages are"
                " above"
            )
        if self.dropped & worker.handed.keys():
            self.failed_starts = 0
            worker.handed = {digest: task for digest, task in worker.handed.items() if digest not in self.dropped}
            self.dropped.clear()
        # Tasks that it finished before it could report them have records.
        records = self.run.store.records()
        for digest in [digest for digest in worker.handed if digest in records]:
            del worker.handed[digest]
            self.run.report(records[digest])
        for digest, task in worker.handed.items():
            attempts = worker.attempts + (digest == worker.begun)
            if attempts >= self.run.attempts:
                reason = f"its worker ended by {_exit_of(code)}, {attempts} times" + (
                    "; perhaps there is too little memory: set memory_gb under [run.node]" if code == -9 else ""
                )
                record = failed(task, reason, attempts=attempts)
                self.shard.write(record)
                self.run.report(record)
            elif attempts > worker.attempts:
                self.waiting.append((task, attempts))
            else:
                self.waiting.appendleft((task, attempts))

    def _end(self) -> None:
        """End all workers; those that do not end by themselves are killed."""
        for worker in self.workers:
            worker.end()
        until = time.monotonic() + (_STOPPED_S if self.run.work.stopped else _END_TIMEOUT_S)
        for worker in self.workers:
            try:
                worker.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            # Read its last answers, so that they are counted.
            worker.read += worker.output.read() or b""
            with suppress(msgspec.DecodeError):
                for answer in answers_in(worker.read):
                    self._take(worker, answer)
            worker.output.close()
        self.selector.close()
        self.shard.close()


def _exit_of(code: int) -> str:
    """The exit code of a process, in words."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def run_in_processes(run: StudyRun) -> None:
    """Run the tasks in `run.jobs` worker processes.

    Raises
    ------
    InputError
        The store cannot be written; there are options.
    """
    options_of(run, NoOptions)
    _Pool(run).go()


EXECUTORS.add("processes", run_in_processes)
