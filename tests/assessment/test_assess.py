"""Networks fully assessed: every figure is that of its operation, a budget leaves out and never guesses, a store goes on."""

import json
import shlex
from dataclasses import replace

import msgspec
import networkx
import pytest

import topoloom.designer.assessment.assess as assess_module
from topoloom import InputError, as_network, build, compare, quality, route, simulate
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.designer.assessment.assess import STEPS, assess
from topoloom.designer.assessment.assessment import Assessments, figure_keys
from topoloom.designer.assessment.reasons import Ranking, reasons
from topoloom.designer.assessment.subject import Subject
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import Case, run_apps

SPECS = ("slimfly:q=3,hosts=2", "fat-tree:k=4")


def _subject(spec: str, **changes) -> Subject:
    return Subject(as_network(spec).placed(map="rows", parts="slimfly-2014", rate_gbps=40.0), **changes)


def _lines(store) -> list[dict]:
    """What a store has kept, line by line."""
    return [json.loads(line) for path in store.glob("steps/*.jsonl") for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def whole() -> Assessments:
    """Both networks, all steps."""
    return assess([_subject(spec) for spec in SPECS], objective="cost_per_host_usd")


def test_every_step_has_figures_with_how_they_were_got(whole):
    """Nothing is missing without a budget; each figure says how, and its interval holds its value."""
    for one in whole.networks:
        assert one.missing == ()
        assert {figure.group for figure in one.figures} == {step.group for step in STEPS}
        for figure in one.figures:
            assert figure.how, figure.key
            if figure.value is not None and figure.low is not None:
                assert figure.low <= figure.value + 1e-12
                assert figure.high is None or figure.value <= figure.high + 1e-12


def test_figures_are_those_of_the_verbs(whole):
    """Throughput and latency are what `quality` and `simulate` say of the tables of the engine that fits."""
    one = next(one for one in whole.networks if one.spec == build("fat-tree:k=4").spec)
    routing = route(build("fat-tree:k=4"), "fat-tree-hosts")
    assert one.provenance.engine == routing.engine
    by_operation = quality(routing)
    assert one.value("uniform_throughput") == by_operation.uniform_throughput
    assert one.value("uniform_throughput") == pytest.approx(1.0), "with a table for each host a whole fat tree is full"
    assert one.value("worst_throughput") == by_operation.worst_throughput
    assert one.quality == by_operation
    point = simulate(route(build("fat-tree:k=4"), "fat-tree-hosts"), loads=[0.3], fast=True).points[0]
    assert one.value("latency_30_cycles") == point.latency_mean
    assert one.value("accepted_30") == point.accepted


def test_the_best_is_first(whole):
    """By the objective, and whatever order they were given in."""
    costs = [one.value("cost_per_host_usd") for one in whole.networks]
    assert costs == sorted(costs)


@pytest.mark.exhaustive
def test_a_budget_omits_steps_and_says_so():
    """No time: only the cheap steps are done; nothing is guessed, and everything that is missing is named."""
    found = assess([_subject(SPECS[0])], seconds=1e-9)
    (one,) = found.networks
    assert found.ended == "deadline"
    assert {figure.group for figure in one.figures} == {step.group for step in STEPS if step.cheap}
    assert one.value("deadlock_free") == 1
    assert one.value("uniform_throughput") is not None
    assert [missing.step for missing in one.missing] == [step.name for step in STEPS if not step.cheap]
    assert all("budget" in missing.reason for missing in one.missing)


@pytest.mark.exhaustive
def test_what_was_found_is_kept_and_found_again(tmp_path, whole):
    """A run that is stopped, and one after it, give what one run gives; the second does no step twice."""
    work = Work(on_progress=lambda progress: work.stop() if progress.what == "steps" and progress.done >= 4 else None)
    first = assess([_subject(spec) for spec in SPECS], objective="cost_per_host_usd", store=tmp_path, work=work)
    assert first.ended == "interrupted"
    kept = [line["key"] for line in _lines(tmp_path)]
    assert kept
    second = assess([_subject(spec) for spec in SPECS], objective="cost_per_host_usd", store=tmp_path)
    assert second.record()["networks"] == whole.record()["networks"]
    keys = [line["key"] for line in _lines(tmp_path)]
    assert set(kept) < set(keys)
    assert len(keys) == len(set(keys)), "no step is done twice"


@pytest.mark.exhaustive
def test_time_that_is_left_over_makes_intervals_narrower(whole, tmp_path):
    """With a budget that is not used up, draws are repeated: means with intervals, the same by hand, and kept in the store."""
    subject = _subject(SPECS[0])
    (one,) = assess([subject], seconds=1000, store=tmp_path).networks
    (once,) = (network for network in whole.networks if network.spec == one.spec)
    reduced, single = one.figure("all_reduce_ms"), once.figure("all_reduce_ms")
    assert single.low is None
    assert "one draw" in single.how
    assert "random*16" in reduced.by_hand
    assert reduced.low < reduced.value < reduced.high
    by_hand = run_apps(
        [Case("slimfly", subject.routed(Work()).host_tables, subject.layout, 1)],
        [shlex.split(reduced.by_hand)[4]],
        32,
        ["random*16"],
        settings=AppSettings(rate_gbps=40, switch_ns=subject.switch_ns, cable_ns_per_m=subject.cable_ns_per_m),
        simulator="flows",
    )
    assert reduced.value == pytest.approx(1e3 * by_hand.compared[0].mean, rel=1e-12)
    saturated, wider = one.figure("saturation"), once.figure("saturation")
    assert saturated.high - saturated.low == pytest.approx((wider.high - wider.low) / 4)
    assert wider.low <= saturated.low <= wider.high
    (again,) = assess([_subject(SPECS[0])], seconds=1, store=tmp_path).networks
    assert again.figures == one.figures, "what a longer run has kept is taken by a shorter one"


def test_a_step_that_more_draws_would_not_fit_keeps_what_it_has(monkeypatch):
    """Nothing is lost when the time is over amid the second round."""
    monkeypatch.setattr(assess_module, "STEPS", tuple(step for step in STEPS if step.name in ("tables", "all-to-all")))

    def endless(subject, work, effort):
        raise Stopped("over")

    endless_steps = tuple(replace(step, finer=endless) if step.finer else step for step in assess_module.STEPS)
    monkeypatch.setattr(assess_module, "STEPS", endless_steps)
    (one,) = assess([_subject(SPECS[0])], seconds=60).networks
    assert one.figure("all_to_all_ms").value is not None
    assert one.missing == ()


@pytest.mark.exhaustive
def test_a_store_that_is_damaged_is_worked_out_again(tmp_path):
    """Half a file, as a full disk leaves it, is as good as none."""
    assess([_subject(SPECS[0])], seconds=2, store=tmp_path)
    for path in tmp_path.glob("steps/*.jsonl"):
        path.write_bytes(path.read_bytes()[:-20])
    found = assess([_subject(SPECS[0])], seconds=2, store=tmp_path)
    assert found.networks[0].value("cost_usd") is not None


def test_the_record_is_read_back(whole):
    """JSON there and back again."""
    assert Assessments.from_record(json.loads(json.dumps(whole.record()))).record() == whole.record()


def test_keys_of_all_networks_keep_the_order_of_the_steps(whole):
    """A key that only one network has stands where that network has it."""
    keys = figure_keys(whole.networks)
    for one in whole.networks:
        own = [figure.key for figure in one.figures]
        assert [key for key in keys if key in set(own)] == own


@pytest.mark.exhaustive
def test_names_topologies_graphs_and_folders_are_compared():
    """A spec, a Topology, a graph of NetworkX: the same network gives the same figures."""
    graph = networkx.petersen_graph()
    found = compare(["petersen", build("petersen"), graph], minutes=0.2, minimize="max_hops", reference=0)
    assert [one.value("max_hops") for one in found.networks] == [2, 2, 2]
    assert found.reference == "Petersen graph, 10 switches of 3 ports (1)"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"networks": []}, "no network given"),
        ({"networks": ["petersen"], "reference": 3}, "there are 1 networks"),
        ({"networks": [7]}, "not 7, an int"),
        ({"networks": ["petersen"], "minimize": "beauty"}, "no network has a figure with this key"),
        ({"networks": ["slimfly:q=6"]}, "q=6"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(given, words):
    """The place and the remedy."""
    with pytest.raises(InputError, match=words):
        compare(**given)


@pytest.mark.exhaustive
def test_lanes_that_switches_do_not_have_are_refused_and_the_rest_goes_on():
    """One virtual channel is too few for a torus: no tables, and the reason; the bill stands."""
    found = assess([_subject("torus:dims=5x5,hosts=2", virtual_channels=1)], seconds=20)
    one = found.networks[0]
    assert one.value("cost_usd") is not None
    assert one.value("virtual_channels") in (None, 1)


def test_sentences_say_what_changed_prices_change(whole):
    """Two networks of one price: with dearer cables the one with less of them wins, and the sentence says so."""
    first, second = whole.networks
    even = tuple(1000.0 for _ in whole.networks)
    told = reasons((first, second), Ranking("cost_usd", "cost", "USD", even, hosts=60))
    shares = [
        sum(line.cost_usd for line in one.bill.lines if line.kind == "switch") / one.bill.cost_usd
        for one in (first, second)
    ]
    dear = int(shares[0] < shares[1])  # more of its price are switches
    assert "switches 20% cheaper" in told[1] or "switches 20% more expensive" in told[1] or dear == 0
    assert told[0].startswith("1st: cost 1,000 USD")
    assert told[1].startswith("2nd: cost 1,000 USD, the same as")


def test_sentences_of_other_objectives_do_not_speak_of_prices(whole):
    """Hops have no price."""
    told = reasons(whole.networks, Ranking("max_hops", "hops", "", (2.0, 4.0)))
    assert not any("cheaper" in text for text in told)
    assert "100.0% higher" in told[1]


def test_growth_decides_the_sentence_of_more_hosts(whole):
    """With room for 10 % more a network stays as it is; else its plan's cost counts, and without a plan it has no rank."""
    costs = tuple(one.bill.cost_usd for one in whole.networks)
    roomy = reasons(whole.networks, Ranking("cost_usd", "cost", "USD", costs, hosts=12))
    assert all("has idle ports for 10% more hosts" in text for text in roomy)
    tight = reasons(whole.networks, Ranking("cost_usd", "cost", "USD", costs, hosts=10_000))
    for one, text in zip(whole.networks, tight, strict=True):
        more = one.value("growth_10_usd")
        assert ("Growth was not planned" in text) == (more is None)


def test_the_record_holds_plain_types_only(whole):
    """JSON types, and a digest-free description of the layout: nothing of NumPy."""
    msgspec.json.encode(whole.record())
