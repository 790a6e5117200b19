"""Previews: answers that no list of tasks shows and no store keeps, such as the sums of a rack above a slot of the floor.

A worker process of its own computes them, one at a time: it keeps the rooms that it has opened. Of the previews of one page the
newest counts.
"""

import os
import select
import threading
import time
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from topoloom.core.errors import InputError
from topoloom.studies.record import Record, failed
from topoloom.studies.task import Task
from topoloom.studies.worker import NO_STORE, WorkerTasks, answers_in
from topoloom.studies.worker_process import WorkerProcess
from topoloom.web.design_routes import READ_ONLY, explorer_of, json_answer
from topoloom.web.jobs import QUICK_LIMIT_S

#: The operations with previews, and the arguments that keep their answers short.
PREVIEWED: dict[str, dict[str, Any]] = {"stand": {"picture": False}}
#: Most pages whose previews wait; more are refused.
MOST_WAITING = 16
#: Seconds beyond the time limit after which a worker is killed, and between two checks whether the server ends.
_LATE_S, _CHECK_EVERY_S = 5.0, 0.2


class Previews:
    """The worker of previews, which starts with the first one, and those that wait for it."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._waiting: dict[str, object] = {}
        self._busy = self._closed = False
        self._worker: WorkerProcess | None = None

    def answer(self, task: Task, page: str) -> Record | None:
        """The record of a task; None where a newer preview of the page came before it was begun.

        Parameters
        ----------
        task : Task
        page : str
            Any name of the page that asks.

        Raises
        ------
        InputError
            Too many pages wait.
        """
        own = object()
        with self._turn:
            if page not in self._waiting and len(self._waiting) >= MOST_WAITING:
                raise InputError(f"{MOST_WAITING} previews are waiting; try again later")
            self._waiting[page] = own
            self._turn.notify_all()  # the one that it replaces ends
            self._turn.wait_for(lambda: self._waiting.get(page) is not own or self._next() == page)
            if self._waiting.get(page) is not own:
                return None
            del self._waiting[page]
            self._busy = True
        try:
            return self._run(task)
        finally:
            with self._turn:
                self._busy = False
                self._turn.notify_all()

    def _next(self) -> str | None:
        return None if self._busy else next(iter(self._waiting), None)

    def _run(self, task: Task) -> Record:
        """Let the worker run a task; one that ended, or takes too long, is replaced at the next task."""
        began = time.monotonic()
        for _ in range(2):  # a worker may have been ended since its last task
            if self._worker is None:
                self._worker = WorkerProcess(NO_STORE, 1, QUICK_LIMIT_S)
            self._worker.send(WorkerTasks([task]))
            if (record := self._heard(self._worker, began)) is not None:
                return record
            self.end()
            if self._closed or time.monotonic() - began > QUICK_LIMIT_S:
                break
        return failed(task, "the preview was not computed: its worker ended", time.monotonic() - began)

    def _heard(self, worker: WorkerProcess, began: float) -> Record | None:
        """The record that the worker answers with; None where it ends, or answers too late."""
        output = worker.output.fileno()
        while not self._closed and time.monotonic() - began < QUICK_LIMIT_S + _LATE_S:
            if not select.select([output], [], [], _CHECK_EVERY_S)[0]:
                continue
            piece = os.read(output, 1 << 20)
            if not piece:
                return None
            worker.read += piece
            for answer in answers_in(worker.read):
                if answer.record is not None:
                    return answer.record
        return None

    def end(self) -> None:
        """End the worker."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.process.kill()
            worker.process.wait()
            worker.end()
            worker.output.close()

    def close(self) -> None:
        """End the worker and everything that waits for it; previews that come later are refused."""
        self._closed = True
        with self._turn:
            self._waiting.clear()
            self._turn.notify_all()
            self._turn.wait_for(lambda: not self._busy, 2 * _CHECK_EVERY_S)
        self.end()


async def preview(request: Request) -> Response:
    """Answer with the record of a preview, or say that a newer one of the same page took its place."""
    explorer = explorer_of(request)
    if explorer.read_only:
        return json_answer({"error": READ_ONLY}, 403)
    operation, arguments, more = explorer.requested(await request.body())
    if operation not in PREVIEWED:
        raise InputError(f"the explorer has no preview of '{operation[:40]}', only of {', '.join(PREVIEWED)}")
    task = await run_in_threadpool(explorer.task, operation, arguments | PREVIEWED[operation])
    record = await run_in_threadpool(explorer.previews.answer, task, str(more.get("page", ""))[:64])
    return json_answer({"state": "superseded"} if record is None else record)
