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

#: The folder's own note, its shards, and the newest version that this program writes and reads.
NOTE, SHARDS, VERSION = "store.json", "records", 1
#: Tasks in records up to version 0.2 name their operation so.
_FORMER_TASK = (b'"task":{"verb":', b'"task":{"operation":')
_LONGEST_NOTE = 1 << 16


class _Note(msgspec.Struct):
    """What `NOTE` says."""

    schema: str


class Store:
    """The records of a study in a folder.

    Parameters
    ----------
    folder : path
    create : bool
        Make it where there is none.

    Raises
    ------
    InputError
        There is none and `create` is False; it is of a newer topoloom; it cannot be made.

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
            raise InputError(f"{os.fspath(folder)}: holds no study; 'topoloom study STUDY.toml -o {folder}' makes one")
        else:
            try:
                (self.folder / SHARDS).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{os.fspath(folder)}: cannot be made: {reason(error)}") from None
            write_atomically(note, msgspec.json.encode(_Note(f"topoloom/store/{VERSION}")) + b"\n")

    def records(self) -> dict[str, Record]:
        """All records by the digest of their task; of several for one task a done one, and the first of those.

        Reads what has come since the last call.
        """
        for record in self._shards.new():
            known = self._records.get(record.digest)
            if known is None or (known.state == "failed" and _later(record, known)):
                self._records[record.digest] = record
        return self._records

    def writer(self) -> ShardWriter[Record]:
        """A new shard, for one writer."""
        return self._shards.writer()

    def merge(self, others: Iterable["Store"]) -> int:
        """Take over the records of other stores that are not here; how many."""
        here, taken = self.records(), 0
        with self.writer() as shard:
            for other in others:
                for digest, record in other.records().items():
                    mine = here.get(digest)
                    if mine is None or (mine.state == "failed" and record.state == "done"):
                        shard.write(record)
                        here[digest] = record
                        taken += 1
        return taken


def _check(note: Path) -> None:
    """Refuse the store of a newer topoloom."""
    schema = parse_json(read_text(note, _LONGEST_NOTE), os.fspath(note), _Note, "note of a study's store").schema
    known = [f"topoloom/store/{version}" for version in range(1, VERSION + 1)]
    if schema not in known:
        raise at(os.fspath(note), None, f"is '{schema[:60]}'; this topoloom reads {', '.join(known)}")


def _later(record: Record, known: Record) -> bool:
    """Whether a record takes the place of a failed one."""
    return record.state == "done" or record.at >= known.at
