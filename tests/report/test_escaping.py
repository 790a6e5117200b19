"""Names and texts of users in pages: shown as they are, never read as HTML."""

import ast
import html
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

import topoloom
from topoloom import build, cable, design, expand, place, price, resilience
from topoloom.cabling.labels import label
from topoloom.cabling.sheets import sheets
from topoloom.core.pages.rows import table_rows
from topoloom.core.pages.svg import with_hints
from topoloom.core.pages.templating import framed, rendered
from topoloom.cost.parts_files import load_parts
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.placement.floors.floor import preset
from topoloom.report.app_page import app_page
from topoloom.report.design_page import design_page
from topoloom.report.expansion_page import expansion_page
from topoloom.report.survival_page import resilience_page
from topoloom.simulation.applications.app_run import AppRun, Measurement
from topoloom.simulation.applications.app_runs import AppRuns
from topoloom.simulation.applications.settings import AppSettings

#: What docstrings stand in.
_DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef)
SCRIPT = "<script>alert(1)</script>"
FLOOR = replace(preset("slimfly-2014"), name=f"floor {SCRIPT}")


@pytest.fixture(scope="module")
def parts():
    """A catalogue whose name, source and products are scripts."""
    made = load_parts("slimfly-2014")
    cables = tuple(msgspec.structs.replace(one, name=f"cable {SCRIPT}") for one in made.cable)
    return msgspec.structs.replace(made, name=f"parts {SCRIPT}", source=f"source {SCRIPT}", cable=cables)


def named(spec):
    """A network whose name is a script."""
    return build(spec).replace(name=f"network {SCRIPT}")


def check(page, *shown):
    """No script but topoloom's own, and each of these texts with its script as text."""
    own = re.compile(r'<script type="(module|application/json)"( id="data")?>(.*?)</script>', re.DOTALL)
    assert all(
        "alert(1)" not in code or (kind, code.count("<")) == ("application/json", 0)
        for kind, _, code in own.findall(page)
    )
    assert "<script" not in own.sub("", page)
    for text in shown:
        assert f"{text} &lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_sheets_show_names_of_networks_floors_products_and_switches(parts):
    """On the front page and on those of racks, with cables to hosts."""
    cabling = cable(place(named("petersen:hosts=1"), FLOOR, map="rows"), parts, host_cables=True)
    labels = label(cabling)
    labels = replace(labels, switch=[f"switch {SCRIPT}" for _ in labels.switch])
    pages = sheets(cabling, labels)
    check(pages.pop("index.html"), "network", "floor")
    for page in pages.values():
        check(page, "network", "floor", "cable", "switch")


def test_an_expansion_shows_names_of_networks_floors_and_products(parts):
    """In its head, and in the tasks, with cables to hosts."""
    plan = expand(named("torus:dims=4x4,hosts=1"), 20, floor=FLOOR, parts=parts, host_cables=True)
    check(expansion_page(plan), "network", "floor", "cable")


@pytest.mark.exhaustive
def test_a_design_shows_its_title_and_names_of_the_winner_and_of_products(parts, tmp_path):
    """The need's title, the catalogue's name and source, the winner's name, and what the bill lists."""
    path = tmp_path / "parts.toml"
    text = f'name = "parts {SCRIPT}"\nsource = "source {SCRIPT}"\n[switch]\nper_port_usd = 100\n'
    path.write_text(f'{text}[[cable]]\nname = "cable {SCRIPT}"\nmedium = "any"\nuse = "any"\nbase_usd = 10\n')
    families = FamiliesRequirement(only=("slimfly",))
    requirement = Requirement(
        hosts=100,
        switch=SwitchRequirement(radix=16),
        title=f"title {SCRIPT}",
        parts=str(path),
        families=families,
        shortlist=0,
    )
    found = design(requirement, jobs=1)
    found = replace(found, ranked=tuple(msgspec.structs.replace(one, name=f"winner {SCRIPT}") for one in found.ranked))
    layout = place(named(found.winner.spec), map="rows")
    catalogue = load_parts(path)
    page = design_page(found, catalogue, layout, price(layout, catalogue))
    check(page, "title", "parts", "source", "cable", "winner")


def test_applications_show_names_of_programs_and_networks():
    """In the head, the comparison, the runs and what programs say."""
    run = AppRun(
        program=f"program {SCRIPT}",
        network=f"network {SCRIPT}",
        engine=f"engine {SCRIPT}",
        routing_seed=1,
        host_tables=1,
        placement="linear",
        seed=1,
        ranks=1,
        seconds=1.0,
        results={f"result {SCRIPT}": Measurement(1.0, "s")},
        measure="seconds",
        mops=1.0,
        communication=np.zeros(1),
        link_bytes=np.zeros((1, 2)),
        homes=np.zeros(1, np.int64),
        settings=AppSettings(),
        simgrid="3.36",
        exit_code=0,
        output="",
    )
    runs = AppRuns((run,), run.network, 1, "", "done")
    check(app_page(runs, "<svg></svg>"), "program", "network", "engine", "result")


def test_survival_shows_names_of_networks():
    """In its tables and in its picture."""
    first, other = (
        resilience(build(spec).replace(name=f"{name} {SCRIPT}"), samples=5, levels=[0.2])
        for spec, name in (("petersen", "network"), ("hypercube:n=4", "other"))
    )
    check(resilience_page([first]))
    check(resilience_page([first, other]), "network", "other")


@pytest.mark.parametrize("text", [SCRIPT, "a & b", "\"double\" 'single'"])
def test_templates_escape_what_is_not_marked_as_html(text):
    """Titles, cells, captions and cards: read by a browser, each is the text again."""
    made = [
        rendered("table.html", head=[text], rows=[[text]], text={0}, best=0, kinds=[""]),
        rendered("cards.html", items=[(text, text)]),
        rendered("figure.html", drawing="", caption=text),
        framed(text, "", ""),
    ]
    for page in made:
        assert text not in page
        assert text in html.unescape(page)


@pytest.mark.parametrize("text", [SCRIPT, "a & b", "\"double\" 'single'", "zero\0byte"])
def test_rows_and_hints_escape_all_texts(text):
    """The rows of long tables, and hints in pictures: read by a browser, each is the text again."""
    (row,) = table_rows([[text], [7]], ["left", ""])
    assert html.unescape(row) == f'<tr><td class="left">{text}</td><td>7</td></tr>'
    drawn = with_hints('<g id="one"></g><g id="two"></g>', {"one": text})
    assert html.unescape(drawn) == f'<g><title>{text}</title></g><g id="two"></g>'
    assert "<script" not in row + drawn


@pytest.mark.parametrize("room", ["report", "cabling"])
def test_only_templates_hold_html(room):
    """No text in the Python files of a room opens or closes an element: pages are made where texts are escaped."""
    files = list((Path(topoloom.__file__).parent / room).rglob("*.py"))
    assert files
    for path in files:
        tree = ast.parse(path.read_text())
        described = {ast.get_docstring(one, clean=False) for one in ast.walk(tree) if isinstance(one, _DESCRIBED)}
        texts = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        assert [text for text in texts if re.search("</?[a-z]", text) and text not in described] == [], path
