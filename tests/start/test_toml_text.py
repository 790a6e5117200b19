"""Drafts in TOML: every key of the declaration is there, with its meaning, and each commented line is valid as it stands."""

import re
from pathlib import Path

import pytest

from topoloom import new_requirement, new_study
from topoloom.core.toml_files import described_keys, parse_toml
from topoloom.designer.requirement import Requirement
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS
from topoloom.start.toml_text import toml_text, toml_value
from topoloom.studies.study import Study

#: A line that would be read without its mark.
_OFF = re.compile(r"# ((\[[\w.]+\])|([\w.\"-]+ = .*))")
#: Operations with networks, none of whose other fields is required.
_STUDIED = [
    name
    for name, kind in OPERATIONS.items()
    if kind.studied
    and sum(field.required for field in fields_of(kind)) == 1
    and "topology" in kind.__struct_fields__
    and name != "app"
]


def _switched_on(text):
    """The text with each commented key set, one at a time; a commented table is set, with its first key, which it may need."""
    lines = text.splitlines()
    table = first = None
    for number, line in enumerate(lines):
        found = _OFF.fullmatch(line)
        if line.startswith("[") or (found and found[2]):
            table, first = number if found else None, None
        if found and found[3]:
            changed = [*lines]
            changed[number] = found[1]
            if table is not None:
                first = number if first is None else first
                changed[table] = lines[table].removeprefix("# ")
                changed[first] = lines[first].removeprefix("# ")
            yield found[1], "\n".join(changed)


def test_each_commented_line_of_a_requirement_is_valid():
    """A reader takes the mark away, and the file is still a requirement, with another value where the line is an example."""
    cases = [*_switched_on(new_requirement().text)]
    assert len(cases) > 50
    for line, text in cases:
        assert isinstance(parse_toml(text, Requirement, line), Requirement)


def test_a_requirement_mentions_every_key_and_what_it_means():
    """Each key of the declaration stands in the text once per table, with its description behind it."""
    text = new_requirement().text
    for one in described_keys(Requirement):
        if one.accepts != "a table":
            assert len(re.findall(rf"^(?:# )?{one.name} = ", text, re.MULTILINE)) >= 1, one.name
            assert one.description.split(";")[0].split(",")[0].split(":")[0][:30] in text
        else:
            assert f"[{one.name}]" in text


#: What two of them ask for all the same: a rate of failures, and a search that does not depend on the time.
_ASKED = {"lifetime": {"link_fit": 100}, "optimize": {"moves": 1000}}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("operation", _STUDIED)
def test_each_commented_line_of_a_study_is_valid(operation):
    """Of every operation that takes one network: as of a requirement."""
    cases = [*_switched_on(new_study(operation=operation, executor="slurm", task=_ASKED.get(operation)).text)]
    assert len(cases) > 10
    for line, text in cases:
        assert isinstance(parse_toml(text, Study, line), Study)


def test_lines_are_no_longer_than_a_screen():
    """No line of the drafts is longer than 120 characters, but for values."""
    for text in (new_requirement().text, new_study().text):
        assert max(map(len, text.splitlines())) <= 120


def test_the_page_that_explains_the_keys_is_there():
    """Each draft names a page of the documentation."""
    for text in (new_requirement().text, new_study().text):
        (page,) = re.findall(r"docs/[\w/-]+\.md", text)
        assert (Path(__file__).parents[2] / page).is_file()


def test_values_are_read_back():
    """What is written reads as the value that it was: texts with quotes and control characters, numbers, lists, tables."""
    values = ['say "hi"\\ \x07 \x7f é', True, 0.1, 1e300, -3, 12_345, [1, "a"], {"a b": {}}]
    for value in values:
        read = parse_toml(
            f"skip = [{{ x = {toml_value(value)} }}]\noperation = 'hops'\ntask.topology = 'petersen'\naxes.x = [1]",
            _Loose,
            "x",
        )
        assert read["skip"][0]["x"] == value


_Loose = dict


def test_what_is_set_stands_first():
    """Among the keys of a table, and among the tables."""
    text = toml_text(Requirement, {"minimize": "power_w", "floor": {"rows": 3}})
    assert text.startswith('minimize = "power_w"')
    assert text.index("[floor]\nrows = 3") < text.index("# [host]")
