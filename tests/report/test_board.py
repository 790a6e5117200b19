"""The first page of a design's report."""

from dataclasses import replace

import msgspec
import pytest

from topoloom import design
from topoloom.cost.bill import price
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.design import Design
from topoloom.designer.placing import place_candidate
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.report.board import board_page
from topoloom.topologies.spec import build

_REQUIREMENT = Requirement(
    hosts=100,
    switch=SwitchRequirement(radix=16),
    families=FamiliesRequirement(only=("fat-tree", "hyperx", "dragonfly", "torus", "jellyfish")),
    shortlist=0,
)


@pytest.fixture(scope="module")
def made() -> Design:
    """A design without a shortlist."""
    return design(_REQUIREMENT, jobs=1)


def _page(made: Design) -> str:
    parts = made.requirement.catalogue()
    bill = price(place_candidate(build(made.winner.spec), made.requirement, parts), parts)
    return str(board_page(made, parts, bill))


def test_it_has_the_winner_in_words_its_cost_and_three_alternatives_of_other_kinds(made):
    """Names first, specs in small print; the alternatives stand in the order of the ranking."""
    text = _page(made)
    best = made.winner
    assert f"<b>{best.name}</b>" in text
    assert f'<small class="mono">{best.spec}</small>' in text
    assert f"{best.cost_usd:,.0f}" in text
    rows = text.split("<tbody>")[1].split("<tr")[2:]
    assert len(rows) == 3
    specs = [row.split('class="mono">')[1].split("<")[0] for row in rows]
    places = [[candidate.spec for candidate in made.ranked].index(spec) for spec in specs]
    assert places == sorted(places)
    assert len({spec.partition(":")[0] for spec in (best.spec, *specs)}) == 4


def test_no_number_has_an_exponent(made):
    """Costs of billions are written out."""
    rich = msgspec.structs.replace(made.winner, cost_usd=1.6e9, power_w=2.5e8)
    text = _page(replace(made, ranked=(rich, *made.ranked[1:])))
    assert "1,600,000,000" in text
    assert "250,000 kW" in text
    assert "e+0" not in text


def test_what_is_not_known_is_a_risk(made):
    """A network that was not assessed says so; and so do parts without a price."""
    assert "not assessed in full" in _page(made)
    parts = made.requirement.catalogue()
    bill = price(place_candidate(build(made.winner.spec), made.requirement, parts), parts)
    text = str(board_page(made, parts, replace(bill, unpriced=("rack", "switch", "nic"))))
    assert "No price is known of: racks, switches, interfaces." in text


def test_without_a_winner_there_is_no_page(made):
    """The report then begins with the requirement."""
    assert board_page(replace(made, ranked=()), made.requirement.catalogue(), None) == ""


def test_the_measured_throughput_is_the_risk_not_the_formula(made):
    """51 % by the tables; the oversubscription by formula would say another number. Full load is no risk."""

    def assessed(uniform: float, saturation: float) -> str:
        figures = [
            Figure(key=key, label=key, value=value)
            for key, value in (("uniform_throughput", uniform), ("saturation", saturation))
        ]
        best = made.winner
        assessment = Assessment(name=best.name, spec=best.spec, hosts=best.hosts, figures=tuple(figures))
        return _page(replace(made, shortlist=(assessment,)))

    text = assessed(0.512, 0.55)
    assert "When all hosts send to all others at once, each gets 51% of the rate of its port." in text
    assert "Queues grow from 55% of uniform load on." in text
    assert "Oversubscription is" not in text
    text = assessed(1.0, 1.0)
    assert "each gets" not in text
    assert "Queues grow" not in text
