"""A file of another program is never taken for a network: by no suffix, and by no format that is named."""

import warnings

import pytest
from other_files import OTHER_FILES

from topoloom import InputError, build, load, load_goal, losses, read_schedule, read_study
from topoloom.cost.parts_files import load_parts
from topoloom.designer.requirement_files import read_requirement
from topoloom.formats import FORMATS
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.hosts.files import read_host_names
from topoloom.throughput.traffic.patterns.trace import read_trace

#: Suffixes of formats, and others that files of other programs have.
OTHER_SUFFIXES = ("", ".log", ".xml", ".conf", ".cfg", ".et", ".out", ".md", ".dump", ".toml")
SUFFIXES = [*sorted({suffix for name in FORMATS for suffix in FORMATS.find(name).suffixes}), *OTHER_SUFFIXES]
#: Files that a format can hold, whatever they were written for: (file, format) to its switches.
HELD = {("a flowchart", "dot"): 3}


def _refusal(path, format=None):
    """What is said, in one line; None if a network is read, with its switches."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return load(path, format).switches, ""
        except InputError as error:
            return None, str(error).replace(str(path), "FILE")


@pytest.mark.parametrize("kind", OTHER_FILES)
def test_by_content_and_suffix(kind, tmp_path):
    """Whatever the name: one sentence, which says what the file is where this is known, and never a network."""
    content, word = OTHER_FILES[kind]
    wrong = {}
    for suffix in SUFFIXES:
        path = tmp_path / (f"file{suffix}" if suffix.startswith(".") or not suffix else suffix)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        switches, said = _refusal(path)
        held = [name for (file, name), count in HELD.items() if file == kind and count == switches]
        if (switches is not None and not held) or "\n" in said or (switches is None and word not in said):
            wrong[suffix] = said or switches
        path.unlink()
    assert wrong == {}


@pytest.mark.parametrize("kind", OTHER_FILES)
def test_by_a_named_format(kind, tmp_path):
    """With any format named: one sentence, and never a network, unless the format really holds the file."""
    content, _ = OTHER_FILES[kind]
    path = tmp_path / "file.dat"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    wrong = {}
    for name in FORMATS:
        if FORMATS.find(name).read is None:
            continue
        switches, said = _refusal(path, name)
        if (switches is not None and HELD.get((kind, name)) != switches) or "\n" in said or len(said) > 700:
            wrong[name] = said or switches
    assert wrong == {}


def test_there_are_many():
    """At least forty kinds."""
    assert len(OTHER_FILES) >= 60


#: Readers of other files than networks, with the kinds that are theirs.
OTHER_READERS = {
    "schedule": (read_schedule, ()),
    "GOAL": (load_goal, ("GOAL",)),
    "trace": (lambda path: read_trace(str(path), 4), ()),
    "parts": (load_parts, ()),
    "requirement": (read_requirement, ()),
    "study": (read_study, ()),
    "floor": (read_floor, ()),
    "names of hosts": (lambda path: read_host_names(path, 3), ()),
    "losses": (lambda path: losses(build("ring:n=4,hosts=1"), f"@{path}"), ()),
}


@pytest.mark.parametrize("reader", OTHER_READERS)
def test_by_other_readers(reader, tmp_path):
    """A file of another kind is one sentence for readers of schedules, traces, parts, requirements and others, too."""
    read, own = OTHER_READERS[reader]
    wrong = {}
    for kind, (content, _) in OTHER_FILES.items():
        path = tmp_path / "file.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            read(path)
        except InputError as error:
            if "\n" in str(error):
                wrong[kind] = str(error)
        else:
            if kind not in own:
                wrong[kind] = "read"
    assert wrong == {}
