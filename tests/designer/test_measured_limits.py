"""Limits are tested against what the tables carry: formulas only filter, and a network that fails leaves the ranking."""

import json

import pytest

from topoloom import design
from topoloom.core.work import Work
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.measured_limits import (
    chosen_within_limits,
    failed_by_assessment,
    failed_limit,
    failed_on_tables,
    needed_throughput,
    within_tolerance,
)
from topoloom.designer.outcomes import Candidate
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement


def _wanted(**limits: float) -> Requirement:
    return Requirement(
        hosts=64,
        switch=SwitchRequirement(radix=8),
        families=FamiliesRequirement(only=("jellyfish", "fat-tree")),
        limits=DesignLimits(**limits),
        usual=False,
        shortlist=2,
        minutes=100,
        repeats=1,
    )


@pytest.mark.parametrize(
    ("limits", "needed"),
    [
        ({}, 0.0),
        ({"oversubscription": 2.0}, 0.5),
        ({"oversubscription": 0.5}, 1.0),
        ({"oversubscription": 2.0, "maximum_channel_load": 1.0}, 1.0),
        ({"diameter": 3}, 0.0),
    ],
)
def test_what_limits_need(limits, needed):
    """An oversubscription of 2 needs half of the hosts' rate; no network carries more than all of it."""
    assert needed_throughput(_wanted(**limits))[0] == needed


@pytest.mark.parametrize(
    ("throughput", "words"),
    [
        (0.4925, "0.4925 is 1.5% below the 0.5 of the limit oversubscription; up to 2% are allowed"),
        (0.5, ""),
        (0.48, ""),
    ],
)
def test_a_throughput_within_the_tolerance_is_named(throughput, words):
    """A network that misses a limit by less than 2 % says so; one that fails is dropped with its own reason."""
    figure = Figure(key="uniform_throughput", label="uniform", unit="", value=throughput, how="measured")
    network = Assessment(name="a network", spec=None, hosts=64, figures=(figure,))
    sentence = within_tolerance(_wanted(oversubscription=2.0), network)
    assert words in sentence
    assert bool(sentence) == bool(words)
    assert within_tolerance(_wanted(), network) == ""


def test_a_throughput_below_the_need_fails_and_a_rounding_does_not():
    """Within 2 %, as partly filled leaves are not exactly even; unknown figures fail nothing; paths count, too."""
    wanted = _wanted(oversubscription=2.0, diameter=4)
    assert failed_limit(wanted, 0.495, 4, "orders") is None
    assert failed_limit(wanted, None, None, "") is None
    assert failed_limit(wanted, 0.229, 4, "orders")[0] == "oversubscription"
    limit, reason = failed_limit(wanted, 0.6, 5, "updown")
    assert limit == "diameter"
    assert reason == "measured on its tables (engine updown): paths of up to 5 hops, at most 4 are allowed"


@pytest.fixture(scope="module")
def found():
    """Random graphs are the cheapest, and carry less than their formula by single shortest paths."""
    return design(_wanted(oversubscription=1.0), jobs=1)


@pytest.mark.exhaustive
def test_a_random_graph_that_carries_too_little_is_not_first(found):
    """By its formula it has full bandwidth; its tables do not carry it: the record, the reason and the ranking say so."""
    failed = failed_on_tables(found.dropped)
    assert failed
    assert all(outcome.family == "jellyfish" and outcome.limit == "oversubscription" for outcome in failed)
    assert all("1 is needed" in outcome.reason for outcome in failed)
    specs = {outcome.spec for outcome in failed}
    assert found.best is not None
    assert found.best not in specs
    assert not specs & {candidate.spec for candidate in found.ranked}
    assert not specs & {assessment.spec for assessment in found.shortlist}
    for assessment in found.shortlist:
        assert failed_by_assessment(found.requirement, assessment) is None
        assert assessment.value("uniform_throughput") > 0.98
    assert len(found.ranked) + len(found.dropped) + found.unmeasured == sum(found.dropped_by.values()) + len(
        found.ranked
    )


@pytest.mark.exhaustive
def test_the_text_and_the_page_give_the_reason(found, tmp_path, capsys):
    """The same sentence in both, and in the record."""
    from topoloom.cli.commands.design import _print
    from topoloom.report.design_files import write_design

    reason = failed_on_tables(found.dropped)[0].reason
    _print(found)
    assert reason in capsys.readouterr().out
    write_design(found, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Not ranked, because their tables fail a limit" in page
    assert reason in page
    assert reason in json.dumps(found.record())


def test_networks_that_fail_are_replaced_until_enough_are_within_limits():
    """Two of three tested fail: the shortlist then has the next ones, and each spec is tested once."""
    specs = [f"ring:n={n},hosts=4" for n in (4, 5, 6)] + ["complete:n=6,hosts=4"]
    plain = dict.fromkeys(Candidate.__struct_fields__, 1) | {"hop_histogram": (1,), "survives": (), "map": "rows"}
    outcomes = {spec: Candidate(**{**plain, "spec": spec, "name": spec, "family": "ring"}) for spec in specs}
    rounds = []

    def choose(failing: frozenset[str]) -> list[str]:
        rounds.append(failing)
        return [spec for spec in specs if spec not in failing][:2]

    work = Work()
    wanted = replace_limits(_wanted(), maximum_channel_load=1.0)
    tested: set[str] = set()
    chosen, failing = chosen_within_limits(choose, outcomes, wanted, 1, work, work, tested)
    assert chosen == ["complete:n=6,hosts=4"]
    assert set(failing) == set(specs[:3])
    assert rounds[0] == frozenset()
    assert tested == set(specs)
    assert chosen_within_limits(choose, outcomes, _wanted(), 1, work, work, set())[1] == {}, (
        "no such limit, nothing is measured"
    )


def test_what_is_recommended_is_tested_when_no_time_is_left():
    """The first network of the shortlist is replaced until it keeps the limits; the others wait for their assessment."""
    specs = [f"ring:n={n},hosts=4" for n in (4, 5, 6)] + ["complete:n=6,hosts=4"]
    plain = dict.fromkeys(Candidate.__struct_fields__, 1) | {"hop_histogram": (1,), "survives": (), "map": "rows"}
    outcomes = {spec: Candidate(**{**plain, "spec": spec, "name": spec, "family": "ring"}) for spec in specs}

    def choose(failing: frozenset[str]) -> list[str]:
        return [spec for spec in specs if spec not in failing][:1]

    work = Work()
    wanted = replace_limits(_wanted(), maximum_channel_load=1.0)
    spent = work.budget(0.0)
    assert spent.stopped
    chosen, failing = chosen_within_limits(choose, outcomes, wanted, 1, work, spent, set())
    assert chosen == ["complete:n=6,hosts=4"]
    assert set(failing) == set(specs[:3])


@pytest.mark.exhaustive
def test_what_was_too_expensive_next_to_a_network_that_fails_is_taken_back():
    """The random graphs cost less than 1 / 1.05 of the fat tree, and fail on their tables: the fat tree is then the design."""
    result = design(_wanted(oversubscription=1.0, cost_over_best=1.05), jobs=1)
    assert result.best == "fat-tree:k=8,hosts=64"
    assert failed_on_tables(result.dropped)
    assert result.unmeasured == 0


def replace_limits(requirement: Requirement, **limits: float) -> Requirement:
    """A requirement with other limits."""
    import msgspec

    return msgspec.structs.replace(requirement, limits=DesignLimits(**limits))
