"""A fabric beside its plan: planted faults are found exactly, whatever switches are called and wherever cables are."""

from dataclasses import replace

import numpy as np
import pytest
from fabric_cases import cables_of, recabled, renumbered
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.fabric.compare import EXTRA, MISSING, SWAPPED, WRONG, compare_fabrics
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify, read_map
from topoloom.fabric.net_text import net_text
from topoloom.fabric.structure_matching import match_shapes
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

SPECS = [
    "slimfly:q=5,hosts=2",
    "torus:dims=4x4,hosts=1",
    "dragonfly:h=2",
    "fat-tree:k=4",
    "jellyfish:n=30,degree=5,hosts=1",
]


def plugs(cable):
    """A cable as a set of its plugs."""
    u, p, v, q = cable
    return frozenset([(u, p), (v, q)])


def planted(fabric, kinds, rng):
    """The fabric with faults of these kinds, each on cables of its own, and what must be found: {(kind, planned, found)}."""
    cables = cables_of(fabric)
    order = list(rng.permutation(len(cables)))
    taken = {(u, v) for u, _, v, _ in cables} | {(v, u) for u, _, v, _ in cables}
    spare = fabric.switch_ports.astype(int) + 1
    gone, new, expected = set(), [], set()

    def free(switch):
        spare[switch] += 1
        return switch, int(spare[switch]) - 1

    def fault(kind, planned, found):
        expected.add((kind, frozenset(map(plugs, planned)), frozenset(map(plugs, found))))
        gone.update(planned)
        new.extend(found)
        taken.update((a, b) for cable in found for a, b in ((cable[0], cable[2]), (cable[2], cable[0])))

    for kind in kinds:
        one = tuple(cables[order.pop()])
        u, p, v, q = one
        if kind == MISSING:
            fault(MISSING, [one], [])
        elif kind == SWAPPED:
            place = next((i for i, c in enumerate(order) if _apart(one, cables[c], taken)), None)
            if place is not None:
                other = tuple(cables[order.pop(place)])
                fault(SWAPPED, [one, other], [(u, p, *other[2:]), (*other[:2], v, q)])
        else:
            far = next(
                (int(w) for w in rng.permutation(fabric.topology.switches) if w not in (u, v) and (u, w) not in taken),
                None,
            )
            if far is not None and kind == WRONG:
                fault(WRONG, [one], [(u, p, *free(far))])
            elif far is not None:
                fault(EXTRA, [], [(*free(u), *free(far))])
    left = [cable for cable in map(tuple, cables) if cable not in gone]
    return recabled(fabric, [*left, *new]), expected


def _apart(one, other, taken):
    """Whether two cables have four switches, and exchanging their ends makes cables that are not there."""
    (u, _, v, _), (w, _, x, _) = one, other
    return len({u, v, w, x}) == 4 and not {(u, x), (w, v)} & taken


def found_in(comparison):
    """The faults as `planted` tells them."""
    return {
        (
            fault.kind,
            frozenset(frozenset(cable) for cable in fault.planned),
            frozenset(frozenset(cable) for cable in fault.found),
        )
        for fault in comparison.differences
    }


@pytest.mark.parametrize("spec", SPECS)
def test_planted_faults_are_found_exactly(spec):
    """Any few cables wrong, missing, extra or swapped: those and no others, by name and port."""
    plan = planned_fabric(build(spec))

    @settings(max_examples=examples(30), deadline=None)
    @given(st.lists(st.sampled_from([WRONG, MISSING, EXTRA, SWAPPED]), max_size=5), st.integers(0, 2**32))
    def check(kinds, seed):
        actual, expected = planted(plan, kinds, np.random.default_rng(seed))
        found = compare_fabrics(plan, actual, identify(plan, actual, "name"))
        assert found_in(found) == expected
        assert found.same is (not expected)
        hosts = plan.topology.endpoints.size
        assert found.right_cables == len(plan.topology.links) + hosts - sum(len(planned) for _, planned, _ in expected)

    check()


