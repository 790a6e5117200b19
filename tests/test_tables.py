"""TOML tables: every complaint names the file, the line and the key."""

import contextlib
import datetime
import json
from typing import Annotated, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom import InputError
from topoloom.core.settings import setting
from topoloom.core.toml_files import parse_toml, read_toml
from topoloom.core.toml_lines import line_of


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


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key of every kind."""

    count: Annotated[int, setting("how many", least=1, most=1_000_000)] = 1
    share: Annotated[float, setting("a part", above=0, most=1e15)] = 1.0
    flag: bool = False
    word: Literal["one", "two"] = "one"
    day: datetime.date | None = None
    pair: tuple[float, float] | None = None
    price: Annotated[float, msgspec.Meta(ge=0)] | tuple[Annotated[float, msgspec.Meta(ge=0)], ...] = 0.0
    some: Annotated[tuple[Inner, ...], msgspec.Meta(min_length=1)] | None = None
    table: dict[str, int] = {}


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
        ("hosts = 'many'", r'f:1: hosts = "many": it is a whole number$'),
        ("hosts = 1\nhots = 2", r"f:2: there is no key 'hots' \(did you mean hosts\?\)"),
        ("hosts = 1\n[inner]\nwidth = 2", r"f:3: there is no key 'width' in \[inner\] \(did you mean width_m\?\)"),
        ("hosts = 1\n\n[inner]\nwidth_m = 'wide'", r'f:4: inner.width_m = "wide": it is a number$'),
        ("hosts = 1\ninner.width_m = 'wide'", r'f:2: inner.width_m = "wide": it is a number'),
        (
            "hosts = 1\n[[rows]]\nwidth_m = 1\n[[rows]]\nzzz = 1",
            r"f:5: there is no key 'zzz' in \[rows\] \(there are width_m, inner",
        ),
        ("hosts = 1\n[inner]\nnames = [1]", r"f:3: inner.names = 1: it is text in quotes"),
        ("hosts = 1\n[[rows]]\nwidth_m = 1\n[[rows]]\nwidth_m = 'a'", r'f:5: rows.width_m = "a": it is a number'),
        ("hosts = 1\n[[rows]]\n[[rows]]\nzzz = 1\nwidth_m = 2", r"f:4: there is no key 'zzz' in \[rows\]"),
        (
            "hosts = 1\n[[rows]]\n[[rows]]\n[rows.inner]\nnames = [1]",
            r"f:5: rows.inner.names = 1: it is text in quotes",
        ),
        (
            "hosts = 1\n[[rows]]\n[[rows.more]]\nname = 'a'\n[[rows]]\n[[rows.more]]\nname = 'b'\n[[rows.more]]\nnames = 1",
            r"f:9: rows.more.names = 1: it is a list, each text in quotes",
        ),
        ("hosts = 1\n[[rows]]\n[[rows]]\n[[rows.more]]", r"f:4: the key 'name' is missing in \[rows.more\]"),
        ("hosts = " + "9" * 5000, r"f:1: a number has thousands of digits"),
        ("hosts = 1\n[[rows]]\n[[rows]]\nleast = 3\nmost = 2", r"f:4: rows: least: it is above most = 2"),
    ],
)
def test_a_wrong_table_is_told_by_file_line_and_key(text, words):
    """One sentence, and the place where the user has to look."""
    with pytest.raises(InputError, match=words):
        parse_toml(text, Outer, "f")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("count = 0", "f:1: count = 0: it is a whole number from 1 to 1,000,000$"),
        ("count = 2.5", "count = 2.5: it is a whole number"),
        ("count = true", "count = true: it is a whole number"),
        ("count = [1]", r"count = \[1\]: it is a whole number"),
        ("[count]", r"f:1: \[count\] is a table: it is a whole number"),
        ("share = nan", "share = nan: it is a number above 0$"),
        ("share = inf", "share = inf: it is a number above 0$"),
        ("flag = 'yes'", 'flag = "yes": it is true or false'),
        ("word = 'three'", r'word = "three": it is "one" or "two"'),
        ("day = 5", "day = 5: it is a date, as in 2026"),
        ("pair = [1]", r"pair = \[1\]: it is a list of 2, each a number"),
        ("pair = [1, 'a']", 'pair = "a": it is a number'),
        ("price = 'much'", 'price = "much": it is a number from 0 or a list, each a number from 0'),
        ("price = [1, -1]", "price = -1: it is a number from 0"),
        ("some = []", r"some = \[\]: it is tables in double brackets, \[\[name\]\], one or more"),
        ("table.a = 1\ntable.b = 'x'", 'f:2: table.b = "x": it is a whole number'),
        ('word = "\\u001b[31m"', r'word = "\\x1b\[31m"'),
        ("word = '" + "x" * 500 + "'", r'word = "x{40,60} \.\.\."'),
    ],
)
def test_a_value_out_of_place_is_told_with_what_would_do(text, words):
    """The key and the value as they were written, and what the key takes, in TOML's words; nobody reads of Python's types."""
    with pytest.raises(InputError, match=words) as refused:
        parse_toml(text, Values, "f")
    assert "expected" not in str(refused.value).lower()
    assert len(str(refused.value)) < 200


#: Awkward places: brackets and signs in texts and remarks, values over several lines, keys in quotes, tables within lines.
_AWKWARD = """# [no] = 1
"a b" = "[x]" # ]
'c.d' = '''
[y]
e = 1'''
list = [ # one
  1, [2,
  3], { in = 4, at = "}" },
]
x . "y" = 1979-05-27 07:32:00
[t.u]  # [v]
w = \"\"\"a\\"" "
  " = \"\"\"
