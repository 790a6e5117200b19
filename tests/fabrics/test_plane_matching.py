"""Planes: each discovery is compared with its plane of the plan; one alone is one plane of several, nothing is missing."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.cli.main import main
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.diagnosis.evidence import PlanFacts
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.plane_matching import compare_planes, is_one_plane
from topoloom.graph.planes import planes_of

PLAN = planned_fabric(build("ring:n=4,hosts=1+planes:count=3"))
#: Four cables between switches and four of hosts.
CABLES = 8


def plane(number, names="leaf{s}-p{p}", adapter="node{h} mlx5_{p}"):
    """The discovery of a plane as a real subnet shows it: own names, and every adapter has a port 1."""
    part = planned_fabric(planes_of(PLAN.topology)[number].topology)
    return replace(
        part,
        switch_names=tuple(names.format(s=s, p=number) for s in range(4)),
        host_names=tuple(adapter.format(h=h, p=number) for h in range(4)),
        switch_guids=part.switch_guids + np.uint64(100 * number),
        made=f"p{number}.net",
    )


def planned(names="leaf{s}-p{p}"):
    """The plan with the names of switches and hosts of the site."""
    switches = tuple(names.format(s=s % 4, p=s // 4) for s in range(12))
    return replace(PLAN, switch_names=switches, host_names=tuple(f"node{h}" for h in range(4)))


def compared(plan, *discoveries):
    """The comparison of these planes, with which of them they are."""
    several = compare_planes(plan, PlanFacts(), discoveries)
    return several, compare_fabrics(several.plan, several.actual, several.match)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_all_planes_are_the_whole_network(order):
    """In any order; the adapters of a machine are one host, and their ports have the planned numbers."""
    several, comparison = compared(planned(), *(plane(number) for number in order))
    assert several.planes == (0, 1, 2)
    assert comparison.same
    assert comparison.planned_cables == 3 * CABLES
    assert several.actual.topology.hosts == 4
    assert several.actual.host_names == ("node0", "node1", "node2", "node3")


def test_one_plane_is_one_plane():
    """By the names of its switches; the others are not missing."""
    discovery = plane(1)
    assert is_one_plane(planned(), discovery)
    several, comparison = compared(planned(), discovery)
    assert (several.planes, several.count) == ((1,), 3)
    assert comparison.same
    assert comparison.planned_cables == CABLES
    assert comparison.plan.endswith("plane 1 of 3")


def test_planes_whose_switches_have_equal_names():
    """Then the adapters by which hosts are connected say which plane it is, whatever the order."""
    plan = planned("leaf{s}")
    several, comparison = compared(plan, plane(2, "leaf{s}"), plane(0, "leaf{s}"))
    assert several.planes == (0, 2)
    assert comparison.same


def test_a_lost_cable_of_one_plane():
    """Its ends are those of that plane; all other cables are right."""
    whole = plane(1)
    cut = replace(
        whole,
        topology=whole.topology.replace(links=whole.topology.links[1:]),
        link_ports=whole.link_ports[1:],
        **{
            f"link_{name}": getattr(whole, f"link_{name}")[1:]
            for name in ("width", "rate_gbps", "one_sided", "length_m", "part")
        },
    )
    _, comparison = compared(planned(), plane(0), cut, plane(2))
    assert (comparison.right_cables, comparison.missing_cables) == (3 * CABLES - 1, 1)
    assert all("-p1 port" in end for end in comparison.faults[0].text.removeprefix("missing: planned ").split(" - "))


@pytest.fixture
def alike(tmp_path, monkeypatch):
    """Discoveries of three planes with the same switch names, an adapter per machine in each, and all of them in one file."""
    monkeypatch.chdir(tmp_path)
    texts = []
    for number in range(3):
        part, apart = plane(number, "leaf{s}"), np.uint64(1000 * (number + 1))
        part = replace(part, host_guids=part.host_guids + apart, port_guids=part.port_guids + apart)
        texts.append(discovered_text(part))
        (tmp_path / f"p{number}.net").write_text(texts[-1])
    (tmp_path / "all.net").write_text("".join(texts))


def test_planes_whose_switches_have_the_same_names(alike, capsys):
    """The adapters of the plan's machines are joined, so that planes are known; equal names in other subnets are no fault."""

    def call(*arguments):
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code, *capsys.readouterr()

    each = [word for number in range(3) for word in ("--plane", f"p{number}.net")]
    for command in ("verify", "watch"):
        code, out, err = call(command, "all.net", *each)
        assert code == 0, out + err
    assert call("verify", "all.net", *each[:4], "--machines", "joined")[0] == 0
    code, _, err = call("verify", "all.net", "p1.net", "--machines", "joined")
    assert (code, "plane 1 of 3" in err) == (0, True)
    code, out, _ = call("verify", "all.net")
    assert (code, out.count("TL503"), "--join-machines" in out) == (3, 0, True)
    assert call("verify", "all.net", "--machines", "joined")[0] == 0


def test_a_name_twice_in_plan_and_discovery_is_one_warning(capsys, tmp_path, monkeypatch):
    """Two switches of one subnet with one name: one line, not one per side."""
    monkeypatch.chdir(tmp_path)
    text = discovered_text(planned_fabric(build("petersen:hosts=1"))).replace('"S1"', '"S0"')
    (tmp_path / "twice.net").write_text(text)
    with pytest.raises(SystemExit) as left:
        main(["verify", "twice.net", "twice.net"])
    out = capsys.readouterr().out
    assert (left.value.code, out.count("TL503")) == (3, 1)


def test_a_cable_between_planes_is_no_plane():
    """A discovery with switches of two planes is the whole network."""
    assert not is_one_plane(planned(), replace(planned(), made="all.net"))
    assert not is_one_plane(planned_fabric(build("petersen:hosts=1")), plane(0))


def test_refused():
    """A plan without planes, and more discoveries than planes."""
    with pytest.raises(InputError, match="the plan has no planes"):
        compare_planes(planned_fabric(build("petersen")), PlanFacts(), [plane(0)])
    with pytest.raises(InputError, match="4 discoveries of planes; the plan has 3 planes"):
        compare_planes(planned(), PlanFacts(), [plane(0), plane(1), plane(2), plane(0)])


def test_commands(tmp_path, monkeypatch, capsys):
    """verify and watch take a file per plane; watch a list of days per plane."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.net").write_text(discovered_text(planned()))
    for number in range(3):
        (tmp_path / f"p{number}.net").write_text(discovered_text(plane(number)))

    def call(*arguments):
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code, *capsys.readouterr()

    each = [word for number in range(3) for word in ("--plane", f"p{number}.net")]
    assert call("verify", "plan.net", *each, "--ignore", "TL5xx")[0] == 0
    code, out, err = call("verify", "plan.net", "p2.net", "--ignore", "TL5xx")
    assert (code, "plane 2 of 3 (plan)" in out, "p2.net: plane 2 of 3 (from 0); give each plane" in err) == (
        0,
        True,
        True,
    )
    days = [word for number in range(3) for word in ("--plane", f"p{number}.net,p{number}.net")]
    code, out, _ = call("watch", "plan.net", *days)
    assert (code, out.count("p0.net, p1.net, p2.net")) == (0, 2)
    assert call("watch", "plan.net", "--plane", "p0.net", "--plane", "p1.net,p1.net")[0] == 2
    assert "name either" in call("verify", "plan.net", "p0.net", "--plane", "p1.net")[2]
