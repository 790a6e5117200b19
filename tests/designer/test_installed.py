"""A design compared with an installed network: the same terms and assessment for both, and the ranking does not change."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from topoloom import Design, InputError, Topology, build, design, open_network
from topoloom.cli.main import cli
from topoloom.designer.outcomes import MEASURES, Candidate, Dropped
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement
from topoloom.formats import save
from topoloom.report.design_files import write_design

LLDP = Path(__file__).parents[2] / "examples" / "ethernet" / "lldp"


def wanted(hosts=16, **limits):
    return Requirement(
        hosts=hosts,
        switch=SwitchRequirement(radix=10),
        parts="slimfly-2014",
        shortlist=1,
        minutes=100,
        repeats=1,
        usual=False,
        families=FamiliesRequirement(only=("hypercube",)),
        limits=DesignLimits(**limits),
    )


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed") / "hall"
    open_network(LLDP).adopt(folder)
    return folder


@pytest.fixture(scope="module")
def compared(hall):
    return design(wanted(hosts=20, oversubscription=1.5, racks=4), against=hall, jobs=1)


@pytest.mark.exhaustive
def test_the_ranking_is_that_without_it(compared):
    """An installed network is compared, and never ranked, dropped or counted."""
    alone = design(compared.requirement, jobs=1)
    for name in ("ranked", "dropped", "dropped_by", "pareto", "unmeasured", "best"):
        assert getattr(compared, name) == getattr(alone, name), name
    assert [a.spec for a in compared.shortlist[:-1]] == [a.spec for a in alone.shortlist]


def test_it_has_all_measures_and_all_limits_that_it_exceeds(compared, hall):
    """Not only the first: by formulas, by the number of hosts, and by what its tables carry."""
    installed = compared.installed
    assert isinstance(installed, Dropped)
    assert (installed.spec, installed.family, installed.limit) == (str(hall), "installed", "oversubscription")
    assert installed.reason.startswith("hosts 16, at least 20; oversubscription 1.71429, at most 1.5; oversubscription")
    assert (
        "measured on its tables (engine fat-tree-hosts): uniform throughput 0.25, but 0.667 is needed"
        in installed.reason
    )
    assert {"cost_usd", "power_w", "diameter", "racks", "oversubscription", "mean_latency_ns"} <= installed.known.keys()
    last = compared.shortlist[-1]
    assert last.spec == str(hall)
    assert last.value("cost_usd") == pytest.approx(installed.known["cost_usd"])
    assert last.why.startswith("Compared, not ranked: it is installed.")
    assert "Exceeds limits of the requirement: hosts 16, at least 20" in last.why


@pytest.mark.exhaustive
def test_the_record_and_the_folder_keep_it(compared, tmp_path, hall):
    """The record is read back with it; its folder in the shortlist opens with its real names."""
    assert Design.from_record(json.loads(json.dumps(compared.record()))).installed == compared.installed
    write_design(compared, tmp_path / "design")
    number = len(compared.shortlist)
    again = open_network(tmp_path / "design" / "shortlist" / str(number))
    assert again.fabric.switch_names == open_network(hall).fabric.switch_names
    assert "it is installed" in (tmp_path / "design" / "report.html").read_text()


def test_an_installed_network_is_measured_as_a_candidate(tmp_path):
    """A network from a file has the numbers of the same network from its family, except for the placement of racks."""
    result = design(wanted(), jobs=1)
    save(result.network.topology, tmp_path / "same.json")
    of_file = design(wanted(), against=result.network.layout, shortlist=0, jobs=1).installed
    assert isinstance(of_file, Candidate)
    for key in MEASURES:
        assert getattr(of_file, key) == pytest.approx(getattr(result.winner, key)), key


def test_what_cannot_be_placed_is_a_sentence(hall, tmp_path):
    """In two parts, or without hosts: the design is finished, and says why it is not compared."""
    parts = Topology(links=[(0, 1), (2, 3)], switches=4, endpoints=[0, 1, 2, 3])
    for network, limit in ((parts, "construction"), (build("petersen"), "hosts")):
        result = design(wanted(), against=network, shortlist=0, jobs=1)
        assert result.best is not None
        assert (result.installed.limit, result.installed.family) == (limit, "installed")
    with pytest.raises(InputError, match="nowhere"):
        design(wanted(), against="nowhere/at/all.json", jobs=1)


def test_the_command_prints_it(hall, tmp_path):
    """Cost, power, diameter, oversubscription and racks next to those of the best, and the limits."""
    (tmp_path / "need.toml").write_text(
        'hosts = 20\nrate_gbps = 40\nparts = "slimfly-2014"\nusual = false\n[switch]\nradix = 10\n'
        '[families]\ntry = ["hypercube"]\n'
    )
    arguments = [
        "design",
        tmp_path / "need.toml",
        "--against",
        hall,
        "-o",
        tmp_path / "out",
        "--shortlist",
        "0",
        "--jobs",
        "1",
    ]
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    assert f"installed: {hall}\n  cost 9,638.8 USD; the best" in result.stdout
    assert "  exceeds: hosts 16, at least 20\n" in result.stdout
