"""Damaged files through every reader (`fuzz_engine`): a few cases of each here, many in `make test-all`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_engine import run
from fuzz_folders import WORKED_OUT
from fuzz_modules import NOT_FUZZED, READ_BY, reading_modules
from fuzz_readers import READERS

from topoloom import Hops, InputError
from topoloom.formats import FORMATS

SEED = 38


def test_every_format_that_is_read_has_a_reader():
    """A format that is added to the register is fuzzed, or this fails."""
    assert {f"format {name}" for name, record in FORMATS.items() if record.read is not None} <= READERS.keys()


@pytest.mark.exhaustive
def test_every_reader_has_seeds():
    """None of them is empty."""
    for name, reader in READERS.items():
        seeds = reader.seeds()
        assert seeds, name
        assert all(content for files in seeds for content in files.values()), name


def test_every_module_that_reads_files_is_fuzzed_or_says_why_not():
    """A module that begins to read files is listed with its readers, which there are, or with a reason; no line is stale."""
    assert reading_modules() == READ_BY.keys() | NOT_FUZZED.keys()
    assert not READ_BY.keys() & NOT_FUZZED.keys()
    assert {reader for readers in READ_BY.values() for reader in readers} <= READERS.keys()


def test_some_damaged_files_of_every_kind():
    """A reader returns, or raises one sentence that names the file: no other error, no warning, within time and memory.

    Folders that must be worked out first are damaged in the second tier only.
    """
    assert run([name for name in READERS if name not in WORKED_OUT], SEED, 0, 1) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", READERS)
def test_many_damaged_files(name):
    """As above: some hundred cases of each reader, always the same ones."""
    assert run([name], SEED, 1, 400) == []


@pytest.mark.parametrize("schema", [{}, {"a": 1}, [], [1], 3, None, "x" * 500])
def test_a_schema_of_another_type_is_a_sentence(schema):
    """What the fuzzer found in a record: a table where its kind should stand."""
    with pytest.raises(InputError, match=r"^r.json: is .{1,60}; expected topoloom/hops/"):
        Hops.from_record({"schema": schema}, "r.json")
