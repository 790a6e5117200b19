"""Packages from outside: examples/plugin, installed, adds to the command line; a damaged one harms nobody."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from topoloom.simulation.applications.tools import simgrid_available

PLUGIN = Path(__file__).parents[1] / "examples" / "plugin"


def install(site: Path, project: dict[str, object]) -> None:
    """What pip does with a package: its metadata and its entry points, from its pyproject.toml."""
    info = site / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages that holds topoloom-wheel."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PLUGIN / "topoloom_wheel", folder / "topoloom_wheel")
    install(folder, tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"])
    return folder


@pytest.fixture
def topoloom(site, tmp_path):
    """The real command line in a process of its own, which finds the packages of `site` and others that are given."""

    def run(*words: str, more: Path | None = None) -> subprocess.CompletedProcess:
        path = os.pathsep.join(str(place) for place in (more, site, os.environ.get("PYTHONPATH")) if place)
        return subprocess.run(
            [sys.executable, "-m", "topoloom", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=dict(os.environ, PYTHONPATH=path, COLUMNS="200"),
        )

    return run


def said(done: subprocess.CompletedProcess) -> str:
    """What a command printed; it must have ended well and without a word on standard error."""
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.exhaustive
def test_the_family_is_in_the_catalogue_and_builds(topoloom):
    """It is listed with the others, its parameters are described, and its specs are measured."""
    assert "wheel" in said(topoloom("families"))
    assert "switches of the rim (integer: 3 to 1000; required)" in said(topoloom("families", "wheel"))
    assert "diameter       2" in said(topoloom("hops", "wheel:rim=8,hosts=2"))
    assert "wheel:rim=5,hosts=2" in said(topoloom("families", "wheel", "--hosts", "10", "--radix", "7"))


@pytest.mark.exhaustive
def test_its_allocator_runs_in_routers(topoloom):
    """`--set` takes its name, and the result says so."""
    page = said(
        topoloom(
            "simulate",
            "wheel:rim=8,hosts=2",
            "--loads",
            "0.2",
            "--set",
            "switch_allocator=fixed",
            "--set",
            "vcs=4",
            "--fast",
        )
    )
    assert "switch_allocator=fixed" in page
    assert re.search(r"0.2000 +0.[12]", page)


@pytest.mark.exhaustive
def test_its_measure_is_printed_and_a_column(topoloom, tmp_path):
    """`info --measure` finds it next to topoloom's own, and worker processes do."""
    page = said(topoloom("info", "wheel:rim=8", "--measure", "hub-share", "--measure", "girth"))
    assert re.search(r"hub-share +0.5\n", page)
    assert re.search(r"girth +3 links\n", page)
    (tmp_path / "m.toml").write_text(
        'operation = "info"\ntask.measures = ["hub-share"]\n[axes]\ntopology = ["wheel:rim=8", "petersen"]\n'
    )
    said_by(topoloom("study", "m.toml", "-o", "m"))
    assert "measures.hub-share" in (tmp_path / "m" / "study.csv").read_text().splitlines()[0]


@pytest.mark.exhaustive
def test_a_study_of_its_verb_on_its_family(topoloom, tmp_path):
    """Worker processes find the package, too: its family, its engine and its operation."""
    (tmp_path / "wheels.toml").write_text(
        'operation = "centre"\ntask.topology = "wheel:rim={rim}"\n[axes]\nrim = [4, 8, 16]\nengine = ["hub", "minimal"]\n'
    )
    assert "6 of 6 tasks done" in said_by(topoloom("study", "wheels.toml", "-o", "wheels"))
    rows = (tmp_path / "wheels" / "study.csv").read_text().splitlines()
    assert rows[0] == "rim,engine,switch,share,error"
    assert all(row.split(",")[2] == "0" for row in rows[1:]), "the hub is the busiest"


def said_by(done: subprocess.CompletedProcess) -> str:
    """What a command printed; what it says on standard error is progress."""
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.exhaustive
def test_a_wrong_parameter_of_its_family_is_one_sentence(topoloom):
    """Ranges are checked as those of topoloom's own families."""
    done = topoloom("info", "wheel:rim=2")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "rim" in done.stderr


