"""Long runs whose measurements are stored in the package: read by default, made again on request.

``kept/PAPER.json`` holds the runs of a paper's claims, with date, version and commit. The key of a run is the command that
gives the same numbers, with every setting and seed.
"""

import datetime
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from topoloom._version import __version__
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.program import commit
from topoloom.core.shards import Shards
from topoloom.core.threads import cores

T = TypeVar("T")

_FOLDER = Path(__file__).parent / "kept"
#: For this many days, the next `--full` of the same commit reuses runs that an interrupted `--full` made.
_FRESH_DAYS = 14


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One long run.

    Attributes
    ----------
    value : JSON types
        The measurement.
    seconds : float
        Duration.
    cores : int
        Number of cores of the machine.
    date : str
        As in ``2026-11-23``.
    version, commit : str
        Of topoloom. The commit ends in + if the measuring code had uncommitted changes; it is empty outside a checkout.
    """

    value: Any
    seconds: float
    cores: int
    date: str
    version: str
    commit: str

    @property
    def days(self) -> int:
        """Age in days."""
        return (datetime.date.today() - datetime.date.fromisoformat(self.date)).days


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """Computing time of a claim in seconds: without its long runs, and of all its long runs together."""

    seconds: float
    long_seconds: float = 0.0


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """``kept/PAPER.json``: runs by their commands, costs by the claims' ids."""

    runs: dict[str, Run] = msgspec.field(default_factory=dict)
    costs: dict[str, Costs] = msgspec.field(default_factory=dict)


class MissingRunError(Exception):
    """A long run is not kept, and making it was not requested; the argument is its command."""


class _Line(msgspec.Struct):
    """One line of the notes: a run by its command and commit. `run` is None once a claim has used it: `--full` repeats it."""

    command: str
    commit: str
    run: Run | None
    at: float


def _notes() -> Path:
    """The folder in the user's cache where finished long runs are noted immediately."""
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home) / "topoloom" / "long-runs"


def _certain(commit: str) -> bool:
    """Whether a commit identifies the measuring code completely: known, without uncommitted changes."""
    return bool(commit) and not commit.endswith("+")


