"""Files: all of it or nothing."""

import json
import os
import stat

import pytest

from topoloom import InputError
from topoloom.core.files import BELOW, read_text, write_atomically


def test_text_and_bytes_arrive_unchanged(tmp_path):
    """What is written is what is read, line ends included, and no temporary file stays."""
    write_atomically(tmp_path / "a", "è\r\n")
    write_atomically(str(tmp_path / "b"), b"\x00\xff")
    assert (tmp_path / "a").read_bytes() == "è\r\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\x00\xff"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_new_file_obeys_the_mask_and_an_old_one_keeps_its_permissions(tmp_path):
    """Files are as readable as any program would make them, not private as temporary files are."""
    old = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", "1")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o604)
    write_atomically(tmp_path / "new", "2")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604


def test_a_link_is_followed(tmp_path):
    """Writing through a symbolic link replaces what it points to, not the link."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    """When the last step fails, the old content stands and nothing else lies about."""
    (tmp_path / "a").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written: no space left"):
        write_atomically(tmp_path / "a", "new")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone/a", "there is no folder"),
        ("", "is a folder"),
        ("file/a", "there is no folder"),
        ("x" * 300, "name too long"),
        ("a\0b", "null byte"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path, path, reason):
    """A missing folder, a folder itself or an impossible name is one sentence."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=reason):
        write_atomically(str(tmp_path / path), "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_protection_is_respected(tmp_path):
    """A write-protected file or folder is refused, not worked around."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(InputError, match="write-protected"):
        write_atomically(tmp_path / "a", "new")
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="not writable"):
        write_atomically(tmp_path / "b", "new")
    tmp_path.chmod(0o755)


def test_a_device_is_written_to():
    """/dev/null stays a device."""
    write_atomically("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_half_a_surrogate_pair_is_refused(tmp_path):
    """Text that UTF-8 cannot hold is refused before anything is touched."""
    with pytest.raises(InputError, match="character 2 "):
        write_atomically(tmp_path / "a", "x\ud800")


def test_reading_is_bounded_by_folders(tmp_path, monkeypatch):
    """Where `BELOW` names folders no file elsewhere is read, by no path: not by a link, one in the middle, or a descriptor."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a.txt").write_text(folder.name)
    (inside / "link.txt").symlink_to(outside / "a.txt")
    (inside / "way").symlink_to(outside)
    (outside / "back.txt").symlink_to(inside / "a.txt")
    monkeypatch.setenv(BELOW, json.dumps([str(inside)]))
    assert read_text(inside / "a.txt", 99) == "inside"
    assert read_text(outside / "back.txt", 99) == "inside"
    with (outside / "a.txt").open() as file:
        ways = (
            *(outside / "a.txt", inside / "link.txt", inside / "way" / "a.txt", inside / ".." / "outside" / "a.txt"),
            f"/proc/self/fd/{file.fileno()}",
        )
        for path in ways:
            with pytest.raises(InputError, match="lies outside the folders that may be read"):
                read_text(path, 99)
    monkeypatch.delenv(BELOW)
    assert read_text(inside / "link.txt", 99) == "outside"