@pytest.mark.exhaustive
def test_the_engine_routes_and_is_judged(topoloom):
    """It stands in the help of route, and its tables get a verdict."""
    assert "over the switch that is linked to all others" in said(topoloom("route", "--help"))
    text = said(topoloom("route", "wheel:rim=8,hosts=2", "--engine", "hub"))
    assert "deadlock" in text
    done = topoloom("route", "petersen", "--engine", "hub")
    assert (done.returncode, "no switch is linked to all others" in done.stderr) == (2, True)


@pytest.mark.exhaustive
def test_the_pattern_simulates(topoloom):
    """It stands in the help of simulate, and hosts send by it."""
    assert "opposite" in said(topoloom("simulate", "--help"))
    words = ("wheel:rim=3,hosts=1", "--traffic", "opposite", "--loads", "0.1", "--json")
    done = topoloom("simulate", *words)
    assert done.returncode == 0, done.stderr
    assert '"opposite"' in done.stdout


@pytest.mark.exhaustive
def test_the_command_is_listed_and_runs(topoloom):
    """It stands in the help under its heading, with its line and its own page, and its mistakes are one sentence."""
    assert re.search("\nWheels:\n  hub +The switch that is linked to all others[.]\n", said(topoloom("--help")))
    assert "Example: topoloom hub wheel:rim=8" in said(topoloom("hub", "--help"))
    assert said(topoloom("hub", "wheel:rim=8")) == "switch 0\n"
    done = topoloom("hub", "petersen")
    assert (done.returncode, done.stderr) == (2, "error: petersen: no switch is linked to all others\n")
    done = topoloom("hob", "petersen")
    assert (done.returncode, done.stderr) == (2, "error: no command named 'hob' (did you mean 'hub'?)\n")


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["missing_module:command", "damaged_command:nothing"])
def test_a_command_that_cannot_be_imported_is_one_sentence(topoloom, tmp_path, place):
    """The help lists it, and whoever runs it reads where it was looked for; a name that topoloom has stays topoloom's."""
    (tmp_path / "damaged_command.py").write_text(
        "from topoloom.cli.register import COMMANDS, Command\n"
        f"COMMANDS.add('damaged', Command('Nothing.', {place!r}))\n"
        f"COMMANDS.add('hops', Command('Nothing.', {place!r}))\n"
    )
    project = {"name": "damaged", "version": "1.0", "entry-points": {"topoloom.commands": {"x": "damaged_command"}}}
    install(tmp_path, project)
    done = topoloom("--help", more=tmp_path)
    assert "damaged" in done.stdout
    assert "the command 'hops' of package damaged has the same name as one of topoloom" in done.stderr
    done = topoloom("damaged", more=tmp_path)
    assert done.returncode == 2
    assert f"error: {place} cannot be imported: " in done.stderr
    assert "Traceback" not in done.stderr
    assert topoloom("hops", "petersen", more=tmp_path).stderr == ""


@pytest.mark.exhaustive
def test_the_rule_is_asked_with_the_others(topoloom):
    """It stands in the list, is chosen by its code, finds what it looks for, and says its own page."""
    assert "hub-missing" in said(topoloom("rules"))
    assert said(topoloom("verify", "wheel:rim=8,hosts=2", "--only", "WH101")).count("WH101") == 0
    done = topoloom("verify", "petersen", "--only", "hub-missing", "--json")
    assert done.returncode == 3
    assert '"https://example.org/wheels#wh101"' in done.stdout


@pytest.mark.exhaustive
def test_the_format_converts_both_ways(topoloom, tmp_path):
    """What it writes it reads back, and a damaged file is one sentence with its line."""
    assert "an adjacency matrix" in said(topoloom("convert", "--help"))
    assert topoloom("build", "wheel:rim=4", "-o", "net.adjacency").returncode == 0
    assert (tmp_path / "net.adjacency").read_text() == "01111\n11010\n10101\n11010\n10101\n".replace(
        "11010\n10101\n11010\n10101", "10101\n11010\n10101\n11010"
    )
    assert topoloom("convert", "net.adjacency", "net.edges").returncode == 0
    assert len((tmp_path / "net.edges").read_text().splitlines()) == 8
    (tmp_path / "net.adjacency").write_text("011\n101\n11x\n")
    done = topoloom("info", "net.adjacency")
    assert (done.returncode, "net.adjacency" in done.stderr, "3" in done.stderr) == (2, True, True)


