"""The record of one task, a line of the store."""

import os
import socket
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from topoloom._version import __version__
from topoloom.core.json_files import parse_json
from topoloom.model.results import Result
from topoloom.studies.task import Task


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one task.

    Attributes
    ----------
    digest : str
        The digest of the task.
    task : Task
    state : "done" or "failed"
    row : dict
        The numbers of the result for a table; empty where it failed.
    result : Raw
        The record of the result, as ``topoloom OPERATION --json`` prints it, without timings; ``null`` where it failed.
    error : str
        The reason why it failed, in one sentence.
    seconds : float
        The time that it took.
    memory_mb : float
        The memory peak of its process while it ran; 0 where it is not known, as for tasks in threads of one process.
    attempts : int
        How many times it was started.
    host, version, at : str
        The machine, the version of topoloom, and when it ended (UTC).
    """

    digest: str
    task: Task
    state: Literal["done", "failed"]
    row: dict[str, Any] = {}
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0
    attempts: int = 1
    host: str = ""
    version: str = __version__
    at: str = ""

    def content(self) -> Any:
        """The record of the result.

        Raises
        ------
        InputError
            The line of the store is damaged; results are parsed only when needed.
        """
        return parse_json(bytes(self.result), f"result of task {self.digest} in the store")

    def result_as(self, store: str | os.PathLike[str], *kinds: type[Result]) -> Any:
        """The result, as an object.

        Parameters
        ----------
        store : path
        The folder of the record, for messages.
        *kinds : type
        The allowed types.

        Returns
        -------
        One of `kinds`

        Raises
        ------
        InputError
            The line of the store is damaged, or the result has another type.
        """
        source = f"{os.fspath(store)}: result of task {self.digest}"
        content = parse_json(bytes(self.result), source)
        schema = str(content.get("schema")) if isinstance(content, dict) else ""
        kind = next(
            (candidate for candidate in kinds if schema.startswith(f"topoloom/{candidate.record_name}/")), kinds[0]
        )
        return kind.from_record(content, source)


def done(task: Task, result: Any, row: dict[str, Any], seconds: float, *, attempts: int = 1) -> Record:
    """The record of a task that is done.

    Parameters
    ----------
    task : Task
    result : JSON types
        The record of its result.
    row : dict
    seconds : float
    attempts : int
    """
    return Record(
        digest=task.digest,
        task=task,
        state="done",
        row=row,
        result=msgspec.Raw(msgspec.json.encode(result)),
        **_about(seconds, attempts),
    )


def failed(task: Task, error: str, seconds: float = 0.0, *, attempts: int = 1) -> Record:
    """The record of a task that failed.

    Parameters
    ----------
    task : Task
    error : str
        The reason, in one sentence.
    seconds : float
    attempts : int
    """
    return Record(digest=task.digest, task=task, state="failed", error=error, **_about(seconds, attempts))


def _about(seconds: float, attempts: int) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "memory_mb": _memory_mb(),
        "attempts": attempts,
        "host": socket.gethostname(),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _memory_mb() -> float:
    """The memory peak of this process since its last reset, in MB; 0 where it is not known."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    return 0.0