@pytest.mark.parametrize("spec", SPECS)
def test_without_ports_cables_between_the_same_switches_are_the_same(spec):
    """Other ports are no fault with `ports=False`; planted faults have the same kinds and switches."""
    plan = planned_fabric(build(spec))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        kinds = [MISSING, SWAPPED]
        actual, expected = planted(plan, kinds, rng)
        shuffled = [[*cable] for cable in cables_of(actual)]
        for cable in shuffled:
            cable[1] += 100
            cable[3] += 200
        found = compare_fabrics(plan, recabled(actual, shuffled), identify(plan, actual, "name"), ports=False)

        def nodes(faults):
            return sorted(
                (kind, sorted(sorted(n for n, _ in c) for c in planned), sorted(sorted(n for n, _ in c) for c in there))
                for kind, planned, there in faults
            )

        assert nodes(found_in(found)) == nodes(expected)


def test_hosts_in_each_others_ports_are_one_swap():
    """Two hosts exchanged, one unplugged, one moved to another switch."""
    plan = planned_fabric(build("torus:dims=3x3,hosts=2"))
    topology = plan.topology
    host = topology.host.copy()
    host[[0, 5]] = host[[5, 0]]
    actual = replace(plan, topology=topology.replace(endpoints=topology.endpoints, host=host), made="found.net")
    found = compare_fabrics(plan, actual, identify(plan, actual))
    (fault,) = found.differences
    assert fault.kind == SWAPPED
    assert {found.names[node] for cable in fault.planned for node, _ in cable} == {"S0", "H0", "S2", "H5"}
    assert compare_fabrics(plan, actual, identify(plan, actual), hosts=False).same


def test_three_cables_in_a_ring_are_one_fault():
    """Ends exchanged round three cables."""
    plan = planned_fabric(Topology([(0, 1), (2, 3), (4, 5)], 6))
    found = compare_fabrics(plan, recabled(plan, [[0, 1, 3, 1], [2, 1, 5, 1], [4, 1, 1, 1]]), identify(plan, plan))
    assert [(fault.kind, len(fault.planned)) for fault in found.differences] == [(SWAPPED, 3)]


def test_parallel_cables_in_each_others_ports_are_right_but_for_ports():
    """With ports they are one swap, without them nothing; a cable too few is missing either way."""
    plan = planned_fabric(Topology([(0, 1), (0, 1), (0, 1), (1, 2)], 3))
    crossed = recabled(plan, [[0, 1, 1, 2], [0, 2, 1, 1], [0, 3, 1, 3], [1, 4, 2, 1]])
    match = identify(plan, crossed)
    assert [fault.kind for fault in compare_fabrics(plan, crossed, match).differences] == [SWAPPED]
    loose = compare_fabrics(plan, crossed, match, ports=False)
    assert loose.same
    assert loose.right_cables == 4
    fewer = recabled(plan, [[0, 1, 1, 2], [0, 2, 1, 1], [1, 4, 2, 1]])
    (fault,) = compare_fabrics(plan, fewer, match, ports=False).differences
    assert fault.kind == MISSING


def test_a_host_without_its_cable_is_missing_with_it():
    """A host that is not plugged in is not there, and its cable is missing."""
    topology = build("petersen:hosts=1")
    plan = planned_fabric(topology)
    text = net_text(topology).replace('[1]\t"S3"[1]\n', "").replace('[1]\t"H3"[1]\n', "")
    actual = read_fabric(text, "found.net")
    found = compare_fabrics(plan, actual, identify(plan, actual))
    assert found.missing_hosts == (3,)
    assert [(fault.kind, fault.planned) for fault in found.differences] == [(MISSING, (((3, 1), (13, 1)),))]


def test_a_cable_from_a_switch_to_itself_is_extra():
    """No topology holds it, but it is told."""
    plan = planned_fabric(build("petersen"))
    actual = replace(plan, loops=np.array([[4, 7, 8]], np.int32), made="found.net")
    (fault,) = compare_fabrics(plan, actual, identify(plan, actual)).differences
    assert (fault.kind, fault.found) == (EXTRA, (((4, 7), (4, 8)),))


def test_managed_switches_and_capitals_are_known_by_name():
    """MF0;NAME:MODEL/U1 is NAME; labels count as names."""
    plan = planned_fabric(build("petersen"))
    named = [f"MF0;S{s}:MQM8700/U1" for s in range(8)] + ["s8", "a01-u09"]
    actual = replace(plan, switch_names=tuple(named), made="found.net")
    match = identify(plan, actual, "name", aliases=[[f"A01-U{s:02d}"] for s in range(10)])
    assert (match.switch.tolist(), match.inferred) == (list(range(10)), 0)


