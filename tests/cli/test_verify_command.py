"""`topoloom verify`, and the exports of `route` and `convert`: what is printed, exit codes, and one line for a mistake."""

import json

import pytest

from topoloom import build, cable, place, save, save_cabling
from topoloom.cli.main import main


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in arguments])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


@pytest.fixture
def laid(tmp_path, call):
    """A laid-out Slim Fly in `plan`, and in `fabric.net` the same with two cables exchanged and one missing."""
    topology = build("slimfly:q=5,hosts=2")
    save_cabling(cable(place(topology, map="rows"), parts="slimfly-2014", host_cables=True), tmp_path / "plan")
    save(topology, tmp_path / "right.net")
    lines = (tmp_path / "right.net").read_text().split("\n")
    # S0 port 4 and S9 port 4 exchange their far ends; S20 loses the cable in its last port.
    at = {}
    node = ""
    for place_, line in enumerate(lines):
        if line.startswith(("Switch", "Hca")):
            node = line.split('"')[1]
        elif line.startswith("["):
            at[node, int(line[1 : line.index("]")])] = place_

    def far(plug):
        text = lines[at[plug]].split("\t")[1]
        return text.split('"')[1], int(text.split("[")[1].rstrip("]"))

    one, other = ("S0", 4), ("S9", 4)
    ends = far(one), far(other)
    for near, end in ((one, ends[1]), (other, ends[0])):
        lines[at[near]] = f'[{near[1]}]\t"{end[0]}"[{end[1]}]'
        lines[at[end]] = f'[{end[1]}]\t"{near[0]}"[{near[1]}]'
    lost = ("S20", 9)
    gone = {at[lost], at[far(lost)]}
    (tmp_path / "fabric.net").write_text("\n".join(line for i, line in enumerate(lines) if i not in gone))
    return ends, far(lost)


def test_a_fabric_that_is_as_planned(call, laid):
    """Exit code 0, every cable right, against the folder and against the spec."""
    for plan in ("plan", "slimfly:q=5,hosts=2", "plan/cables.csv"):
        code, out, _ = call("verify", plan, "right.net")
        assert code == 0
        assert "same                          yes" in out
        assert "right cables                  275" in out


def test_faults_are_named_by_cable_cabinet_switch_and_port(call, laid):
    """Exit code 3; one swap, one missing cable, by the numbers and cabinets of the cable list; the same in JSON."""
    ends, lost = laid
    code, out, _ = call("verify", "plan", "fabric.net")
    assert code == 3
    said = [line for line in out.splitlines() if line.startswith(("swapped:", "missing:", "wrong:", "extra:"))]
    assert len(said) == 2
    swap, missing = sorted(said, reverse=True)
    assert swap.startswith("swapped: cables ")
    for name, port in (("S0", 4), ("S9", 4), *ends):
        assert f" {name} port {port}" in swap
    assert missing.startswith("missing: cable ")
    assert " S20 port 9" in missing
    assert f" {lost[0]} port {lost[1]}" in missing
    assert " A01 S0 port 4" in swap
    values = json.loads(call("verify", "plan", "fabric.net", "--json")[1])
    assert values["same"] is False
    assert sorted(fault["kind"] for fault in values["faults"]) == ["missing", "swapped"]
    assert [fault["text"] for fault in values["faults"]] == said
    assert len(values["switches"]) == 50
    assert call("verify", "plan", "fabric.net", "--by", "shape")[0] == 3


def test_what_route_exports_is_verified(call):
    """Tables and levels of `route --export opensm` are judged as `route` judged them; without the levels they deadlock."""
    assert call("route", "slimfly:q=5,hosts=2", "--export", "opensm", "-o", "osm")[0] == 0
    routed = json.loads(call("route", "slimfly:q=5,hosts=2", "--json")[1])["verdict"]
    code, out, _ = call("verify", "osm/fabric.net", "--tables", "osm/fabric.lft", "--qos", "osm/fabric.qos", "--json")
    values = json.loads(out)
    assert code == 0
    for key in (
        "lanes_used",
        "deadlock_free",
        "pairs",
        "reached_pairs",
        "minimal",
        "mean_hops",
        "max_hops",
        "stretch",
        "edge_forwarding_index",
        "load_over_mean",
        "lane_pairs",
    ):
        assert values[key] == routed[key], key
    code, out, _ = call("verify", "slimfly:q=5,hosts=2", "--tables", "osm/fabric.lft")
    assert code == 3
    assert "waits in a cycle: S" in out


def test_a_discovered_fabric_is_routed_with_its_own_ports(call, laid):
    """`route fabric.net --export opensm` writes tables that fit the fabric that was read, not the plan."""
    assert call("route", "fabric.net", "--engine", "updown", "--export", "opensm", "-o", "out")[0] == 0
    assert call("verify", "fabric.net", "--tables", "out/fabric.lft")[0] == 0
    code, _, err = call("verify", "right.net", "--tables", "out/fabric.lft")
    assert code in {2, 3}
    assert code == 3 or "are these the tables of right.net?" in err


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("slurm", "topology.conf"),
        ("ufm", "fabric.topo"),
        ("booksim", "network.anynet"),
        ("frr", "S0.conf"),
        ("guid2lid", "guid2lid"),
        ("ibutils", "ibnl/GSW6.ibnl"),
    ],
)
def test_convert_and_route_write_for_other_tools(call, tmp_path, kind, file):
    """The same files from both; `convert` needs no tables."""
    assert call("convert", "torus:dims=3x3,hosts=2", "one", "--format", kind)[0] == 0
    assert call("route", "torus:dims=3x3,hosts=2", "--export", kind, "-o", "two")[0] == 0
    assert (tmp_path / "one" / file).read_text() == (tmp_path / "two" / file).read_text()
    values = json.loads(call("convert", "torus:dims=3x3,hosts=2", "one", "--format", kind, "--json")[1])
    assert f"one/{file}" in values["files"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["verify", "petersen"], "name what to compare the plan with"),
        (["verify", "petersen", "petersen", "--tables", "x"], "one of the two"),
        (["verify", "petersen", "petersen", "--qos", "x"], "go with --tables"),
        (["verify", ".", "petersen"], "holds no network"),
        (["verify", "petersen", "gone.net"], "gone.net: there is no such file"),
        (["verify", "petersen", "bad.net"], "bad.net:2: '[1] nonsense' is no port"),
        (["verify", "petersen", "petersen", "--map", "gone.csv"], "gone.csv cannot be read"),
        (["verify", "petersen", "--tables", "x.lft"], "no hosts"),
        (["verify", "petersen:hosts=1", "--tables", "x.lft"], "x.lft cannot be read"),
        (
            ["verify", "petersen:hosts=1", "--tables", "bad.net"],
            "bad.net:1: 'Switch 4 \"S0\"' is no line of forwarding tables",
        ),
        (["convert", "petersen:hosts=1", "out", "--format", "opensm"], "use topoloom route with --export opensm"),
        (["convert", "petersen", "out", "--format", "booksim"], "no hosts"),
        (["route", "petersen", "--export", "slurn", "-o", "out"], "did you mean 'slurm'"),
        (["route", "petersen", "--export", "slurm"], "-o the folder: give both"),
    ],
)
def test_mistakes_end_with_one_line_and_exit_code_2(call, tmp_path, arguments, reason):
    """The user's mistake is one line on stderr, and nothing is written."""
    (tmp_path / "bad.net").write_text('Switch 4 "S0"\n[1] nonsense\n')
    code, _, err = call(*arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert reason in err
    assert not (tmp_path / "out").exists()
