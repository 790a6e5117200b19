"""Plans of all methods: degrees, ports, connectedness at each step, and that carrying one out gives what it says."""

import tempfile
from collections import Counter
from itertools import pairwise

import networkx
import numpy as np
import pytest
from expansion_cases import EVERY, PLANS, plan, replayed
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import (
    InputError,
    Topology,
    build,
    cable,
    check_plan,
    expand,
    hops,
    load_layout,
    place,
    save_cabling,
    save_expansion,
)
from topoloom.cabling.expansion.cable_order.planner import Planner
from topoloom.cabling.expansion.cable_rates import CableRates
from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.stages import Growth, Stage
from topoloom.cabling.plugs import load_plugs
from topoloom.cost.parts_files import load_parts


@pytest.fixture(scope="module")
def plans():
    """Every plan, made once."""
    return {name: plan(name) for name in EVERY}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EVERY)
def test_carrying_a_plan_out_gives_the_cables_after(plans, name, tmp_path):
    """The tasks of plan.csv, on the cables before, give the cables after: numbers, ports, lengths, products."""
    done = plans[name]
    save_expansion(done, tmp_path)
    checked = check_plan(tmp_path)
    assert checked.tasks == sum(len(step.tasks) for step in done.steps)
    assert checked.cables == len(done.after)


@pytest.mark.parametrize("name", EVERY)
def test_a_plan_is_the_difference_of_its_cable_lists(plans, name):
    """Removed, added and kept are the cables in one list and not the other, each with its number and both its ports."""
    done = plans[name]

    def lying(cabling):
        rows = zip(cabling.number.tolist(), cabling.ends.tolist(), cabling.port.tolist(), strict=True)
        return {(number, frozenset(zip(ends, ports, strict=True))) for number, ends, ports in rows}

    before, after = lying(done.before), lying(done.after)
    assert (done.removed, done.added, done.kept) == (len(before - after), len(after - before), len(before & after))


@pytest.mark.parametrize("name", EVERY)
def test_steps_are_the_networks_they_say(plans, name):
    """After each step the replayed cables are the step's network; hops, connectedness and sizes are that network's."""
    done = plans[name]
    edges = {}
    for step, _, graph in replayed(done):
        edges[step] = Counter(tuple(sorted(pair)) for pair in graph.edges())
    for step in done.steps:
        topology = step.topology
        if step in edges:
            assert edges[step] == Counter(map(tuple, topology.links.tolist()))
        found = hops(topology)
        assert (step.diameter, step.aspl, step.connected) == (found.diameter, found.aspl, found.connected)
    assert done.steps[-1].topology == done.topology


@pytest.mark.parametrize("name", EVERY)
def test_nobody_is_cut_off_unless_told(plans, name):
    """Between any two tasks of a step the switches in service reach each other, or the task says how many do not."""
    done = plans[name]
    for step, task, graph in replayed(done):
        serving = set(range(step.topology.switches)) - set(step.new_switches)
        component = networkx.node_connected_component(graph, 0)
        apart = serving - component
        assert bool(apart) == bool(task.cut_off)
    assert done.cut_off == 0


@pytest.mark.parametrize("name", EVERY)
def test_ports_suffice_and_stay(plans, name):
    """No step uses more ports than a switch has; a cable that nobody touches keeps both its ports."""
    done = plans[name]
    assert max(step.topology.radix for step in done.steps) <= done.radix
    at = {}
    for cabling in (done.before, done.after):
        for row in range(len(cabling)):
            ends = [(int(cabling.ends[row, 0]), int(cabling.port[row, 0]))]
            if not cabling.to_host[row]:
                ends.append((int(cabling.ends[row, 1]), int(cabling.port[row, 1])))
            assert all(port <= done.radix for _, port in ends)
            at.setdefault(int(cabling.number[row]), []).append(frozenset(ends))
    touched = {done.cables[task.cable].number for step in done.steps for task in step.tasks}
    assert touched
    assert at
    assert all(ends[0] == ends[-1] for number, ends in at.items() if number not in touched)


@pytest.mark.parametrize("name", EVERY)
def test_hosts_stay_where_they_are(plans, name):
    """A host hangs on one switch, from the step on at which it comes; new ones are numbered on."""
    done = plans[name]
    homes = {}
    for topology in (done.before.layout.topology, *(step.topology for step in done.steps), done.topology):
        now = dict(zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True))
        assert all(now[host] == switch for host, switch in homes.items())
        homes = now


@pytest.mark.parametrize("name", ["splice", "splice-near"])
def test_splicing_keeps_every_degree(plans, name):
    """Switches that stood have as many links at every step; new ones have the usual number, but for odd ports."""
    done = plans[name]
    before = done.before.layout.topology.degrees
    usual = int(np.bincount(before).argmax())
    for step in done.steps:
        degrees = step.topology.degrees
        assert (degrees[: before.size] == before).all()
    new = done.topology.degrees[before.size :]
    assert (new <= usual).all()
    assert (new < usual).sum() <= usual % 2


