"""Records: JSON alone, true to their published schemas, and read back, of every version that there has been."""

import json
import re
import runpy
from dataclasses import MISSING
from pathlib import Path

import jsonschema
import pytest
from record_cases import CASES, RECORDS

from topoloom.core.errors import InputError
from topoloom.model.results import with_current_keys

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
RESULT_TYPES = {
    result_type.record_name: result_type
    for result_type in runpy.run_path(str(ROOT / "docs" / "_ext" / "public_names.py"))["result_types"](["topoloom"])
}
FORMER = {name: kind for kind in RESULT_TYPES.values() for name in kind.former_names}
#: Properties that are worked out again when a record is read: their sentences are those of today.
DERIVED = {name for kind in RESULT_TYPES.values() for name in kind.derived}
FIXTURES = sorted(RECORDS.glob("*.json"))


def test_the_published_schemas_are_those_of_the_types():
    """docs/schemas holds what tools/schemas.py writes; run it after a change of a result."""
    made = runpy.run_path(str(ROOT / "tools" / "schemas.py"))["schemas"]()
    assert set(made) <= {path.name for path in SCHEMAS.glob("*.json")}
    for name, text in made.items():
        assert (SCHEMAS / name).read_text(encoding="utf-8") == text, name


def test_every_noun_has_its_case_and_its_fixture():
    """Of each public result there is a small case, and a record of it lies here."""
    assert set(CASES) == set(RESULT_TYPES)
    assert {path.stem.rpartition("-")[0] for path in FIXTURES} == set(CASES) | set(FORMER)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_fixture_is_true_to_its_schema_and_loads(path):
    """A record that was once written keeps to the schema of its version, and gives the same record when it is read.

    Of a result that leaves fields which it needs or a network's links out of its record, a sentence says that it cannot be
    read back.
    """
    record = json.loads(path.read_text(encoding="utf-8"))
    schema = json.loads((SCHEMAS / path.name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(record)
    result_type = (RESULT_TYPES | FORMER)[path.stem.rpartition("-")[0]]
    fields = result_type.__dataclass_fields__
    needed = {
        name
        for name in result_type.unrecorded
        if name in fields and fields[name].default is MISSING and fields[name].default_factory is MISSING
    }
    if needed or "topology" in fields:
        with pytest.raises(InputError, match="cannot be read back"):
            result_type.from_record(record)
    else:
        again = result_type.from_record(record).record()
        if again["schema"] == record["schema"]:
            assert again == record
        else:
            assert holds(again, with_current_keys({key: value for key, value in record.items() if key != "schema"}))


def holds(new, old):
    """Whether a record of today has all that an older one has; fields that came since may be there, too."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            key in new and ((isinstance(value, str) and key in DERIVED) or holds(new[key], value))
            for key, value in old.items()
        )
    if isinstance(old, list):
        return len(new) == len(old) and all(map(holds, new, old))
    return new == old


@pytest.mark.parametrize("name", CASES)
def test_a_record_is_json_alone_and_true_to_its_schema(name):
    """What an operation gives today: strict JSON without NaN, by the schema of its result."""
    made = CASES[name]()
    record = made.record()
    text = json.dumps(record, allow_nan=False)
    assert json.loads(text) == record
    assert made.record_name == name
    schema = json.loads((SCHEMAS / f"{name}-{made.record_version}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(record)


def test_the_command_line_builds_no_json():
    """What --json prints is a record: JSON is made where records are printed, and where a search keeps its state."""
    cli = ROOT / "src" / "topoloom" / "cli"
    makers = re.compile(r"json\.(dumps|encode|format)\(|^import json$|JSONEncoder", re.MULTILINE)
    found = {path.name for path in cli.rglob("*.py") if makers.search(path.read_text(encoding="utf-8"))}
    assert found == {"output.py", "checkpoint.py"}
