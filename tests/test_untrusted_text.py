"""YAML, JSON, TOML, lines and numbers from outside: one sentence with the line, and nothing constructed."""

import warnings

import msgspec
import pytest

from topoloom import InputError
from topoloom.core.errors import InputError as Sentence
from topoloom.core.files import read_text
from topoloom.core.json_files import parse_json, strict_json
from topoloom.core.text_parts import decimal_in, text_lines, whole_in
from topoloom.core.toml_files import TomlTable, parse_toml
from topoloom.core.yaml_files import parse_yaml


class _Table(msgspec.Struct):
    a: int | float | str | bool | list | dict | None = None
    b: int = 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("7", 7), ("-0x1f", -31), ("010", 8), ("1_000", 1000), ("1.5", 1.5), (".5", 0.5), ("1.0e+3", 1000.0)),
        *(
            ("yes", True),
            ("Off", False),
            ("~", None),
            ("", None),
            ("'7'", "7"),
            ("y", "y"),
            ("2024-01-31", "2024-01-31"),
        ),
        *(("1:30", "1:30"), ("1e5", "1e5"), ("１", "１"), ("0o7", "0o7"), ("[1, {b: 2}]", [1, {"b": 2}]), ("_1", "_1")),
    ],
)
def test_yaml_is_plain_data(text, value):
    """Numbers, truths and nothing as YAML 1.1 has them; dates and numbers to the base of 60 stay text."""
    found = parse_yaml(f"a: {text}\n", _Table, "x.yaml", "table").a
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a: !!int ""', "x.yaml:1: a tag"),
        ("b: 1\na: !!timestamp x", "x.yaml:2: a tag"),
        ("a: !!python/object/apply:os.system [id]", "x.yaml:1: a tag"),
        ("!!map {a: 1}", "x.yaml:1: a tag"),
        ("? !!str a\n: 1", "x.yaml:1: a key that is not a text"),
        ("? [a]\n: 1", "x.yaml:1: a key that is not a text"),
        ("a: &x [1]\nb: *x", "x.yaml:2: a YAML alias"),
        ("<<: {a: 1}", "x.yaml:1: a merge key"),
        ("a: 1\nb: 2\na: 3", "x.yaml:3: the key 'a' occurs twice"),
        ("a: 1\n---\na: 2", "x.yaml:2: a second document"),
        ("a: " + "[" * 60 + "]" * 60, "x.yaml:1: nests too deep"),
        ("a: " + "9" * 5000, "x.yaml:1: a number of 5,000 digits"),
        ("a: .nan", "x.yaml:1: .nan is not a finite number"),
        ("a: 1.0e+999", "x.yaml:1: .* is not a finite number"),
        ('a: "\\ud800"', "x.yaml:1: "),
        ("a: [", "x.yaml:[12]: is no YAML"),
        ("a: 1\nb: x", "x.yaml:2: is no table: b: Expected `int`"),
        ("- 1", "x.yaml:1: is no table"),
        ("", "x.yaml: is no table"),
    ],
)
def test_yaml_that_is_refused(text, message):
    """The line, and what would do."""
    with pytest.raises(InputError, match=message):
        parse_yaml(text, _Table, "x.yaml", "table")


