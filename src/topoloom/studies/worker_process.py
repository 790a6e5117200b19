"""A worker process and its two pipes: tasks go in, answers come out."""

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, cast

import msgspec

from topoloom.core.surroundings import python
from topoloom.studies.environment import worker_environment
from topoloom.studies.worker import WorkerTasks


class WorkerProcess:
    """A started worker (`studies/worker.py`).

    Parameters
    ----------
    folder : str
        Of the store, or `NO_STORE`.
    threads : int
        Threads per task.
    limit_s : float or None
        Seconds per task.
    environment : mapping of str to str, optional
        Further environment variables.
    """

    def __init__(
        self, folder: str, threads: int, limit_s: float | None, environment: Mapping[str, str] | None = None
    ) -> None:
        limit = [] if limit_s is None else [str(limit_s)]
        self.process = subprocess.Popen(
            python("-m", "topoloom.studies.worker", folder, str(threads), *limit),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | worker_environment(environment),
            start_new_session=True,  # so that Ctrl-C reaches the parent only
        )
        self.input, self.output = cast(IO[bytes], self.process.stdin), cast(IO[bytes], self.process.stdout)
        self.read = bytearray()

    def send(self, tasks: WorkerTasks) -> None:
        """Send tasks; nothing happens if the worker has ended: its output is closed then, too."""
        with suppress(BrokenPipeError):
            self.input.write(msgspec.json.encode(tasks) + b"\n")
            self.input.flush()

    def end(self) -> None:
        """Send no more tasks: the worker ends when it is done, or stops its current task."""
        with suppress(BrokenPipeError):
            self.input.close()
