"""The papers' claims: each has the verdict that independent work found."""

import pytest

from topoloom import InputError
from topoloom.reproduction import Verdict, claims, judge, run

#: What is not plainly reproduced, and how: the errata's verdicts.
_WRONG = {
    "002/section-4.1/half",
    "002/section-4.1/levels",
    "002/section-4.4/succ-links",
    "002/section-5.2/watts",
    "000/fig-4/two-hops",
    "001/table-iv",
    "001/section-vii/neighbours",
    "003/table-1/32-4",
    "004/vi/headline",
    *(
        f"004/table-iv/{key}-cables"
        for key in ("t3d", "t5d", "hc", "lh-hc", "fbf3-43", "df-43", "fbf3-33", "df-27", "df-43-small", "sf")
    ),
}
_NOT = {
    "001/section-iii/step-2",
    "002/section-4.3/aspl",
    "002/section-5.2/spare-ports",
    "002/fig-4/rr-lowest",
    "002/fig-7/closer",
    "002/fig-8/torus-smallest",
    "002/section-4.4/similar",
    "004/table-iv/dln-43-cables",
    "004/table-iv/dln-28-cables",
    "004/table-iv/t3d-cost",
    "004/table-iv/t5d-cost",
    "004/table-iv/dln-43-cost",
    "004/table-iv/dln-28-cost",
    "004/table-iv/df-43-cost",
    "004/table-iv/ft3-35-cost",
    "004/table-iv/fbf3-43-power",
    "004/table-iv/fbf3-33-power",
    "000/fig-9/length-4",
    "000/fig-9/length-8",
    "003/fig-10/floyd",
    "000/fig-6/latency/bit-reversal",
    "000/fig-8/latency-80",
    "001/fig-14/percent",
    "001/fig-14/order",
}


#: What takes minutes together: test_load_claims and test_resilience_claims look at parts of it.
_MINUTES = ("004/fig-6", "004/fig-8", "004/table-iii", "004/iii-d")
#: Applications, which SimGrid simulates: test_app_claims looks at how their verdicts follow.
_APPLICATIONS = ("002/fig-9", "001/fig-11", "003/fig-11", "003/fig-12")
#: Claims on the same forty layouts, half a minute's work: one test, so that one process lays them out.
_LAID_OUT = ("002/fig-7", "002/fig-8", "002/section-5.2")


@pytest.mark.parametrize(
    "claim",
    [c for c in claims() if not c.full and not c.id.startswith(_MINUTES + _LAID_OUT + _APPLICATIONS)],
    ids=lambda claim: claim.id,
)
def test_a_claim_has_its_verdict(claim):
    """Reproduced, wrong or not reproducible: as the errata say, computed afresh."""
    outcome = run(claim)
    if claim.id in _WRONG:
        assert outcome.verdict is Verdict.PAPER_WRONG, outcome
    elif claim.id in _NOT:
        assert outcome.verdict is Verdict.NOT_REPRODUCIBLE, outcome
    else:
        assert outcome.verdict in (Verdict.REPRODUCED, Verdict.ASSUMED), outcome
    if outcome.verdict is not Verdict.REPRODUCED:
        assert outcome.why
    assert outcome.ours
    assert claim.command.startswith("topoloom ")


def test_claims_on_layouts_by_size_have_their_verdicts():
    """The same of 002's cables and costs."""
    for claim in claims(_LAID_OUT):
        test_a_claim_has_its_verdict(claim)


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
    """`004/table-iv` is all its columns, an unknown id an error."""
    assert {c.id.split("/")[1] for c in claims(["004/table-iv"])} == {"table-iv"}
    assert [c.id for c in claims(["003/products"])] == ["003/products"]
    with pytest.raises(InputError, match="no claim '005'"):
        claims(["005"])
