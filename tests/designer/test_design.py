"""The main job: needs, candidates, limits, ranking, store."""

import csv
import io
import json
import multiprocessing
import re
from pathlib import Path

import jsonschema
import msgspec
import pytest

from in_process import run
from topoloom import InputError, build, design
from topoloom.core.work import Work
from topoloom.designer import measuring
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.design import Design
from topoloom.designer.measure import measure
from topoloom.designer.outcomes import Candidate, Dropped, single_numbers
from topoloom.designer.pareto import pareto_front
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import read_requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, FloorRequirement, SwitchRequirement
from topoloom.figures.style import sheet
from topoloom.model.schemas import json_schema
from topoloom.report.design_files import candidates_csv, write_design
from topoloom.report.design_tables import why_dropped

_EXAMPLES = Path(__file__).parents[2] / "examples"
_FEW = FamiliesRequirement(only=("slimfly", "dragonfly", "hypercube", "jellyfish", "fat-tree"))


@pytest.fixture(scope="module")
def usual():
    """The design of the requirement as it stands."""
    return design(_requirement(), jobs=1)


def _requirement(**changes) -> Requirement:
    return msgspec.structs.replace(
        Requirement(hosts=200, switch=SwitchRequirement(radix=16), families=_FEW, shortlist=0), **changes
    )


