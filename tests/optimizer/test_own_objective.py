"""Objectives of one's own: the search of the built-in objective with the same function, and one sentence for a bad function."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import InputError, Optimized, Study, Topology, build, optimize, run_study
from topoloom.cli.main import cli
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.distances import distance_matrix
from topoloom.graph.measures.betweenness import betweenness
from topoloom.graph.spectrum import spectrum
from topoloom.optimizer.objective_register import OBJECTIVES, Objective, topology_objective
from topoloom.optimizer.rules import GraphRules, moves_of
from topoloom.optimizer.searches.function_search import FunctionSearch
from topoloom.optimizer.searches.hop_search import HopSearch

START = build("jellyfish:n=24,degree=4,seed=1")


#: Two rings of four switches.
PARTS = Topology(links=[(i, i - i % 4 + (i + 1) % 4) for i in range(8)], switches=8)


def total_hops(topology):
    """The hops of all pairs."""
    return int(distance_matrix(topology, 1).sum())


def mean_hops(topology):
    """The same, per pair."""
    return total_hops(topology) / (topology.switches * (topology.switches - 1))


def hops_of_table(table, degree):
    """The hops of all pairs, from the table of neighbours."""
    links = [(u, int(table[u, slot])) for u in range(degree.size) for slot in range(degree[u]) if u < table[u, slot]]
    return total_hops(Topology(links=links, switches=degree.size))


@pytest.mark.parametrize(
    "objective",
    [
        Objective("hops-of-topology", "", "", total_hops),
        Objective("hops-of-table", "", "", hops_of_table, of_table=True),
        Objective("least-of-minus", "", "", lambda topology: -total_hops(topology), most=True),
    ],
    ids=lambda objective: objective.name,
)
@pytest.mark.parametrize("seed", [1, 2])
def test_hops_by_a_function_make_the_moves_of_the_built_in_search(objective, seed):
    """After every step both searches have the same table, slot by slot, and in the end the same best graph."""
    moves = moves_of(START, GraphRules())
    built_in = HopSearch(moves, Draws(seed), Budget(3000), target=START.switches - 1)
    own = FunctionSearch(START, GraphRules(), objective, Draws(seed), Budget(3000))
    steps = 0
    while not built_in.done:
        built_in.step()
        own.step()
        steps += 1
        assert np.array_equal(moves.table, own.table), f"step {steps}"
    assert own.done
    assert steps > 100
    assert np.array_equal(built_in.best, own.best)


def test_the_same_result_as_the_built_in_objective():
    """Mean hops as a float: the same graph to the last link, and a record that says which function it was."""
    built_in = optimize(START, "hops", target=START.switches - 1, moves=3000, jobs=1, seed=3)
    own = optimize(START, mean_hops, moves=3000, seed=3)
    assert own.topology.digest == built_in.topology.digest
    assert own.values == {"value": own.aspl, "value_given": mean_hops(START)}
    assert own.aspl < own.values["value_given"]
    assert own.objective == f"{__name__}:mean_hops"
    settings = own.provenance.settings
    assert (settings["function"], settings["best"], settings["chains"]) == (own.objective, "least", 1)


def test_registered_objectives_are_what_they_say(tmp_path):
    """The value of the result by independent functions; by command, study and Python; better than at the start."""
    assert {"algebraic-connectivity", "betweenness-max"} <= set(OBJECTIVES)
    gap = optimize(START, "algebraic-connectivity", moves=300)
    assert gap.values["value"] == pytest.approx(spectrum(gap.topology).gap, abs=1e-9)
    assert gap.values["value"] > gap.values["value_given"]
    assert sorted(gap.topology.degrees) == sorted(START.degrees)
    words = ["optimize", START.spec, "--for", "betweenness-max", "--moves", "300", "--chains", "1", "--json"]
    record = json.loads(CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "b.json")]).stdout)
    assert record["objective"] == "betweenness-max"
    assert record["values"]["value"] == pytest.approx(betweenness(optimize_again().topology).max())
    assert record["values"]["value"] < record["values"]["value_given"]
    study = Study(operation="optimize", task={"topology": START.spec, "moves": 300, "objective": "betweenness-max"})
    (row,) = run_study(study, tmp_path / "s", executor="threads").table
    assert row["values.value"] == record["values"]["value"]


def optimize_again():
    """What the command computes, in Python."""
    return optimize(START, "betweenness-max", moves=300, jobs=1)


def test_rules_hold_for_functions():
    """Fixed links stay, racks keep their cables, a grid its longest link."""
    grid = build("grid:rows=4,columns=4,degree=3,length=3")
    found = optimize(grid, mean_hops, moves=200)
    at = np.array([divmod(i, 4) for i in range(16)])
    assert np.abs(at[found.topology.links[:, 0]] - at[found.topology.links[:, 1]]).sum(axis=1).max() <= 3
    racks = np.arange(START.switches) // 6
    kept = optimize(START, mean_hops, moves=200, keep=racks)
    pairs = [
        np.unique(np.sort(racks[graph.links], axis=1), axis=0, return_counts=True) for graph in (START, kept.topology)
    ]
    assert all(map(np.array_equal, *pairs))


def _raises(topology):
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda topology: math.nan, "returned nan; it must return a number"),
        (lambda topology: "far", "returned 'far'; it must return a number"),
        (lambda topology: None, "returned None; it must return a number"),
        (lambda topology: True, "returned True; it must return a number"),
        (lambda topology: np.ones(2), r"returned array\(\[1., 1.\]\); it must return a number"),
        (lambda topology: math.inf, "returned inf for the network to start from; it must return a finite number"),
        (_raises, "_raises' raised ValueError: no idea; it must return a number for every connected network"),
        (lambda: 3, "raised TypeError: .* takes 0 positional arguments"),
    ],
)
def test_a_bad_function_is_one_sentence(function, text):
    """With its name, and what it did."""
    with pytest.raises(InputError, match=text):
        optimize(START, function, moves=20)


def test_a_function_that_fails_later_is_said_too():
    """Not only at the start; in a thread of its own."""
    calls = []

    def tires(topology):
        calls.append(0)
        return math.nan if len(calls) > 60 else total_hops(topology)

    with pytest.raises(InputError, match="tires' returned nan"):
        optimize(START, tires, moves=500)


def test_infinite_values_are_never_kept():
    """A function that forbids graphs by an infinite value: the result is not one of them."""

    def few_far_pairs(topology):
        far = distance_matrix(topology, 1)
        return math.inf if far.max() > distance_matrix(START, 1).max() else float(far.sum())

    assert optimize(START, few_far_pairs, moves=200).diameter <= distance_matrix(START, 1).max()


@pytest.mark.parametrize(
    ("network", "options", "text"),
    [
        (START, {"tempering": True}, "tempering: only for objective='hops'"),
        (START, {"target": 3}, "target: only for objective='hops'"),
        (START, {"start": "structured"}, "start='structured': only for hops and traffic objectives"),
        (START, {"symmetric": True}, "symmetric: only for hops, latency, power and cost"),
        (PARTS, {}, "needs a connected network, and this one is not"),
    ],
)
def test_what_a_function_cannot_do_is_refused(network, options, text):
    """Options of other searches, and networks in parts."""
    with pytest.raises(InputError, match=text):
        optimize(network, mean_hops, moves=20, **options)


def test_names_of_other_objectives_are_refused():
    """So that no plug-in replaces them; an unknown name lists the registered ones."""
    for name in ("hops", "latency", "mean=1"):
        with pytest.raises(InputError, match="topoloom has an objective of that form"):
            topology_objective(name, "words")
    with pytest.raises(InputError, match=r"'betweenness' is unknown; choose .*algebraic-connectivity, betweenness-max"):
        optimize(START, "betweenness", moves=20)


@pytest.mark.parametrize("objective", [3, None, ["hops"]])
def test_another_kind_of_objective_is_refused(objective):
    """With what is taken."""
    with pytest.raises(InputError, match=r"optimize: objective.* a function of a topology to a number"):
        optimize(START, objective, moves=20)


_PLUG_IN = """
from topoloom.optimizer.objective_register import topology_objective

