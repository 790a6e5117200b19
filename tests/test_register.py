"""Registers: by name, by alias, in order, found when first asked for, and never broken by a stranger's package."""

import logging
import sys
from importlib.metadata import EntryPoint

import pytest

from topoloom import InputError
from topoloom.core.register import Register


def test_names_and_aliases_find_the_record():
    """In alphabetical order; aliases are no members of their own."""
    colours = Register("colour")
    colours.add("red", 1, aliases=("crimson",))
    colours.add("blue", 2)
    assert list(colours) == ["blue", "red"]
    assert colours.find("crimson") == colours["red"] == 1
    assert len(colours) == 2
    assert dict(colours.aliases) == {"crimson": "red"}


@pytest.mark.parametrize(
    ("name", "told"), [("blu", "did you mean 'blue'"), ("xyz", "there are blue, red"), (7, "no colour named 7")]
)
def test_what_is_not_there_is_told_with_what_would_do(name, told):
    """The nearest name, or all of them."""
    colours = Register("colour")
    colours.add("red", 1)
    colours.add("blue", 2)
    with pytest.raises(InputError, match=told):
        colours.find(name)


def test_the_modules_of_a_room_register_themselves(tmp_path, monkeypatch):
    """Those of packages inside, too; not kernels, nor what has an underscore in front; each once."""
    room = tmp_path / "a_room"
    (room / "inner").mkdir(parents=True)
    (room / "kernels").mkdir()
    (room / "__init__.py").write_text(
        "from topoloom.core.register import Register\nTHINGS = Register('thing', package='a_room')\n"
    )
    (room / "inner" / "__init__.py").write_text("")
    (room / "one.py").write_text("from a_room import THINGS\nTHINGS.add('one', 1)\n")
    (room / "inner" / "two.py").write_text("from a_room import THINGS\nTHINGS.add('two', 2)\n")
    for silent in (room / "_three.py", room / "kernels" / "__init__.py"):
        silent.write_text("raise RuntimeError('not to be loaded')\n")
    monkeypatch.syspath_prepend(tmp_path)
    import a_room

    assert "a_room.one" not in sys.modules
    assert dict(a_room.THINGS) == {"one": 1, "two": 2}


def _points(monkeypatch, *values):
    points = [EntryPoint(f"p{number}", value, "some.group") for number, value in enumerate(values)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "some.group" else [])


def test_another_package_adds_by_an_entry_point(tmp_path, monkeypatch):
    """And the register knows where the record came from."""
    things = Register("thing", group="some.group")
    things.add("ours", 0)
    monkeypatch.setattr("topoloom.core.register.things", things, raising=False)
    (tmp_path / "guest_thing.py").write_text("from topoloom.core.register import things\nthings.add('theirs', 1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    _points(monkeypatch, "guest_thing")
    assert list(things) == ["ours", "theirs"]
    assert things.origin("ours") == "here"
    assert things.origin("theirs") == "guest_thing"


def test_a_package_that_cannot_be_loaded_is_passed_over_with_a_warning(tmp_path, monkeypatch, caplog):
    """One line that names it; everything else works."""
    things = Register("thing", group="some.group")
    things.add("ours", 0)
    (tmp_path / "broken_guest.py").write_text("raise ZeroDivisionError('oh')\n")
    monkeypatch.syspath_prepend(tmp_path)
    _points(monkeypatch, "broken_guest", "not_there_at_all")
    with caplog.at_level(logging.WARNING, "topoloom"):
        assert list(things) == ["ours"]
    assert [record.getMessage() for record in caplog.records] == [
        "package broken_guest adds no thing: ZeroDivisionError: oh",
        "package not_there_at_all adds no thing: ModuleNotFoundError: No module named 'not_there_at_all'",
    ]


def test_two_packages_cannot_share_a_name(tmp_path, monkeypatch, caplog):
    """The second is omitted, in a sentence that names both."""
    things = Register("thing", group="some.group")
    things.add("same", 0)
    monkeypatch.setattr("topoloom.core.register.things", things, raising=False)
    (tmp_path / "second_guest.py").write_text("from topoloom.core.register import things\nthings.add('same', 1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    _points(monkeypatch, "second_guest")
    with caplog.at_level(logging.WARNING, "topoloom"):
        assert things["same"] == 0
    assert "the thing 'same' of package second_guest has the same name as one of topoloom; rename it" in caplog.text


def test_a_name_that_another_package_of_the_project_has_names_the_package(monkeypatch):
    """While it is not installed; other unknown names are answered as ever."""
    _points(monkeypatch)
    things = Register("thing", group="topoloom.things", elsewhere={"far": "topoloom-far"})
    with pytest.raises(
        InputError, match=r"^far: install topoloom-far, which has this thing \(pip install topoloom-far\)$"
    ):
        things.find("far")
    with pytest.raises(InputError, match=r"^no thing named 'near'"):
        things.find("near")
    things.add("far", 1)
    assert things.find("far") == 1
