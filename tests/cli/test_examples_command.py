"""`topoloom examples`: lists, shows and copies."""

import pytest

from in_process import run
from topoloom import EXAMPLES


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_they_are_listed_with_a_line_each():
    """Name, kind and description."""
    done = run("examples")
    lines = done.out.splitlines()
    assert (done.code, [line.split()[0] for line in lines]) == (0, [*EXAMPLES])
    assert all(line.endswith(one.description) for line, one in zip(lines, EXAMPLES.values(), strict=True))


def test_one_is_shown_as_it_is(desk):
    """Standard output is the file, so that it can be redirected into one."""
    done = run("examples", "room-1k")
    assert done.out == EXAMPLES["room-1k"].text()
    assert done.err == ""
    assert "copies all of them" in run("examples", "ai-4k").err


def test_one_is_copied_with_what_it_refers_to(desk):
    """The design's other files come with it; a second copy is no mistake, but a changed file is."""
    for _ in range(2):
        done = run("examples", "ai-4k", "-o", "mine")
        assert (done.code, done.out) == (0, "")
    assert (desk / "mine/floors/ai-hall.toml").is_file()
    (desk / "mine/ai-4k.toml").write_text("changed\n")
    done = run("examples", "ai-4k", "-o", "mine")
    assert (done.code, done.error) == (
        2,
        "mine/ai-4k.toml is there and differs from the example; name another folder, or say --force",
    )
    assert run("examples", "ai-4k", "-o", "mine", "--force").code == 0


def test_all_are_copied(desk):
    """Into a folder like that of a checkout."""
    done = run("examples", "-o", "examples", "--json")
    assert done.code == 0
    record = done.record
    assert len(record["files"]) == len({file for one in EXAMPLES.values() for file in one.files})
    assert (desk / "examples/cluster-10k.toml").is_file()


def test_the_record_has_the_text_of_one():
    """And no files where nothing was copied."""
    record = run("examples", "room-1k", "--json").record
    assert record["examples"][0]["text"] == EXAMPLES["room-1k"].text()
    assert (record["schema"], record["files"]) == ("topoloom/examples/1", [])


def test_a_wrong_name_is_one_sentence():
    """Exit code 2."""
    done = run("examples", "ai-4")
    assert (done.code, done.error) == (2, "no example named 'ai-4' (did you mean ai-4k?)")
