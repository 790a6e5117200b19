"""TOML tables: every complaint names the file, the line and the key."""

import msgspec
import pytest

from topoloom import InputError
from topoloom.toml_files import parse_toml, read_toml


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table within."""

    width_m: float = 1.0
    names: tuple[str, ...] = ()


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must have a name."""

    name: str
    names: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table in an array of tables, with tables of its own, and a check of two keys together."""

    width_m: float = 1.0
    inner: Inner = Inner()
    more: tuple[Named, ...] = ()
    least: int = 0
    most: int = 9

    def __post_init__(self):
        if self.least > self.most:
            raise ValueError(f"least: it is above most = {self.most}")


class Outer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    hosts: int
    inner: Inner = Inner()
    rows: tuple[Row, ...] = ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hosts = ", r"f:1: "),
        ("hosts = 1\nhosts = 2", r"f:2: .*"),
        ("# nothing", r"f: the key 'hosts' is missing"),
        ("hosts = 'many'", r"f:1: hosts: expected 'int', got 'str'"),
        ("hosts = 1\nhots = 2", r"f:2: there is no key 'hots' \(did you mean 'hosts'\?\)"),
        ("hosts = 1\n[inner]\nwidth = 2", r"f:3: there is no key 'width' in \[inner\] \(did you mean 'width_m'\?\)"),
        ("hosts = 1\n\n[inner]\nwidth_m = 'wide'", r"f:4: inner.width_m: expected 'float', got 'str'"),
        ("hosts = 1\ninner.width_m = 'wide'", r"f:2: inner.width_m: expected"),
        (
            "hosts = 1\n[[rows]]\nwidth_m = 1\n[[rows]]\nzzz = 1",
            r"f:5: there is no key 'zzz' in \[rows\] \(known: width_m, inner",
        ),
        ("hosts = 1\n[inner]\nnames = [1]", r"f:3: inner.names: expected 'str', got 'int'"),
        (
            "hosts = 1\n[[rows]]\nwidth_m = 1\n[[rows]]\nwidth_m = 'a'",
            r"f:5: rows.width_m: expected 'float', got 'str'",
        ),
        ("hosts = 1\n[[rows]]\n[[rows]]\nzzz = 1\nwidth_m = 2", r"f:4: there is no key 'zzz' in \[rows\]"),
        ("hosts = 1\n[[rows]]\n[[rows]]\n[rows.inner]\nnames = [1]", r"f:5: rows.inner.names: expected 'str'"),
        (
            "hosts = 1\n[[rows]]\n[[rows.more]]\nname = 'a'\n[[rows]]\n[[rows.more]]\nname = 'b'\n[[rows.more]]\nnames = 1",
            r"f:9: rows.more.names:",
        ),
        ("hosts = 1\n[[rows]]\n[[rows]]\n[[rows.more]]", r"f:4: the key 'name' is missing in \[rows.more\]"),
        ("hosts = " + "9" * 5000, r"f: a number has thousands of digits"),
        ("hosts = 1\n[[rows]]\n[[rows]]\nleast = 3\nmost = 2", r"f:4: rows: least: it is above most = 2"),
    ],
)
def test_a_wrong_table_is_told_by_file_line_and_key(text, words):
    """One sentence, and the place where the user has to look."""
    with pytest.raises(InputError, match=words):
        parse_toml(text, Outer, "f")


def test_files_that_cannot_be_read_are_one_sentence(tmp_path):
    """A missing file, a folder and binary garbage each say what they are."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_toml(tmp_path / "none.toml", Outer)
    with pytest.raises(InputError, match="is a folder"):
        read_toml(tmp_path, Outer)
    (tmp_path / "junk.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_toml(tmp_path / "junk.toml", Outer)


def test_a_good_table_is_read():
    """What is not given keeps its default."""
    found = parse_toml("hosts = 3\n[inner]\nwidth_m = 2", Outer, "f")
    assert (found.hosts, found.inner.width_m, found.rows) == (3, 2.0, ())
