"""The stored queue: one line per requested or cancelled task; old cancelled tasks are removed."""

import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from topoloom.core.shards import Shards
from topoloom.studies.task import Task
from topoloom.web.needs import DESIGNS, FOLDER, MEASURED

#: The folder of the lines, in the store's folder.
NAME = "queue"
#: Seconds for which a requirement is kept although no task names it.
_NEW_S = 60.0


class Note(msgspec.Struct, frozen=True):
    """A line of the queue: a task was requested, or cancelled.

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
    """The lines of a store's queue: any process may read them, and the server that has the store writes them.

    Parameters
    ----------
    folder : Path
        The folder of the store.

    Attributes
    ----------
    lines : int
        Number of lines, as far as they were read.
    """

    def __init__(self, folder: Path) -> None:
        self._store = folder
        self._notes = Shards(folder / NAME, Note)
        self._writer = self._notes.writer()
        self.lines = 0

    def new(self) -> Iterator[Note]:
        """The lines that were added since the last call, oldest first."""
        notes = sorted(self._notes.new(), key=lambda note: note.at)
        self.lines += len(notes)
        yield from notes

    def write(self, note: Note) -> None:
        """Append a line.

        Raises
        ------
        InputError
            The line cannot be written.
        """
        self._writer.write(note)
        self.lines += 1

    def close(self) -> None:
        """Close the file; nothing more is written."""
        self._writer.close()

    def rewrite(self, notes: Iterable[Note]) -> None:
        """Keep only these lines, and only the requirements, measurements and designs that their tasks name.

        If the process is killed in between, the old and the new lines both exist, with the same meaning.

        Raises
        ------
        InputError
            The new lines cannot be written; the old ones still exist.
        """
        remaining = list(notes)
        old = list((self._store / NAME).glob("*.jsonl"))
        writer = self._notes.writer()
        for note in remaining:
            writer.write(note)
        writer.sync()
        self._writer.close()
        self._writer, self.lines = writer, len(remaining)
        for path in old:
            with suppress(OSError):
                path.unlink()
        named = {
            Path(str(note.task.arguments.get(name, "")))
            for note in remaining
            if note.task is not None
            for name in ("requirement", "measured", "folder")
        }
        _remove_others(self._store / FOLDER, named)
        _remove_others(self._store / MEASURED, named)
        _remove_others(self._store / DESIGNS, named)


def _remove_others(folder: Path, named: Collection[Path]) -> None:
    """Remove files and folders of the server that no task names; recent ones stay, since a task may name them soon."""
    names = {path.name for path in named}
    for path in folder.glob("*"):
        with suppress(OSError):
            if path.name not in names and time.time() - path.stat().st_mtime > _NEW_S:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
