"""Sweeps over loads: each load for itself, on any number of cores, with or without a break."""

import csv
import io
import math
from dataclasses import replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from topoloom import InputError, build, execute, route, simulate
from topoloom.core.errors import Stopped
from topoloom.core.settings import changed, described, written
from topoloom.core.work import Work
from topoloom.simulation.flits import run
from topoloom.simulation.flits.point import POINT_COLUMNS, Point
from topoloom.simulation.flits.point_table import PointTable, settings_of
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.saturation import saturation

MADE_UP = Point(0.3, 0.3, 0.2, 12.5, 0.1, 12, 20, 25, 2.8, 1000, 5000, False)


@pytest.fixture(scope="module")
def routing():
    """A small network with its tables."""
    return route(build("slimfly:q=3,hosts=2"))


def test_a_load_has_the_same_numbers_whatever_other_loads_there_are(routing):
    """In any order, in any company, on any number of threads; what is asked for twice is there once."""
    some = {point.offered: point for point in simulate(routing, loads=[0.6, 0.2, 0.4, 0.2], jobs=2).points}
    assert list(some) == [0.6, 0.2, 0.4]
    assert simulate(routing, loads=[0.4], jobs=1).points == (some[0.4],)


def test_what_is_known_is_taken_and_only_the_rest_is_told(routing):
    """A known point comes back as it is; the work and the mapping hear of the others alone."""
    told, known = [], {0.3: MADE_UP, 0.9: MADE_UP}
    curve = simulate(routing, loads=[0.1, 0.3], known=known, work=Work(on_result=told.append))
    assert curve.points[1] is MADE_UP
    assert sorted(known) == [0.1, 0.3, 0.9]
    assert [point.offered for point in told] == [0.1]
    assert curve.ended == "done"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_is_finished_and_the_rest_makes_it_whole(routing, jobs):
    """The finished points come back; simulating the rest gives the numbers of a sweep without a break."""
    loads = [0.1, 0.2, 0.3, 0.4, 0.5]

    def stop(_point):
        raise KeyboardInterrupt

    broken = simulate(routing, loads=loads, jobs=jobs, work=Work(on_result=stop))
    assert broken.ended == "interrupted"
    assert 1 <= len(broken.points) < len(loads)
    known = {point.offered: point for point in broken.points}
    whole = simulate(routing, loads=loads, jobs=jobs, known=known)
    assert whole.points == simulate(routing, loads=loads).points


def test_a_stop_that_was_asked_for_before_leaves_nothing(routing):
    """No load is begun; a search for saturation and an execution have nothing to show."""
    work = Work()
    work.stop()
    curve = simulate(routing, loads=[0.1, 0.2], work=work)
    assert (curve.ended, curve.points) == ("interrupted", ())
    with pytest.raises(Stopped):
        saturation(routing, work=work)
    with pytest.raises(Stopped):
        execute(route(build("torus:dims=9x8,hosts=1"), "dor"), "chip:requests=5", settings=["vcs=2"], work=work)


@pytest.mark.parametrize(("hosts", "link"), [(4, 0.25)])
def test_one_link_for_all_hosts_saturates_at_its_rate(hosts, link):
    """Every host of a switch sends to the other switch, over one link: a flit a cycle, shared evenly (an independent sum)."""
    crossing = route(build(f"complete:n=2,hosts={hosts}"))
    found = saturation(crossing, "bit-complement", RouterConfig(vcs=1), width=0.02)
    assert found.offered == pytest.approx(link, abs=0.021)
    assert found.accepted == pytest.approx(link, abs=0.021)
    assert len(found.points) <= 7


def test_a_sparing_search_finds_the_same_saturation_by_fewer_loads():
    """Loads above one that does not arrive are not simulated, nor is full load where a known load does not arrive."""
    crossing = route(build("complete:n=2,hosts=4"))

    def found(**how):
        new = []
        point = saturation(
            crossing, "bit-complement", RouterConfig(vcs=1), width=0.1, work=Work(on_result=new.append), **how
        )
        assert (point.offered, point.accepted) == (whole.offered, whole.accepted)
        return [point.offered for point in new]

    whole = saturation(crossing, "bit-complement", RouterConfig(vcs=1), width=0.1)
    points = {point.offered: point for point in whole.points}
    assert sorted(points) == [0.2, 0.3, 0.4, 1.0]
    assert found(sparing=True) == [1.0, 0.2, 0.3]
    assert found(sparing=True, known={0.4: points[0.4]}) == [0.2, 0.3]
    assert found(sparing=True, known={0.2: points[0.2], 0.3: points[0.3]}) == []


