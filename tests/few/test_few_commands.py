"""Every command on networks of one switch and of two: a right answer, or one sentence that says why there is none.

The table has a row for each command and kind of question, and a cell for each network. A command without a row fails.
"""

import json
import re

import pytest
from few_networks import (
    ALL,
    APART,
    FEW_HOSTS,
    IN_PARTS,
    JOINED,
    LINKED,
    NETWORKS,
    NO_HOSTS,
    NO_LINK,
    NO_PATHS,
    ONE,
    ONE_PLACE,
    ONE_RANK,
    ONE_SWITCH,
    PARTS,
    TRIED,
    TWO,
    Refused,
    check_sentence,
    check_value,
    row,
)

from in_process import own_commands, run
from topoloom import save

_UNKNOWN = {"diameter": None, "aspl": None, "connected": False, "components": 2}
_NO_HALVES = "1 switch; a cut needs at least two"
_HOSTLESS = "no hosts that a loss could cut off; add hosts, as in hosts=4"
_OWN = "grows networks that '.*' builds; use method splice for any"

#: Of each question: its words, N for the network and O for a folder; and what --json or the sentence has to say.
TABLE = {
    "info": (
        "info N --full",
        row(
            (ONE, {"diameter": 0, "aspl": 0.0, "bisection": None, "edge_connectivity": 0, "links": 0, "components": 1}),
            (TWO, {"diameter": 1, "aspl": 1.0, "bisection": 1, "edge_connectivity": 1, "spectral_gap": 2.0}),
            (APART, {**_UNKNOWN, "bisection": 0, "edge_connectivity": 0, "algebraic_connectivity": 0.0}),
            ("twin4", {"diameter": 1, "aspl": 1.0, "bisection": 2, "edge_connectivity": 2, "spectral_gap": 4.0}),
        ),
    ),
    "draw": (
        "draw N -o O/drawn.svg",
        row(*[(name, {"switches": net.switches, "links": len(net.links)}) for name, net in NETWORKS.items()]),
    ),
    "hops": (
        "hops N --eccentricities --paths --latency",
        row(
            ("one4", {"histogram": [1], "aspl": 0.0, "host_aspl": 0.0, "latency": {"mean_ns": 60.0}}),
            ("one1 one0", {"histogram": [1], "aspl": 0.0, "host_aspl": None, "latency": {"max_ns": 0.0}}),
            (
                "two4",
                {"histogram": [2, 2], "host_aspl": 2 / 3, "latency": {"mean_ns": 60 + 85 * 2 / 3, "max_ns": 145.0}},
            ),
            ("two1", {"histogram": [2, 2], "aspl": 1.0, "eccentricities": {"radius": 1}, "latency": {"max_ns": 0.0}}),
            ("two0", {"histogram": [2, 2], "aspl": 1.0, "latency": {"mean_ns": 145.0, "between": "switches"}}),
            ("apart4 apart0", {**_UNKNOWN, "histogram": [2], "latency": {"mean_ns": None}}),
            ("apart1", {**_UNKNOWN, "histogram": [2], "latency": {"mean_ns": 0.0}}),
            ("twin4", {"histogram": [2, 2], "paths": {"shortest": {"mean": 2.0}, "disjoint": {"fewest": 2}}}),
        ),
    ),
    "bounds": (
        "bounds N",
        row(
            (ONE, {"moore_diameter": 0, "moore_aspl": 0.0, "largest_order": 1}),
            (LINKED, {"moore_diameter": 1, "moore_aspl": 1.0, "measured_diameter": 1}),
            (APART, {"degree": 0, "moore_diameter": None, "measured_diameter": None}),
        ),
    ),
    "cuts": (
        "cuts N",
        row(
            (ONE, Refused(_NO_HALVES)),
            (TWO, {"links": 1, "sizes": [1, 1]}),
            (APART, {"links": 0, "sizes": [1, 1]}),
            ("twin4", {"links": 2, "narrowest": 2}),
        ),
    ),
    "cuts --by hosts": (
        "cuts N --by hosts",
        row(
            ("one4 one1 two1 apart1", Refused("1 switch with hosts; a cut needs at least two")),
            ("one0 two0 apart0", Refused("0 switches with hosts; a cut needs at least two")),
            ("two4", {"links": 1}),
            ("apart4", {"links": 0}),
            ("twin4", {"links": 2}),
        ),
    ),
    "cuts --exact": (
        "cuts N --exact",
        row(
            (ONE, Refused("the exact bisection takes 2 to 40")),
            (TWO, {"links": 1, "exact": True}),
            (APART, {"links": 0}),
            ("twin4", {"links": 2}),
        ),
    ),
    "expander": (
        "expander N",
        row(
            (ONE, Refused(_NO_HALVES)),
            (TWO, {"network": {"second_eigenvalue": -1.0, "expansion_least": 1.0, "expansion_most": 1.0}}),
            (APART, {"network": {"second_eigenvalue": 0.0, "expansion_least": 0.0, "expansion_most": 0.0}}),
            ("twin4", {"network": {"expansion_least": 2.0, "parallel_links": 1, "neighbours_mean": 1.0}, "random": []}),
        ),
    ),
    "convert": ("convert N O/same.json", row(*[(name, {"hosts": net.hosts}) for name, net in NETWORKS.items()])),
    "optimize": (
        "optimize N --moves 3 --chains 1",
        row(
            (f"{ONE} {APART}", Refused("the network has no links to exchange")),
            (LINKED, {"aspl": 1.0, "optimal": True}),
        ),
    ),
    "route": (
        "route N -o O/routed",
        row(
            (ONE, {"verification": {"pairs": 0, "mean_hops": 0.0, "deadlock_free": True}}),
            (LINKED, {"verification": {"pairs": 2, "reached_pairs": 2, "mean_hops": 1.0, "max_hops": 1}}),
            (APART, Refused(PARTS)),
        ),
    ),
    "route --without a switch": (
        "reroute N 0",
        row((JOINED, Refused("no link is left, so there is nothing to route")), (APART, Refused(PARTS))),
    ),
    "route --without a link": (
        "reroute N 0-1",
        row(
            (ONE, Refused("no switch 1; they are 0 to 0")),
            (TWO, Refused("no link is left")),
            (APART, Refused(PARTS)),
            ("twin4", {"entries": 2, "entries_changed": 0}),
        ),
    ),
    "quality": (
        "quality N",
        row(
            ("one4", {"uniform_throughput": 1.0, "worst_throughput": 1.0, "effective_bisection": 1.0, "worst_load": 0}),
            ("one1 one0 two1", {"uniform_throughput": 1.0, "worst_throughput": 1.0, "effective_bisection": None}),
            ("two4", {"uniform_throughput": 0.5, "worst_throughput": 0.5, "uniform_bound": 0.5, "worst_load": 2}),
            ("two0", {"uniform_throughput": 1.0, "hosts_assumed": True, "effective_bisection": 1.0}),
            (APART, Refused(PARTS)),
            ("twin4", {"uniform_throughput": 0.5, "uniform_bound": 1.0, "uniform_flow": {"lower": 1.0, "upper": 1.0}}),
        ),
    ),
    "paths": (
        "paths N",
        row(
            (f"{ONE} two1 apart1", Refused(ONE_PLACE)),
            ("two4 two0", {"mean_hops": 1.0, "flows": [2.0, 1.0, 2 / 3]}),
            ("apart4 apart0", Refused(NO_PATHS)),
            ("twin4", {"mean_hops": 1.0, "flows": [4.0, 2.0, 4 / 3]}),
        ),
    ),
    "simulate": (
        "simulate N --loads 0.1 --fast --jobs 1 -o O/points.csv --plot O/plot.svg",
        row(
            ("one4", {"ended": "done"}),
            ("one1 one0 two1 two0 apart1 apart0", Refused(FEW_HOSTS)),
            ("two4 twin4", {"ended": "done"}),
            ("apart4", Refused(PARTS)),
        ),
    ),
    "simulate --heat": (
        "simulate N --loads 0.1 --fast --jobs 1 --heat O/heat.svg",
        row(
            (f"{ONE} {APART}", Refused("no links whose loads could be drawn")),
            ("two1 two0", Refused(FEW_HOSTS)),
            ("two4 twin4", {"ended": "done"}),
        ),
    ),
    "resilience": (
        "resilience N --samples 5 --levels 0.5,0.9",
        row(
            (f"{ONE} {APART}", Refused(NO_LINK)),
            (TWO, {"exact": 0.0, "threshold": 0.0}),
            ("twin4", {"exact": 0.5, "threshold": 0.5}),
        ),
    ),
    "resilience --fail switches": (
        "resilience N --fail switches --samples 5 --levels 0.5,0.9",
        row((ONE, {"exact": 0.0, "units": 1}), (LINKED, {"exact": 0.5, "units": 2}), (APART, Refused(IN_PARTS))),
    ),
    "outage": (
        "outage N 0",
        row(
            (ONE, Refused("no switch is left")),
            ("two4 twin4", {"cut_off": 2}),
            ("two1", {"cut_off": 1}),
            ("two0", {"cut_off": 0}),
            (APART, Refused("in parts before any loss")),
        ),
    ),
    "losses": (
        "losses N",
        row(
            ("one4 two4 twin4", {"hosts": 4, "planes": 1}),
            ("one1 two1", {"hosts": 1}),
            ("one0 two0 apart0", Refused(_HOSTLESS)),
            ("apart4 apart1", Refused("in parts that neither links nor hosts join.*join them first")),
        ),
    ),
    "app": (
        "app N --app alltoall:bytes=64 --simulator flows -o O/app",
        row(
            ("one4", {"ranks": 4, "link_bytes_total": 0.0, "communication_most": 1.0}),
            ("one1 two1 apart1", Refused(f"alltoall: {ONE_RANK}")),
            ("one0 two0 apart0", Refused(NO_HOSTS)),
            ("two4 twin4", {"ranks": 4, "link_bytes_total": 512.0}),
            ("apart4", Refused(PARTS)),
        ),
    ),
    "collective": (
        "collective N --bytes 4096 -o O/schedule.json",
        row(
            ("one4", {"seconds": 1.6288e-6, "messages": 24, "depth": 1}),
            ("one1 two1", {"seconds": 0.0, "messages": 0}),
            ("one0 two0 apart0", Refused(NO_HOSTS)),
            ("two4 twin4", {"ranks": 4, "messages": 24, "fullest_s": 1.2288e-6}),
            ("apart4 apart1", Refused(PARTS)),
        ),
    ),
    "collective --bound": (
        "collective N --bytes 4096 --bound",
        row(
            ("one4 two4 twin4", {"seconds": 1.4288e-6, "bus_gbps": 40.0}),
            ("one1 two1 apart1", {"seconds": 0.0}),
            ("one0 two0 apart0", Refused(NO_HOSTS)),
            ("apart4", Refused("no path joins host 0 and host 2")),
        ),
    ),
    "verify": ("verify N", row((JOINED, {"clean": True, "errors": 0}), (APART, {"clean": False, "errors": 1}))),
    "export": (
        "export N opensm --output O/fabric",
        row(
            ("one4 one1 two4 two1 twin4", {"virtual_channel_rule": "pair"}),
            ("one0 two0", Refused("no hosts, so there is nothing to address")),
            (APART, Refused(PARTS)),
        ),
    ),
    "lifetime": (
        "lifetime N --link-fit 100",
        row((ONE, Refused(ONE_SWITCH)), (LINKED, {"link_fit": 100.0, "of": "switches"}), (APART, Refused(IN_PARTS))),
    ),
    "lifetime --of hosts": (
        "lifetime N --link-fit 100 --of hosts",
        row(
            ("one4 one1", Refused(ONE_SWITCH)),
            ("one0 two0 apart0", Refused("no switch carries hosts; use --of switches, or add hosts")),
            ("two1 apart1", Refused("only one switch has hosts.*use --of switches, or add hosts to other switches")),
            ("two4 twin4", {"link_fit": 100.0, "of": "hosts"}),
            ("apart4", Refused(IN_PARTS)),
        ),
    ),
    "degradation": (
        "degradation N --shares 50%",
        row((f"{ONE} {APART}", Refused(NO_LINK)), (LINKED, {"fail": "links"})),
    ),
    "damage": (
        "damage N --share 50% --output O/left.json",
        row((f"{ONE} {APART}", Refused(NO_LINK)), (TWO, {"links": 0}), ("twin4", {"links": 1})),
    ),
    "damage --fail switches": (
        "damage N --fail switches --share 50% --output O/left.json",
        row((ONE, Refused("no switch is left; let a smaller share fail")), (f"{LINKED} {APART}", {"switches": 1})),
    ),
    "verify-tables": (
        "verify-tables N N",
        row(
            ("one0 two0 apart0", Refused("no hosts, so there is nothing to route to")),
            ("one4 one1 two4 two1 apart4 apart1 twin4", Refused("is not a line of forwarding tables")),
        ),
    ),
    "repair": (
        "repair N N N",
        row(
            ("one0 two0 apart0", Refused("no hosts, so there is nothing to route to")),
            ("one4 one1 two4 two1 apart4 apart1 twin4", Refused("is not a line of forwarding tables")),
        ),
    ),
    "verify the cabling": (
        "verify N N --match shape",
        row(
            *[
                (name, {"comparison": {"right_cables": len(net.links) + net.endpoints.size, "missing_cables": 0}})
                for name, net in NETWORKS.items()
            ]
        ),
    ),
    "watch": (
        "watch N N -o O/sheets",
        row(*[(name, {"planned_cables": len(net.links) + net.endpoints.size}) for name, net in NETWORKS.items()]),
    ),
    "layout": (
        "layout N",
        row(
            (f"{ONE} {APART}", {"total_m": 0.0, "longest_m": 0.0, "racks": 1}),
            (TWO, {"total_m": 1.0, "links_between": 0}),
            ("twin4", {"total_m": 2.0, "mean_length_m": 1.0}),
        ),
    ),
    "expand": (
        "expand N --to 4 --radix 8",
        row(
            (f"{ONE} {APART}", Refused("it has no links into which a new switch could be inserted")),
            (TWO, Refused("state the number of its links")),
            ("twin4", {"switches": 4, "links": 4, "removed": 2, "added": 4}),
        ),
    ),
    "expand --into": (
        "expand N --into complete:n=4,hosts=4 -o O/grown --check",
        row((ALL, {"switches": 4, "hosts": 16, "links": 6})),
    ),
    "cost": (
        "cost N",
        row(
            ("one4", {"cost_usd": 1560.5, "cost_per_host_usd": 390.125, "length_m": 0.0}),
            ("one1", {"cost_usd": 1560.5, "cost_per_host_usd": 1560.5}),
            ("one0", {"cost_usd": 1560.5, "cost_per_host_usd": None, "power_per_host_w": None}),
            ("two4", {"cost_usd": 3160.4, "cost_per_host_usd": 790.1, "power_w": 39.2}),
            ("two1", {"cost_usd": 3160.4, "cost_per_host_usd": 3160.4}),
            ("two0", {"cost_usd": 3160.4, "cost_per_host_usd": None}),
            ("apart4 apart1 apart0", {"cost_usd": 3121.0, "length_m": 0.0}),
            ("twin4", {"cost_usd": 3199.8, "length_m": 2.0}),
        ),
    ),
    "report": ("report N", row((ALL, Refused("is no folder of a machine; 'topoloom design' writes")))),
    "facility": ("facility N", row((ONE, {"fullest_w": 19.6}), (f"{TWO} {APART} twin4", {"fullest_w": 39.2}))),
    "phases": (
        "phases N --hosts 2,4",
        row(
            ("one4 two4 apart4 twin4", {"moved": 0, "kind": "whole"}),
            ("one1 one0 two1 two0 apart1 apart0", Refused("the last phase has 4 hosts, which is beyond its capacity")),
        ),
    ),
    "compare": ("compare N --minutes 0.5", row((ALL, {"ended": "done", "objective": "cost_usd"}))),
}

