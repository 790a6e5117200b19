"""The site: its tables of names and settings are those of the program."""

import inspect
import pkgutil
import re
import runpy
from importlib import import_module

import click
import pytest
from doc_blocks import ROOT

from topoloom.cli.main import cli
from topoloom.core.settings import Settings, described
from topoloom.core.toml_files import TomlTable

NAMES = runpy.run_path(str(ROOT / "docs" / "_ext" / "public_names.py"))
CONTEXT = click.Context(cli, info_name="topoloom")
#: The site describes both.
PACKAGES = ("topoloom", "topoloom_papers")
COMMANDS = cli.list_commands(CONTEXT)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_verb_in_python(command):
    """The table of names has at least one public name a command."""
    assert NAMES["FUNCTIONS"][command]
    for name in NAMES["FUNCTIONS"][command]:
        package, _, name = name.rpartition(".")
        assert name in import_module(package or "topoloom").__all__


def test_the_table_has_no_command_that_is_gone():
    """Commands and rows of the table are the same."""
    assert {row.command for row in NAMES["names"]()} == set(NAMES["FUNCTIONS"]) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_and_the_parameter_of_that_name_have_one_default(command):
    """What is omitted on the command line is what is omitted in Python: of numbers, words and flags."""
    operation = NAMES["public"](NAMES["FUNCTIONS"][command][0])
    parameters = inspect.signature(operation).parameters if inspect.isfunction(operation) else {}
    found = cli.get_command(CONTEXT, command)
    assert found is not None
    for option in found.params:
        told = option.get_default(click.Context(found)) if option.name in parameters else None
        meant = parameters[option.name].default if option.name in parameters else None
        if isinstance(told, int | float | str) and isinstance(meant, int | float | str):
            assert told == meant, option.name


def _groups() -> list[type[Settings]]:
    """Every group of settings of the packages that the site describes."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if "kernels" not in module.name and not module.name.endswith(("__main__", ".gpu")):
                import_module(module.name)
    waiting, found = [Settings], []
    while waiting:
        below = [one for one in waiting.pop().__subclasses__() if one.__module__.partition(".")[0] in PACKAGES]
        waiting += below
        found += [one for one in below if one.__struct_fields__]
    return found


GROUPS = pytest.mark.parametrize("group", _groups(), ids=lambda group: f"{group.__module__}.{group.__name__}")
#: What the end of a name says of the unit, one of these.
UNITS = {
    "ns": {"ns"},
    "m": {"m", "ns/m"},
    "w": {"W"},
    "usd": {"USD"},
    "gbps": {"Gb/s", "USD per Gb/s"},
    "gflops": {"Gflop/s"},
    "flits": {"flits"},
    "cycles": {"cycles"},
    "bits": {"bits"},
    "bytes": {"bytes"},
}


@GROUPS
def test_every_setting_is_described(group):
    """What it is in words, and its unit where its name ends in one."""
    for one in described(group):
        assert one.description, one.name
        units = UNITS.get(one.name.rpartition("_")[2]) if "_" in one.name else None
        assert units is None or one.unit in units, one.name


@GROUPS
def test_a_page_has_the_table_that_is_made_from_the_settings(group):
    """The page of all settings; and what is written as a file also the page of that file."""
    pages = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")}
    assert "```{all-settings}" in pages["settings.md"]
    if issubclass(group, TomlTable):
        assert any(f"```{{settings}} {group.__module__}.{group.__name__}\n" in text for text in pages.values())
    rows = runpy.run_path(str(ROOT / "docs" / "_ext" / "reference_pages.py"))["_table"](group)
    assert [row.split("`")[1] for row in rows[2:]] == list(group.__struct_encode_fields__)


def test_the_settings_that_are_named_in_pages_exist():
    """Each directive names a group of settings, and a register of presets."""
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")]
    named = [name for text in texts for name in re.findall(r"^```\{settings\} (\S+)$", text, re.MULTILINE)]
    assert named
    for name in named:
        module, _, group = name.rpartition(".")
        assert issubclass(getattr(import_module(module), group), Settings), name
