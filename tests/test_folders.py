"""Folders: the old one or the new one, never a mixture, whatever happens in between."""

import os
import signal
import subprocess
import sys
import time

import pytest

from topoloom import InputError
from topoloom.folders import UNFINISHED, refuse_unfinished, write_folder


def _content(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_folder_gets_all_its_files(tmp_path):
    """Also those in folders inside; nothing else is left around."""
    paths = write_folder(tmp_path / "new", {"a.txt": "1", "in/b.txt": b"2"})
    assert _content(tmp_path / "new") == {"a.txt": "1", "in/b.txt": "2"}
    assert [path.exists() for path in paths] == [True, True]
    assert os.listdir(tmp_path) == ["new"]


def test_other_files_stay_and_stale_ones_go(tmp_path):
    """What somebody else put there is kept, in folders too; what matches a stale pattern goes unless it is written."""
    folder = tmp_path / "f"
    (folder / "sheets").mkdir(parents=True)
    (folder / "notes").mkdir()
    for name in ("mine.txt", "sheets/old.html", "sheets/kept.html", "notes/x"):
        (folder / name).write_text(name)
    (folder / "link").symlink_to("mine.txt")
    write_folder(folder, {"sheets/kept.html": "new"}, stale=["sheets/*.html"])
    assert _content(folder) == {
        "link": "mine.txt",
        "mine.txt": "mine.txt",
        "notes/x": "notes/x",
        "sheets/kept.html": "new",
    }
    assert (folder / "link").is_symlink()


def test_permissions_are_those_of_the_old_folder_and_of_the_mask(tmp_path):
    """A folder that others may read stays so."""
    folder = tmp_path / "f"
    folder.mkdir()
    folder.chmod(0o750)
    write_folder(folder, {"a": "1"})
    assert folder.stat().st_mode & 0o777 == 0o750
    old = os.umask(0o022)
    try:
        write_folder(tmp_path / "g", {"a": "1"})
    finally:
        os.umask(old)
    assert (tmp_path / "g").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "g" / "a").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("name", "told"), [("file", "is a file; name a folder"), ("no/where", "there is no folder .*no; make it first")]
)
def test_where_no_folder_can_be_is_told(tmp_path, name, told):
    """In one sentence, and nothing is changed."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=told):
        write_folder(tmp_path / name, {"a": "1"})
    assert os.listdir(tmp_path) == ["file"]


_WRITER = """
import sys
from topoloom.folders import write_folder
number = 1
print("ready", flush=True)
while True:
    write_folder(sys.argv[1], {f"file-{i}": f"{number} " * 2000 for i in range(12)})
    number += 1
"""


@pytest.mark.parametrize("delay_ms", [0, 3, 7, 11, 18, 26, 37, 52, 70, 95])
def test_killed_at_any_moment_the_folder_is_whole(tmp_path, delay_ms):
    """All files of one writing, of which there are dozens a second: SIGKILL finds it at another point each time."""
    folder = tmp_path / "out"
    write_folder(folder, {f"file-{i}": "0 " * 2000 for i in range(12)})
    writing = subprocess.Popen([sys.executable, "-c", _WRITER, str(folder)], stdout=subprocess.PIPE)
    writing.stdout.readline()
    time.sleep(delay_ms / 1000)
    writing.send_signal(signal.SIGKILL)
    writing.wait()
    found = _content(folder)
    assert len(found) == 12
    assert len(set(found.values())) == 1
    # The next writing clears away what the killed one left beside.
    write_folder(folder, {"file-0": "new"})
    assert (folder / "file-0").read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("delay_ms", [0, 3, 11, 26, 52, 95])
def test_a_folder_that_must_stay_tells_that_it_is_unfinished(tmp_path, delay_ms):
    """The folder in which the program runs is not exchanged; killed there, it is whole or refused."""
    folder = tmp_path / "out"
    write_folder(folder, {f"file-{i}": "0 " * 2000 for i in range(12)})
    before = folder.stat().st_ino
    writing = subprocess.Popen([sys.executable, "-c", _WRITER, "."], stdout=subprocess.PIPE, cwd=folder)
    writing.stdout.readline()
    time.sleep(delay_ms / 1000)
    writing.send_signal(signal.SIGKILL)
    writing.wait()
    assert folder.stat().st_ino == before
    if (folder / UNFINISHED).exists():
        with pytest.raises(InputError, match="ended while it wrote this folder; write it anew"):
            refuse_unfinished(folder)
    else:
        assert len({(folder / f"file-{i}").read_text() for i in range(12)}) == 1


def test_the_folder_in_which_the_program_runs_is_filled_where_it_is(tmp_path, monkeypatch):
    """Stale files go, others stay, and nothing else is left in it or around it."""
    folder = tmp_path / "out"
    write_folder(folder, {"sheets/a.html": "1", "sheets/b.html": "1", "sheets/mine.txt": "1"})
    monkeypatch.chdir(folder / "sheets")
    write_folder(folder, {"sheets/a.html": "2"}, stale=["sheets/*.html"])
    assert _content(folder) == {"sheets/a.html": "2", "sheets/mine.txt": "1"}
    assert sorted(os.listdir()) == ["a.html", "mine.txt"]
    assert os.listdir(tmp_path) == ["out"]


def test_a_text_that_cannot_be_written_leaves_the_old_folder(tmp_path):
    """Half of a surrogate pair in the last file: the first ones are as they were."""
    write_folder(tmp_path / "out", {"a": "old"})
    with pytest.raises(InputError, match="nothing was changed"):
        write_folder(tmp_path / "out", {"a": "new", "b": "\ud800"})
    assert (tmp_path / "out" / "a").read_text() == "old"
