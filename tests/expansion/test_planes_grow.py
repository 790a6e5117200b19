"""Networks of planes grow plane by plane; new hosts join all planes, and each plane holds together."""

import networkx
import numpy as np
import pytest
from expansion_cases import replayed

from topoloom import InputError, build, check_plan, expand, load_expansion, open_network, save_expansion
from topoloom.graph.planes import plane_count, planes_of

GROWN = {
    "slab": ("torus:dims=4x5,hosts=2+planes:count=2", 30, {}),
    "pod": ("fat-tree:k=4,pods=2+planes:count=3", 16, {}),
    "rails": ("dragonfly:a=4,h=2,g=4+rail-only:rails=2", 28, {}),
    "splice": ("jellyfish:n=20,degree=4,hosts=2+planes:count=2", 24, {}),
    "hosts": ("petersen:hosts=2+planes:count=2", 25, {"method": "hosts", "radix": 6}),
    "channels": ("petersen:hosts=1+planes:count=2", 19, {"method": "channels", "radix": 6}),
}


def planned(name, **more):
    """The plan of that name."""
    spec, to, options = GROWN[name]
    return expand(build(spec), to, **options, **more)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", GROWN)
def test_every_plane_becomes_what_it_would_by_itself(name):
    """Its switches, links and hosts are those of the plan of one plane; hosts have a port in each."""
    plan = planned(name, host_cables=True)
    spec, to, options = GROWN[name]
    head, _, transform = spec.rpartition("+")
    count = int(transform.partition("=")[2])
    alone = expand(build(head), to, host_cables=True, **options)
    found = planes_of(plan.topology)
    assert len(found) == plane_count(plan.topology) == count
    for plane in found:
        one = plane.topology
        assert (one.switches, one.hosts) == (alone.topology.switches, alone.topology.hosts)
        assert np.array_equal(one.links, alone.topology.links)
        assert np.array_equal(one.endpoints, alone.topology.endpoints)
        assert np.array_equal(one.host, found[0].topology.host)
    assert plan.hosts == alone.hosts
    assert [step.title.partition(": ")[2] for step in plan.steps] == [step.title for step in alone.steps] * count
    assert (plan.removed, plan.added, plan.kept) == tuple(count * n for n in (alone.removed, alone.added, alone.kept))
    more = alone.topology.endpoints.size - build(head).endpoints.size
    assert [counts["host"] for counts in plan.tasks_by_plane()] == [more] * count


