"""Batches of tasks that many machines share out among themselves by files: each is claimed by one worker at a time.

A claim is a file that only one can make (O_EXCL, which also NFS keeps). Its owner touches it while it works; one that nobody
has touched for long is taken over by renaming it, which only one can do. Times are compared by the clock of the file system
alone.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from topoloom.studies.task import Task

#: Seconds between two touches of a claim, and after which one that nobody touches is anybody's.
BEAT_S, STALE_S = 20.0, 120.0
_BATCHES = "batches.jsonl"


class Claims:
    """The batches of one submission, and who works at which.

    Parameters
    ----------
    folder : path
        That all workers share.
    owner : str
        Who claims: the same again for a worker that is started again.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self.folder, self.owner = folder, owner
        with (folder / _BATCHES).open("rb") as file:
            self.batches = [msgspec.json.decode(line, type=list[Task]) for line in file]

    @classmethod
    def write(cls, folder: Path, batches: Sequence[Sequence[Task]]) -> None:
        """Lay the batches down in a new folder."""
        folder.mkdir(parents=True)
        text = b"".join(msgspec.json.encode(batch) + b"\n" for batch in batches)
        (folder / _BATCHES).write_bytes(text)

    def open(self, begin: int = 0) -> Iterator[int]:
        """The numbers of batches, each claimed for us as it is given; from `begin` on and then from the first."""
        self.release_of(self.folder, self.owner)  # of ours from before we were started again
        count = len(self.batches)
        for step in range(count):
            number = (begin + step) % count
            if not self._path(number, "done").exists() and self._claim(number):
                yield number

    def done(self, number: int) -> None:
        """A batch needs nobody any more."""
        self._path(number, "done").touch()
        self.release(number)

    @property
    def all_done(self) -> bool:
        """Whether no batch needs anybody any more."""
        return sum(1 for _ in self.folder.glob("*.done")) >= len(self.batches)

    @staticmethod
    def release_of(folder: Path, owner: str) -> None:
        """What a worker has claimed that is known to be gone is anybody's again."""
        for path in folder.glob("*.claim"):
            _release(path, owner)

    def release(self, number: int) -> None:
        """A batch that we have claimed is anybody's again; not where another has taken it over meanwhile."""
        _release(self._path(number, "claim"), self.owner)

    @contextmanager
    def kept(self, number: int) -> Iterator[None]:
        """While it is open, our claim is touched."""
        over = threading.Event()

        def beat() -> None:
            while not over.wait(BEAT_S):
                with suppress(OSError):
                    os.utime(self._path(number, "claim"))

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _path(self, number: int, what: str) -> Path:
        return self.folder / f"{number:06d}.{what}"

    def _claim(self, number: int) -> bool:
        """Whether a batch is ours now."""
        path = self._path(number, "claim")
        for _ in range(2):
            try:
                with path.open("x") as file:
                    file.write(self.owner)
                return True
            except FileExistsError:
                touched = self._stale(path)
                if touched is None or not self._taken(path, touched):
                    return False
        return False

    def _stale(self, path: Path) -> float | None:
        """When a claim was touched last, where that is long ago by the file system's own clock; else None."""
        clock = self.folder / f"clock-{self.owner}"
        try:
            clock.write_text("")
            touched = path.stat().st_mtime
            return touched if clock.stat().st_mtime - touched > STALE_S else None
        except OSError:
            return None

    def _taken(self, path: Path, touched: float) -> bool:
        """Whether it was us who took a stale claim away; of many who try it is one."""
        aside = path.with_suffix(f".stale-{self.owner}")
        try:
            os.rename(path, aside)
        except OSError:
            return False
        stale = aside.stat().st_mtime == touched
        if not stale:
            # Another has taken it over since we looked, and this is the claim of that one: it goes back.
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink(missing_ok=True)
        return stale


def _release(path: Path, owner: str) -> None:
    """Remove a claim, if it is the owner's."""
    with suppress(OSError):
        if path.read_text() == owner:
            path.unlink()
