"""The result of `reproduce`: its record and schema, invalid input, and claims as tasks of a study."""

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from topoloom import InputError, run_task, task_of
from topoloom_papers import Reproduction, reproduce
from topoloom_papers.command import command

_PETERSEN = "xu-2019/table-1/petersen"


def test_its_record_follows_its_schema_and_is_read_back():
    """A new record and an old one; docs/schemas has the schema."""
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "reproduction-1.json").read_text())
    old = json.loads((Path(__file__).parent / "reproduction-1.json").read_text())
    new = reproduce([_PETERSEN]).record()
    for record in (old, new):
        jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(record, allow_nan=False)))
    assert Reproduction.from_record(old).claims == Reproduction.from_record(new).claims
    assert Reproduction.from_record(new).record()["claims"] == new["claims"]


@pytest.mark.parametrize("wrong", [77_777, 3.5, True, "besta-2014", b"besta-2014", [None], [1, 2], object(), len])
def test_input_that_is_not_a_list_of_claims_is_refused(wrong):
    """In a sentence that begins with the function's name and states the valid input."""
    with pytest.raises(InputError, match=r"^reproduce takes an? .*name claims, as in \['besta-2014'\]"):
        reproduce(wrong)


def test_a_claim_is_a_task():
    """Its verdict is in the row, its record is the command's output; a whole paper gives counts."""
    record, row = run_task(task_of("reproduce", {"claim": _PETERSEN}))
    assert row["verdict"] == "exact"
    printed = json.loads(CliRunner().invoke(command, [_PETERSEN, "--json"], standalone_mode=False).stdout)
    assert record["claims"] == printed["claims"]
    assert [claim["id"] for claim in record["claims"]] == [_PETERSEN]
    assert run_task(task_of("reproduce", {"claim": "xu-2019/table-1"}))[1]["claims"] > 1


def test_claims_are_filtered_by_their_verdicts():
    """Those of other verdicts are counted, the command and a study's task filter alike, and an unknown word is refused."""
    every = reproduce(["xu-2019/table-1"])
    exact = reproduce(["xu-2019/table-1"], verdict=["exact", "step"])
    assert exact.claims == tuple(one for one in every.claims if one.verdict in {"exact", "within one step"})
    assert 0 < len(exact.claims) == len(every.claims) - exact.others < len(every.claims)
    options = ["xu-2019/table-1", "--verdict", "exact", "--verdict", "step"]
    printed = CliRunner().invoke(command, options, standalone_mode=False).stdout
    assert printed.endswith(f"; other verdicts, not shown: {exact.others}\n")
    record, row = run_task(task_of("reproduce", {"claim": "xu-2019/table-1", "verdict": ["exact", "step"]}))
    assert record["others"] == exact.others
    assert row["claims"] == len(exact.claims)
    with pytest.raises(InputError, match=r"^no verdict 'wrong'.*the verdicts are exact, holds, .* paper-wrong"):
        reproduce([_PETERSEN], verdict=["wrong"])
    with pytest.raises(InputError, match=r"^verdict takes an? .*name verdicts, as in"):
        reproduce([_PETERSEN], verdict="exact")