@topology_objective("most-hops-sum", "sum over the switches of their most hops", "hops")
def most_hops_sum(topology):
    from topoloom.graph.distances import distance_matrix
    return distance_matrix(topology, 1).max(axis=1).sum()
"""


@pytest.mark.exhaustive
def test_a_plug_ins_objective_works_in_commands_and_studies(tmp_path):
    """In a process that has it and in its workers; in one that has not, and for a function by its place, a sentence."""
    information = tmp_path / "site" / "lab-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[topoloom.objectives]\nlab = lab\n")
    (tmp_path / "site" / "lab.py").write_text(_PLUG_IN)
    (tmp_path / "s.toml").write_text(
        f'operation = "optimize"\ntask = {{topology = "{START.spec}", moves = 200}}\n'
        'axes.objective = ["hops", "most-hops-sum"]\n'
    )

    def ran(*words, site=True):
        paths = os.pathsep.join(filter(None, [str(tmp_path / "site") if site else "", os.environ.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-m", "topoloom", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )

    with_it = ran("study", "s.toml", "-o", "s", "--executor", "processes", "--json")
    assert with_it.returncode == 0, with_it.stderr
    rows = {row["objective"]: row for row in json.loads(with_it.stdout)["table"]}
    assert rows["most-hops-sum"]["values.value"] < rows["most-hops-sum"]["values.value_given"]
    without = ran("study", "s.toml", "-o", "t", "--json", site=False)
    assert "objective: 'most-hops-sum' is unknown; choose hops" in without.stdout + without.stderr
    by_place = ran("optimize", START.spec, "--for", "lab:most_hops_sum", "--moves", "20")
    assert (by_place.returncode, by_place.stderr[:39]) == (2, "error: objective: 'lab:most_hops_sum' i")


def test_a_record_reads_back(tmp_path):
    """With the values of the function."""
    found = optimize(START, mean_hops, moves=50)
    found.save(tmp_path / "found")
    assert Optimized.load(tmp_path / "found").values == found.values
