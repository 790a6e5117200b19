"""The papers' claims: each has the verdict on record, from what is kept of long runs and from what is computed here."""

import json
from pathlib import Path

import pytest

from topoloom import InputError
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict

#: The verdict on each claim; one that changes is a finding, not a nuisance. After new long runs they are looked at one by one.
_VERDICTS = json.loads((Path(__file__).parent / "verdicts.json").read_text())
#: These have nothing to tell beside the numbers where they agree.
_PLAIN = (Verdict.EXACT, Verdict.HOLDS)


@pytest.mark.parametrize("paper", sorted({c.paper for c in claims()}))
def test_every_claim_has_its_verdict_on_record(paper):
    """Each is as the table says, with a reason where it is not plainly so; the table names all claims and no others."""
    found = {one: run(one) for one in claims([paper])}
    verdicts = {one.id: computed.outcome.told for one, computed in found.items()}
    assert verdicts == {name: verdict for name, verdict in _VERDICTS.items() if name.startswith(f"{paper}/")}
    for one, computed in found.items():
        assert computed.outcome.ours, one.id
        assert computed.outcome.why or computed.outcome.verdict in _PLAIN, one.id
        assert one.command.startswith("topoloom "), one.id


def test_the_record_of_verdicts_names_claims_only():
    """One that is gone has no verdict."""
    assert set(_VERDICTS) == {one.id for one in claims()}


def test_claims_are_chosen_by_what_lies_below_a_name_or_begins_with_it():
    """Ids, parts of the tree, beginnings; numbers are never cut, and an unknown name is an error."""
    assert {c.id.split("/")[1] for c in claims(["besta-2014/table-iv"])} == {"table-iv"}
    assert [c.id for c in claims(["xu-2019/table-2"])] == ["xu-2019/table-2"]
    theorems = {c.id for c in claims(["truong-2016/theorem"])}
    assert {"truong-2016/theorem-1a", "truong-2016/theorem-1c"} <= theorems
    assert all(name.startswith("truong-2016/theorem") for name in theorems)
    # Table I is an id, and not the beginning of Table IV; figure 1 is not figure 10.
    assert {c.id.split("/")[1] for c in claims(["nakano-2016/table-i"])} == {"table-i"}
    assert "fig-14" not in {c.id.split("/")[1] for c in claims(["koibuchi-2013/fig-1"])}
    assert {c.id.split("/")[1] for c in claims(["besta-2014/fig-6"])} == {"fig-6a", "fig-6b", "fig-6c", "fig-6d"}
    with pytest.raises(InputError, match="no claim '005'"):
        claims(["005"])
    with pytest.raises(InputError, match="no claim ''"):
        claims([""])
