"""Claims: batches of tasks that many machines share by files; each batch is claimed by one worker at a time.

A claim is a file that only one worker can create (O_EXCL, which NFS also supports). Its owner touches it while working; a claim
that was not touched for long is taken over by renaming it, which only one worker can do. Times are compared by the clock of the
file system alone.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from topoloom.studies.task import Task

#: Seconds between two touches of a claim, and after which an untouched claim may be taken over.
BEAT_S, STALE_S = 20.0, 120.0
_BATCHES = "batches.jsonl"
#: The file that shows that more batches may come; the client touches it.
_GROWING = "growing"


class Claims:
    """The batches of one submission, and which worker has claimed which.

    Parameters
    ----------
    folder : path
        A folder that all workers share.
    owner : str
        The name of the worker; a restarted worker uses the same name.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self.folder, self.owner = folder, owner
        self.batches: list[list[Task]] = []
        self._read_to = 0
        self.read()

    def read(self) -> None:
        """Read the batches that were added since the last call."""
        with (self.folder / _BATCHES).open("rb") as file:
            file.seek(self._read_to)
            data = file.read()
        whole = data.rfind(b"\n") + 1
        self._read_to += whole
        self.batches += [msgspec.json.decode(line, type=list[Task]) for line in data[:whole].splitlines()]

    @classmethod
    def write(cls, folder: Path, batches: Sequence[Sequence[Task]]) -> None:
        """Write the batches into a new folder."""
        folder.mkdir(parents=True)
        cls.add(folder, batches)

    @classmethod
    def add(cls, folder: Path, batches: Sequence[Sequence[Task]]) -> None:
        """Add batches; workers that still run take them too."""
        text = b"".join(msgspec.json.encode(batch) + b"\n" for batch in batches)
        with (folder / _BATCHES).open("ab") as file:
            file.write(text)

    @staticmethod
    def grows(folder: Path, continues: bool) -> None:
        """Tell the workers that more batches may come, which is true for `STALE_S` seconds; or that none come any more."""
        path = folder / _GROWING
        if continues:
            path.touch()
        else:
            path.unlink(missing_ok=True)

    @property
    def growing(self) -> bool:
        """Whether more batches may come: the client is alive."""
        try:
            return self._age(self.folder / _GROWING) <= STALE_S
        except OSError:
            return False

    def open(self, begin: int = 0) -> Iterator[int]:
        """Yield the numbers of open batches, each claimed for this worker; from `begin` on, then from the first."""
        self.release_of(self.folder, self.owner)  # claims from before a restart of this worker
        count = len(self.batches)
        for step in range(count):
            number = (begin + step) % count
            if not self._path(number, "done").exists() and self._claim(number):
                yield number

    def done(self, number: int) -> None:
        """Mark a batch as done."""
        self._path(number, "done").touch()
        self.release(number)

    @property
    def all_done(self) -> bool:
        """Whether all batches are done."""
        return sum(1 for _ in self.folder.glob("*.done")) >= len(self.batches)

    @staticmethod
    def release_of(folder: Path, owner: str) -> None:
        """Release the claims of a worker that no longer runs."""
        for path in folder.glob("*.claim"):
            _release(path, owner)

    def release(self, number: int) -> None:
        """Release a batch that this worker has claimed; not if another has taken it over since."""
        _release(self._path(number, "claim"), self.owner)

    @contextmanager
    def touched(self, number: int) -> Iterator[None]:
        """Touch this worker's claim regularly while the context is open."""
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
        """Try to claim a batch; returns whether this worker has it now."""
        path = self._path(number, "claim")
        for _ in range(2):
            try:
                with path.open("x") as file:
                    file.write(self.owner)
                return True
            except FileExistsError:
                last_touch = self._stale(path)
                if last_touch is None or not self._taken(path, last_touch):
                    return False
        return False

    def _stale(self, path: Path) -> float | None:
        """The time of the last touch, if it is long ago by the file system's clock; else None."""
        try:
            last_touch = path.stat().st_mtime
            return last_touch if self._age(path) > STALE_S else None
        except OSError:
            return None

    def _age(self, path: Path) -> float:
        """Seconds since a file was touched, by the file system's clock."""
        clock = self.folder / f"clock-{self.owner}"
        clock.write_text("")
        return clock.stat().st_mtime - path.stat().st_mtime

    def _taken(self, path: Path, last_touch: float) -> bool:
        """Try to remove a stale claim; True for the one worker that succeeds."""
        aside = path.with_suffix(f".stale-{self.owner}")
        try:
            os.rename(path, aside)
        except OSError:
            return False
        stale = aside.stat().st_mtime == last_touch
        if not stale:
            # Another worker has taken it over in the meantime, and this is its claim: put it back.
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink(missing_ok=True)
        return stale


def _release(path: Path, owner: str) -> None:
    """Remove a claim, if it belongs to the owner."""
    with suppress(OSError):
        if path.read_text() == owner:
            path.unlink()