def test_the_fast_pace_notices_saturation_however_few_its_batches_are():
    """A tapered tree of 600 hosts at 510 and 600 packets per cycle, of which a fourth arrives: 8 and 9 batches are measured."""
    tapered = route(build("fat-tree:k=32,hosts=600,taper=4:1"))
    curve = simulate(tapered, loads=[0.85, 1.0], fast=True)
    assert all(point.saturated and point.accepted < 0.4 for point in curve.points)


@pytest.mark.exhaustive
def test_saturation_lies_between_a_load_that_arrives_and_one_that_does_not(routing):
    """What is offered arrives at the load found, and no longer one width above; for any number of threads."""
    found = saturation(routing, "uniform", width=0.05, jobs=1)
    assert 0 < found.offered < 1
    again = saturation(routing, "uniform", width=0.05, jobs=2)
    assert (again.offered, again.accepted) == (found.offered, found.accepted)
    assert again.points == found.points
    by_load = {round(point.offered, 9): point for point in found.points}
    under, over = by_load[round(found.offered, 9)], by_load[round(found.offered + 0.05, 9)]
    assert under.accepted >= under.offered - 0.025 - 3 / math.sqrt(under.packets)
    assert over.saturated or over.accepted < over.offered - 0.025
    assert found.accepted == under.accepted


def test_a_network_that_carries_everything_saturates_at_full_load():
    """Pairs of hosts on one switch never meet: one simulation is enough."""
    found = saturation(route(build("clos:leaves=1,spines=1,width=4")), "neighbour", RouterConfig(vcs=1))
    assert found.offered == 1.0
    assert len(found.points) == 1


def test_points_that_are_known_are_not_simulated_again_for_saturation(routing):
    """All points of one search, given to the next: nothing is new."""
    first = saturation(routing, width=0.1)
    told = []
    again = saturation(routing, width=0.1, known={p.offered: p for p in first.points}, work=Work(on_result=told.append))
    assert again == first
    assert told == []


@pytest.mark.parametrize("width", [0.0, 0.6, -1.0, math.nan])
def test_a_width_has_limits(routing, width):
    """Too narrow to be measured, or too wide to say anything."""
    with pytest.raises(InputError, match=r"must be from 0\.001 to 0\.5"):
        saturation(routing, width=width)


@pytest.mark.parametrize("name", [one.name for one in described(RouterConfig)])
def test_every_value_of_a_router_can_be_set(name):
    """Its own value, as the command line would write it, changes nothing."""
    config = find_preset("slimfly-2014")
    assert changed(config, [f"{name}={written(getattr(config, name))}"]) == config


def test_settings_change_what_they_name_and_nothing_else():
    """Later ones win, spaces do not matter."""
    config = changed(find_preset("booksim"), ["vcs = 2", "to_itself=no", "vcs=5"])
    before = structs.asdict(find_preset("booksim"))
    assert {key for key, value in structs.asdict(config).items() if value != before[key]} == {"vcs", "to_itself"}
    assert (config.vcs, config.to_itself) == (5, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vcs", "write KEY=VALUE, as in vcs=0"),
        ("vsc=3", "no router setting 'vsc'.*did you mean vcs"),
        ("cut_through=2", "cut_through='2'; it is yes or no"),
        ("burst_packets=many", "burst_packets='many'; it is a number"),
        ("source=me", "no router setting 'source'"),
        ("vcs=three", "vcs='three'; it is a whole number"),
        ("vcs=1.5", "vcs='1.5'; it is a whole number"),
        ("to_itself=maybe", "to_itself='maybe'; it is yes or no"),
        ("vcs=99", "router: vcs='99'; it is a whole number from 0 to 32"),
    ],
)
def test_wrong_settings_are_one_sentence(text, message):
    """The key, the value, and what would do."""
    with pytest.raises(InputError, match=message):
        changed(RouterConfig(), [text])


def _settings(routing, seed=1):
    return settings_of(routing, "uniform", "slimfly-2014", find_preset("slimfly-2014"), seed)


_NUMBER = st.floats(0, 1e9, allow_nan=False) | st.just(math.inf)


