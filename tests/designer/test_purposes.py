"""Purposes: what a requirement begins with, the same by Python, by the command line and in the explorer."""

import tomllib

import pytest

from in_process import run
from topoloom import new_requirement
from topoloom.designer.purposes import PURPOSES
from topoloom.operations.catalogue.new_requirement import NewRequirementOperation
from topoloom.operations.field import fields_of


@pytest.mark.parametrize("name", PURPOSES)
def test_a_purpose_sets_its_tables(tmp_path, name):
    """Each of its keys is in the file; an answer comes before it; both ways give the same text."""
    text = new_requirement(64, purpose=name, limits={"power_w": 9000.0}).text
    content = tomllib.loads(text)
    for key, value in PURPOSES[name].tables.items():
        assert content[key] == (value | {"power_w": 9000.0} if key == "limits" else value)
    file = tmp_path / "r.toml"
    options = ("--hosts", "64", "--purpose", name, "--limit", "power_w=9000.0", "--yes")
    assert run("new", "requirement", "-o", file, *options).code == 0
    assert file.read_text() == text


def test_the_command_offers_every_purpose():
    """One list of names."""
    (field,) = (field for field in fields_of(NewRequirementOperation) if field.name == "purpose")
    for name in PURPOSES:
        assert name in field.accepts
