"""The explorer's questions and the requirement's text are one: what the scripts read and write, compared with a TOML parser."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from topoloom.machine.reading import machine_of
from topoloom.machine.recognizing import is_machine
from topoloom.web.forms import form_data

_NODE = shutil.which("node")
_SCRIPT = Path(__file__).with_name("requirement_text.js")
_ODD = """# the file's
hosts = 12  # of "one" hall
"rate_gbps" = 4_0
parts = 'slimfly-2014'
switch.radix = 16 # dotted
planes = [
  1, # one
  2,
]

# of the host
[host]
name = "a # b = [c]"
u = 1.5

# of the first
[[phase]]
hosts = 6
# of the second
[[phase]]
hosts = 12
by = "2027"
"""


@pytest.fixture(scope="module")
def texts():
    """Every requirement that the first page offers, and an odd one."""
    return {start["name"]: start["toml"] for start in form_data(("design",))["starts"]} | {"odd": _ODD}


@pytest.fixture(scope="module")
def answers(texts):
    """What the scripts make of each."""
    if _NODE is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    done = subprocess.run([_NODE, _SCRIPT], input=json.dumps(texts), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _plain(value: Any, path: tuple[str, ...] = ()):
    """Each plain value with its path; a list of plain values is omitted."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, list) and not all(isinstance(one, dict) for one in value):
        return
    for name, inner in pairs:
        yield from _plain(inner, (*path, str(name)))
    if not isinstance(value, dict | list):
        yield path, value


def _at(content, path, value=None, *, remove=False):
    """The content with one value set, or removed."""
    inner = content
    for name in path[:-1]:
        inner = inner[name]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return content


def _comments(text):
    return [line.partition("#")[2] for line in text.splitlines() if "#" in line]


def test_every_value_is_read(texts, answers):
    """The plain values of a text are those of a TOML parser."""
    for name, text in texts.items():
        assert {tuple(path): value for path, value in answers[name]["values"]} == dict(_plain(tomllib.loads(text))), (
            name
        )


def test_a_changed_key_changes_nothing_else(texts, answers):
    """Set, removed and added keys: every other value stays, and every comment that is not of a removed line."""
    for name, text in texts.items():
        for path, changed in answers[name]["set"]:
            assert tomllib.loads(changed) == _at(tomllib.loads(text), path, 7), (name, path)
        for path, changed in answers[name]["without"]:
            left = _at(tomllib.loads(text), path, remove=True)
            assert dict(_plain(tomllib.loads(changed))) == dict(_plain(left)), (name, path)
        added = tomllib.loads(answers[name]["added"])
        assert (added["spares"]["cables"], added["limits"]["racks"]) == (3, 9)
        assert _comments(answers[name]["added"]) == _comments(text)


def test_a_requirement_becomes_a_machine_of_several_kinds(texts, answers):
    """The machine file can be read, has one more kind of hosts, and has lost no comment."""
    for name, text in texts.items():
        several = answers[name]["several"]
        machine = tomllib.loads(several)
        assert is_machine(several)
        assert [comment for comment in _comments(text) if f"#{comment}" not in several] == [], name
        before = tomllib.loads(text)
        kinds = before["host"] if is_machine(text) else [before.get("host", {})]
        assert len(machine["host"]) == len(kinds) + 1
        if not is_machine(text):
            assert machine["host"][0]["count"] == before["hosts"]
        assert tomllib.loads(answers[name]["fewer"])["host"] == machine["host"][:-1]
        assert tomllib.loads(answers[name]["renamed"])["host"][0]["name"] == "first kind"
        if name != "odd" and "uploads/" not in several:
            machine_of(several, name)


def test_phases_end_with_all_hosts(answers):
    """Three phases after two clicks, the last with every host; another number of hosts changes the last phase."""
    for name, answer in answers.items():
        content = tomllib.loads(answer["phases"])
        assert [phase["hosts"] for phase in content["phase"]][2] == {
            kind["name"]: kind["count"] for kind in content["host"]
        }, name
    changed = tomllib.loads(answers["odd"]["hosts"])
    assert (changed["hosts"], changed["phase"][-1]["hosts"], changed["phase"][0]["hosts"]) == (1234567, 1234567, 6)


def test_every_start_names_files_that_are_sent():
    """Each file that a start names is among the example files, which have unique names."""
    data = form_data(("design",))
    names = [f'"uploads/{name}"' for name in data["files"]]
    assert {start["kind"] for start in data["starts"]} == {"requirement", "machine"}
    for start in data["starts"]:
        assert start["toml"].startswith("# ")
        assert start["toml"].count('"uploads/') == sum(start["toml"].count(name) for name in names), start["name"]
        assert "../" not in start["toml"]
