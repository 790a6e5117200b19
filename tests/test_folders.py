"""Folders: the old one or the new one, never a mixture, whatever happens in between."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from topoloom import InputError
from topoloom.core.folders import settle, write_folder
from topoloom.core.locks import kernel
from topoloom.core.staging import UNFINISHED


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
from topoloom.core.folders import write_folder
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
    settle(folder)
    files = _content(folder)
    assert len(files) == 12
    assert len(set(files.values())) == 1
    # The next writing clears away what the killed one left next to it.
    write_folder(folder, {"file-0": "new"})
    assert (folder / "file-0").read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]


def test_the_folder_in_which_the_program_runs_is_filled_where_it_is(tmp_path, monkeypatch):
    """Stale files go, others stay, and nothing else is left in it or around it."""
    folder = tmp_path / "out"
    write_folder(folder, {"sheets/a.html": "1", "sheets/b.html": "1", "sheets/mine.txt": "1"})
    monkeypatch.chdir(folder / "sheets")
    write_folder(folder, {"sheets/a.html": "2"}, stale=["sheets/*.html"])
    assert _content(folder) == {"sheets/a.html": "2", "sheets/mine.txt": "1"}
    assert sorted(os.listdir()) == ["a.html", "mine.txt"]
    assert os.listdir(tmp_path) == ["out"]


def _killed_before(number, write):
    """Run `write` in a process that is killed when it is about to make the change of a name, or the flush, of this number.

    Returns whether it came to its end before.
    """
    process = os.fork()
    if process:
        return os.waitpid(process, 0)[1] == 0
    left = number

    def counted(call):
        def counting(*args, **settings):
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return call(*args, **settings)

        return counting

    try:
        for name in ("rename", "replace", "mkdir", "unlink", "link", "fsync", "rmdir"):
            setattr(os, name, counted(getattr(os, name)))
        write()
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.exhaustive
def test_killed_at_every_single_step_the_folder_is_old_or_new(tmp_path):
    """SIGKILL before each change of a name and each flush, one after the other; a reader that settles finds all or nothing."""
    old = {f"in/file-{i}": "old" for i in range(3)} | {"in/old-1": "old"}
    new = {f"in/file-{i}": "new" for i in range(3)}
    outcomes = []
    for number in range(200):
        folder = tmp_path / str(number)
        write_folder(folder, old)
        ended = _killed_before(number, lambda folder=folder: write_folder(folder, new, stale=["in/old-*"]))
        settle(folder)
        outcomes.append(_content(folder))
        if ended:
            break
    assert ended
    assert number > 10
    # Old up to one step, new from it on.
    assert outcomes == [old] * outcomes.count(old) + [new] * outcomes.count(new)
    assert outcomes.count(old) > 5
    assert outcomes.count(new) > 5


@pytest.mark.parametrize("number", range(4))
def test_a_change_that_fails_half_way_is_undone(tmp_path, monkeypatch, number):
    """The folder is as it was, with the sentence that says so, and can be written afterwards."""
    folder = tmp_path / "out"
    old = {"a": "1", "b": "1", "c": "1", "sheets/old.html": "1"}
    write_folder(folder, old)
    calls, plain = [], os.replace

    def refused(source, target):
        calls.append(target)
        if len(calls) == number + 1 and number < 3:
            raise OSError(28, "No space left on device")
        plain(source, target)

    monkeypatch.setattr(os, "replace", refused)
    new = {"a": "2", "new": "2", "c": "2"}
    if number < 3:
        with pytest.raises(InputError, match="no space left on device; nothing was changed"):
            write_folder(folder, new, stale=["sheets/*.html"])
        assert _content(folder) == old
    monkeypatch.undo()
    write_folder(folder, new, stale=["sheets/*.html"])
    assert _content(folder) == {"a": "2", "b": "1", "c": "2", "new": "2"}
    assert os.listdir(tmp_path) == ["out"]


_MANY = """
import sys
from topoloom.core.folders import write_folder
for number in range(int(sys.argv[2])):
    files = {f"{sys.argv[3]}-{i}": f"{sys.argv[3]} {number}" for i in range(8)} | {"shared": sys.argv[3]}
    paths = write_folder(sys.argv[1], files)
    assert all(path.exists() for path in paths), [path.name for path in paths if not path.exists()]
print("done")
"""


def _in_a_container(*command):
    """The command in a PID namespace of its own, or None where none can be made."""
    unshare = ["unshare", "--fork", "--pid", "--mount-proc"]
    possible = (
        shutil.which("unshare") and subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode == 0
    )
    return [*unshare, *command] if possible else list(command)


@pytest.mark.parametrize("folders", [("out", "other"), ("out", "out")])
@pytest.mark.parametrize("writings", [10, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_writers_in_containers_of_their_own_lose_nothing(tmp_path, folders, writings):
    """Each is process 1 or 2 where it runs, so that a number says nothing: what is reported as written is there."""
    running = [
        subprocess.Popen(
            _in_a_container(sys.executable, "-c", _MANY, str(tmp_path / folder), str(writings), f"writer{number}"),
            stdout=subprocess.PIPE,
        )
        for number, folder in enumerate((*folders, folders[0]))
    ]
    assert [process.communicate()[0] for process in running] == [b"done\n"] * 3
    for number, folder in enumerate((*folders, folders[0])):
        files = _content(tmp_path / folder)
        assert {files[f"writer{number}-{i}"] for i in range(8)} == {f"writer{number} {writings - 1}"}
    assert sorted(os.listdir(tmp_path)) == sorted(set(folders))


_OTHER = """
import sys
for number in range(10**6):
    open(f"{sys.argv[1]}/{number}", "x").close()
    if number == 100:
        print("ready", flush=True)
