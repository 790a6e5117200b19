"""The queue as it is kept: a line for each task that was asked for or cancelled; cancelled tasks do not pile up."""

import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from topoloom.core.shards import Shards
from topoloom.studies.task import Task
from topoloom.web.needs import FOLDER, MEASURED

#: The folder of the lines, in that of the store.
NAME = "queue"
#: Seconds for which a requirement that no task names is kept.
_NEW_S = 60.0


class Note(msgspec.Struct, frozen=True):
    """A line of the queue: a task was asked for, or is not wanted any more.

    Attributes
    ----------
    digest : str
    at : float
        Seconds since 1970.
    task : Task or None
        None: cancelled.
    """

    digest: str
    at: float
    task: Task | None = None


class Queue:
    """The lines of the queue of a store; they are read by anybody, and written by the one server that has the store.

    Parameters
    ----------
    folder : Path
        Of the store.

    Attributes
    ----------
    lines : int
        That it has, as far as they were read.
    """

    def __init__(self, folder: Path) -> None:
        self._store = folder
        self._notes = Shards(folder / NAME, Note)
        self._writer = self._notes.writer()
        self.lines = 0

    def new(self) -> Iterator[Note]:
        """The lines that have come since the last call, the oldest first."""
        notes = sorted(self._notes.new(), key=lambda note: note.at)
        self.lines += len(notes)
        yield from notes

    def write(self, note: Note) -> None:
        """Append a line.

        Raises
        ------
        InputError
            It cannot be written.
        """
        self._writer.write(note)
        self.lines += 1

    def close(self) -> None:
        """Nothing more is written."""
        self._writer.close()

    def rewrite(self, notes: Iterable[Note]) -> None:
        """Keep these lines and no others, and of requirements and measurements those that their tasks name.

        Killed in between, both the old and the new lines are there, which say the same.

        Raises
        ------
        InputError
            The new lines cannot be written; the old ones are there.
        """
        kept = list(notes)
        old = list((self._store / NAME).glob("*.jsonl"))
        writer = self._notes.writer()
        for note in kept:
            writer.write(note)
        writer.sync()
        self._writer.close()
        self._writer, self.lines = writer, len(kept)
        for path in old:
            with suppress(OSError):
                path.unlink()
        named = {
            Path(str(note.task.arguments.get(name, "")))
            for note in kept
            if note.task is not None
            for name in ("requirement", "measured")
        }
        _remove_others(self._store / FOLDER, named)
        _remove_others(self._store / MEASURED, named)


def _remove_others(folder: Path, kept: Collection[Path]) -> None:
    """Remove what lies in a folder of the server's own and is not named; what is new may be named in a moment."""
    names = {path.name for path in kept}
    for path in folder.glob("*"):
        with suppress(OSError):
            if path.name not in names and time.time() - path.stat().st_mtime > _NEW_S:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