#: Questions whose pages and pictures take seconds: the same cells, written into folders.
_WRITTEN = {
    "layout": "layout N -o O/plan --host-cables",
    "resilience --fail switches": "resilience N --fail switches --samples 5 --levels 0.5,0.9 -o O/curves",
    "compare": "compare N --minutes 0.5 -o O/compared --files all",
}
#: What takes no network from a file: what is asked, and what is printed of one switch or of two.
ALONE = {
    "rules": "TL101",
    "flat-or-tree 8 --radix 8 --traffic matching --no-growth": "throughput, matching",
    "methods": "splice",
    "manual -o O/share": "share/share",
    "manual --shell bash": "_topoloom_completion",
    "families complete --hosts 4 --radix 4": "complete:n=1,hosts=4\n",
    "build complete:n=1,hosts=4 -o O/one.json": "1 switches, 0 links, 4 hosts",
    "balance --rows 1 --columns 2 --degrees 1-1 --lengths 1-1": "1  1  1.0000   1.0000   1.0000   1",
    "balance --rows 1 --columns 1": "error: --degrees begins at 3, and this floor has at most 0 links per switch; take a",
    "bounds --switches 1 --degree 0": "moore diameter *0",
    "bounds --switches 2 --degree 1": "moore diameter *1",
    "design O/need.toml -o O/designs --jobs 1": r"best of .*: fat tree, 1 switch of 8 ports\n  fat-tree:k=64,hosts=8",
    "study O/study.toml -o O/study": "3 of 3 tasks done, 0 failed",
    "new requirement -o O/new.toml --hosts 8 --switch 64x400 --yes": "next: topoloom design .*new.toml -o design",
    "new study -o O/new.toml --operation hops --network complete:n=1 --axis none --yes": "next: topoloom study .*new.toml",
    "examples": "ai-4k +requirement",
}
#: Served, not run: the explorer answers until somebody ends it, and shows what the other commands give.
_SERVED = {"serve"}