def test_the_application_is_listed(topoloom):
    """It stands in the help of app."""
    assert "a message goes from rank to rank" in said(topoloom("app", "--help"))


@pytest.mark.exhaustive
def test_the_parts_catalogue_prices(topoloom):
    """It is named where a name is wrong, prices a network, and a requirement may name it."""
    done = topoloom("cost", "petersen", "--parts", "moon")
    assert done.returncode == 2
    assert "koibuchi-2013, nakano-2016, slimfly-2014, slingshot, wheel-prices" in done.stderr
    assert "switch, 10 ports" in said(topoloom("cost", "wheel:rim=8,hosts=2", "--parts", "wheel-prices"))


@pytest.mark.exhaustive
def test_a_damaged_catalogue_is_passed_over(topoloom, tmp_path):
    """One line names the package and the line of the file; the other catalogues are there."""
    (tmp_path / "damaged.toml").write_text("name = 'damaged'\nsource = 'x'\nprice = 3\n")
    text = "from pathlib import Path\nfrom topoloom.cost.parts_files import register_parts\n"
    (tmp_path / "damaged_prices.py").write_text(f"{text}register_parts(Path(__file__).with_name('damaged.toml'))\n")
    project = {"name": "damaged", "version": "1.0", "entry-points": {"topoloom.parts": {"x": "damaged_prices"}}}
    install(tmp_path, project)
    done = topoloom("cost", "petersen", "--parts", "wheel-prices", more=tmp_path)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "package damaged adds no parts catalogue" in line
    assert "damaged.toml:3: there is no key 'price'" in line


@pytest.mark.exhaustive
@pytest.mark.simgrid
@pytest.mark.skipif(not simgrid_available(), reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")
def test_the_application_runs(topoloom):
    """SimGrid replays its trace along topoloom's tables."""
    done = topoloom("app", "wheel:rim=3,hosts=1", "--app", "token:laps=3")
    assert done.returncode == 0, done.stderr
    assert "token(words=1,laps=3)" in done.stdout


def test_a_package_that_cannot_be_imported_is_passed_over(topoloom, tmp_path):
    """One line names it and the reason; the families of topoloom and of other packages are all there."""
    (tmp_path / "broken_package.py").write_text("raise OSError('the licence server is away')\n")
    project = {
        "name": "broken-package",
        "version": "1.0",
        "entry-points": {"topoloom.families": {"x": "broken_package"}},
    }
    install(tmp_path, project)
    done = topoloom("families", more=tmp_path)
    assert done.returncode == 0
    assert "wheel" in done.stdout
    assert "slimfly" in done.stdout
    (line,) = done.stderr.splitlines()
    assert "broken-package" in line
    assert "the licence server is away" in line
    assert "broken" not in topoloom("bounds", "--help", more=tmp_path).stderr


@pytest.mark.parametrize(("name", "holder"), [("wheel", "package topoloom-wheel"), ("torus", "topoloom")])
def test_two_packages_with_one_name_are_told(topoloom, tmp_path, name, holder):
    """A sentence names both; the first keeps the name, and nothing else is lost."""
    text = (PLUGIN / "topoloom_wheel" / "family.py").read_text()
    (tmp_path / "other_wheel.py").write_text(text.replace('"wheel"', f'"{name}"'))
    project = {"name": "zz-other-wheel", "version": "1.0", "entry-points": {"topoloom.families": {"x": "other_wheel"}}}
    install(tmp_path, project)
    done = topoloom("families", more=tmp_path)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert f"the family '{name}' of package zz-other-wheel has the same name as one of {holder}; rename it" in line
    assert done.stdout.count(f"\n{name} ") == 1
