"""A worker process: reads tasks from standard input, one line each, and answers with their records.

It writes its records into its own shard, so that finished tasks are kept whatever happens to the process that started it.
"""

import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.operations.operation import OPERATIONS
from topoloom.studies.job import record_of
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.task import Task

#: Stands for the folder of a store: records are not kept, and answers contain them whole.
NO_STORE = "-"
#: Seconds without a first task after which a worker imports what most operations need, and these modules.
_IDLE_S = 0.3
_PREPARED = (
    "topoloom.designer.design",
    "topoloom.network.opening",
    "topoloom.routing.route",
    "topoloom.topologies.overview",
)


class WorkerTasks(msgspec.Struct, frozen=True):
    """Tasks for a worker.

    Attributes
    ----------
    tasks : list of Task
    attempts : int
        How many times they were started before.
    """

    tasks: list[Task]
    attempts: int = 0


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message of a worker: a task has started, a task has its record in the store, or the store cannot be written.

    Attributes
    ----------
    begun : str
        The digest of the started task.
    record : Record or None
        The record; without its result, which is in the store, if there is one.
    fault : str
        Why the worker ends.
    """

    begun: str = ""
    record: Record | None = None
    fault: str = ""


def serve_tasks(folder: str, threads: int, limit_s: float | None) -> int:
    """Run the tasks that arrive, until the input ends.

    Parameters
    ----------
    folder : str
        The folder of the store, or `NO_STORE`.
    threads : int
        Threads per task.
    limit_s : float or None
        Time limit of a task, in seconds.

    Returns
    -------
    int
        The exit code.
    """
    answers = _answers()
    work = Work()
    orders: list[WorkerTasks] = []
    arrived = threading.Condition()
    ended = False

    def listen() -> None:
        nonlocal ended
        for line in sys.stdin.buffer:
            with arrived:
                orders.append(msgspec.json.decode(line, type=WorkerTasks))
                arrived.notify()
        # The sender is gone: the remaining tasks are not needed.
        with arrived:
            ended = True
            orders.clear()
            arrived.notify()
        work.stop()

    threading.Thread(target=listen, daemon=True).start()

    def next_order() -> WorkerTasks | None:
        with arrived:
            arrived.wait_for(lambda: bool(orders) or ended)
            return orders.pop(0) if orders else None

    with arrived:
        idle = not arrived.wait_for(lambda: bool(orders) or ended, _IDLE_S)
    if idle:
        _prepare()
    try:
        with nullcontext() if folder == NO_STORE else Store(folder).writer() as shard:
            while (order := next_order()) is not None:
                for task in order.tasks:
                    if work.stopped:
                        break
                    answers(Answer(begun=task.digest))
                    record = record_of(task, threads=threads, limit_s=limit_s, attempts=order.attempts + 1, work=work)
                    if record is None:
                        break
                    if shard is not None:
                        shard.write(record)
                        record = msgspec.structs.replace(record, result=msgspec.Raw(b"null"))
                    answers(Answer(record=record))
    except InputError as error:
        answers(Answer(fault=str(error)))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _prepare() -> None:
    """Import what most operations need: a worker that was started before the first question answers it sooner."""
    for _ in OPERATIONS.items():
        pass
    for name in _PREPARED:
        importlib.import_module(name)


def _answers() -> Any:
    """A function that sends answers over standard output, to which nothing else writes from now on."""
    channel = os.dup(1)
    os.dup2(2, 1)

    def send(answer: Answer) -> None:
        line = msgspec.json.encode(answer) + b"\n"
        try:
            while line:
                line = line[os.write(channel, line) :]
        except BrokenPipeError:
            return  # the starting process is gone; standard input ends too

    return send


def answers_in(data: bytearray) -> Iterator[Answer]:
    """The complete answers at the start of `data`, which are removed from it."""
    whole = data.rfind(b"\n") + 1
    lines = bytes(data[:whole]).splitlines()
    del data[:whole]
    for line in lines:
        yield msgspec.json.decode(line, type=Answer)


def main() -> int:
    """``python -m topoloom.studies.worker FOLDER THREADS [SECONDS]``."""
    folder, threads, *limit = sys.argv[1:]
    return serve_tasks(folder, int(threads), float(limit[0]) if limit else None)


if __name__ == "__main__":
    sys.exit(main())