def test_switches_that_are_gone_or_new_are_named():
    """A switch replaced by one of another name is found by its neighbours; one that is not there is told."""
    plan = planned_fabric(build("petersen:hosts=1"))
    renamed = replace(plan, switch_names=("spare", *plan.switch_names[1:]), made="found.net")
    match = identify(plan, renamed)
    assert (match.by, match.inferred, match.switch.tolist()) == ("name", 1, list(range(10)))
    assert compare_fabrics(plan, renamed, match).same
    smaller = Topology(plan.topology.links[plan.topology.links[:, 1] < 9], 9, np.arange(9))
    found = compare_fabrics(plan, planned_fabric(smaller), identify(plan, planned_fabric(smaller)))
    assert found.missing_switches == (9,)
    assert found.missing_hosts == (9,)
    assert not compare_fabrics(planned_fabric(smaller), plan, identify(planned_fabric(smaller), plan)).same


@pytest.mark.parametrize("spec", [*SPECS, "hypercube:n=5", "dln:n=64,x=2,random=2", "complete:n=6", "torus:dims=3x3x3"])
def test_switches_are_known_by_shape_alone(spec):
    """Whatever they are called and however they are numbered, all links agree: an isomorphism is found."""
    plan = planned_fabric(build(spec))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(plan.topology.switches)
        actual = renumbered(plan, order)
        match = identify(plan, actual)
        assert (match.by, match.share) == ("shape", 1.0)
        assert sorted(match.switch.tolist()) == list(range(plan.topology.switches))
        found = compare_fabrics(plan, actual, match, ports=False)
        assert found.same


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5,hosts=2", "jellyfish:n=60,degree=8,hosts=1", "torus:dims=4x4x4,hosts=1", "fat-tree:k=8"]
)
def test_a_few_wrong_cables_do_not_lead_a_match_by_shape_astray(spec):
    """As many differences are left as were planted, and of the same kinds."""
    plan = planned_fabric(build(spec))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        broken, expected = planted(plan, [MISSING, SWAPPED, MISSING], rng)
        actual = renumbered(broken, rng.permutation(plan.topology.switches))
        found = compare_fabrics(plan, actual, identify(plan, actual), ports=False)
        assert sorted(fault.kind for fault in found.differences) == sorted(kind for kind, _, _ in expected)


def test_hosts_names_tell_their_switches():
    """Switches with other names and GUIDs but known hosts are those that their hosts should hang on."""
    plan = planned_fabric(build("jellyfish:n=30,degree=5,hosts=2"))
    order = np.random.default_rng(3).permutation(30)
    actual = renumbered(plan, order)
    names = [f"H{h} mlx5_0" for h in range(60)]
    match = identify(plan, replace(actual, host_names=tuple(names)))
    assert match.by == "hosts"
    assert match.switch.tolist() == order.tolist()


def test_guids_and_maps_tell():
    """--by guid, and a map by number, name or label, by GUID or name; half a map is completed by neighbours."""
    plan = replace(planned_fabric(build("slimfly:q=5,hosts=1")), made="plan.net")
    order = np.random.default_rng(4).permutation(50)
    actual = renumbered(plan, order)
    same = replace(actual, switch_guids=plan.switch_guids[order])
    assert identify(plan, same).by == "guid"
    assert identify(plan, same).switch.tolist() == order.tolist()
    rows = [f"{'S' * (i % 2)}{u},0x{int(actual.switch_guids[i]):016X}" for i, u in enumerate(order.tolist())]
    aliases = [[] for _ in order]
    given = read_map("switch,guid\n" + "\n".join(rows), "map.csv", plan, actual, aliases)
    assert [given[i] for i in range(50)] == order.tolist()
    half = {i: u for i, u in given.items() if i < 25}
    match = identify(plan, actual, given=half)
    assert (match.by, match.inferred) == ("map", 25)
    assert match.switch.tolist() == order.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no switch"),
        ("S0\n", "map.csv:1: a row of a map has two cells: switch,guid"),
        ("S77,sw1\n", "map.csv:1: the plan has no switch 's77'"),
        ("S1,0xdead\n", "map.csv:1: found.net has no switch '0xdead'"),
        ("S1,sw1\nS2,sw1\n", "map.csv:2: .* is in the map twice"),
        ('S1,"sw1\n', "map.csv:1: is not CSV"),
    ],
)
def test_what_is_wrong_with_a_map_is_said(text, message):
    """One sentence with the line."""
    plan = planned_fabric(build("petersen"))
    with pytest.raises(InputError, match=message):
        read_map(text, "map.csv", plan, renumbered(plan, np.arange(10)), [[] for _ in range(10)])