def test_the_goal_is_the_larger_network_of_planes():
    """Its spec is the plane's own with the transform, and each host stands in the same place of all planes."""
    plan = planned("slab")
    assert plan.goal.spec == "torus:dims=6x5,hosts=2+planes:count=2"
    number, links = plan.number, plan.topology.links
    moved = np.sort(number[links], axis=1)
    assert np.array_equal(moved[np.lexsort(moved.T[::-1])], plan.goal.links)
    for host in range(plan.hosts):
        first, second = number[plan.topology.endpoints[plan.topology.host == host]].tolist()
        assert second == first + 30
    assert plan.topology.labels["plane"].tolist() == (number // 30).tolist()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize("listed", [False, True])
def test_the_folder_of_a_plan_is_read_and_carried_out(name, listed, tmp_path):
    """The check finds every cable where it should be, the record is read back, and the network after opens and grows on."""
    plan = planned(name, host_cables=listed)
    save_expansion(plan, tmp_path / "plan")
    check_plan(tmp_path / "plan")
    again = load_expansion(tmp_path / "plan")
    assert again.record() == plan.record()
    assert [step.topology.links.tolist() for step in again.steps] == [
        step.topology.links.tolist() for step in plan.steps
    ]
    if listed:
        for one, other in zip(again.steps, plan.steps, strict=True):
            assert np.array_equal(one.topology.host, other.topology.host)
            assert np.array_equal(one.topology.endpoints, other.topology.endpoints)
    opened = open_network(tmp_path / "plan" / "after")
    assert opened.topology == plan.topology
    assert plane_count(open_network(tmp_path / "plan").topology) == plane_count(plan.topology)


def test_a_grown_network_of_planes_grows_on(tmp_path):
    """From the folder, by its family's own method, with the ports that are plugged."""
    save_expansion(planned("slab"), tmp_path / "plan")
    opened = open_network(tmp_path / "plan" / "after")
    more = expand(opened.layout, 36, plugs=opened.plugs)
    assert more.method == "slab"
    assert more.goal.spec == "torus:dims=6x6,hosts=2+planes:count=2"
    save_expansion(more, tmp_path / "more")
    assert check_plan(tmp_path / "more").cables == 144


@pytest.mark.parametrize("name", ["slab", "rails", "splice"])
def test_who_is_cut_off_is_counted_in_the_plane_that_is_worked_on(name):
    """After every task: the switches in service of its plane that are not in the plane's largest piece."""
    plan = planned(name)
    plane = {switch: i for i, one in enumerate(planes_of(plan.topology)) for switch in one.switches.tolist()}
    for step, task, graph in replayed(plan):
        mine = {v for v in graph if plane[v] == plane[task.ends[0][0]]} - set(step.new_switches)
        largest = max(len(mine & piece) for piece in networkx.connected_components(graph))
        assert task.cut_off == len(mine) - largest
        assert not any(plane[u] != plane[v] for u, v in graph.edges())


def test_planes_grow_into_a_network_of_as_many():
    """Every plane into its own; hosts join the same places of all."""
    goal = build("torus:dims=4x6,hosts=1+planes:count=2")
    plan = expand(build("torus:dims=4x4,hosts=1+planes:count=2"), into=goal)
    moved = np.sort(plan.number[plan.topology.links], axis=1)
    assert np.array_equal(moved[np.lexsort(moved.T[::-1])], goal.links)
    assert plan.hosts == 24
    for host in range(16, 24):
        first, second = plan.number[plan.topology.endpoints[plan.topology.host == host]].tolist()
        assert second == first + 24


@pytest.mark.parametrize(
    ("spec", "to", "options", "message"),
    [
        (
            "fat-tree:k=4,pods=2+rails:nics=2",
            16,
            {"method": "splice"},
            "a host has ports on several switches of a plane",
        ),
        ("fat-tree:k=4,hosts=8+rails:nics=2+planes:count=2", 10, {"method": "splice"}, "several switches of a plane"),
        (
            "jellyfish:n=20,degree=4,hosts=2+planes:count=2",
            24,
            {"method": "splice-near"},
            "chooses racks for one network, but there are 2 planes; use method splice",
        ),
        (
            "petersen:hosts=1+planes:count=2",
            None,
            {"into": "slimfly:q=5,hosts=1"},
            r"slimfly.* has 1 plane, and petersen.* has 2",
        ),
    ],
)
def test_what_does_not_grow_is_said_in_a_sentence(spec, to, options, message):
    """Rails in a plane, a method for one network, a goal of other planes."""
    if "into" in options:
        options = options | {"into": build(options["into"])}
    with pytest.raises(InputError, match=message):
        expand(build(spec), to, **options)


def test_hosts_with_several_ports_keep_them_where_hosts_stay():
    """Channels between switches of a tree with rails: every host keeps its two cables, listed or not."""
    tree = build("fat-tree:k=4,hosts=8+rails:nics=2")
    plan = expand(tree, len(tree.links) + 2, "channels", radix=6, host_cables=True)
    assert np.array_equal(plan.topology.host, tree.host)
    assert plan.after.host_cables == 8


def test_equal_planes_are_matched_once(monkeypatch):
    """Into a network: the matching of the first plane serves all, and the plan is that of matching each."""
    from topoloom.cabling.expansion import migration

    matched, counted = migration.matched, []

    def counting(*arguments):
        counted.append(arguments)
        return matched(*arguments)

    monkeypatch.setattr(migration, "matched", counting)
    before, goal = (build(f"jellyfish:n={n},degree=4,hosts=2+planes:count=3") for n in (20, 24))
    plan = expand(before, into=goal)
    assert len(counted) == 1
    first, *others = planes_of(plan.topology)
    assert all(np.array_equal(first.topology.links, plane.topology.links) for plane in others)
    assert plan.removed % 3 == 0
    unlike = before.replace(links=before.links[:-1])
    counted.clear()
    expand(unlike, into=goal)
    assert len(counted) == 2
