"""A worker process: takes tasks from standard input, a line each, and answers with what became of them.

Its records go into a shard of its own, so that what it finished is kept whatever happens to whoever started it.
"""

import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.studies.job import record_of
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.task import Task


class WorkerTasks(msgspec.Struct, frozen=True):
    """Tasks for a worker.

    Attributes
    ----------
    tasks : list of Task
    attempts : int
        How many times they were begun before.
    """

    tasks: list[Task]
    attempts: int = 0


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker tells: a task is begun, or has its record in the store, or the store cannot be written.

    Attributes
    ----------
    begun : str
        The digest of a task.
    record : Record or None
        Without its result, which is in the store.
    fault : str
        Why the worker ends.
    """

    begun: str = ""
    record: Record | None = None
    fault: str = ""


def serve_tasks(folder: str, threads: int, limit_s: float | None) -> int:
    """Run the tasks that come in, until there are no more or whoever sends them is gone.

    Parameters
    ----------
    folder : str
        Of the store.
    threads : int
        Of a task.
    limit_s : float or None
        Seconds that a task may take.

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
        # Nobody is there any more who could want the rest.
        with arrived:
            ended = True
            orders.clear()
            arrived.notify()
        work.stop()

    threading.Thread(target=listen, daemon=True).start()

    def next_order() -> WorkerTasks | None:
        with arrived:
            while not orders and not ended:
                arrived.wait()
            return orders.pop(0) if orders else None

    try:
        with Store(folder).writer() as shard:
            while (order := next_order()) is not None:
                for task in order.tasks:
                    if work.stopped:
                        break
                    answers(Answer(begun=task.digest))
                    record = record_of(task, threads=threads, limit_s=limit_s, attempts=order.attempts + 1, work=work)
                    if record is None:
                        break
                    shard.write(record)
                    answers(Answer(record=msgspec.structs.replace(record, result=msgspec.Raw(b"null"))))
    except InputError as error:
        answers(Answer(fault=str(error)))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _answers() -> Any:
    """A function that sends answers over standard output, which from now on nothing else writes to."""
    channel = os.dup(1)
    os.dup2(2, 1)

    def send(answer: Answer) -> None:
        line = msgspec.json.encode(answer) + b"\n"
        try:
            while line:
                line = line[os.write(channel, line) :]
        except BrokenPipeError:
            return  # the one who started us is gone; standard input tells that, too

    return send


def answers_in(data: bytearray) -> Iterator[Answer]:
    """The whole answers at the beginning of what was read, which are taken out of it."""
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
