"""The store of a study: a folder of shards, whose lines are the records of tasks."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text, reason, write_atomically
from topoloom.core.json_files import parse_json
from topoloom.core.shards import Shards, ShardWriter
from topoloom.studies.record import Record

#: The folder's own file, the folder of its shards, and the newest version that this program writes and reads.
NOTE, SHARDS, VERSION = "store.json", "records", 1
#: The name of a task's operation in records up to version 0.2, and the present one.
_FORMER_TASK = (b'"task":{"verb":', b'"task":{"operation":')
_MOST_NOTE_CHARACTERS = 1 << 16


class _Note(msgspec.Struct):
    """The content of `NOTE`."""

    schema: str


class Store:
    """The records of a study in a folder.

    Parameters
    ----------
    folder : path
    create : bool
        Create the store if it does not exist.

    Raises
    ------
    InputError
        It does not exist and `create` is False, was written by a newer topoloom, or cannot be created.

    Examples
    --------
    >>> import tempfile
    >>> from topoloom.studies.record import done
    >>> from topoloom.studies.task import task_of
    >>> store = Store(tempfile.mkdtemp() + "/new", create=True)
    >>> with store.writer() as shard:
    ...     shard.write(done(task_of("hops", {"topology": "petersen"}), {"diameter": 2}, {"diameter": 2}, 0.1))
    >>> [record.row for record in store.records().values()]
    [{'diameter': 2}]
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.folder = Path(folder)
        self._records: dict[str, Record] = {}
        self._shards = Shards(self.folder / SHARDS, Record, former=_FORMER_TASK)
        note = self.folder / NOTE
        if note.is_file():
            _check(note)
        elif not create:
            raise InputError(
                f"{os.fspath(folder)}: contains no study; 'topoloom study STUDY.toml -o {folder}' creates one"
            )
        else:
            try:
                (self.folder / SHARDS).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{os.fspath(folder)}: cannot be created: {reason(error)}") from None
            write_atomically(note, msgspec.json.encode(_Note(f"topoloom/store/{VERSION}")) + b"\n")

    def records(self) -> dict[str, Record]:
        """All records by the digest of their task; of several for one task, the first finished one, else the latest.

        Reads the lines that were written since the last call.
        """
        for record in self._shards.new():
            earlier = self._records.get(record.digest)
            if earlier is None or (earlier.state == "failed" and _later(record, earlier)):
                self._records[record.digest] = record
        return self._records

    def writer(self) -> ShardWriter[Record]:
        """A new shard, for one writer."""
        return self._shards.writer()

    def forget_failed(self) -> None:
        """Remove the records of failed tasks, so that these run again; no other process may write records meanwhile.

        Raises
        ------
        InputError
            The other records cannot be written again; the old ones are still there then.
        """
        records, old = self.records(), list(self._shards.folder.glob("*.jsonl"))
        finished = {digest: record for digest, record in records.items() if record.state == "done"}
        if len(finished) == len(records):
            return
        with self.writer() as shard:
            for record in finished.values():
                shard.write(record)
        for path in old:
            path.unlink(missing_ok=True)
        self._records = finished

    def merge(self, others: Iterable["Store"]) -> int:
        """Copy the records of other stores that are missing here; returns their number."""
        own, copied = self.records(), 0
        with self.writer() as shard:
            for other in others:
                for digest, record in other.records().items():
                    existing = own.get(digest)
                    if existing is None or (existing.state == "failed" and record.state == "done"):
                        shard.write(record)
                        own[digest] = record
                        copied += 1
        return copied


def _check(note: Path) -> None:
    """Raise an error for the store of a newer topoloom."""
    schema = parse_json(
        read_text(note, _MOST_NOTE_CHARACTERS), os.fspath(note), _Note, "note of a study's store"
    ).schema
    readable = [f"topoloom/store/{version}" for version in range(1, VERSION + 1)]
    if schema not in readable:
        raise at(os.fspath(note), None, f"is '{schema[:60]}'; this topoloom reads {', '.join(readable)}")


def _later(record: Record, failed: Record) -> bool:
    """Whether a record replaces an earlier failed one."""
    return record.state == "done" or record.at >= failed.at