@pytest.mark.exhaustive
def test_near_splicing_touches_few_racks():
    """The cables of four new switches go to one rack beside them; drawn at random, they go to most."""
    near, drawn = (
        expand(build("jellyfish:n=160,degree=6"), 164, method, floor="koibuchi-2013", batch=4)
        for method in ("splice-near", "splice")
    )
    assert len(near.racks_touched) == 1
    assert len(drawn.racks_touched) > 5
    assert near.longest_new_m < drawn.longest_new_m


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["pod", "group", "copies", "channels", "channels-near", "hosts"])
def test_growth_on_spare_ports_rewires_nothing(name):
    """Pods, groups with one link between two, copies, channels and hosts only add cables."""
    more = {"group": ("dragonfly:a=4,h=2,g=6", 28)}.get(name)
    done = expand(build(more[0]), more[1]) if more else plan(name)
    assert done.removed == 0
    assert done.tasks["unplug"] == done.tasks["move"] == 0


def test_quadrics_keep_the_diameter():
    """A copy of the quadrics leaves diameter 2, fans make it 3 (PolarFly, SC 2022); degrees are at most q + 3 and then rise."""
    done = expand(build("polarfly:q=7"), 57 + 8 + 14)
    assert [step.diameter for step in done.steps] == [2, 3, 3]
    assert int(done.steps[0].topology.degrees.max()) == 7 + 3


@pytest.mark.parametrize(
    ("spec", "to", "goal"),
    [
        ("torus:dims=4x5,hosts=2", 30, "torus:dims=6x5,hosts=2"),
        ("dragonfly:a=4,h=2,g=4", 28, "dragonfly:a=4,h=2,g=7"),
        ("fat-tree:k=6,pods=3", 39, "fat-tree:k=6,pods=5"),
        ("dsn-f:n=27", 70, "dsn-f:n=70"),
    ],
)
def test_families_grow_into_themselves(spec, to, goal):
    """The network that comes out is the family's own, edge for edge, by the numbers that the plan gives."""
    done = expand(build(spec), to)
    wanted = build(goal)
    assert done.goal == wanted
    number, grown = done.number, done.topology
    links = np.sort(number[grown.links], axis=1)
    assert sorted(map(tuple, links.tolist())) == sorted(map(tuple, wanted.links.tolist()))
    assert (wanted.endpoints_at[number] == grown.endpoints_at).all()


def test_moved_cables_are_long_enough():
    """A cable that is moved, or comes from the shelf, spans no more than it measures, with the catalogue's slack."""
    done = plan("torus to jellyfish")
    slack_m = done.after.bought.parts.slack_m
    reused = [task for step in done.steps for task in step.tasks if task.work != "unplug" and not task.new]
    assert reused
    assert all(done.cables[task.cable].stock_m >= task.length_m + slack_m - 1e-9 for task in reused)


def _order_exists(before, after, ports):
    """Whether some order of moves, unplugs and adds keeps the switches together after each: all are tried."""
    start, goal = Counter(map(tuple, before.links.tolist())), Counter(map(tuple, after.links.tolist()))
    first = (frozenset((start - goal).elements()), frozenset((goal - start).elements()))
    kept = list((start & goal).elements())
    waiting, seen = [first], {first}

    def good(state):
        gone, come = first[0] - state[0], first[1] - state[1]
        graph = networkx.MultiGraph([*kept, *state[0], *come])
        graph.add_nodes_from(range(before.switches))
        return max(dict(graph.degree()).values()) <= ports and networkx.is_connected(graph) and gone is not None

    while waiting:
        out, into = waiting.pop()
        if not out and not into:
            return True
        steps = [(out - {link}, into) for link in out] + [(out, into - {link}) for link in into]
        steps += [(out - {old}, into - {new}) for old in out for new in into if set(old) & set(new)]
        for state in steps:
            if state not in seen and good(state):
                seen.add(state)
                waiting.append(state)
    return False


@st.composite
def _tight(draw):
    """Two connected networks without parallel links on the same few switches, and as many ports as the fuller one needs."""
    n = draw(st.integers(4, 6))
    found = []
    for _ in range(2):
        tree = {(draw(st.integers(0, v - 1)), v) for v in range(1, n)}
        some = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])
        found.append(Topology(links=sorted(tree | set(draw(st.lists(some, max_size=3)))), switches=n))
    return found