def test_both_yaml_parsers_keep_the_law(monkeypatch):
    """Without PyYAML's compiled parser what it raises is one sentence, too: escapes past all characters, endless versions."""
    yaml = pytest.importorskip("yaml")
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    for text in (
        'a: "\\UFFFFFFFF"',
        '"\\ud800": 1',
        "%YAML 1." + "1" * 5000 + "\n---\na: 1",
        "[" * 2000,
        "a: \0",
        "\ud800: 1",
    ):
        with pytest.raises(InputError, match=r"x\.yaml"):
            parse_yaml(text, _Table, "x.yaml", "table")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b'"\xff"',
        b"[" * 100_000,
        b"1" * 5000,
        b"NaN",
        b"1e999",
        '{"a": 1}'.encode("utf-16"),
        b'["\\ud800"]',
    ],
)
def test_json_of_topoloom_is_refused_in_one_sentence(data):
    """Other encodings, depth, numbers without end: never another error."""
    with pytest.raises(InputError, match=r"^x\.json(:1)?: is no record"):
        parse_json(data, "x.json", dict, "record")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n"a": 2}', "x.json:2: the field 'a' is given twice"),
        ('{"a":\n NaN}', "x.json:2: 'NaN' is not a finite number"),
        ("[1e999]", "x.json:1: '1e999' is not a finite number"),
        ("9" * 5000, "x.json: holds a number of thousands of digits"),
        ("[" * 100_000, "x.json: nests too deep"),
        ('["\\ud800"]', "x.json: holds '.*ud800', half of a surrogate pair"),
        ("{", "x.json:1: is not JSON"),
    ],
)
def test_json_of_others_is_refused_with_its_line(text, message):
    """What would be misread without a word by a reader that takes the last of two keys."""
    with pytest.raises(InputError, match=message):
        strict_json(text, "x.json")
    assert strict_json('["\\ud83d\\ude00"]', "x.json") == ["\U0001f600"]


class _Numbers(TomlTable, frozen=True):
    size: float = 1.0


@pytest.mark.parametrize("digits", [400, 4000, 5000])
def test_a_number_without_end_in_toml_is_one_sentence_with_its_line(digits):
    """Python cannot read one of 5,000 digits, and cannot make a float of one of 400."""
    with pytest.raises(InputError, match=r"^x\.toml:2: "):
        parse_toml(f"\nsize = {'9' * digits}", _Numbers, "x.toml")


def test_lines_end_where_editors_end_them():
    """Not at the other characters where `str.splitlines` does: a link behind one in a comment would count."""
    assert text_lines("a\r\nb\rc\n\nd\u2028e\x0bf\x85g") == ["a", "b", "c", "", "d\u2028e\x0bf\x85g"]
    assert text_lines("") == []
    assert text_lines("a\n") == ["a"]


def test_numbers_are_those_of_ascii_digits():
    """No other script's, no underscores, nothing infinite, and none of 5,000 digits that raises something else."""
    for word in ("１２", "٣", "1_0", "", "-1", "+1", "1.0", "9" * 5000, "nan"):
        assert whole_in(word, 100) is None
    for word in ("１２", "٣", "1_0", "", "nan", "inf", "1e999", "0x1", "9" * 5000, "1e"):
        assert decimal_in(word) is None
    assert [whole_in("0" * 5000 + "7", 9), decimal_in("-.5e1")] == [7, -5.0]


def test_a_sentence_is_one_line_of_bounded_length():
    """Whatever of a file is quoted in it."""
    assert "\n" not in str(Sentence("x:1: 'a\nb\u2028c\x1b[31m'"))
    assert len(str(Sentence("x:1: " + "y" * 10_000 + " is none; write z"))) < 1000
    assert str(Sentence("x:1: " + "y" * 10_000 + " is none; write z")).endswith("write z")


def test_a_short_text_takes_no_memory_for_the_longest(tmp_path):
    """The bound on a file's length is no request for memory; a file past it is refused."""
    import tracemalloc

    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfab\r\n")
    tracemalloc.start()
    assert read_text(tmp_path / "x", 1 << 30) == "ab\r\n"
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    with pytest.raises(InputError, match="longer than 3 characters"):
        read_text(tmp_path / "x", 3)
    (tmp_path / "x").write_bytes("é".encode() * (1 << 20) + b"\xc3")
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(tmp_path / "x", 1 << 30)


def test_conditions_of_a_study_warn_nobody():
    """Python's own warnings about code are about code that nobody runs."""
    from topoloom.studies.conditions import condition_holds

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not condition_holds(r"q == '\d'", {"q": 1})
