"""The papers' claims: each has the verdict that independent work found."""

import json
from pathlib import Path

import pytest

from topoloom import InputError
from topoloom.reproduction import Verdict, claims, judge, run

#: The verdict on each claim as the errata have it, found by independent work; one that changes is a finding, not a nuisance.
_VERDICTS = json.loads((Path(__file__).parent / "verdicts.json").read_text())

#: What takes minutes together: test_load_claims and test_resilience_claims look at parts of it.
_MINUTES = ("besta-2014/fig-6", "besta-2014/fig-8", "besta-2014/table-iii", "besta-2014/iii-d")
#: Applications, which SimGrid simulates: test_app_claims looks at how their verdicts follow.
_APPLICATIONS = ("truong-2016/fig-9", "nakano-2016/fig-11", "xu-2019/fig-11", "xu-2019/fig-12")
#: Claims on the same forty layouts, half a minute's work: one test, so that one process lays them out.
_LAID_OUT = ("truong-2016/fig-7", "truong-2016/fig-8", "truong-2016/section-5.2")


@pytest.mark.parametrize(
    "claim",
    [c for c in claims() if not c.full and not c.id.startswith(_MINUTES + _LAID_OUT + _APPLICATIONS)],
    ids=lambda claim: claim.id,
)
def test_a_claim_has_its_verdict(claim):
    """Reproduced, wrong or not reproducible: as the errata say, computed afresh."""
    outcome = run(claim)
    assert outcome.verdict.value == _VERDICTS[claim.id], outcome
    if outcome.verdict is not Verdict.REPRODUCED:
        assert outcome.why
    assert outcome.ours
    assert claim.command.startswith("topoloom ")


def test_claims_on_layouts_by_size_have_their_verdicts():
    """The same of Truong 2016's cables and costs."""
    for claim in claims(_LAID_OUT):
        test_a_claim_has_its_verdict(claim)


def test_every_quick_claim_has_its_verdict_on_record():
    """The table names the claims that are computed here, all of them and no others."""
    elsewhere = _MINUTES + _APPLICATIONS
    assert set(_VERDICTS) == {claim.id for claim in claims() if not claim.full and not claim.id.startswith(elsewhere)}


def test_a_verdict_follows_from_the_numbers():
    """Near the print: reproduced. Near the correction only: the paper is wrong. Near neither: not reproducible."""
    assert judge({"x": 1.0}, {"x": 1.004}, tolerance=0.005).verdict is Verdict.REPRODUCED
    assert judge({"x": 1.0}, {"x": 1.004}, tolerance=0.005, assumption="if").verdict is Verdict.ASSUMED
    assert judge({"x": 1.0}, {"x": 2.0}, right={"x": 2.0}).verdict is Verdict.PAPER_WRONG
    assert judge({"x": 1.0, "y": 5.0}, {"x": 2.0, "y": 6.0}, right={"x": 2.0}).verdict is Verdict.NOT_REPRODUCIBLE
    assert judge({"x": 1.0}, {"x": 0.2}, at_most=True).verdict is Verdict.REPRODUCED
    assert judge({"x": 1.0}, {"x": 1.2}, tolerance=0.1, at_most=True).verdict is Verdict.NOT_REPRODUCIBLE
    assert judge({"x": 1.0}, {"x": float("nan")}).verdict is Verdict.NOT_REPRODUCIBLE


def test_claims_are_chosen_by_id_or_its_beginning():
    """`besta-2014/table-iv` is all its columns, an unknown id an error."""
    assert {c.id.split("/")[1] for c in claims(["besta-2014/table-iv"])} == {"table-iv"}
    assert [c.id for c in claims(["xu-2019/products"])] == ["xu-2019/products"]
    with pytest.raises(InputError, match="no claim '005'"):
        claims(["005"])