_REQUIREMENT = 'title = "one switch"\nhosts = 8\nshortlist = 1\nminutes = 0.02\n[switch]\nradix = 64\n'
_STUDY = """
title = "few switches"
operation = "hops"
[axes]
topology = ["complete:n=1,hosts=4", "complete:n=1", "complete:n=2,hosts=1"]
[run]
executor = "threads"
jobs = 1
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The networks as files."""
    folder = tmp_path_factory.mktemp("networks")
    for name, topology in NETWORKS.items():
        save(topology, folder / f"{name}.json")
    return folder


def _ran(words, network, folder):
    given = {"N": str(network), "O": str(folder)}
    return run(*[given.get(word, word.replace("O/", f"{folder}/", 1)) for word in words.split()])


def test_every_command_has_a_row():
    """Of this table, or among those that take no network."""
    commands = set(own_commands())
    asked = [words for words, _ in TABLE.values()] + list(ALONE)
    assert {words.split()[0] for words in asked} | _SERVED == commands


@pytest.mark.parametrize("question", TABLE)
def test_a_right_answer_or_a_sentence(question, saved, tmp_path):
    """Each cell of the row: exit code, figures or sentence, no traceback, no warning of NumPy, no nan in what is printed."""
    words, expected = TABLE[question]
    _check_row(words, expected, saved, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("question", _WRITTEN)
def test_so_it_is_with_all_files(question, saved, tmp_path):
    """Floor plans, sheets, pages and pictures of one switch and of two are drawn, too."""
    _check_row(_WRITTEN[question], TABLE[question][1], saved, tmp_path)


def _check_row(words, expected, saved, tmp_path):
    for name in TRIED:
        folder = tmp_path / name
        folder.mkdir()
        done = _ran(f"{words} --json", saved / f"{name}.json", folder)
        assert "Traceback" not in done.err, (name, done.err)
        assert not done.warned, (name, done.warned)
        if isinstance(expected[name], Refused):
            assert done.code == 2, (name, done.code, done.out)
            check_sentence(done.error, expected[name])
            continue
        assert done.code in (0, 3), (name, done.err)
        assert "NaN" not in done.out
        check_value(done.record, expected[name], name)
        # For people: without the files, which are written once.
        printed = _ran(re.sub(" -o O/.*$", "", words), saved / f"{name}.json", folder)
        assert printed.code == done.code, printed.err
        assert not {"nan", "inf", "None"} & set(printed.out.replace(",", " ").split()), (name, printed.out)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("words", ALONE)
def test_commands_that_take_no_network(words, tmp_path):
    """Specs and requirements that lead to one switch or two are answered as any others."""
    (tmp_path / "need.toml").write_text(_REQUIREMENT)
    (tmp_path / "study.toml").write_text(_STUDY)
    done = _ran(words, "", tmp_path)
    assert re.search(ALONE[words], done.out + done.err), done.out + done.err
    assert done.code == (2 if ALONE[words].startswith("error") else 0)
    assert not done.warned, done.warned
    assert "Traceback" not in done.err


def test_a_cell_of_the_simulation_has_its_figures(saved):
    """One switch accepts what is offered in as many cycles as its pipeline has; between two a hop more is passed."""
    point = run("simulate", saved / "one4.json", "--loads", "0.1", "--fast", "--json").record["points"][0]
    assert point["accepted"] == pytest.approx(0.1, rel=0.05)
    assert point["hops_mean"] == 1
    point = run("simulate", saved / "two4.json", "--loads", "0.1", "--fast", "--json").record["points"][0]
    assert point["hops_mean"] == pytest.approx(1 + 2 / 3, rel=0.05)


def test_a_host_of_no_hosts_costs_nothing_that_is_a_number(saved):
    """`compare` of a network without hosts: no price of a host, which is null and not infinite."""
    record = run("compare", saved / "one0.json", "--minutes", "0.5", "--json").record
    figures = {one["key"]: one["value"] for one in record["networks"][0]["figures"]}
    assert figures["cost_per_host_usd"] is None
    assert figures["cost_usd"] == pytest.approx(1560.5)
    json.dumps(record, allow_nan=False)
