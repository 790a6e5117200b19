"""Every command that an assessment prints runs as it is printed, and gives the number that stands beside it."""

import json
import math
import shlex
from collections import Counter

import pytest
from click.testing import CliRunner

import topoloom.designer.assessment.assess as assess_module
import topoloom.designer.measure as measure_module
import topoloom.designer.placing as placing_module
from topoloom import design, open_network, price
from topoloom.cli.main import cli
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.steps.growth import GROWTH
from topoloom.designer.assessment.steps.tables import TABLES
from topoloom.designer.assessment.steps.throughput import PATTERNED, THROUGHPUT, WORST
from topoloom.report.design_files import write_design

_QUOTES = "name = 'my quotes'\ninstallation_usd = 77.0\n"
_NEEDS = {
    "quotes": """
hosts = 40
shortlist = 2
minutes = 100
repeats = 1
rate_gbps = 40
prices = "my quotes.toml"
[switch]
radix = 10
[families]
try = ["slimfly", "fat-tree", "hypercube"]
[spares]
[cable]
hosts = true
""",
    "planes": """
hosts = 24
shortlist = 2
minutes = 100
repeats = 1
planes = [2]
usual = false
[host]
nics = 2
u = 1
[switch]
radix = 8
[families]
try = ["hypercube", "fat-tree"]
""",
}


def _made(place, name):
    """The folder of a design, in a folder with a blank in its name."""
    folder = place / "a b"
    folder.mkdir()
    (folder / "my quotes.toml").write_text(_QUOTES)
    (folder / "need.toml").write_text(_NEEDS[name])
    made = design(folder / "need.toml", jobs=1)
    write_design(made, folder / "out")
    # What the folder remembers does not hang on the file.
    (folder / "my quotes.toml").unlink()
    return made, folder / "out"


def _numbers(value):
    if isinstance(value, bool | int | float):
        return {float(value)}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for one in inner for number in _numbers(one)}


def _checked(folder):
    """How many figures of the shortlist in a design's folder were got by their commands."""
    checked, done = 0, {}
    for inside in sorted((folder / "shortlist").iterdir()):
        for figure in json.loads((inside / "assessment.json").read_text())["figures"]:
            if not figure["by_hand"] or figure["value"] is None:
                continue
            command = figure["by_hand"].replace("FOLDER", shlex.quote(str(inside)))
            if command not in done:
                ran = CliRunner().invoke(cli, [*shlex.split(command)[1:], "--json"])
                assert ran.exit_code == 0, (command, ran.output[-500:])
                assert "in place of" not in ran.stderr, command
                done[command] = _numbers(json.loads(ran.stdout))
            scales = (1.0, 1e-3)  # milliseconds there, seconds in the record of a run
            near = [
                math.isclose(figure["value"] * scale, one, rel_tol=1e-12) for one in done[command] for scale in scales
            ]
            assert any(near), (figure["key"], command)
            checked += 1
    return checked


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", _NEEDS)
def test_all_commands_of_a_design_give_their_numbers(tmp_path, name):
    """With quotes in a folder with a blank in its name; and with planes."""
    made, folder = _made(tmp_path, name)
    assert len(made.shortlist) == 2
    assert _checked(folder) > (40 if name == "quotes" else 30), "equal planes are simulated once, by no command"


@pytest.mark.exhaustive
def test_commands_without_simulation_give_their_numbers(tmp_path, monkeypatch):
    """Bill, tables, throughput and growth of two shortlist with quotes; each finalist is built once after the screening."""
    monkeypatch.setattr(assess_module, "STEPS", (COST, TABLES, THROUGHPUT, PATTERNED, WORST, GROWTH))
    built: Counter[str] = Counter()
    build = measure_module.build

    def counting(spec):
        built[spec] += 1
        return build(spec)

    for module in (measure_module, placing_module):
        monkeypatch.setattr(module, "build", counting)
    made, folder = _made(tmp_path, "quotes")
    assert _checked(folder) > 20
    shortlist = [one.spec for one in made.shortlist]
    assert len(shortlist) == 2
    # Once in the screening, as all candidates, and once as the network that is placed, assessed and written.
    assert [built[spec] for spec in shortlist] == [2, 2]
    assert max(built.values()) == 2


@pytest.mark.exhaustive
def test_a_finalist_grows_as_in_the_design_when_it_is_compared(tmp_path, monkeypatch):
    """`compare` of its folder takes switches, cables and virtual channels from the requirement that it remembers; an option
    says so.
    """
    monkeypatch.setattr(assess_module, "STEPS", (COST, GROWTH))
    made, folder = _made(tmp_path, "quotes")
    inside = str(folder / "shortlist" / "1")
    in_design = {one.key: one.value for one in made.shortlist[0].figures}
    assert len(in_design) > 5
    command = ["compare", inside, "--minutes", "100", "--repeats", "1", "--json"]
    compared = CliRunner().invoke(cli, command)
    assert compared.stderr == ""
    figures = json.loads(compared.stdout)["networks"][0]["figures"]
    assert {one["key"]: one["value"] for one in figures} == in_design
    other = CliRunner().invoke(cli, [*command, "--radix", "20"])
    assert f"--radix 20 in place of {inside}'s own requirement, switches of 10 ports" in other.stderr
    figures = json.loads(other.stdout)["networks"][0]["figures"]
    assert {one["key"]: one["value"] for one in figures} != in_design


@pytest.mark.exhaustive
def test_a_finalist_is_priced_as_in_the_design(tmp_path, monkeypatch):
    """By the command, in Python, by the study's operation and by the floor of the explorer, to the cent; an option says so."""
    from topoloom.studies.task import run_task, task_of

    monkeypatch.setattr(assess_module, "STEPS", (COST,))
    made, folder = _made(tmp_path, "quotes")
    inside = str(folder / "shortlist" / "1")
    cost = made.shortlist[0].value("cost_usd")
    assert cost == made.ranked[0].cost_usd
    told = CliRunner().invoke(cli, ["cost", inside, "--json"])
    assert (json.loads(told.stdout)["cost_usd"], told.stderr) == (cost, "")
    assert price(inside).cost_usd == price(open_network(folder)).cost_usd == cost
    assert run_task(task_of("cost", {"topology": inside}))[0]["cost_usd"] == cost
    assert run_task(task_of("stand", {"topology": inside}))[0]["cost_usd"] == cost
    other = CliRunner().invoke(cli, ["cost", inside, "--parts", "slimfly-2014", "--no-spares", "--json"])
    assert json.loads(other.stdout)["cost_usd"] < cost
    assert "--parts slimfly-2014 in place of " in other.stderr
    assert "own catalogue, 'slimfly-2014 with my quotes'" in other.stderr
    assert "--no-spares in place of " in other.stderr
    same = CliRunner().invoke(cli, ["cost", inside, "--rate", "40", "--json"])
    assert (json.loads(same.stdout)["cost_usd"], same.stderr) == (cost, "")
