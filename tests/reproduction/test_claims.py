"""The papers' claims: each has the verdict that independent work found."""

import pytest

from topoloom import InputError
from topoloom.reproduction import Verdict, claims, judge, run

#: What is not plainly reproduced, and how: the errata's verdicts.
_WRONG = {
    "truong-2016/section-4.1/half",
    "truong-2016/section-4.1/levels",
    "truong-2016/section-4.4/succ-links",
    "truong-2016/section-5.2/watts",
    "koibuchi-2013/fig-4/two-hops",
    "nakano-2016/table-iv",
    "nakano-2016/section-vii/neighbours",
    "xu-2019/table-1/32-4",
    "besta-2014/vi/headline",
    *(
        f"besta-2014/table-iv/{key}-cables"
        for key in ("t3d", "t5d", "hc", "lh-hc", "fbf3-43", "df-43", "fbf3-33", "df-27", "df-43-small", "sf")
    ),
}
_NOT = {
    "nakano-2016/section-iii/step-2",
    "truong-2016/section-4.3/aspl",
    "truong-2016/section-5.2/spare-ports",
    "truong-2016/fig-4/rr-lowest",
    "truong-2016/fig-7/closer",
    "truong-2016/fig-8/torus-smallest",
    "truong-2016/section-4.4/similar",
    "besta-2014/table-iv/dln-43-cables",
    "besta-2014/table-iv/dln-28-cables",
    "besta-2014/table-iv/t3d-cost",
    "besta-2014/table-iv/t5d-cost",
    "besta-2014/table-iv/dln-43-cost",
    "besta-2014/table-iv/dln-28-cost",
    "besta-2014/table-iv/df-43-cost",
    "besta-2014/table-iv/ft3-35-cost",
    "besta-2014/table-iv/fbf3-43-power",
    "besta-2014/table-iv/fbf3-33-power",
    "koibuchi-2013/fig-9/length-4",
    "koibuchi-2013/fig-9/length-8",
    "xu-2019/fig-10/floyd",
    "koibuchi-2013/fig-6/latency/bit-reversal",
    "koibuchi-2013/fig-8/latency-80",
    "nakano-2016/fig-14/percent",
    "nakano-2016/fig-14/order",
}


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
    """The same of Truong 2016's cables and costs."""
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
    """`besta-2014/table-iv` is all its columns, an unknown id an error."""
    assert {c.id.split("/")[1] for c in claims(["besta-2014/table-iv"])} == {"table-iv"}
    assert [c.id for c in claims(["xu-2019/products"])] == ["xu-2019/products"]
    with pytest.raises(InputError, match="no claim '005'"):
        claims(["005"])