@given(
    st.builds(
        Point,
        *(
            {float: _NUMBER, int: st.integers(0, 1 << 40), bool: st.booleans(), float | None: _NUMBER | st.none()}[kind]
            for kind in (get_type_hints(Point)[name] for name in POINT_COLUMNS)
        ),
    )
)
def test_a_table_has_every_digit(tmp_path_factory, routing, point):
    """Every number is written so that it is the same to the last bit when it is read."""
    file = str(tmp_path_factory.mktemp("table") / "points.csv")
    table = PointTable([_settings(routing)], file)
    table.add(0, point)
    (row,) = csv.DictReader(io.StringIO(Path(file).read_text()))
    assert {name: row[name] for name in POINT_COLUMNS} == {
        name: "" if getattr(point, name) is None else str(getattr(point, name)) for name in POINT_COLUMNS
    }


def test_a_table_is_plain_csv(routing):
    """One row per point by load, a column for each thing that it depends on, and names with commas in quotes."""
    table = PointTable([_settings(routing), _settings(routing, 2)])
    for number, load in ((1, 0.5), (0, 0.7), (0, 0.2)):
        table.add(number, replace(MADE_UP, offered=load))
    rows = list(csv.DictReader(io.StringIO(table.text())))
    assert [(row["seed"], float(row["offered"])) for row in rows] == [("1", 0.2), ("1", 0.7), ("2", 0.5)]
    assert rows[0]["topology"] == "slimfly(q=3,hosts=2)"
    assert "vcs=3" in rows[0]["router"].split()
    assert set(POINT_COLUMNS) < set(rows[0])


def test_other_tables_of_next_hops_are_told_apart(routing):
    """Same network and engine name, other next hops: another digest."""
    moved = replace(routing, ports=np.roll(routing.ports, 1))
    assert _settings(routing)["tables"] != _settings(moved)["tables"]
    assert _settings(routing)["tables"] == _settings(route(build("slimfly:q=3,hosts=2")))["tables"]


def test_the_fast_pace_is_the_usual_one_of_a_small_network(routing):
    """The same points where hosts make fewer than 500 packets a cycle."""
    assert simulate(routing, loads=[0.3], fast=True).points == simulate(routing, loads=[0.3]).points


@pytest.mark.exhaustive
def test_the_fast_pace_measures_the_same_in_fewer_cycles():
    """A Slim Fly of 1,458 hosts: latency and accepted load within 1 %, the interval around the other's mean."""
    routing = route(build("slimfly:q=9,hosts=9"), "hop-vcs")
    usual, fast = (simulate(routing, loads=[0.6], fast=how).points[0] for how in (False, True))
    assert fast.cycles < 0.8 * usual.cycles
    assert fast.latency_mean == pytest.approx(usual.latency_mean, rel=0.01)
    assert abs(fast.latency_mean - usual.latency_mean) <= 2 * (fast.latency_ci95 + usual.latency_ci95)
    assert fast.accepted == pytest.approx(usual.accepted, rel=0.01)


def test_progress_moves_within_a_load(routing):
    """Many times a load, never back, and to all of what was to be done; the note tells the loads."""
    seen = []
    work = Work(on_progress=seen.append)
    simulate(routing, loads=[0.3, 0.5], jobs=1, work=work)
    shares = [one.done / one.total for one in seen]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert {one.what for one in seen} == {"flits"}
    assert seen[-1].note in {"1 of 2 loads", "2 of 2 loads"}


def test_a_deadline_ends_a_load():
    """In the middle of it: that load is dropped, and the call returns."""
    large = route(build("slimfly:q=11,hosts=9"), "hop-vcs")
    simulate(large, loads=[0.01], work=Work(seconds=30))  # compiles
    curve = simulate(large, loads=[0.9], work=Work(seconds=0.5))
    assert (curve.ended, curve.points) == ("deadline", ())


def test_a_run_in_many_calls_of_the_kernel_is_that_of_one(routing, monkeypatch):
    """However many cycles a call takes, to the last number: adaptive engines draw at random in the order of visits."""
    for one in (routing, route(build("slimfly:q=3,hosts=2"), "ugal-l")):
        found = []
        for seconds in (1e9, 1e-9):
            monkeypatch.setattr(run, "_CALL_SECONDS", seconds)
            monkeypatch.setattr(run, "_FIRST_CALL", 1 << 20 if seconds > 1 else 2)
            found.append(simulate(one, preset=RouterConfig(vcs=4), loads=[0.4]).points)
        assert found[0] == found[1]
