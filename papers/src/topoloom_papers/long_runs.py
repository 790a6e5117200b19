"""Long runs, kept with the package: what was measured, by what and when; read by default, and run again on request.

``kept/PAPER.json`` holds the runs of a paper's claims. A run is known by the command that gives the same numbers, in which
every setting and seed stands.
"""

import datetime
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import topoloom
from topoloom._version import __version__
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.shards import Shards
from topoloom.core.threads import cores

T = TypeVar("T")

_FOLDER = Path(__file__).parent / "kept"
#: A run that an interrupted `--full` has made is taken by the next one of the same commit for so many days.
_FRESH_DAYS = 14


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A long run.

    Attributes
    ----------
    value : JSON types
        What was measured.
    seconds : float
    cores : int
        Of the machine that it ran on.
    date : str
        ``2026-11-23``.
    version, commit : str
        Of topoloom; the commit ends in + where what measures had changes that were not committed, and is empty where it was
        no checkout.
    """

    value: Any
    seconds: float
    cores: int
    date: str
    version: str
    commit: str

    @property
    def days(self) -> int:
        """How many days ago it ran."""
        return (datetime.date.today() - datetime.date.fromisoformat(self.date)).days


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that a claim took: by itself, and of all its long runs together."""

    seconds: float
    long_seconds: float = 0.0


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """``kept/PAPER.json``: runs by their commands, costs by claims' ids."""

    runs: dict[str, Run] = msgspec.field(default_factory=dict)
    costs: dict[str, Costs] = msgspec.field(default_factory=dict)


class MissingRunError(Exception):
    """A long run is neither kept nor asked for; the argument is its command."""


class _Line(msgspec.Struct):
    """A line of the notes: a run by its command and commit; None: it was used, so that `--full` makes it again."""

    command: str
    commit: str
    run: Run | None
    at: float