[[t.rows]]
z = 1
[[t.rows]]
"z" = { deep.er = 1, k = [
  5] }
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a b", 2),
        ("c.d", 3),
        ("e", None),
        ("list", 6),
        ("list/1", 7),
        ("list/1/1", 8),
        ("list/2/at", 8),
        ("x/y", 10),
        ("t/u", 11),
        ("t/u/w", 12),
        ("t/u/none", 11),
        ("t/rows/0/z", 15),
        ("t/rows/1", 16),
        ("t/rows/1/z/deep/er", 17),
        ("t/rows/1/z/k/0", 18),
        ("y", None),
    ],
)
def test_every_key_is_found_where_it_stands(path, line):
    """The line of a key, a table or an entry of an array, whatever is written around it; else that of what is around."""
    assert line_of(_AWKWARD, path.split("/")) == line


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "text",
    [
        "hosts = [" + "1, " * 50_000 + "'a']",
        "\n".join(f"key{number} = 1" for number in range(50_000)) + "\nhosts = 'a'",
        "\n".join(f"[a.b.c.k{number}]\nv = 1" for number in range(20_000)) + "\n[hosts]",
        "hosts = 'a'\n" + "\n".join("[[row]]\nv = 1" for _ in range(20_000)),
        "x" * 1_000_000,
        "[" * 1_000_000,
        "hosts = " + "[" * 100_000 + "]" * 100_000,
        ".".join("a" * 500_000) + " = 1",
        "[" + ".".join("a" * 500_000) + "]",
        "h = " + "{a = " * 100_000,
        'h = "' + "\\\\" * 500_000,
        "h = " + "'''''" * 100_000,
    ],
    ids=range(12),
)
def test_large_and_absurd_files_are_refused(text):
    """In a sentence, absurd nesting too; what takes time with the square of the length would not come back."""
    with pytest.raises(InputError) as refused:
        parse_toml(text, Outer, "f")
    assert len(str(refused.value)) < 200


def toml_text(value):
    """A value in TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(value)


def _nested(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3)


@given(st.recursive(st.integers() | st.booleans() | st.text(max_size=5), _nested, max_leaves=8), st.text(max_size=30))
def test_whatever_is_written_ends_in_one_sentence(value, junk):
    """No file, however odd, ends in anything but an `InputError`, or is right."""
    for text in (f"hosts = {toml_text(value)}\n{junk}", junk):
        with contextlib.suppress(InputError):
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