class LongRuns:
    """All available long runs: those kept in files, and those made by this process."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._fresh: dict[str, Run] = {}
        self._paper, self._again, self._missing, self._keeps = "", False, False, False
        self._used: list[Run] = []
        self._shards: Shards[_Line] | None = None
        self._interrupted: dict[tuple[str, str], Run | None] = {}

    @contextmanager
    def of(self, paper: str, again: bool, missing: bool = False, keep: bool = False) -> Iterator[list[Run]]:
        """A context in which one claim of a paper is computed; collects the long runs that it uses.

        Parameters
        ----------
        paper : str
        again : bool
            Make every long run; otherwise they are read from the package's files.
        missing : bool
            Make the runs that are not kept.
        keep : bool
            Store each new run immediately, so that an interruption loses at most one.

        Yields
        ------
        list of Run
            The runs that the claim has used so far.
        """
        self._paper, self._again, self._missing, self._keeps, self._used = paper, again, missing, keep, []
        if again or missing:
            commit_of_runs()  # fixes the commit of the running program before files can be edited
        yield self._used
        if again or missing:
            self._forget()

    @property
    def again(self) -> bool:
        """Whether all long runs are made again."""
        return self._again

    def get(self, command: str, kind: type[T], compute: Callable[[], T]) -> T:
        """The measurement of a long run: from this process, from the files, or made now if requested.

        Parameters
        ----------
        command : str
            The command that gives the same numbers, with every setting and seed: the key of the run.
        kind : type
            Type of the measurement, which msgspec writes as JSON and reads back.
        compute : callable
            Makes the measurement.

        Returns
        -------
        value of type `kind`
            The measurement.

        Raises
        ------
        MissingRunError
            The run is not available, and making it was not requested.
        """
        run = self._fresh.get(command) or (None if self._again else self.file(self._paper).runs.get(command))
        if run is None:
            if not (self._again or self._missing):
                raise MissingRunError(command)
            run = self._fresh[command] = self._reusable(command) or self._made(command, compute)
            if self._keeps:
                self._write(self._paper, {command: run})
        if not any(used is run for used in self._used):
            self._used.append(run)
        return msgspec.convert(run.value, kind)

    def made(self, used: Iterable[Run]) -> dict[str, Run]:
        """Those of these runs that this process has made, by their commands."""
        chosen = list(used)
        return {command: run for command, run in self._fresh.items() if any(run is other for other in chosen)}

    def take(self, runs: Mapping[str, Run]) -> None:
        """Use runs that another process has made, as if they had been made here."""
        for command, run in runs.items():
            self._fresh.setdefault(command, run)

    def _made(self, command: str, compute: Callable[[], Any]) -> Run:
        """Make a long run and note it immediately, so that a later interruption does not lose it."""
        began = time.perf_counter()
        value = msgspec.to_builtins(compute())
        run = Run(
            value=value,
            seconds=round(time.perf_counter() - began, 2),
            cores=cores(None),
            date=datetime.date.today().isoformat(),
            version=__version__,
            commit=commit_of_runs(),
        )
        if _certain(run.commit):
            with (
                suppress(InputError),
                Shards(_notes(), _Line).writer() as shard,
            ):  # if the disk is full, only the note is lost
                shard.write(_Line(command, run.commit, run, time.time()))
        return run

    def _reusable(self, command: str) -> Run | None:
        """The same run made by an interrupted `--full` of the same commit; None if no such run is noted."""
        if not _certain(commit_of_runs()):
            return None
        self._shards = Shards(_notes(), _Line) if self._shards is None else self._shards
        lines = sorted(self._shards.new(), key=lambda line: line.at)
        self._interrupted |= {(line.command, line.commit): line.run for line in lines}
        run = self._interrupted.get((command, commit_of_runs()))
        return run if run is not None and run.days <= _FRESH_DAYS else None

    def _forget(self) -> None:
        """Cancel the notes of a finished claim: the next `--full` makes its runs again."""
        used = [(command, run) for command, run in self._fresh.items() if any(other is run for other in self._used)]
        if used and _certain(commit_of_runs()):
            with suppress(InputError), Shards(_notes(), _Line).writer() as shard:
                for command, run in used:
                    shard.write(_Line(command, run.commit, None, time.time()))

    def file(self, paper: str) -> _File:
        """The kept runs and costs of a paper."""
        if paper not in self._files:
            path = _FOLDER / f"{paper}.json"
            self._files[paper] = msgspec.json.decode(path.read_bytes(), type=_File) if path.exists() else _File()
        return self._files[paper]

    def keep(self, claim: str, seconds: float) -> None:
        """Write a claim's computing time and the new runs that it used into its paper's file, atomically.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        new_runs = {command: run for command, run in self._fresh.items() if run in self._used}
        long_seconds = sum(run.seconds for run in self._used)
        costs = Costs(seconds=round(max(0.0, seconds - long_seconds), 2), long_seconds=round(long_seconds, 1))
        self._write(claim.partition("/")[0], new_runs, {claim: costs})

    def _write(self, paper: str, runs: dict[str, Run], costs: dict[str, Costs] | None = None) -> None:
        """Put runs and costs into a paper's file."""
        self._files.pop(paper, None)  # another process may have written the file in the meantime
        old = self.file(paper)
        new = _File(
            runs=dict(sorted({**old.runs, **runs}.items())), costs=dict(sorted({**old.costs, **(costs or {})}.items()))
        )
        self._files[paper] = new
        lines = [f'"{part}":{{\n{_lines(getattr(new, part))}\n}}' for part in ("runs", "costs")]
        write_atomically(_FOLDER / f"{paper}.json", "{\n" + ",\n".join(lines) + "\n}\n")


#: The long runs of this process.
LONG_RUNS = LongRuns()


def long_run(command: str, kind: type[T], compute: Callable[[], T]) -> T:
    """The measurement of a long run, from the package or made now: `LongRuns.get` of this process, for use in claims.

    Parameters
    ----------
    command, kind, compute
        As in `LongRuns.get`.

    Returns
    -------
    value of type `kind`
        The measurement.
    """
    return LONG_RUNS.get(command, kind, compute)


def _lines(entries: dict[str, Any]) -> str:
    """One line per entry, which keeps version-control diffs readable."""
    return ",\n".join(
        f"{msgspec.json.encode(key).decode()}:{msgspec.json.encode(value).decode()}" for key, value in entries.items()
    )


def commit_of_runs() -> str:
    """The commit of topoloom; changes that no run depends on do not count, as the command of a run has all of its settings."""
    return commit("cli", "report")