"""


def test_what_others_keep_in_the_folder_is_never_touched(tmp_path):
    """Files that another process makes in a folder within are all there afterwards; its owner, mode and number stay."""
    folder = tmp_path / "out"
    inner = folder / "sub"
    inner.mkdir(parents=True)
    inner.chmod(0o1730)
    folder.chmod(0o2775)
    other = subprocess.Popen([sys.executable, "-c", _OTHER, str(inner)], stdout=subprocess.PIPE)
    other.stdout.readline()
    before = inner.stat()
    try:
        for number in range(20):
            write_folder(folder, {"a": str(number), "tables/b": "1"}, stale=["tables/*"])
        assert other.poll() is None, "the other process met a missing folder"
    finally:
        other.kill()
        other.wait()
    last = max((int(name) for name in os.listdir(inner)), default=0)
    assert last > 100
    assert sorted(int(name) for name in os.listdir(inner)) == list(range(last + 1))
    after = inner.stat()
    assert (after.st_ino, after.st_mode, after.st_uid) == (before.st_ino, before.st_mode, before.st_uid)
    assert folder.stat().st_mode & 0o7777 == 0o2775


def test_files_that_are_replaced_keep_their_permissions(tmp_path):
    """A file that others may not read stays so; a new one gets the mask."""
    write_folder(tmp_path / "out", {"a": "1"})
    (tmp_path / "out" / "a").chmod(0o640)
    write_folder(tmp_path / "out", {"a": "2", "b": "2"})
    assert (tmp_path / "out" / "a").stat().st_mode & 0o777 == 0o640


def test_nothing_outside_the_folder_is_written_or_removed(tmp_path):
    """A link where a folder is needed is refused by its name; patterns of stale files do not lead through links."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "x.html").write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "sheets").symlink_to(away)
    with pytest.raises(InputError, match="sheets is a link, and nothing outside the folder is written; remove it"):
        write_folder(folder, {"sheets/a.html": "1"})
    write_folder(folder, {"b": "1"}, stale=["sheets/*.html"])
    assert os.listdir(away) == ["x.html"]


@pytest.mark.parametrize("planted", ["../out/stolen", "/etc/passwd", "sheets/x"])
def test_a_plan_that_somebody_planted_is_not_carried_out(tmp_path, planted):
    """Names that lead out of the folder, over links too, are refused; nothing moves."""
    folder, away = tmp_path / "net", tmp_path / "out"
    away.mkdir()
    folder.mkdir()
    (folder / "sheets").symlink_to(away)
    journal = folder / UNFINISHED
    (journal / "new" / "sheets").mkdir(parents=True)
    (journal / "new" / "sheets" / "x").write_text("bad")
    (journal / "lock").touch()
    (journal / "plan.json").write_text(json.dumps({"kernel": kernel(), "files": [planted], "stale": []}))
    with pytest.raises(
        InputError, match="net: the program ended while it wrote this folder, and it cannot be finished: "
    ):
        settle(folder)
    assert os.listdir(away) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users: root can be both")
def test_a_plan_of_another_user_is_left_to_its_owner(tmp_path, monkeypatch):
    """Root who reads a user's folder moves nothing in it; and a planted plan in a folder of all users stops nobody."""
    monkeypatch.setattr("topoloom.core.staging._PATIENCE_SECONDS", 0.1)
    folder = tmp_path / "shared" / "net"
    folder.mkdir(parents=True)
    journal = folder.parent / UNFINISHED
    (journal / "new").mkdir(parents=True)
    (journal / "new" / "x").write_text("bad")
    (journal / "lock").touch()
    (journal / "plan.json").write_text(json.dumps({"kernel": kernel(), "files": ["x"], "stale": []}))
    os.chown(journal, 12345, 12345)
    settle(folder)
    with pytest.raises(InputError, match="have its owner open it once"):
        settle(folder.parent)
    assert not (folder.parent / "x").exists()


def test_a_folder_of_the_last_release_that_was_left_unfinished_is_refused(tmp_path):
    """It moved files without a plan: nobody knows what is missing."""
    write_folder(tmp_path / "out", {"a": "1"})
    (tmp_path / "out" / UNFINISHED).touch()
    with pytest.raises(InputError, match=f"remove {UNFINISHED} and write the folder again"):
        settle(tmp_path / "out")


def test_a_plan_that_is_missing_is_not_waited_for_without_end(tmp_path, monkeypatch):
    """A folder of that name in which there is no plan ends in the sentence, after the usual time."""
    monkeypatch.setattr("topoloom.core.staging._PATIENCE_SECONDS", 0.1)
    write_folder(tmp_path / "out", {"a": "1"})
    (tmp_path / "out" / UNFINISHED).mkdir()
    with pytest.raises(InputError, match="another program has been writing this folder"):
        settle(tmp_path / "out")


def test_staging_of_another_machine_is_left_until_it_is_old(tmp_path):
    """Over NFS a lock of another machine may not show: only age tells, by the day."""
    other = tmp_path / ".topoloom-folder-0123456789ab-x"
    other.mkdir()
    (other / "lock").touch()
    write_folder(tmp_path / "out", {"a": "1"})
    assert other.exists()
    long_ago = time.time() - 3 * 24 * 3600
    os.utime(other, (long_ago, long_ago))
    write_folder(tmp_path / "out", {"a": "1"})
    assert os.listdir(tmp_path) == ["out"]


def test_a_text_that_cannot_be_written_leaves_the_old_folder(tmp_path):
    """Half of a surrogate pair in the last file: the first ones are as they were."""
    write_folder(tmp_path / "out", {"a": "old"})
    with pytest.raises(InputError, match="nothing was changed"):
        write_folder(tmp_path / "out", {"a": "new", "b": "\ud800"})
    assert (tmp_path / "out" / "a").read_text() == "old"
