"""The second round: who is a finalist, what is written of each, and that the operations give the same by hand."""

import json
import math
import shlex
from dataclasses import replace

import msgspec
import pytest

from topoloom import open_network
from topoloom.cli.main import cli
from topoloom.designer.assessment import assess as assess_module
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.steps.tables import TABLES
from topoloom.designer.assessment.steps.throughput import THROUGHPUT
from topoloom.designer.design import Design, design
from topoloom.designer.outcomes import Candidate, Dropped
from topoloom.designer.pareto import pareto_front
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement
from topoloom.designer.shortlist import chosen_shortlist
from topoloom.report.design_files import write_design

_REQUIREMENT = Requirement(
    hosts=60,
    switch=SwitchRequirement(radix=12),
    families=FamiliesRequirement(only=("slimfly", "fat-tree", "hypercube", "jellyfish")),
    shortlist=3,
    minutes=100,
    repeats=1,
    limits=DesignLimits(diameter=3),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Design, object]:
    """A design with three shortlist, and its folder."""
    found = design(_REQUIREMENT, jobs=1)
    folder = tmp_path_factory.mktemp("design") / "out"
    write_design(found, folder, everything=True)
    return found, folder


def _candidate(spec: str, cost: float, latency: float, width: float) -> Candidate:
    plain = dict.fromkeys(Candidate.__struct_fields__, 1)
    plain |= {"spec": spec, "name": spec, "family": spec.partition(":")[0], "hop_histogram": (1,), "map": "rows"}
    plain |= {"survives": (), "cost_per_host_usd": cost, "mean_latency_ns": latency, "bisection_per_host": width}
    return msgspec.convert({"type": "candidate", **plain}, Candidate, strict=False)


def test_finalists_are_of_leading_families_references_and_the_ends_of_the_front():
    """By turns: families, reference designs, the least latency and the widest; each once, as many as asked for."""
    ranked = [_candidate(f"a:n={n}", n, 10 - n, 0.1) for n in (1, 2, 3)]
    ranked += [_candidate("b:n=1", 4, 9, 0.1), _candidate("c:n=1", 5, 1, 0.2), _candidate("d:n=1", 6, 9, 5)]
    usual = [Dropped("fat-tree:k=4", "fat-tree", "diameter"), Dropped("fat-tree:k=2", "fat-tree", "hosts")]
    front = pareto_front(ranked)
    assert {"a:n=1", "c:n=1", "d:n=1"} <= front
    chosen = chosen_shortlist(ranked, usual, front, 5)
    assert chosen[0] == "a:n=1"
    assert "fat-tree:k=4" in chosen, "past a limit it can still be compared"
    assert "fat-tree:k=2" not in chosen, "it does not hold the hosts"
    assert chosen == ["a:n=1", "fat-tree:k=4", "c:n=1", "b:n=1", "d:n=1"]
    assert chosen_shortlist(ranked, usual, front, 0) == []
    assert len(chosen_shortlist(ranked, usual, front, 100)) == 7


@pytest.mark.exhaustive
def test_finalists_are_ranked_by_the_objective_and_each_says_why(made):
    """As the ranking has them, those past a limit last."""
    found, _ = made
    assert len(found.shortlist) == 3
    assert found.ended == "done"
    order = [one.spec for one in found.ranked]
    within = [one for one in found.shortlist if one.spec in order]
    assert [order.index(one.spec) for one in within] == sorted(order.index(one.spec) for one in within)
    assert found.shortlist[0].spec == found.best
    assert all(one.why for one in found.shortlist)
    assert found.shortlist[0].quality.uniform_throughput == found.shortlist[0].value("uniform_throughput")
    for one in found.shortlist:
        candidate = next((c for c in found.ranked if c.spec == one.spec), None)
        if candidate is not None:
            assert one.value("cost_usd") == candidate.cost_usd


@pytest.mark.exhaustive
def test_every_finalist_is_a_folder_that_verbs_open(made):
    """Topology, layout and tables, with the files of installers and of other tools."""
    found, folder = made
    for number, one in enumerate(found.shortlist, 1):
        network = open_network(folder / "shortlist" / str(number))
        assert network.topology.digest == one.layout.topology.digest
        assert network.layout.total_m == pytest.approx(one.layout.total_m)
        assert network.tables.engine == one.provenance.engine
        inside = folder / "shortlist" / str(number)
        assert json.loads((inside / "assessment.json").read_text())["name"] == one.name
        assert (inside / "exports" / "opensm").is_dir()
        assert (inside / "labels.csv").is_file()


def _numbers(value: object) -> set[float]:
    if isinstance(value, bool | int | float):
        return {float(value)}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for one in inner for number in _numbers(one)}


@pytest.mark.exhaustive
def test_the_verbs_give_the_same_by_hand(made, monkeypatch):
    """Every figure that names a command: run on the finalist's folder, the command prints the same number."""
    from click.testing import CliRunner

    found, folder = made
    monkeypatch.chdir(folder)
    told: dict[str, set[float]] = {}
    checked = 0
    figures: list[Figure] = [
        figure for figure in found.shortlist[0].figures if figure.by_hand and figure.value is not None
    ]
    for figure in figures:
        command = figure.by_hand.replace("FOLDER", "shortlist/1")
        if command not in told:
            done = CliRunner().invoke(cli, [*shlex.split(command)[1:], "--json"])
            assert done.exit_code == 0, (command, done.output[-500:])
            told[command] = _numbers(json.loads(done.stdout))
        scales = (1.0, 1e-3)  # milliseconds there, seconds in the record of a run
        near = [math.isclose(figure.value * scale, one, rel_tol=1e-12) for one in told[command] for scale in scales]
        assert any(near), (figure.key, command)
        checked += 1
    assert checked > 15


@pytest.mark.exhaustive
def test_fewer_finalists_later_leave_no_folder_of_earlier_ones(made, tmp_path):
    """A folder that is left over would be of another design."""
    found, _ = made
    write_design(found, tmp_path / "out")
    write_design(replace(found, shortlist=found.shortlist[:1]), tmp_path / "out")
    assert (tmp_path / "out" / "shortlist" / "1" / "topology.json").is_file()
    assert not (tmp_path / "out" / "shortlist" / "2" / "topology.json").exists()


@pytest.mark.exhaustive
def test_a_reference_design_of_another_family_is_compared_and_not_ranked(monkeypatch):
    """The cheaper Dragonfly is behind the fat tree, and its sentence gives no rank."""
    monkeypatch.setattr(assess_module, "STEPS", (COST, TABLES, THROUGHPUT))
    wanted = msgspec.structs.replace(
        _REQUIREMENT, families=FamiliesRequirement(only=("fat-tree",)), limits=DesignLimits(blocking=4), shortlist=8
    )
    found = design(wanted, jobs=1)
    assert found.shortlist[0].spec == found.best
    assert found.shortlist[0].why.startswith("1st: ")
    compared = [each for each in found.shortlist if each.spec.startswith("dragonfly")]
    assert [each.why.partition(":")[0] for each in compared] == ["Compared, not ranked"]
    assert found.shortlist.index(compared[0]) > 0
    assert all(f"than {compared[0].name}" not in each.why for each in found.shortlist)