def _notes() -> Path:
    """Where long runs are noted as soon as they are made, in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home) / "topoloom" / "long-runs"


def _certain(commit: str) -> bool:
    """Whether a commit says all of what measured."""
    return bool(commit) and not commit.endswith("+")


class LongRuns:
    """All that is known of long runs: what is kept in files, and what ran since the program began."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._fresh: dict[str, Run] = {}
        self._paper, self._again, self._missing, self._keeps = "", False, False, False
        self._used: list[Run] = []
        self._shards: Shards[_Line] | None = None
        self._interrupted: dict[tuple[str, str], Run | None] = {}

    @contextmanager
    def of(self, paper: str, again: bool, missing: bool = False, keep: bool = False) -> Iterator[list[Run]]:
        """While a claim of a paper is computed; lists the long runs that it used.

        Parameters
        ----------
        paper : str
        again : bool
            Every long run is made; else they are read from what is kept.
        missing : bool
            Those that are not kept are made.
        keep : bool
            What is made is kept at once, so that whoever is interrupted loses one run at most.

        Yields
        ------
        list of Run
            Those that the claim has used so far.
        """
        self._paper, self._again, self._missing, self._keeps, self._used = paper, again, missing, keep, []
        if again or missing:
            _commit()  # the program that runs is that of now, whatever is edited meanwhile
        yield self._used
        if again or missing:
            self._forget()

    @property
    def again(self) -> bool:
        """Whether all long runs are made now."""
        return self._again

    def get(self, command: str, kind: type[T], compute: Callable[[], T]) -> T:
        """What a long run measured: of this process, of the files, or measured now, where that was asked for.

        Parameters
        ----------
        command : str
            What a user types for the same numbers, with every setting and seed.
        kind : type
            Of what is measured: of what msgspec makes JSON of and reads back.
        compute : callable
            Measures it.

        Returns
        -------
        what `kind` says
            What was measured.

        Raises
        ------
        MissingRunError
            It would have to run, and that was not asked for.
        """
        run = self._fresh.get(command) or (None if self._again else self.file(self._paper).runs.get(command))
        if run is None:
            if not (self._again or self._missing):
                raise MissingRunError(command)
            run = self._fresh[command] = self._begun_before(command) or self._made(command, compute)
            if self._keeps:
                self._write(self._paper, {command: run})
        if not any(one is run for one in self._used):
            self._used.append(run)
        return msgspec.convert(run.value, kind)

    def _made(self, command: str, compute: Callable[[], Any]) -> Run:
        """A long run made now, and noted at once, so that whoever is interrupted later does not make it again."""
        began = time.perf_counter()
        value = msgspec.to_builtins(compute())
        run = Run(
            value=value,
            seconds=round(time.perf_counter() - began, 2),
            cores=cores(None),
            date=datetime.date.today().isoformat(),
            version=__version__,
            commit=_commit(),
        )
        if _certain(run.commit):
            with (
                suppress(InputError),
                Shards(_notes(), _Line).writer() as shard,
            ):  # a full disk loses no more than the note
                shard.write(_Line(command, run.commit, run, time.time()))
        return run

    def _begun_before(self, command: str) -> Run | None:
        """The same run by the same commit, made by a `--full` that was interrupted; None where there is none."""
        if not _certain(_commit()):
            return None
        self._shards = Shards(_notes(), _Line) if self._shards is None else self._shards
        lines = sorted(self._shards.new(), key=lambda line: line.at)
        self._interrupted |= {(line.command, line.commit): line.run for line in lines}
        found = self._interrupted.get((command, _commit()))
        return found if found is not None and found.days <= _FRESH_DAYS else None

    def _forget(self) -> None:
        """A claim that came to its end needs its notes no more: the next `--full` makes its runs again."""
        used = [(command, run) for command, run in self._fresh.items() if any(one is run for one in self._used)]
        if used and _certain(_commit()):
            with suppress(InputError), Shards(_notes(), _Line).writer() as shard:
                for command, run in used:
                    shard.write(_Line(command, run.commit, None, time.time()))

    def file(self, paper: str) -> _File:
        """What is kept of a paper."""
        if paper not in self._files:
            path = _FOLDER / f"{paper}.json"
            self._files[paper] = msgspec.json.decode(path.read_bytes(), type=_File) if path.exists() else _File()
        return self._files[paper]

    def keep(self, claim: str, seconds: float) -> None:
        """Write what a claim took and the runs that it has just used, all or nothing, into its paper's file.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        mine = {command: run for command, run in self._fresh.items() if run in self._used}
        long_seconds = sum(run.seconds for run in self._used)
        costs = Costs(seconds=round(max(0.0, seconds - long_seconds), 2), long_seconds=round(long_seconds, 1))
        self._write(claim.partition("/")[0], mine, {claim: costs})

    def _write(self, paper: str, runs: dict[str, Run], costs: dict[str, Costs] | None = None) -> None:
        """Put runs and costs into a paper's file."""
        self._files.pop(paper, None)  # another process may have kept something meanwhile
        old = self.file(paper)
        new = _File(
            runs=dict(sorted({**old.runs, **runs}.items())), costs=dict(sorted({**old.costs, **(costs or {})}.items()))
        )
        self._files[paper] = new
        lines = [f'"{part}":{{\n{_lines(getattr(new, part))}\n}}' for part in ("runs", "costs")]
        write_atomically(_FOLDER / f"{paper}.json", "{\n" + ",\n".join(lines) + "\n}\n")


#: Those of this process.
LONG_RUNS = LongRuns()


def long_run(command: str, kind: type[T], compute: Callable[[], T]) -> T:
    """`LongRuns.get` of this process: what claims ask for.

    Parameters
    ----------
    command, kind, compute
        As there.

    Returns
    -------
    what `kind` says
        What was measured.
    """
    return LONG_RUNS.get(command, kind, compute)


def _lines(entries: dict[str, Any]) -> str:
    """A line an entry, so that what changed can be seen."""
    return ",\n".join(
        f"{msgspec.json.encode(key).decode()}:{msgspec.json.encode(value).decode()}" for key, value in entries.items()
    )


@cache
def _commit() -> str:
    """The commit of the checkout that topoloom runs from; empty where it is none. As it was when it was first asked."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ("git", *arguments),
            cwd=Path(topoloom.__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ,
        ).stdout.strip()

    try:
        # What claims themselves are made of does not count: every setting of a run stands in its command.
        changed = git("status", "--porcelain", "--", ".", ":!cli", ":!report")
        return git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""