@pytest.mark.exhaustive
@given(_tight())
@settings(max_examples=examples(150), deadline=None)
def test_cut_off_only_where_no_order_prevents_it(pair):
    """In one step with ports just enough: what the plan cuts off, every order cuts off."""
    before, after = pair
    ports = max(before.radix, after.radix)
    growth = Growth((Stage("all at once", after),))
    layout = place(before, map="rows")
    planner = Planner(
        layout, load_parts("slimfly-2014"), CableRates(40.0, 40.0), False, None, growth, ports, GrowingFloor(layout, 0)
    )
    step = planner.step(growth.stages[0], None)
    assert bool(step.cut_off) != _order_exists(before, after, ports)


def test_moves_that_interrupt_are_told():
    """From one line of switches with two ports each to another: cables move one by one, and meanwhile it is in pieces."""
    before = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], switches=6)
    after = Topology(links=[(0, 2), (2, 4), (4, 1), (1, 3), (3, 5)], switches=6)
    growth = Growth((Stage("all at once", after),))
    planner = Planner(
        place(before, map="rows"),
        load_parts("slimfly-2014"),
        CableRates(40.0, 40.0),
        False,
        None,
        growth,
        2,
        GrowingFloor(place(before), 0),
    )
    step = planner.step(growth.stages[0], None)
    assert (step.cut_off, step.connected) == (0, True)
    assert 0 < step.interrupted <= step.count("move")


@st.composite
def _pairs(draw):
    """A connected network, and another that is as large at least, on switches with just enough ports for both."""
    found = []
    n = draw(st.integers(3, 9))
    for switches in (n, n + draw(st.integers(0, 4))):
        tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, switches)]
        some = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
        more = [pair for pair in draw(st.lists(some, max_size=10)) if pair[0] != pair[1]]
        found.append(Topology(links=[*tree, *more], switches=switches))
    return found


@pytest.mark.exhaustive
@given(_pairs())
@settings(max_examples=examples(60), deadline=None)
def test_any_network_becomes_any_other(pair):
    """Parallel cables and bridges too: the tasks lead from one to the other, and say truly what each of them cuts off."""
    before, goal = pair
    done = expand(before, into=goal)
    for step, task, graph in replayed(done):
        serving = set(range(step.topology.switches)) - set(step.new_switches)
        pieces = [len(serving & piece) for piece in networkx.connected_components(graph)]
        assert task.cut_off == len(serving) - max(pieces)
    with tempfile.TemporaryDirectory() as folder:
        save_expansion(done, folder)
        check_plan(folder)
    number = done.number
    links = np.sort(number[done.topology.links], axis=1)
    assert sorted(map(tuple, links.tolist())) == sorted(map(tuple, goal.links.tolist()))


def test_new_hosts_on_switches_that_stand_are_cabled(tmp_path):
    """Their cables are listed, for their ports are not the first ones; the layout after is read back."""
    done = expand(build("torus:dims=4x4,hosts=1"), into=build("torus:dims=4x4,hosts=2"))
    assert (done.added, done.bought, done.removed) == (16, 16, 0)
    save_expansion(done, tmp_path)
    assert load_layout(tmp_path / "after").topology.hosts == 32


def test_networks_in_pieces_are_called_so():
    """Where links are missing to begin with, the plan does not say that all is connected."""
    still = expand(Topology(links=[(0, 1)], switches=4), 8, "hosts", radix=4)
    assert still.connectedness == "not after steps 1, 2"


def test_prices_that_are_not_known():
    """A catalogue without prices gives no cost, and says nothing costs nothing only where nothing is bought."""
    done = expand(build("torus:dims=4x4"), 20, parts="nakano-2016")
    assert np.isnan(done.cost.cables_usd)


def test_what_lies_keeps_its_product(tmp_path):
    """A layout of one catalogue cannot be grown with another, which would rename its cables."""
    save_cabling(cable(place(build("torus:dims=4x4"), map="rows"), "nakano-2016"), tmp_path)
    layout, plugs = load_layout(tmp_path), load_plugs(tmp_path)
    with pytest.raises(InputError, match="which are not in the catalogue slimfly-2014; give the catalogue"):
        expand(layout, 20, plugs=plugs)
    assert expand(layout, 20, plugs=plugs, parts="nakano-2016").kept == 28


def test_the_same_seed_gives_the_same_plan():
    """On one thread and on two; another seed opens other links."""
    first, again, other = (
        expand(build("jellyfish:n=40,degree=4"), 44, seed=seed, jobs=jobs) for seed, jobs in ((3, 1), (3, 2), (4, 2))
    )
    assert first.topology == again.topology != other.topology
    assert [step.tasks for step in first.steps] == [step.tasks for step in again.steps]


@pytest.mark.exhaustive
def test_sizes_rise_from_step_to_step():
    """Every step has more switches, links or hosts than the one before, or moves cables."""
    for name in PLANS:
        steps = plan(name).steps
        for one, two in pairwise(steps):
            assert two.topology.switches >= one.topology.switches
            assert two.tasks
