"""What a reader is to the fuzzer: the files that it is given, and how it is called."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from topoloom.core.files import read_text

Files = dict[str, bytes]


@dataclass(frozen=True)
class Reader:
    """A reader: a list of seeds (files by name, of which one is damaged), and a function of their folder.

    `again` writes what was read into files and reads those; what is read must be the same. `spared` are never damaged.
    """

    seeds: Callable[[], list[Files]]
    read: Callable[[Path], Any]
    again: Callable[[Any, Path], Any] | None = None
    spared: tuple[str, ...] = ()

    def check(self, folder: Path) -> str:
        """Read a folder; what is wrong with what was read, or nothing."""
        found = self.read(folder)
        if self.again is None:
            return ""
        back = self.again(found, folder)
        return (
            ""
            if back is None or back == found
            else "what was read does not come back when it is written and read again"
        )


def text_reader(file: str, texts: Callable[[], list[str]], read: Callable[[str, str], Any]) -> Reader:
    return Reader(
        lambda: [{file: text.encode()} for text in texts()],
        lambda folder: read(read_text(folder / file, 1 << 28), str(folder / file)),
    )


def _read(path: Path) -> str:
    from topoloom.core.files import read_text

    return read_text(path, 1 << 28)


def path_reader(file: str, texts: Callable[[], list[str | bytes]], read: Callable[[Path], Any]) -> Reader:
    return Reader(
        lambda: [{file: text.encode() if isinstance(text, str) else text} for text in texts()],
        lambda folder: read(folder / file),
    )


def folder_reader(write: Callable[[Path], Any], read: Callable[[Path], Any], spared: tuple[str, ...] = ()) -> Reader:
    """A reader of a folder that a function writes."""

    def seeds() -> list[Files]:
        with TemporaryDirectory() as place:
            target = Path(place) / "net"
            write(target)
            return [files_of(Path(place))]

    return Reader(seeds, lambda folder: read(folder / "net"), spared=spared)


def files_of(folder: Path) -> Files:
    """The files of a folder that have something in them, by path; those that a run names after its time have steady names."""
    found: Files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size:
            name = str(path.relative_to(folder))
            found[f"{path.parent.relative_to(folder)}/run.jsonl" if path.suffix == ".jsonl" else name] = steady(path)
    return found


def steady(path: Path) -> bytes:
    """A file without what differs from run to run: cases are the same wherever the fuzzer runs."""
    data = path.read_bytes()
    if path.suffix not in (".json", ".jsonl"):
        return data
    data = re.sub(rb'"((?:\w+_)?seconds|moves_per_s|memory_mb)":( ?)[0-9.e+-]+', rb'"\1":\g<2>0.5', data)
    return re.sub(rb'"(host|at|since)":( ?)"[^"]*"', rb'"\1":\2"2026-01-01T00:00:00Z"', data)
