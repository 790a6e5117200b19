"""The sentences of ranked networks say what is known, in words that hold."""

from types import SimpleNamespace

from topoloom.cli.assessment_text import print_assessments
from topoloom.cost.lines import Line
from topoloom.designer.assessment.assessment import Assessment, Missing
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.reasons import Ranking, reasons
from topoloom.report.assessment_tables import networks_side_by_side


def _grown(name, hosts, **more):
    """A network of a bill of 1,000 USD, without the steps of an assessment."""
    lines = tuple(
        Line(kind, 1, usd, usd, 0.0, 0.0, kind) for kind, usd in (("switch", 333), ("cable", 333), ("nic", 334))
    )
    bill = SimpleNamespace(lines=lines, cost_usd=1000.0, parts="example", unpriced=more.pop("unpriced", ()))
    return Assessment(name, None, hosts, more.pop("figures", ()), bill=bill, **more)


def test_a_rank_after_growth_is_claimed_only_where_every_network_has_its_cost():
    """One network without a plan: the others keep their costs, and no rank is given."""
    late = (Missing("growth", "growth by 10% and 25%", "it did not fit into the time budget; give more minutes"),)
    plan = (Figure(key="growth_10_usd", label="cost to grow by 10%", unit="USD", value=50.0),)
    networks = [_grown("roomy", 200), _grown("planned", 100, figures=plan), _grown("late", 104, missing=late)]
    texts = reasons(networks, Ranking("cost_usd", "cost", "USD", (1.0, 2.0, 3.0), hosts=100))
    assert "It has idle ports for 10% more hosts." in texts[0]
    assert "For 10% more hosts it costs 50 USD more." in texts[1]
    assert (
        "Growth was not planned (it did not fit into the time budget; give more minutes); idle ports take 4 hosts."
        in (texts[2])
    )
    ranked_all = reasons(networks[:2], Ranking("cost_usd", "cost", "USD", (1.0, 2.0), hosts=100))
    assert "It has idle ports for 10% more hosts and would then be 1st." in ranked_all[0]
    assert "For 10% more hosts it costs 50 USD more and would then be 2nd." in ranked_all[1]


def test_shares_of_a_bill_sum_to_100_percent():
    """Switches, cables, and the rest by its name."""
    text = reasons([_grown("one", 10)], Ranking("cost_usd", "cost", "USD", (1000.0,)))[0]
    assert "Of it, 33% is for switches, 33% is for cables and optics and 34% is for interfaces." in text


def test_a_bound_says_its_direction():
    """A time is bounded from below, a throughput from above."""
    figures = (
        Figure(key="t_ms", label="time", value=2.0, bound=1.0, better="less"),
        Figure(key="share", label="share", value=1.0, bound=2.0, better="more"),
    )
    page = networks_side_by_side([_grown("one", 10, figures=figures)])
    assert [row.label for group in page.groups for row in group.rows] == [
        "time",
        "bound (at least)",
        "share",
        "bound (at most)",
    ]


def test_the_terminal_says_what_is_missing_and_what_has_no_price(capsys):
    """One line per reason, and one per catalogue whose prices are incomplete."""
    gaps = (
        Missing("load", "the load", "the run was interrupted first"),
        Missing("x", "the rest", "the run was interrupted first"),
    )
    print_assessments([_grown("one", 10, missing=gaps, unpriced=("switch", "nic"))], 1.0)
    errors = capsys.readouterr().err
    assert "one: not assessed: the load, the rest (the run was interrupted first)" in errors
    assert "example has no prices for switches and interfaces: the sums do not include them" in errors