def test_what_cannot_be_matched_is_refused():
    """Nobody known by name; two networks that have nothing in common."""
    plan = planned_fabric(build("slimfly:q=5"))
    with pytest.raises(InputError, match="no switch can be identified by its name"):
        identify(plan, renumbered(plan, np.arange(50)), "name")
    other = renumbered(planned_fabric(build("torus:dims=5x10")), np.arange(50))
    with pytest.raises(InputError, match="no match by shape in which half of the links agree"):
        identify(plan, other)
    with pytest.raises(InputError, match="matching by shape takes up to 4096"):
        match_shapes(Topology([(0, 1)], 5000), Topology([(0, 1)], 5000))


def test_the_same_seed_gives_the_same_match():
    """Guesses are drawn from the seed."""
    plan = build("slimfly:q=5")
    actual = renumbered(planned_fabric(plan), np.random.default_rng(5).permutation(50)).topology
    first, again = (match_shapes(plan, actual, seed=9).planned for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.parametrize("spec", ["torus:dims=4x4,hosts=2", "slimfly:q=5,hosts=2", "hypercube:n=4,hosts=1"])
def test_two_equal_symmetric_fabrics_are_the_same_by_shape(spec):
    """Of the positions in which a symmetric network fits, that is taken in which hosts hang on their own switches."""
    plan = planned_fabric(build(spec))
    match = identify(plan, plan, "shape")
    assert match.by == "shape"
    assert compare_fabrics(plan, plan, match, ports=False).same


def test_a_fault_in_a_symmetric_fabric_by_shape_is_the_only_one():
    """One missing link is found as it is, and no cable of a host is reported beside it."""
    plan = planned_fabric(build("torus:dims=4x4,hosts=2"))
    topology = plan.topology
    fewer = planned_fabric(topology.replace(links=topology.links[1:]))
    found = compare_fabrics(plan, fewer, identify(plan, fewer, "shape"), ports=False)
    assert [(one.kind, one.planned[0][0][0], one.planned[0][1][0]) for one in found.differences] == [
        (MISSING, *topology.links[0].tolist())
    ]
    assert (found.missing_cables, found.right_cables) == (1, found.planned_cables - 1)
    assert found.rows()[0]["text"].startswith("missing: planned ")


def test_a_moved_plug_is_one_sentence_with_the_label_of_its_port():
    """leaf01 port 33 is in spine04 port 5, should be port 1; the labels are those of a QM9700."""
    from dataclasses import replace

    from topoloom.model.topology import Topology

    plan = planned_fabric(Topology(links=[(0, 1)], switches=2))
    plan = replace(plan, switch_names=("leaf01", "spine04"), link_ports=np.array([[33, 1]], np.int32))
    actual = replace(
        plan,
        switch_names=("MF0;leaf01:MQM9700/U1", "MF0;spine04:MQM8700/U1"),
        link_ports=np.array([[33, 5]], np.int32),
        switch_ports=np.array([64, 40], np.int32),
        made="x.net",
    )
    result = compare_fabrics(plan, actual, identify(plan, actual))
    assert [fault.text for fault in result.faults] == [
        "wrong: leaf01 port 33 (17/1) is in spine04 port 5, should be port 1"
    ]


def test_racks_of_a_plan_of_ufm(tmp_path):
    """The locations in an NDT are the racks of faults; a sheet is written for each."""
    from topoloom import open_network

    (tmp_path / "plan.ndt").write_text(
        "rack #,StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,LinkType\n"
        "A01,cn1,mlx5_0,DH1/A01,leaf1,Port 1,DH1/B01,Data\n"
        "B01,leaf1,Port 21,,spine1,Port 1,DH1/B02,Data\n"
    )
    network = open_network(tmp_path / "plan.ndt")
    assert network.racks == ("DH1/B01", "DH1/B02")
    assert network.facts.racks == ("DH1/B01", "DH1/B02", "DH1/A01")
