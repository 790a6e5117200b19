"""Amounts have the currency of the catalogue, on every page, in every table and in every sentence."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from topoloom import build, compare, design, expand, place
from topoloom.cabling.expansion.phases.files import save_phases
from topoloom.cabling.expansion.phases.growing import phases
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import load_parts
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.network.opening import open_network
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.optimize import optimize
from topoloom.placement.floors.floor import PRESETS
from topoloom.report.design_files import write_design
from topoloom.report.expansion_page import expansion_page
from topoloom.report.phases_table import phases_summary

PARTS = msgspec.structs.replace(load_parts("slimfly-2014"), name="in euros", currency="EUR")


@pytest.fixture
def euros(tmp_path) -> Path:
    """A catalogue file in EUR."""
    source = Path(__file__).parents[2] / "src" / "topoloom" / "cost" / "catalogues" / "slimfly-2014.toml"
    path = tmp_path / "euros.toml"
    path.write_text('currency = "EUR"\n' + source.read_text().replace('name = "slimfly-2014"', 'name = "in euros"', 1))
    return path


@pytest.mark.exhaustive
def test_a_design_names_the_currency_of_its_catalogue(euros, tmp_path, monkeypatch):
    """No file of the design has USD; the board page, the tables, the figures and the bill have EUR."""
    monkeypatch.setattr("topoloom.designer.assessment.assess.STEPS", (COST,))
    requirement = Requirement(
        hosts=64,
        switch=SwitchRequirement(radix=16),
        parts=str(euros),
        families=FamiliesRequirement(only=("hypercube", "fat-tree")),
        shortlist=2,
    )
    made = design(requirement, jobs=1)
    write_design(made, tmp_path / "out")
    texts = {
        path: path.read_text() for path in (tmp_path / "out").rglob("*") if path.suffix in (".html", ".svg", ".csv")
    }
    assert [path.name for path, text in texts.items() if re.search(r"\bUSD\b", text)] == []
    page = texts[tmp_path / "out" / "report.html"]
    for words in ("EUR per host", "cost [EUR]", "cost [EUR per host]"):
        assert words in page
    assert "EUR" in texts[tmp_path / "out" / "cost-latency.svg"]
    assert {row["currency"] for row in csv.DictReader(texts[tmp_path / "out" / "candidates.csv"].splitlines())} == {
        "EUR"
    }
    assert texts[tmp_path / "out" / "bill.csv"].splitlines()[1].endswith(",EUR")
    (cost,) = [figure for figure in made.shortlist[0].figures if figure.key == "cost_usd"]
    assert cost.unit == "EUR"
    assert "EUR" in made.shortlist[0].why


def test_growth_names_the_currency(tmp_path):
    """On the page of a plan, in the table of phases, and in every file with a price."""
    layout = place(build("fat-tree:k=8,hosts=32"), map="rows")
    plan = expand(layout, into="fat-tree:k=8,hosts=64", parts=PARTS, rate_gbps=40)
    assert " EUR" in expansion_page(plan)
    assert "USD" not in expansion_page(plan)
    several = phases(open_network("fat-tree:k=8,hosts=64").priced(parts=PARTS), hosts=[32, 64])
    assert several.currency == "EUR"
    assert "cost [EUR]" in phases_summary(several)
    save_phases(several, tmp_path / "phases")
    plan.save(tmp_path / "plan")
    priced = 0
    for path in tmp_path.rglob("*.csv"):
        rows = list(csv.DictReader(path.read_text().splitlines()))
        if any("usd" in name or "price" in name for name in rows[0]):
            priced += 1
            assert {row["currency"] for row in rows if row.get("kind") != "switch" or "a_switch" not in row} == {"EUR"}
    names = ("phases.csv", "purchase.csv", "1/bought.csv", "1/order.csv", "1/cables.csv", "2/bought.csv", "2/order.csv")
    assert priced >= len(names) + 4  # and the plan, its order, and the cables before and after it


def test_a_budget_is_in_the_currency_of_the_catalogue():
    """The refusal names it, and the record keeps it."""
    torus = build("torus:dims=4x4,hosts=1")
    lengths = LinkLengths.of_layout(place(torus, replace(PRESETS["koibuchi-2013"], switches_per_rack=4)))
    with pytest.raises(InputError, match=r"its cables cost [0-9,.]+ EUR, more than cap_usd=1; raise"):
        optimize(torus, lengths=lengths, cap_usd=1, parts=PARTS, moves=10)
    budgeted = optimize(torus, lengths=lengths, cap_usd=1e6, parts=PARTS, moves=10, jobs=1)
    assert budgeted.provenance.settings["currency"] == "EUR"


def test_prices_in_two_currencies_are_not_compared():
    """One sentence names both; no rate of exchange is assumed."""
    pounds = msgspec.structs.replace(PARTS, currency="GBP")
    networks = [open_network("hypercube:n=3,hosts=2").priced(parts=parts) for parts in (PARTS, pounds)]
    with pytest.raises(
        InputError, match="the prices of the networks are in EUR and GBP; compare networks with prices in one"
    ):
        compare(networks)