@pytest.mark.parametrize("path", sorted(_EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_examples_are_needs_that_families_serve(path):
    """Every example is read, and candidates of all its families, or of many, are proposed for it."""
    requirement = read_requirement(path)
    proposals = enumerate_candidates(requirement, requirement.catalogue())
    asked = set(requirement.families.only)
    families = {p.spec.partition(":")[0] for p in proposals if p.passed is None}
    assert families >= asked if asked else len(families) > 10


def test_every_ranked_candidate_is_within_the_limits_and_in_order():
    """What is ranked serves the need; what is dropped names its limit; the objective never falls down the ranking."""
    limits = DesignLimits(diameter=3, oversubscription=1.5, cost_per_host_usd=2500)
    found = design(_requirement(limits=limits), jobs=1)
    assert found.ranked
    for c in found.ranked:
        assert c.hosts >= 200
        assert c.radix <= 16
        assert c.diameter <= 3
        assert c.oversubscription <= 1.5 * (1 + 1e-9)
        assert c.cost_per_host_usd <= 2500
    costs = [c.cost_usd for c in found.ranked]
    assert costs == sorted(costs)
    assert sum(found.dropped_by.values()) == len(found.dropped)
    assert all(c.limit for c in found.dropped)
    assert found.unmeasured == 0


def test_the_measures_are_those_of_the_single_commands():
    """A candidate's numbers are those that `info` and `cost` give for its spec."""
    from topoloom import hops, place, price

    requirement = _requirement()
    found = measure("slimfly:q=5,hosts=4", requirement, requirement.catalogue())
    topology = build("slimfly:q=5,hosts=4")
    assert found.diameter == 2
    assert found.host_aspl == pytest.approx(hops(topology).host_aspl)
    assert found.cost_per_host_usd == pytest.approx(price(place(topology)).cost_per_host_usd)
    assert found.oversubscription == pytest.approx(4 / (7 * 50 / (2 * 50 - 7 - 2)))
    # Two hops, three switches of 100 ns, two cables; the longest pair of cables is a few metres.
    assert 300 < found.worst_latency_ns < 400


def test_the_best_is_placed_as_a_layout_is():
    """The winner's numbers are those of the default placement, the others' of rows; each says which, also in a record."""
    from topoloom import place, price

    found = design(_requirement(families=FamiliesRequirement(only=("jellyfish", "hypercube", "torus"))), jobs=1)
    assert {c.map for c in found.ranked[1:]} == {"rows"}
    assert found.winner.map == "joint"
    topology = build(found.winner.spec)
    assert found.winner.cost_per_host_usd == price(place(topology)).cost_per_host_usd
    assert found.winner.mean_cable_m <= place(topology, map="rows").mean_length_m
    assert found.layout.length_m.tolist() == place(topology).length_m.tolist()
    assert [row["map"] for row in found.rows()[:2]] == ["joint", "rows"]


@pytest.mark.exhaustive
def test_the_rows_stay_where_a_search_passes_a_limit():
    """A limit that the winner keeps row by row, and that its shortest cables would pass, keeps it row by row."""
    from topoloom.designer.measure import measured_by_default_placement

    requirement = _requirement()
    parts = requirement.catalogue()
    some = measure("slimfly:q=5,hosts=4", requirement, parts)
    tight = msgspec.structs.replace(requirement, limits=DesignLimits(longest_cable_m=some.longest_cable_m / 2))
    assert measured_by_default_placement(some, tight, parts) is None
    assert measured_by_default_placement(some, requirement, parts) is not None


def test_the_objective_chooses():
    """Minimising latency puts the lowest latency first."""
    found = design(_requirement(minimize="mean_latency_ns"), jobs=1)
    assert found.winner.mean_latency_ns == min(c.mean_latency_ns for c in found.ranked)


def test_the_pareto_front_is_what_nothing_beats():
    """A point is on the front exactly when no other is at least as good in all and better in one."""
    points = {"a": (1, 5, 1), "b": (2, 4, 1), "c": (2, 5, 1), "d": (3, 3, 3), "e": (1, 5, 1)}
    some = measure("slimfly:q=5,hosts=4", _requirement(), _requirement().catalogue())
    front = pareto_front(
        [
            msgspec.structs.replace(some, spec=s, cost_per_host_usd=c, mean_latency_ns=t, bisection_per_host=w)
            for s, (c, t, w) in points.items()
        ]
    )
    assert front == {"a", "b", "d", "e"}


def test_theory_never_drops_what_measuring_would_keep():
    """A candidate that the bounds drop before it is built is, when measured, past that limit."""
    requirement = _requirement(limits=DesignLimits(diameter=2, oversubscription=1.0, worst_latency_ns=420))
    dropped = [p for p in enumerate_candidates(requirement, requirement.catalogue()) if p.passed is not None]
    assert dropped
    for proposal in dropped:
        assert isinstance(measure(proposal.spec, requirement, requirement.catalogue()), Dropped), proposal


def test_least_cost_is_a_lower_bound():
    """The cost that decides what is pursued is never above the true one."""
    requirement = _requirement()
    for proposal in enumerate_candidates(requirement, requirement.catalogue()):
        found = measure(proposal.spec, requirement, requirement.catalogue())
        known = single_numbers(found) if isinstance(found, Candidate) else found.known
        if "cost_per_host_usd" in known:
            assert proposal.least_usd <= known["cost_per_host_usd"] + 1e-6, proposal


def test_a_second_run_measures_nothing_again(tmp_path):
    """What the first run stored is reused, also under other limits, and gives the same design."""
    first = design(_requirement(), store=tmp_path, jobs=1)
    again = design(_requirement(), store=tmp_path, jobs=1)
    assert again.reused == len(first.ranked) + len([c for c in first.dropped if c.known])
    assert again.ranked == first.ranked
    other = design(_requirement(limits=DesignLimits(diameter=3)), store=tmp_path, jobs=1)
    assert all(c.diameter <= 3 for c in other.ranked)
    assert design(_requirement(rate_gbps=80), store=tmp_path, jobs=1).reused == 0


def test_a_broken_store_is_measured_again(tmp_path):
    """A damaged file in the store is as good as none."""
    design(_requirement(), store=tmp_path, jobs=1)
    for path in tmp_path.rglob("*.jsonl"):
        path.write_text("".join(line[:40] + "\n" for line in path.read_text().splitlines()))
    assert design(_requirement(), store=tmp_path, jobs=1).reused == 0


@pytest.mark.exhaustive
def test_processes_and_one_process_agree():
    """The design does not depend on how many processes measured it."""
    assert design(_requirement(), jobs=2).ranked == design(_requirement(), jobs=1).ranked


def test_an_interrupt_keeps_what_was_measured(tmp_path):
    """Ctrl-C in the middle: the design is made of what is known, and says how much is missing."""
    seen = []

    def stop(candidate):
        seen.append(candidate)
        if len(seen) == 5:
            raise KeyboardInterrupt

    found = design(_requirement(), store=tmp_path, jobs=1, work=Work(on_result=stop))
    assert found.ended == "interrupted"
    assert found.unmeasured > 0
    assert len(found.ranked) + len([c for c in found.dropped if c.known]) == 5
    assert design(_requirement(), store=tmp_path, jobs=1).unmeasured == 0


def test_a_room_that_is_too_small_drops_by_floor():
    """Candidates whose racks do not fit are dropped, with the room named as the reason."""
    found = design(_requirement(floor=FloorRequirement(rows=1, columns=2, switches_per_rack=8)), jobs=1)
    assert found.dropped_by["floor"] > 0
    assert any("1 x 2 = 2 places" in (c.reason or "") for c in found.dropped)


def test_when_nothing_serves_it_is_said():
    """More hosts than any family reaches on tiny switches: one sentence."""
    with pytest.raises(InputError, match="no family serves 1,000,000 hosts on 2-port switches"):
        design(
            Requirement(
                hosts=1_000_000, switch=SwitchRequirement(radix=2), families=FamiliesRequirement(only=("slimfly",))
            ),
            jobs=1,
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hosts = 100", "the key 'switch' is missing"),
        ("hosts = 100\n[switch]\nradix = 1", r":3: switch.radix = 1: it is a whole number from 2 to 4,096"),
        ("hosts = 1\n[switch]\nradix = 8", r":1: hosts = 1: it is a whole number from 2 to 1,000,000"),
        (
            "hosts = 100\nminimize = 'beauty'\n[switch]\nradix = 8",
            r':2: minimize = "beauty": it is one of "all_reduce_ms", "all_to_all_ms", .*"maximum_channel_load"',
        ),
        ("hosts = 100\n[switch]\nradix = 8\n[limits]\ndiametre = 3", r":5: .*did you mean diameter"),
        ("hosts = 100\n[switch]\nradix = 8\n[floor]\npreset = 'hall'", r":5: floor.preset: no floor named 'hall'"),
        (
            "hosts = 100\n[switch]\nradix = 8\n[families]\ntry = ['slimfy']",
            r":5: families.try: no family named 'slimfy'",
        ),
        (
            "hosts = 100\n[switch]\nradix = 8\n[families]\nspecs = ['torus:dims=0']",
            r":5: families.specs: torus: dims=0",
        ),
        ("hosts = 100\nhosts = 200\n[switch]\nradix = 8", r":2: hosts is set twice"),
        ("hosts = 100\n[switch]\nradix = 8\n[room]\nrows = 2", r":4: there is no key 'room' \(did you mean floor\?\)"),
        ("[switch]\nradix = 8\nhosts = 100", r":3: there is no key 'hosts' in .*before the first \[table\]"),
        ("hosts = '3k'\n[switch]\nradix = 8", r":1: hosts = \"3k\": it is a whole number .*; write 3000"),
        ("hosts = 9\nminimize = 'cost'\n[switch]\nradix = 8", r":2: .*did you mean cost_usd\?"),
        (
            "hosts = 100\n[switch]\nproduct = 'QM9700'",
            r":3: switch.product: .*infiniband-2026 has it: set parts = \"infiniband-2026\"",
        ),
        (
            "hosts = 100\n[switch]\nradix = 8\n[host]\nnic = 'ConnectX-7'",
            r":5: host.nic: the catalogue 'slimfly-2014' has no interface 'ConnectX-7' \(.*has it",
        ),
        (
            "hosts = 100\n[switch]\nradix = 8\n[host]\nname = 'DGX H100'",
            r":5: host.name: the catalogue 'slimfly-2014' has no server 'DGX H100'",
        ),
        (
            "hosts = 100\n[switch]\nradix = 8\n[least]\ngrow_to_hosts = 50",
            r":5: least.grow_to_hosts: 50 is below hosts = 100",
        ),
        ("hosts = 100\nparts = 'gold'\n[switch]\nradix = 8", r":2: parts: no parts catalogue named 'gold'"),
        ("hosts = 100\nparts = 'gold.toml'\n[switch]\nradix = 8", r":2: parts: .*gold.toml cannot be read"),
        (
            "hosts = 100\nparts = 'nakano-2016'\n[switch]\nradix = 8",
            r":2: parts: the catalogue 'nakano-2016' has no prices",
        ),
    ],
)
def test_a_wrong_need_is_told_by_key_and_line(tmp_path, text, words):
    """The requirement file's mistakes name the file, the line and the key."""
    path = tmp_path / "need.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_requirement(path)


@pytest.mark.exhaustive
def test_what_was_not_measured_is_not_printed():
    """A candidate dropped before its latency was measured has an empty cell there, not a zero."""
    found = design(_requirement(limits=DesignLimits(diameter=2, cost_per_host_usd=1000)), jobs=1)
    table = list(csv.DictReader(io.StringIO(candidates_csv(found))))
    early = [row for row in table if row["dropped"] == "cost_per_host_usd"]
    assert early
    assert all(row["mean_latency_ns"] == "" and float(row["cost_per_host_usd"]) > 1000 for row in early)


@pytest.mark.exhaustive
def test_a_design_without_a_winner_leaves_no_old_winner(tmp_path):
    """Files of an earlier winner in the same folder are taken away."""
    write_design(design(_requirement(), jobs=1), tmp_path)
    assert (tmp_path / "topology.json").exists()
    write_design(design(_requirement(limits=DesignLimits(cost_per_host_usd=1)), jobs=1), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "design.json", "candidates.csv"}


@pytest.mark.exhaustive
def test_the_files_of_a_design_agree_with_it(tmp_path):
    """topology.json is the winner, cables.csv has every cable of it, bill.csv adds up, candidates.csv has all."""
    from topoloom import load

    found = design(_requirement(), jobs=1)
    write_design(found, tmp_path)
    winner = load(tmp_path / "topology.json")
    assert winner == build(found.winner.spec)
    rows = list(csv.DictReader((tmp_path / "cables.csv").open()))
    links = [row for row in rows if row["kind"] == "link"]
    assert len(links) == len(winner.links)
    assert all(row["length_m"] and row["medium"] in ("electric", "fibre") and row["a_rack"] for row in links)
    assert load(tmp_path / "cables.csv") == winner
    bill = list(csv.DictReader((tmp_path / "bill.csv").open()))
    assert float(bill[-1]["cost_usd"]) == pytest.approx(found.winner.cost_per_host_usd, abs=1e-3)
    table = list(csv.DictReader(io.StringIO(candidates_csv(found))))
    assert len(table) == len(found.ranked) + len(found.dropped)
    assert table[0]["spec"] == found.winner.spec
    assert (tmp_path / "floorplan.svg").read_text().startswith("<svg")
    decoded = msgspec.json.decode((tmp_path / "design.json").read_bytes())
    assert decoded["best"] == found.winner.spec


def test_a_design_is_a_record_and_comes_back(tmp_path):
    """Saved and loaded it is the same, down to the need; its table has one row per candidate; equal runs have equal records."""
    limits = DesignLimits(diameter=3)
    found = design(_requirement(limits=limits), jobs=1)
    found.save(tmp_path / "design.json")
    again = Design.load(tmp_path / "design.json")
    assert again.record() == found.record()
    assert (again.requirement, again.winner, again.pareto) == (found.requirement, found.winner, found.pareto)
    assert len(found.rows()) == len(found.ranked) + len(found.dropped)
    assert design(_requirement(limits=limits), jobs=2).record() == found.record()
    jsonschema.validate(found.record(), json_schema(Design))


def test_a_design_of_the_first_release_is_read(usual, tmp_path):
    """The record of 0.1, which had a format and a version, gives the same design."""
    record = usual.record()
    old = {key: record[key] for key in ("requirement", "ranked", "dropped", "dropped_by", "pareto", "unmeasured")}
    old |= {"format": "topoloom-design", "version": 1, "made_by": "topoloom 0.1.0", "winner": record["best"]}
    old["requirement"] = {**old["requirement"], "compare": ["004/table-iv"]}
    (tmp_path / "old.json").write_text(json.dumps(old))
    again = Design.load(tmp_path / "old.json")
    assert again.ranked == usual.ranked
    assert again.provenance.version == "0.1.0"
    assert again.requirement.compare == ("besta-2014/table-iv",)


def test_a_design_draws_itself(usual):
    """Cost against latency on the axes it is given; without a candidate that is refused in a sentence."""
    axes = sheet(5, 4).add_subplot()
    assert usual.plot(axes) is axes
    assert axes.get_xlabel() == "cost [USD per host]"
    with pytest.raises(InputError, match="nothing to draw"):
        design(_requirement(limits=DesignLimits(cost_per_host_usd=1)), jobs=1).plot()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_deadline_and_a_stop_keep_what_was_measured(tmp_path, jobs):
    """The design says how it ended; nothing is measured twice afterwards, and no process is left."""
    late = design(_requirement(), store=tmp_path, jobs=jobs, work=Work(seconds=1e-9))
    assert (late.ended, late.unmeasured > 0) == ("deadline", True)
    work = Work(on_result=lambda candidate: work.stop())
    found = design(_requirement(), store=tmp_path, jobs=jobs, work=work)
    assert found.ended == "interrupted"
    assert found.unmeasured > 0
    whole = design(_requirement(), store=tmp_path, jobs=1)
    assert (whole.ended, whole.unmeasured) == ("done", 0)
    assert whole.reused >= 1
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("seconds", [1000.0, 0.0])
def test_processes_and_this_one_measure_alike(monkeypatch, usual, seconds):
    """Candidates for few hosts need no processes as long as they take less than starting them; the design is the same."""
    monkeypatch.setattr(measuring, "_ALONE_S", seconds)
    started, pool = [], measuring.ProcessPoolExecutor
    monkeypatch.setattr(
        measuring, "ProcessPoolExecutor", lambda *given, **more: started.append(1) or pool(*given, **more)
    )
    found = design(_requirement(), jobs=2)
    assert len(started) == (seconds == 0.0)
    assert found.ranked == usual.ranked
    assert not multiprocessing.active_children()


@pytest.mark.exhaustive
def test_a_million_hosts_have_an_answer():
    """What nobody could measure is omitted before it is built; the rest ends at the deadline, whatever is running."""
    requirement = Requirement(
        hosts=1_000_000, switch=SwitchRequirement(radix=64), families=FamiliesRequirement(preset="everything")
    )
    found = design(requirement, jobs=2, work=Work(seconds=5))
    assert found.ended == "deadline"
    assert found.dropped_by["size"] > 100
    assert not multiprocessing.active_children()


def test_without_candidates_the_terminal_says_what_to_change(tmp_path):
    """The limit that drops most, an example with large numbers in digits, and the remedy."""
    path = tmp_path / "r.toml"
    path.write_text(
        "hosts = 400\nshortlist = 0\nusual = false\n[switch]\nradix = 24\n[limits]\ncost_usd = 12e4\n"
        "[families]\ntry = ['fat-tree']\n"
    )
    shown = run("design", str(path), "-o", str(tmp_path / "out"), "--jobs", "1").out
    assert re.search(
        r"cost_usd drops most, such as fat-tree:\S+: [0-9,]+, at most 120,000; raise cost_usd under", shown
    )
    assert (
        why_dropped(
            Dropped("x", "x", "cost_usd"),
            Requirement(hosts=2, switch=SwitchRequirement(radix=2), limits=DesignLimits(cost_usd=12e6)),
        )
        == "at most 12,000,000"
    )


def test_arguments_replace_keys_of_the_requirement():
    """The shortlist, its time and its draws; a value out of range is one sentence. What is shown of a design is one line."""
    result = design(_requirement(shortlist=6), shortlist=0, minutes=0.5, repeats=2, jobs=1)
    asked = result.requirement
    assert (asked.shortlist, asked.minutes, asked.repeats) == (0, 0.5, 2)
    assert result.shortlist == ()
    counts = f"{len(result.ranked)} ranked, {len(result.dropped)} dropped, 0 fully assessed"
    assert repr(result) == f"Design(200 hosts: {result.winner.spec}; {counts})"
    with pytest.raises(InputError, match=r"^design: minutes = -1: it is a number above 0"):
        design(_requirement(), minutes=-1)
