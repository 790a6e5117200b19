"""The examples: each has a description of one line and the files that it refers to; a copy works by itself."""

import re
import tomllib

import pytest

from topoloom import EXAMPLES, InputError, copy_examples, read_study
from topoloom.designer.requirement_files import read_requirement
from topoloom.operations.context import RunContext
from topoloom.operations.operation import OPERATIONS, operation_of
from topoloom.placement.floors.floor_files import read_floor
from topoloom.start.examples import examples_folder

_KINDS = {"requirement", "study", "floor", "quotes", "machine", "model", "notebook", "script", "plug-in"}
_READERS = {"requirement": read_requirement, "study": read_study, "floor": read_floor}


def test_there_are_examples_of_every_kind():
    """Of each kind one at least."""
    assert {one.kind for one in EXAMPLES.values()} >= _KINDS


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_description_of_one_line(name):
    """It is a sentence or a title, no longer than a line of a screen."""
    text = EXAMPLES[name].description
    assert 10 < len(text) <= 105
    assert re.match(r"[\w\"]", text)
    assert "beside" not in text


def test_every_file_of_the_folder_belongs_to_an_example():
    """What is not an example itself is referred to by one."""
    root = examples_folder()
    files = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files == {file for one in EXAMPLES.values() for file in one.files}


@pytest.mark.parametrize("name", [one.name for one in EXAMPLES.values() if one.kind in _READERS])
def test_a_copy_of_one_is_read_by_itself(name, tmp_path):
    """The files that it refers to are copied with it."""
    one = EXAMPLES[name]
    assert len(copy_examples(tmp_path / "copy", name)) == len(one.files)
    assert _READERS[one.kind](tmp_path / "copy" / one.file)


def test_a_copy_of_all_is_the_folder(tmp_path):
    """The same files with the same content; a second copy changes nothing."""
    root = examples_folder()
    for _ in range(2):
        copied = copy_examples(tmp_path / "all")
        assert {path.relative_to(tmp_path / "all").as_posix(): path.read_bytes() for path in copied} == {
            file: (root / file).read_bytes() for one in EXAMPLES.values() for file in one.files
        }


def test_a_file_that_differs_is_not_replaced(tmp_path):
    """Unless that is asked for; then it is, and only the files of the example are written."""
    copy_examples(tmp_path, "room-1k")
    (tmp_path / "room-1k.toml").write_text("hosts = 3\n")
    with pytest.raises(InputError, match=r"room-1k\.toml is there and differs"):
        copy_examples(tmp_path, "room-1k")
    copy_examples(tmp_path, "room-1k", force=True)
    assert (tmp_path / "room-1k.toml").read_text() == EXAMPLES["room-1k"].text()
    assert [path.name for path in tmp_path.iterdir()] == ["room-1k.toml"]


def test_the_operation_gives_what_the_library_does():
    """All examples without a text, or one with it."""
    kind = OPERATIONS.find("examples")
    listed = operation_of(kind, {}).run(RunContext())["examples"]
    assert [one["name"] for one in listed] == [*EXAMPLES]
    assert all(set(one) == {"name", "kind", "description", "files"} for one in listed)
    (one,) = operation_of(kind, {"name": "ai-4k"}).run(RunContext())["examples"]
    assert tomllib.loads(one["text"])["hosts"] == 512


def test_a_wrong_name_is_one_sentence():
    """It names the nearest."""
    with pytest.raises(InputError, match=r"no example named 'ai-4' \(did you mean ai-4k\?\)"):
        copy_examples(".", "ai-4")


def test_a_notebook_is_shown_as_text():
    """Its prose as comments, its code as it is."""
    text = EXAMPLES["own-topology"].text()
    assert text.startswith("# ")
    assert "import networkx" in text.splitlines()
